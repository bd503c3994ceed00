# Diary's make targets. `make try` and `make test` need Debian and Swift; they install the rest.

PREFIX ?= /usr/local
DESTDIR ?=

# Every import names a declared dependency, in every build.
SWIFT_FLAGS := --explicit-target-dependency-import-check error
RELEASE_FLAGS := $(SWIFT_FLAGS) -c release --static-swift-stdlib --disable-index-store

BUILD_PACKAGES := libgit2-dev libsqlite3-dev libcmark-gfm-dev libcmark-gfm-extensions-dev pkg-config
# FoundationNetworking, linked in, brings these two along.
RELEASE_PACKAGES := $(BUILD_PACKAGES) libcurl4-openssl-dev libxml2-dev
TRY_PACKAGES := $(BUILD_PACKAGES) git
# The tests run the real programs: editors in a terminal, git and its servers, a weather hook in
# Python.
TEST_PACKAGES := $(TRY_PACKAGES) tmux vim nano emacs-nox procps python3 openssh-client openssh-server

.PHONY: try test build lint format install uninstall bench-quick clean help

help:
	@echo "make try      build Diary and run its main job on a sample journal"
	@echo "make test     build and pass the tests"
	@echo "make install  put a release build under PREFIX=$(PREFIX)"
	@echo "make bench-quick  time the verbs on 10,000 entries beside find, rg and git"
	@echo "make lint     check format and style;  make format  mends the format"

try: build
	@.ci/try "$$(swift build --show-bin-path)"

build:
	@.ci/packages $(TRY_PACKAGES)
	swift build $(SWIFT_FLAGS)

test:
	@.ci/packages $(TEST_PACKAGES)
	swift build $(SWIFT_FLAGS) --build-tests
	swift test --skip-build --no-parallel --filter '^SessionTests'
	swift test --skip-build --skip '^SessionTests'

lint:
	swift format lint --strict --recursive --parallel Package.swift Sources Tests

format:
	swift format --in-place --recursive --parallel Package.swift Sources Tests

install:
	@.ci/packages $(RELEASE_PACKAGES)
	swift build $(RELEASE_FLAGS) --product diary
	swift build $(RELEASE_FLAGS) --product diary-weather
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/libexec/diary"
	install -s -m 755 "$$(swift build $(RELEASE_FLAGS) --show-bin-path)/diary" "$(DESTDIR)$(PREFIX)/bin/diary"
	install -s -m 755 "$$(swift build $(RELEASE_FLAGS) --show-bin-path)/diary-weather" "$(DESTDIR)$(PREFIX)/libexec/diary/diary-weather"

bench-quick:
	@.ci/packages $(RELEASE_PACKAGES) ripgrep
	swift build $(RELEASE_FLAGS) --product diary
	Benchmarks/quick "$$(swift build $(RELEASE_FLAGS) --show-bin-path)"

uninstall:
	rm -f "$(DESTDIR)$(PREFIX)/bin/diary" "$(DESTDIR)$(PREFIX)/libexec/diary/diary-weather"
	-rmdir "$(DESTDIR)$(PREFIX)/libexec/diary"

clean:
	rm -rf .build
