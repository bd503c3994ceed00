# Diary's make targets. They need Debian and Swift, and install the rest.

PREFIX ?= /usr/local
DESTDIR ?=

# Every import names a declared dependency, in every build.
SWIFT_FLAGS := --explicit-target-dependency-import-check error
RELEASE_FLAGS := $(SWIFT_FLAGS) -c release --static-swift-stdlib
# Holds nothing but the C++ library that is linked in.
LINKED := .build/linked
# For a quicker start. A type such as [String: Int] is asked for by a call, not by its name: for a name
# the runtime looks through all 7,000 conformances for that of String to Hashable. And no table of
# 13,000 symbols for libraries that might look for them, nor 3,000 of the C++ library's to be found.
RELEASE_FLAGS += -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
  -Xlinker --no-export-dynamic -Xswiftc -L$(CURDIR)/$(LINKED)

# The benchmark's sample journals, kept between runs.
BENCH_CACHE ?= /tmp/diary-bench
# docs/releasing.md.
RELEASES ?= .build/releases

.PHONY: try test check nightly install uninstall deb dist bench lint format clean help

help:
	@echo "make try      build Diary and run its main job on a sample journal"
	@echo "make test     build and pass the tests of every change, in minutes; ARGS=REGEX for some suites"
	@echo "make check    the same and all other tests: what a change must pass"
	@echo "make nightly  all of them in their long form; hours. ARGS=\"fuzz years\" for some parts (.ci/nightly)"
	@echo "make install  put a release build under PREFIX=$(PREFIX);  make uninstall  takes it away"
	@echo "make deb      make a Debian package;  make dist  a tarball for any Linux with glibc 2.35"
	@echo "make bench    time the commands beside find, rg and git; ARGS=\"1000 10000\" for fewer entries"
	@echo "make lint     check format and style;  make format  mends the format"
	@echo "make clean    remove all that was built"

# The page's server takes minutes to build, which trying Diary should not.
try:
	@.ci/install-packages TRY
	swift build $(SWIFT_FLAGS) --product diary
	swift build $(SWIFT_FLAGS) --product diary-weather
	@.ci/try "$$(swift build --show-bin-path)"

# Three tiers, docs/testing.md. `make test` is for every change, in minutes; `make check` is all that a
# change must pass; `make nightly` is all there is, and takes hours.
test:
	@.ci/build-tests
	@.ci/tests $(if $(ARGS),'$(ARGS)',test)

check: test
	@.ci/install-browsers
	@.ci/install-jrnl
	@.ci/tests check

nightly:
	@.ci/nightly $(ARGS)

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

SHARE := $(DESTDIR)$(PREFIX)/share

# What the program says of its build; nothing of it makes a file of Swift be compiled anew.
BUILD_FACTS = DIARY_COMMIT="$$(git describe --always --dirty=+ --exclude '*' 2>/dev/null || echo unknown)" \
  DIARY_SWIFT="$$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([^ ]*\).*/\1/p')"
PLACES = $(foreach place,lib/systemd/user share/diary/templates share/doc/diary/docs/from,"$(DESTDIR)$(PREFIX)/$(place)")

# One program of four names, docs/architecture.md.
install: $(LINKED)/libstdc++.a
	@.ci/install-packages BUILD MAN
	$(BUILD_FACTS) swift build $(RELEASE_FLAGS) --product diary-web
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/libexec/diary"
	install -s -m 755 "$$(swift build $(RELEASE_FLAGS) --show-bin-path)/diary-web" "$(DESTDIR)$(PREFIX)/bin/diary"
	for name in diary-weather diary-web; do \
	  ln -sf ../../bin/diary "$(DESTDIR)$(PREFIX)/libexec/diary/$$name" || exit 1; done
	ln -sf diary "$(DESTDIR)$(PREFIX)/bin/git-remote-diary"
	install -d $(PLACES)
	install -m 644 templates/*.md "$(DESTDIR)$(PREFIX)/share/diary/templates"
	install -m 644 README.md README.ko.md "$(DESTDIR)$(PREFIX)/share/doc/diary"
	install -m 644 docs/*.md docs/*.webp docs/*.json "$(DESTDIR)$(PREFIX)/share/doc/diary/docs"
	install -m 644 docs/from/*.md "$(DESTDIR)$(PREFIX)/share/doc/diary/docs/from"
	sed "s|@PREFIX@|$(PREFIX)|" packaging/diary.service >"$(DESTDIR)$(PREFIX)/lib/systemd/user/diary.service"
	rm -rf .build/man
	packaging/man "$(DESTDIR)$(PREFIX)/bin/diary" .build/man
	gzip -9nr .build/man
	(cd .build/man && find * -type f) | while read -r page; do \
	  install -D -m 644 ".build/man/$$page" "$(SHARE)/man/$$page" || exit 1; done
	install -D -m 644 packaging/completions/diary.bash "$(SHARE)/bash-completion/completions/diary"
	install -D -m 644 packaging/completions/_diary "$(SHARE)/zsh/site-functions/_diary"
	install -D -m 644 packaging/completions/diary.fish "$(SHARE)/fish/vendor_completions.d/diary.fish"

deb dist: STAGE = $(CURDIR)/.build/stage-$@
deb:
	@.ci/install-packages dpkg-dev xz-utils
	rm -rf "$(STAGE)"
	$(MAKE) install DESTDIR="$(STAGE)" PREFIX=/usr
	packaging/deb "$(STAGE)" "$(RELEASES)"

dist:
	@.ci/install-packages binutils patchelf xz-utils
	rm -rf "$(STAGE)"
	$(MAKE) install DESTDIR="$(STAGE)" PREFIX=
	packaging/dist "$(STAGE)" "$(RELEASES)"

# Figures of whole processes, each beside a tool in the same run: the ratios are good anywhere.
bench:
	@.ci/install-packages BUILD git ripgrep inotify-tools findutils
	$(MAKE) install PREFIX=$(CURDIR)/.build/bench
	swift build -c release --package-path Benchmarks
	Benchmarks/.build/release/bench --cache "$(BENCH_CACHE)" --bin "$(CURDIR)/.build/bench/bin" \
	  $(or $(ARGS),--json bench.json 1000 10000 100000)

uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/diary" "$(DESTDIR)$(PREFIX)/bin/git-remote-diary" "$(DESTDIR)$(PREFIX)/lib/systemd/user/diary.service" \
	  "$(SHARE)/bash-completion/completions/diary" \
	  "$(SHARE)/zsh/site-functions/_diary" "$(SHARE)/fish/vendor_completions.d/diary.fish"
	rm -f "$(SHARE)/man/man1/diary.1.gz" "$(SHARE)/man/ko/man1/diary.1.gz" "$(SHARE)"/man/man[15]/diary-*.gz \
	  "$(SHARE)"/man/ko/man1/diary-*.gz
	rm -rf $(foreach place,libexec share share/doc,"$(DESTDIR)$(PREFIX)/$(place)/diary")

clean:
	rm -rf .build
