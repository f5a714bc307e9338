# Everything a person or CI does with Plumb. `make help` lists the targets; each of them does its own set-up.
#
# Override on the command line: SWIFT=/path/to/swift, RUN_FLAGS="--format json", TEST_FLAGS="--filter Monitor",
# SCRATCH=folder for the build's intermediate files, SETUP=true to skip looking for Debian packages.

SWIFT ?= swift
CLANG_FORMAT ?= clang-format
SHELLCHECK ?= shellcheck
CHECK_CC ?= gcc
SCRATCH ?= .build
SETUP ?= sh scripts/setup.sh
RUN_FLAGS ?=
TEST_FLAGS ?=

export SWIFT

swift_flags = -c release --scratch-path $(SCRATCH)
swift_sources = Sources Tests Package.swift
c_files = $(sort $(wildcard CSupport/*.c))
c_headers = $(sort $(wildcard CSupport/*.h CSupport/include/*.h CSupport/include/*/*.h))
c_flags = -std=gnu11 -Wall -Wextra -Wconversion -Werror
shell_files = $(sort $(wildcard scripts/*.sh Tests/Gates/*.sh) .ci/run)
script_tests = $(sort $(wildcard Tests/Scripts/*.sh))

.DEFAULT_GOAL := help
.PHONY: help setup setup-build setup-test setup-lint build run test embedded clean
.PHONY: lint lint-swift lint-c lint-rules lint-shell
.NOTPARALLEL:

help: ## print this list
	@awk -F ': [^#]*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: ## install the Debian packages that are missing for all that follows
	@$(SETUP) build test lint

setup-build setup-test setup-lint:
	@$(SETUP) $(@:setup-%=%)

build: setup-build ## build the tool, release configuration: build/plumb
	@$(SWIFT) build $(swift_flags) --product plumb
	@mkdir -p build
	@cp -f "$$($(SWIFT) build $(swift_flags) --show-bin-path)/plumb" build/plumb
	@echo 'build: build/plumb'

run: build ## the main job: build, then run the emulated board through all six poses
	@build/plumb run $(RUN_FLAGS)

# Without testable imports the tests share the modules that `build` made; with them everything is compiled twice.
test: setup-test build ## build and run all tests
	@$(SWIFT) test $(swift_flags) --disable-xctest --disable-testable-imports $(TEST_FLAGS)
	@set -e; for script in $(script_tests); do echo "test: $$script"; bash "$$script"; done

lint: lint-swift lint-c lint-rules lint-shell ## formatting, warnings of the C shim, source rules, shell scripts

lint-swift: setup-lint
	@echo 'lint: swift format'
	@$(SWIFT) format lint --strict --recursive --parallel $(swift_sources)

lint-c: setup-lint
	@echo 'lint: clang-format and $(CHECK_CC) on CSupport'
	@$(CLANG_FORMAT) --dry-run --Werror $(c_files) $(c_headers)
	@set -e; for file in $(c_files); do $(CHECK_CC) $(c_flags) -ICSupport/include -fsyntax-only "$$file"; done

lint-rules:
	@echo 'lint: rules of the source'
	@sh Tests/Gates/rules.sh

lint-shell: setup-lint
	@echo 'lint: shellcheck'
	@$(SHELLCHECK) $(shell_files)

embedded: setup-build ## compile the core as Embedded Swift without allocations, for every architecture
	@bash Tests/Gates/embedded.sh

clean: ## remove what the build made
	rm -rf build $(SCRATCH)
