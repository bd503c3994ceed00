# Diary's make targets. They need Debian and Swift, and install the rest.

PREFIX ?= /usr/local
DESTDIR ?=
# How many times the usual rounds `make soak` plays; 50 are 10,000 simulated journals.
SOAK ?= 50
# How many seeds `make seeds` takes.
SEEDS ?= 50
# How many years `make years` plays; one takes some minutes in memory (TMPDIR=/dev/shm).
YEARS ?= 10

# Every import names a declared dependency, in every build.
SWIFT_FLAGS := --explicit-target-dependency-import-check error
RELEASE_FLAGS := $(SWIFT_FLAGS) -c release --static-swift-stdlib --disable-index-store
# Holds nothing but the C++ library that is linked in.
LINKED := .build/linked
# For a quicker start. A type such as [String: Int] is asked for by a call, not by its name: for a name
# the runtime looks through all 7,000 conformances for that of String to Hashable. And no table of
# 13,000 symbols for libraries that might look for them, nor 3,000 of the C++ library's to be found.
RELEASE_FLAGS += -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
  -Xlinker --no-export-dynamic -Xswiftc -L$(CURDIR)/$(LINKED)

BUILD_PACKAGES := libgit2-dev libsqlite3-dev libcmark-gfm-dev libcmark-gfm-extensions-dev libzip-dev libxml2-dev \
  libcurl4-openssl-dev pkg-config
TRY_PACKAGES := $(BUILD_PACKAGES) git
# The manual pages are made from the help and the documents.
MAN_PACKAGES := cmark-gfm python3
# The tests run the real programs: editors in a terminal, git and its servers, a weather hook in
# Python, disks of other kinds.
TEST_PACKAGES := $(TRY_PACKAGES) tmux vim neovim nano emacs-nox procps binutils python3 python3-html5lib openssh-client openssh-server \
  sshfs ntfs-3g strace curl iproute2 zip unzip \
  $(MAN_PACKAGES) mandoc groff-base bash bash-completion zsh fish
# The page in real browsers, with a Korean script to be drawn.
PAGE_PACKAGES := chromium chromium-driver webkit2gtk-driver xvfb xauth python3-pip python3-html5lib \
  fonts-noto-cjk epubcheck default-jre-headless

# The benchmark's sample journals, kept between runs, and how many entries they have.
BENCH_CACHE ?= /tmp/diary-bench
SIZES ?= 1000 10000 100000
PAGE_SIZES ?= 10000 100000
BENCH_PACKAGES := $(BUILD_PACKAGES) git ripgrep inotify-tools findutils

.PHONY: texts picture man try test check browsers peers nightly build-tests seeds faults soak years photos fuzz sanitize build lint format install uninstall deb dist try-releases bench bench-check bench-page clean help

help:
	@echo "make try      build Diary and run its main job on a sample journal"
	@echo "make test     build and pass the tests of every change, in minutes"
	@echo "make check    the same and all other tests: what a change must pass"
	@echo "make nightly  all of them in their long form, and all that follows here; hours"
	@echo "make seeds    pass the tests that draw random numbers with $(SEEDS) seeds: SEEDS=5 for fewer"
	@echo "make faults   kill and refuse every command at every effect; an hour or more"
	@echo "make soak     merge and sync at random, kill watchers at random: SOAK=$(SOAK) times the usual runs"
	@echo "make years    play $(YEARS) years of sittings and tell what they cost: YEARS=1 for fewer"
	@echo "make photos   import a zip of 2 GB with 20,000 photos, and tell if it needs much memory"
	@echo "make fuzz     look for inputs that break a reader, FUZZ_SECONDS=$(FUZZ_SECONDS) for each"
	@echo "make sanitize the tests under AddressSanitizer; SANITIZER=thread for the other one"
	@echo "make texts    write the texts for translators anew, from the sources"
	@echo "make man      write the manual pages to .build/man"
	@echo "make picture  take the picture of the page in the documents anew"
	@echo "make install  put a release build under PREFIX=$(PREFIX)"
	@echo "make deb      make a Debian package;  make dist  a tarball for any Linux with glibc 2.35"
	@echo "make try-releases  install both in a bare Debian and run the main job there"
	@echo "make bench    time the commands beside find, rg and git (SIZES=\"1000 10000\" for fewer)"
	@echo "make bench-page  time the page in a browser, beside its limits"
	@echo "make bench-check  fail if a command has become much slower than they are"
	@echo "make lint     check format and style;  make format  mends the format"

try: build
	@.ci/try "$$(swift build --show-bin-path)"

# The page's server takes minutes to build, which trying Diary should not.
build:
	@.ci/packages $(TRY_PACKAGES)
	swift build $(SWIFT_FLAGS) --product diary
	swift build $(SWIFT_FLAGS) --product diary-weather

# Three tiers, docs/testing.md. `make test` is for every change, in minutes; `make check` is all that a
# change must pass; `make nightly` is all there is, and takes hours.
test: build-tests
	@.ci/tests test

check: test browsers peers
	@.ci/tests check

# Programs that Diary exchanges entries with.
peers:
	@.ci/packages python3-venv
	@.ci/jrnl

browsers:
	@.ci/packages $(PAGE_PACKAGES)
	@.ci/axe

# New random numbers for the whole run; DIARY_SEED repeats those of another one.
nightly:
	@seed=$${DIARY_SEED:-$$(od -An -N4 -tx4 /dev/urandom | tr -d ' ')}; echo "DIARY_SEED=$$seed"; \
	DIARY_SEED=$$seed $(MAKE) check seeds faults soak years photos fuzz sanitize bench-check try-releases

build-tests:
	@.ci/packages $(TEST_PACKAGES)
	swift build $(SWIFT_FLAGS) --build-tests

# The suites of `make test` that draw random numbers, with many seeds.
seeds: build-tests
	@failed=0; for number in $$(seq $(SEEDS)); do \
	  DIARY_SEED=$${DIARY_SEED:-seed}-$$number TIER=seeds-$$number .ci/tests random || failed=1; \
	done; exit $$failed

faults: build-tests
	DIARY_FAULTS=all TEST_LIMIT=0 TIER=faults .ci/tests '^FaultTests'

soak: build-tests browsers
	DIARY_SOAK=$(SOAK) TEST_LIMIT=0 TIER=soak-merge .ci/tests '^DiaryCoreTests.*(Sync|Merge)'
	DIARY_FAULTS=$(shell expr $(SOAK) \* 40) TEST_LIMIT=0 TIER=soak-kill .ci/tests '^FaultTests.RandomKillTests'
	DIARY_STATE_PAIRS=$(shell expr $(SOAK) \* 40) TEST_LIMIT=0 TIER=soak-states .ci/tests '^DiaryKitTests.StatePairTests'
	DIARY_STATE=all TEST_LIMIT=0 TIER=soak-table .ci/tests '^DiaryKitTests.StateTableTests'
	DIARY_PAGE_SOAK=$(shell expr $(SOAK) \* 72) TEST_LIMIT=0 TIER=soak-page .ci/tests '^PageTests.SoakTests'

years: build-tests
	DIARY_YEARS=$(YEARS) TEST_LIMIT=0 TIER=years .ci/tests '^DiaryKitTests.YearsTests'

# A zip of 2 GB with 20,000 photos, imported within 150 MB of memory.
photos: build-tests
	DIARY_IMPORT_PHOTOS=20000 TEST_LIMIT=0 TIER=photos .ci/tests '^SessionTests.ImportPhotosTests'

# The texts of the sources for translators: the template in .build/diary.pot and, with gaps where a text
# is new, each translation. Fails while there are gaps.
texts:
	DIARY_RECORD=texts swift test $(SWIFT_FLAGS) --filter '^LocalizationTests'

# The picture of the page in the documents, anew.
picture: build-tests browsers
	DIARY_RECORD=picture TIER=picture .ci/tests '^PageTests.PictureTests'

# libFuzzer on each reader, from the kept inputs; a broken one is left in FUZZ_WORK/found.
FUZZ_SECONDS ?= 10
FUZZ_TARGETS ?= header dates settings merge trees phone page answers globs words links pagetext requests \
  dayone journey jrnl jrnljson phones rednotebook joplin markdownfolder orgjournal \
  tuijournal datedtext applejournal diarium diaryjson encodings
FUZZ_WORK ?= .build/fuzz-work

fuzz:
	@.ci/packages $(BUILD_PACKAGES)
	swift build --package-path Tests/Fuzz --scratch-path .build/fuzz -c release
	@for target in $(FUZZ_TARGETS); do \
	  mkdir -p "$(FUZZ_WORK)/found" "$(FUZZ_WORK)/$$target"; \
	  echo "$$target"; \
	  DIARY_FUZZ=$$target SWIFT_BACKTRACE=enable=no nice -n 10 .build/fuzz/release/fuzz \
	    -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 -max_len=4096 -verbosity=0 \
	    -print_final_stats=1 -artifact_prefix="$(FUZZ_WORK)/found/$$target-" \
	    "$(FUZZ_WORK)/$$target" "Tests/Fuzz/Corpus/$$target" || exit 1; \
	done

# Memory that is misused, or two threads at one place, in all that is not a program of its own.
SANITIZER ?= address
SANITIZED := $(SWIFT_FLAGS) --sanitize $(SANITIZER) --scratch-path .build/$(SANITIZER)

sanitize:
	@.ci/packages $(TEST_PACKAGES)
	swift build $(SANITIZED) --build-tests
	TESTS="$$(swift build $(SANITIZED) --show-bin-path)/diaryPackageTests.xctest" TEST_LIMIT=0 .ci/tests sanitize

lint:
	swift format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks

format:
	swift format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks

# Where there is no such library, the shared one is taken.
$(LINKED)/libstdc++.a:
	@mkdir -p $(LINKED)
	@for compiler in "$$(dirname "$$(readlink -f "$$(command -v swift)")")/clang" clang gcc; do \
	  library=$$("$$compiler" -print-file-name=$(@F) 2>/dev/null) && [ -f "$$library" ] && \
	    ln -sf "$$library" $@ && break; \
	done; true

# The manual pages, from the texts of the help.
man: build
	@.ci/packages $(MAN_PACKAGES)
	packaging/man "$$(swift build $(SWIFT_FLAGS) --show-bin-path)/diary" .build/man

SHARE := $(DESTDIR)$(PREFIX)/share

# What the program says of its build; nothing of it makes a file of Swift be compiled anew.
BUILD_FACTS = DIARY_COMMIT="$$(git describe --always --dirty=+ --exclude '*' 2>/dev/null || echo unknown)" \
  DIARY_SWIFT="$$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([^ ]*\).*/\1/p')"
PLACES = $(foreach place,lib/systemd/user share/diary/templates share/doc/diary/docs,"$(DESTDIR)$(PREFIX)/$(place)")

# One program of three names, docs/architecture.md.
install: $(LINKED)/libstdc++.a
	@.ci/packages $(BUILD_PACKAGES) $(MAN_PACKAGES)
	$(BUILD_FACTS) swift build $(RELEASE_FLAGS) --product diary-web
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/libexec/diary"
	install -s -m 755 "$$(swift build $(RELEASE_FLAGS) --show-bin-path)/diary-web" "$(DESTDIR)$(PREFIX)/bin/diary"
	for name in diary-weather diary-web; do \
	  ln -sf ../../bin/diary "$(DESTDIR)$(PREFIX)/libexec/diary/$$name" || exit 1; done
	install -d $(PLACES)
	install -m 644 templates/*.md "$(DESTDIR)$(PREFIX)/share/diary/templates"
	install -m 644 README.md "$(DESTDIR)$(PREFIX)/share/doc/diary"
	install -m 644 docs/*.md docs/*.webp docs/*.json "$(DESTDIR)$(PREFIX)/share/doc/diary/docs"
	sed "s|@PREFIX@|$(PREFIX)|" packaging/diary.service >"$(DESTDIR)$(PREFIX)/lib/systemd/user/diary.service"
	rm -rf .build/man
	packaging/man "$(DESTDIR)$(PREFIX)/bin/diary" .build/man
	gzip -9nr .build/man
	(cd .build/man && find * -type f) | while read -r page; do \
	  install -D -m 644 ".build/man/$$page" "$(SHARE)/man/$$page" || exit 1; done
	install -D -m 644 packaging/completions/diary.bash "$(SHARE)/bash-completion/completions/diary"
	install -D -m 644 packaging/completions/_diary "$(SHARE)/zsh/site-functions/_diary"
	install -D -m 644 packaging/completions/diary.fish "$(SHARE)/fish/vendor_completions.d/diary.fish"

# docs/releasing.md.
RELEASES ?= .build/releases

deb dist: STAGE = $(CURDIR)/.build/stage-$@
deb:
	@.ci/packages dpkg-dev xz-utils
	rm -rf "$(STAGE)"
	$(MAKE) install DESTDIR="$(STAGE)" PREFIX=/usr
	packaging/deb "$(STAGE)" "$(RELEASES)"

dist:
	@.ci/packages binutils patchelf xz-utils
	rm -rf "$(STAGE)"
	$(MAKE) install DESTDIR="$(STAGE)" PREFIX=
	packaging/dist "$(STAGE)" "$(RELEASES)"

# Both in a bare Debian, as root, with what lintian says.
try-releases: deb dist
	@.ci/packages debootstrap lintian
	lintian --allow-root --fail-on error,warning "$(RELEASES)"/*.deb
	for file in "$(RELEASES)"/*.deb "$(RELEASES)"/*.tar.xz; do packaging/try-root "$$file" || exit 1; done

# Figures of whole processes, each beside a tool in the same run: the ratios are good anywhere.
bench: RUN = --json bench.json $(SIZES)
bench-check: RUN = --check --rounds 5 1000
bench bench-check:
	@.ci/packages $(BENCH_PACKAGES)
	$(MAKE) install PREFIX=$(CURDIR)/.build/bench
	swift build -c release --package-path Benchmarks
	Benchmarks/.build/release/bench --cache "$(BENCH_CACHE)" --bin "$(CURDIR)/.build/bench/bin" $(RUN)

# Figures of the page with the release, beside their limits.
bench-page: build-tests browsers
	$(MAKE) install PREFIX=$(CURDIR)/.build/bench-page
	for count in $(PAGE_SIZES); do \
	  DIARY_FIGURES=$$count DIARY_PROGRAMS=$(CURDIR)/.build/bench-page/bin TIER=figures \
	    .ci/tests '^PageTests.FigureTests' && grep -h '^figure' .build/tests/figures/PageTests*.log || exit 1; done

uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/diary" "$(DESTDIR)$(PREFIX)/lib/systemd/user/diary.service" \
	  "$(SHARE)/bash-completion/completions/diary" \
	  "$(SHARE)/zsh/site-functions/_diary" "$(SHARE)/fish/vendor_completions.d/diary.fish"
	rm -f "$(SHARE)/man/man1/diary.1.gz" "$(SHARE)/man/ko/man1/diary.1.gz" "$(SHARE)"/man/man[15]/diary-*.gz \
	  "$(SHARE)"/man/ko/man1/diary-*.gz
	rm -rf $(foreach place,libexec share share/doc,"$(DESTDIR)$(PREFIX)/$(place)/diary")

clean:
	rm -rf .build
