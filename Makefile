# Diary's make targets. They need Debian and Swift, and install the rest.

PREFIX ?= /usr/local
DESTDIR ?=
# How many times the usual rounds `make soak` plays; 50 are 10,000 simulated journals.
SOAK ?= 50
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

BUILD_PACKAGES := libgit2-dev libsqlite3-dev libcmark-gfm-dev libcmark-gfm-extensions-dev pkg-config
# FoundationNetworking, linked in, brings these two along.
RELEASE_PACKAGES := $(BUILD_PACKAGES) libcurl4-openssl-dev libxml2-dev
TRY_PACKAGES := $(BUILD_PACKAGES) git
# The tests run the real programs: editors in a terminal, git and its servers, a weather hook in
# Python, disks of other kinds.
TEST_PACKAGES := $(TRY_PACKAGES) tmux vim neovim nano emacs-nox procps python3 openssh-client openssh-server \
  sshfs ntfs-3g strace

# The benchmark's sample journals, kept between runs, and how many entries they have.
BENCH_CACHE ?= /tmp/diary-bench
SIZES ?= 1000 10000 100000
BENCH_PACKAGES := $(RELEASE_PACKAGES) git ripgrep inotify-tools findutils

.PHONY: texts try test check nightly build-tests faults soak years fuzz sanitize build lint format install uninstall bench bench-check clean help

help:
	@echo "make try      build Diary and run its main job on a sample journal"
	@echo "make test     build and pass the tests of every change, in minutes"
	@echo "make check    the same and all other tests: what a change must pass"
	@echo "make nightly  all of them in their long form, and all that follows here; hours"
	@echo "make faults   kill and refuse every command at every effect; an hour or more"
	@echo "make soak     merge and sync at random, kill watchers at random: SOAK=$(SOAK) times the usual runs"
	@echo "make years    play $(YEARS) years of sittings and tell what they cost: YEARS=1 for fewer"
	@echo "make fuzz     look for inputs that break a reader, FUZZ_SECONDS=$(FUZZ_SECONDS) for each"
	@echo "make sanitize the tests under AddressSanitizer; SANITIZER=thread for the other one"
	@echo "make texts    write the texts for translators anew, from the sources"
	@echo "make install  put a release build under PREFIX=$(PREFIX)"
	@echo "make bench    time the commands beside find, rg and git (SIZES=\"1000 10000\" for fewer)"
	@echo "make bench-check  fail if a command has become much slower than they are"
	@echo "make lint     check format and style;  make format  mends the format"

try: build
	@.ci/try "$$(swift build --show-bin-path)"

build:
	@.ci/packages $(TRY_PACKAGES)
	swift build $(SWIFT_FLAGS)

# Three tiers, docs/testing.md. `make test` is for every change, in minutes; `make check` is all that a
# change must pass; `make nightly` is all there is, and takes hours.
test: build-tests
	@.ci/tests test

check: test
	@.ci/tests check

nightly: check faults soak years fuzz sanitize bench-check

build-tests:
	@.ci/packages $(TEST_PACKAGES)
	swift build $(SWIFT_FLAGS) --build-tests

faults: build-tests
	DIARY_FAULTS=all TEST_LIMIT=0 .ci/tests '^FaultTests'

soak: build-tests
	DIARY_SOAK=$(SOAK) TEST_LIMIT=0 .ci/tests '^DiaryCoreTests.*(Sync|Merge)'
	DIARY_FAULTS=$(shell expr $(SOAK) \* 40) TEST_LIMIT=0 .ci/tests '^FaultTests.RandomKillTests'

years: build-tests
	DIARY_YEARS=$(YEARS) TEST_LIMIT=0 .ci/tests '^DiaryKitTests.YearsTests'

# The texts that translators see, anew from the sources: the template and, with gaps where a text is
# new, each translation. Fails while there are gaps.
texts:
	DIARY_RECORD=texts swift test $(SWIFT_FLAGS) --filter '^LocalizationTests'

# libFuzzer on each reader, from the kept inputs; a broken one is left in FUZZ_WORK/found.
FUZZ_SECONDS ?= 10
FUZZ_TARGETS ?= header dates settings merge trees phone page answers globs words links
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

# Memory that is misused, or two threads at one place, in all that is not a program of its own; but for
# a test of time. libgit2 is told once for each process whose configuration it reads.
ALONE := GitHistoryTests
SANITIZER ?= address
SANITIZED := $(SWIFT_FLAGS) --sanitize $(SANITIZER) --scratch-path .build/$(SANITIZER)

sanitize:
	@.ci/packages $(TEST_PACKAGES)
	swift build $(SANITIZED) --build-tests
	swift test --skip-build $(SANITIZED) --filter '^$(ALONE)'
	swift test --skip-build $(SANITIZED) --skip '^(SessionTests|FaultTests|TidyTests|$(ALONE))' --skip 'HostilePageTests.*depth'

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

install: $(LINKED)/libstdc++.a
	@.ci/packages $(RELEASE_PACKAGES)
	swift build $(RELEASE_FLAGS) --product diary
	swift build $(RELEASE_FLAGS) --product diary-weather
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/libexec/diary"
	install -s -m 755 "$$(swift build $(RELEASE_FLAGS) --show-bin-path)/diary" "$(DESTDIR)$(PREFIX)/bin/diary"
	install -s -m 755 "$$(swift build $(RELEASE_FLAGS) --show-bin-path)/diary-weather" "$(DESTDIR)$(PREFIX)/libexec/diary/diary-weather"

# Figures of whole processes, each beside a tool in the same run: the ratios are good anywhere.
bench: RUN = --json bench.json $(SIZES)
bench-check: RUN = --check --rounds 5 1000
bench bench-check: $(LINKED)/libstdc++.a
	@.ci/packages $(BENCH_PACKAGES)
	swift build $(RELEASE_FLAGS) --product diary
	swift build -c release --package-path Benchmarks
	Benchmarks/.build/release/bench --cache "$(BENCH_CACHE)" \
	  --bin "$$(swift build $(RELEASE_FLAGS) --show-bin-path)" $(RUN)

uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/diary" "$(DESTDIR)$(PREFIX)/libexec/diary/diary-weather"
	-rmdir "$(DESTDIR)$(PREFIX)/libexec/diary"

clean:
	rm -rf .build
