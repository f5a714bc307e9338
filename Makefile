# Everything a person or CI does with Plumb. `make help` lists the targets; each of them sets up what it needs.
#
# Override on the command line: SWIFT=/path/to/swift, RUN_FLAGS="--format json", TEST_FLAGS="--filter Monitor",
# SCRATCH=folder for the build's intermediate files, PREFIX and DESTDIR of `install`, PARTS of a release, SETUP=true to
# skip the check for Debian packages.

SWIFT ?= swift
CLANG_FORMAT ?= clang-format
SHELLCHECK ?= shellcheck
CHECK_CC ?= gcc
SCRATCH ?= .build
SETUP ?= sh scripts/setup.sh
RUN_FLAGS ?=
TEST_FLAGS ?=
PI_FLAGS ?=
STOPPED ?=
SEED ?= 1
COUNT ?= 300
BOARD ?=
MUTATE_FLAGS ?=
SECONDS_EACH ?= 60
TARGETS ?=
FILTER ?=
JOBS ?= 1
FUZZ_SEED ?=
KINDS ?=
MINUTE ?= 60
DAYS ?=
DEPTH ?= 13
PARTS ?= source core deb tool docs pico
APT_KEY ?=
PREFIX ?= /usr/local
DESTDIR ?=

export SWIFT
# The user's language must not affect the tests.
unexport LANGUAGE
test test-web test-web-page test-stream test-python test-mqtt test-desktop test-home-assistant pictures: export LC_ALL = C.UTF-8
# Nor may the service and the board of the machine.
test test-docs test-install test-programs test-web test-web-page test-stream test-python test-mqtt test-desktop test-home-assistant test-pico pictures: export PLUMB_STREAM = none
test test-docs test-install test-programs test-web test-web-page test-stream test-python test-mqtt test-desktop test-home-assistant test-pico pictures: export PLUMB_BOARD = none

# Every script that compiles Plumb for this machine uses the same flags, so each module is compiled once.
build_flags = -c release $(shell cat scripts/build-flags) --scratch-path
swift_flags = $(build_flags) $(SCRATCH)
quick_flags = $(build_flags) $(SCRATCH)/quick -Xswiftc -Onone
swift_sources = Sources Tests docs/examples Package.swift
c_files = $(sort $(wildcard CSupport/*.c CSupport/connect/*.c CSupport/desktop/*.c CSupport/mqtt/*.c))
c_headers = $(sort $(wildcard CSupport/*.h CSupport/include/*.h CSupport/include/*/*.h CSupport/connect/include/*.h CSupport/desktop/*.h CSupport/desktop/include/*.h CSupport/mqtt/*.h CSupport/mqtt/include/*.h))
core_c_files = $(sort $(wildcard docs/examples/c/*.c Tests/Core/CoreABI/*.c Tests/Proofs/Gates/*.c))
core_c_headers = $(sort $(wildcard Sources/Core/CoreABI/include/*.h))
node_tests = $(sort $(wildcard Tests/Web/*.test.mjs))
# Compiled, with the same warnings as errors, by the scripts in the same folders.
web_c_files = $(sort $(wildcard CSupport/web/*.c CSupport/web/include/*.h))
pico_c_files = $(sort $(wildcard CSupport/pico/usb/*.[ch] CSupport/pico/include/cpico_usb.h))
test_c_files = $(sort $(wildcard \
  Tests/Proofs/Microcontroller/*.[ch] Tests/Proofs/Benchmarks/*.[ch] Tests/System/RaspberryPi/guest/*.[ch] \
  Tests/System/RaspberryPi/guest/judges/*.c \
  Tests/Proofs/Fuzz/Engine/*.c Tests/Proofs/Sanitize/*.[ch] Tests/Proofs/Sanitize/*/*.h Tests/System/CodedPins/*.h Tests/System/CodedPins/*/*.h Tests/System/Documents/*.c \
  docs/examples/coded-pins/*.c docs/examples/stream/*.c docs/examples/embedded/Sources/Board/*.c docs/examples/embedded/Sources/Board/include/*.h))
# Compiled, with the same warnings as errors, by the Swift package.
bridge_c_files = $(sort $(wildcard Sources/Emulation/Bridge/Preload/*.c Sources/Emulation/Bridge/include/*.h Sources/Programs/plumbd/*.c Sources/Programs/plumb-mqtt/*.c Sources/Programs/plumb-desktop/*.c Sources/Programs/plumb/Page/*.c Sources/Programs/plumb/Page/include/*.h))
c_flags = -std=gnu11 -Wall -Wextra -Wconversion -Werror
shell_files = $(sort $(wildcard \
  scripts/*.sh Tests/Proofs/Gates/*.sh Tests/System/Consumers/*.sh Tests/Proofs/Microcontroller/*.sh Tests/Proofs/Benchmarks/*.sh Tests/System/Peers/*.sh \
  Tests/System/Pico/*.sh Tests/System/Python/*.sh Tests/System/Share/*.sh Tests/System/MQTT/*.sh Tests/System/RaspberryPi/*.sh Tests/System/RaspberryPi/guest/init Tests/System/Packages/*.sh Tests/System/Documents/*.sh Tests/Proofs/Fuzz/*.sh Tests/Proofs/Sanitize/*.sh Tests/System/Fresh/*.sh Tests/System/HomeAssistant/*.sh Tests/System/Releases/*.sh \
  docs/examples/*/*.sh \
  packaging/p*inst packaging/p*rm packaging/*/p*inst packaging/*/p*rm) .ci/run)
# In parallel, because most of them mostly wait; those that compute most begin first.
script_tests = $(sort $(wildcard Tests/System/Scripts/*.sh))
program_tests = $(addprefix Tests/System/Scripts/,example_packages.sh coded_pins.sh figures.sh plumbd.sh robust.sh install.sh releases.sh docs.sh limits.sh mirror.sh apt.sh site.sh)
long_tests = Tests/System/Scripts/swift.sh Tests/System/Documents/documents.sh
quick_tests = $(long_tests) $(filter-out $(long_tests) $(program_tests),$(script_tests))
desktop_tests = $(sort $(wildcard Tests/System/Desktop/test_*.py))
web_tests = $(patsubst %,Tests/System/Web/test_%.py,serve crowd metrics prometheus page plot)
# Swift tests that take long and need nothing that other tests need: `make test` leaves them to `make test-proofs`, as
# it does faults under a whole monitor, and days in virtual time (Tests/System/Scripts/swift.sh).
proofs = ModelTests FusionTests FuzzTests Fuzzing
long = FaultMatrixTests\.(MonitorMatrix|Soak|Endurance)Tests/
pi_targets = arm64 armhf armv6
space = $(subst ,, )
# Puts a built file into build, in one step and only if it differs: other targets may be running it.
place = mkdir -p build; cmp -s "$(SCRATCH)/release/$(1)" "build/$(1)" || \
  { cp -f "$(SCRATCH)/release/$(1)" "build/$(1).$$$$" && mv -f "build/$(1).$$$$" "build/$(1)"; }
side_by_side = python3 -B Tests/Support/Python/side_by_side.py

.DEFAULT_GOAL := help
.PHONY: help setup setup-build setup-test setup-lint build quick run test embedded clean
.PHONY: core gates setup-gates microcontroller setup-microcontroller bench setup-bench bench-counts bench-time numerics
.PHONY: power
.PHONY: model model-breaks endurance
.PHONY: mutate coverage
.PHONY: docs setup-docs
.PHONY: bridge test-peers setup-peers examples setup-examples
.PHONY: test-docs test-only test-programs test-proofs
.PHONY: test-fresh setup-test-fresh
.PHONY: test-home-assistant setup-test-home-assistant
.PHONY: test-web pictures setup-test-web
.PHONY: test-stream
.PHONY: test-pico setup-test-pico
.PHONY: test-mqtt setup-test-mqtt test-desktop setup-test-desktop
.PHONY: wheel setup-wheel test-python setup-test-python
.PHONY: pico setup-pico
.PHONY: web setup-web test-web-module setup-test-web-module test-web-page setup-test-web-page
.PHONY: plumbd plumb-mqtt plumb-desktop pi amd64 setup-pi test-pi setup-test-pi
.PHONY: man stage install uninstall setup-install test-install setup-test-install
.PHONY: fuzz sanitize sanitize-c sanitize-swift setup-fuzz
.PHONY: deb lint-deb test-deb setup-test-deb
.PHONY: deb-tool test-deb-tool
.PHONY: apt setup-apt test-apt setup-test-apt site setup-site
.PHONY: dist pins setup-dist reproduce setup-reproduce
.PHONY: lint lint-swift lint-c lint-rules lint-shell
.NOTPARALLEL:

help: ## print this list
	@awk -F ': [^#]*## ' -f scripts/help.awk $(firstword $(MAKEFILE_LIST))

setup-build setup-test setup-lint setup-gates setup-microcontroller setup-bench setup-peers setup-pi setup-pico setup-web setup-test-web-module setup-test-web-page setup-test-pi setup-test-deb \
setup-dist setup-apt setup-test-apt setup-site setup-reproduce setup-fuzz setup-install setup-test-install setup-test-fresh setup-test-home-assistant setup-examples setup-test-web setup-test-mqtt setup-test-desktop setup-test-pico setup-docs setup-wheel setup-test-python:
	@$(SETUP) $(@:setup-%=%)

##@ To begin

build: setup-build ## build the tool: build/plumb
	@$(SWIFT) build $(swift_flags) --product plumb
	@$(call place,plumb)
	@echo 'build: build/plumb'

# For the first `run`: docs/decisions/0041-the-first-run-is-compiled-unoptimised.md.
quick: setup-build
	@$(SWIFT) build $(quick_flags) --product plumb
	@mkdir -p build; ln -srf "$(SCRATCH)/quick/release/plumb" build/plumb
	@echo 'build: build/plumb, unoptimised; make build optimises it'

run: $(if $(wildcard $(SCRATCH)/release/plumb),build,quick) ## build the tool, the first time unoptimised, and run the emulated board
	@build/plumb run $(RUN_FLAGS)

# The tests start the tool that `build` makes. TEST_FLAGS select Swift tests.
test: export PLUMB = $(abspath $(SCRATCH))/release/plumb
test: setup-test ## build and run the tests, with their times
	@SCRATCH="$(SCRATCH)" PLUMB_WITHOUT="$(proofs)" $(side_by_side) --patient 'scripts/core.sh host' 'Tests/build.sh release'
	@SCRATCH="$(SCRATCH)" TEST_FLAGS="$(TEST_FLAGS)" $(side_by_side) $(quick_tests)

test-only: setup-test ## run some of the Swift tests: FILTER=Orientation
	@SCRATCH="$(SCRATCH)" python3 -B -W error Tests/Support/Python/test_only.py '$(FILTER)'

install: stage ## install the tool: PREFIX=/usr/local DESTDIR=
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" bash scripts/install.sh install build/install

##@ The tool and this folder

uninstall: ## remove what `install` installed
	@PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" bash scripts/install.sh uninstall

man: build setup-install ## write the manual pages and shell completions: build/man, build/completions
	@bash scripts/install.sh stage build/plumb build
	@echo 'man: build/man, build/completions; read one: man -l build/man/plumb.1'

stage: build setup-install ## link the tool to run without Swift: build/install
	@SCRATCH="$(SCRATCH)" bash scripts/static.sh build/install/plumb
	@bash scripts/install.sh stage build/install/plumb build/install

bridge: setup-build ## build the library that serves emulated sensors as /dev/i2c-1: build/libPlumbBridge.so
	@$(SWIFT) build $(swift_flags) --product PlumbBridge
	@$(call place,libPlumbBridge.so)
	@echo 'build: build/libPlumbBridge.so'

setup: ## install what `build`, `test` and `lint` need
	@$(SETUP) build test lint

clean: ## remove the build products
	rm -rf build .build-benchmarks $(SCRATCH) $(SCRATCH)-mutate $(SCRATCH)-coverage

##@ The services

plumbd: setup-build ## build the daemon for this machine: build/plumbd
	@bash scripts/program.sh plumbd host

plumb-mqtt: setup-build ## build the publisher for this machine: build/plumb-mqtt
	@bash scripts/program.sh plumb-mqtt host

plumb-desktop: setup-build ## build the desktop's service for this machine: build/plumb-desktop
	@bash scripts/program.sh plumb-desktop host

# Those of Debian's packages: with pinned libraries, and modules that are compiled once for them and this machine.
amd64: setup-pi ## build all three for PCs: build/pi/amd64
	@sh scripts/pi-libraries.sh amd64 >/dev/null
	@$(side_by_side) 'scripts/program.sh plumbd amd64' 'scripts/program.sh plumb-mqtt amd64' 'scripts/program.sh plumb-desktop amd64'

# Each program begins with another target, because they compile the modules that they share one after the other.
pi: setup-pi ## build all three for every Raspberry Pi: build/pi
	@set -e; for target in $(pi_targets); do sh scripts/pi-libraries.sh $$target >/dev/null; done
	@$(side_by_side) 'scripts/program.sh plumbd arm64 armhf armv6' 'scripts/program.sh plumb-mqtt armhf armv6 arm64' \
	  'scripts/program.sh plumb-desktop armv6 arm64 armhf'

pico: setup-pico build ## build the firmware for a Raspberry Pi Pico: build/pico/plumb-<sensor>.uf2
	@bash scripts/pico.sh $(BOARD)

web: setup-web ## build the core for browsers and Node, with its page: build/web
	@bash scripts/web.sh

##@ The core, for other firmware

core: setup-build ## build it as a C library: build/core/<target>/libplumb.a for six targets, or TARGETS="host"
	@bash scripts/core.sh $(TARGETS)

embedded: setup-build ## compile the core as Embedded Swift for four architectures
	@bash Tests/Proofs/Gates/embedded.sh

gates: core web pico setup-gates ## check its machine code: no heap, float or trap; stack, size, same bits everywhere
	@bash scripts/core.sh wasm32
	@bash Tests/Proofs/Gates/gates.sh

microcontroller: core setup-microcontroller ## replay recordings on an emulated Cortex-M4 and M0; count instructions
	@bash Tests/Proofs/Microcontroller/microcontroller.sh

##@ Releases

deb: pi amd64 ## build the Debian packages of the services for amd64, arm64, armhf and armel: build/deb
	@bash scripts/deb.sh

deb-tool: stage setup-dist ## build the Debian package of the tool, for this machine: build/deb
	@bash scripts/deb.sh tool

# APT_KEY is the key: a file with a secret key, or the id of a key in gpg's keyring.
apt: deb setup-apt ## make a signed APT repository of the packages in build/deb: build/apt; APT_KEY=
	@APT_KEY="$(APT_KEY)" bash scripts/apt.sh

site: setup-site ## put what is built of documentation, page, APT repository and release into one folder: build/site
	@bash scripts/site.sh

# The versions of Swift packages with which a release is built, where SwiftPM looks for them.
pins:
	@cmp -s packaging/swift-packages.json Package.resolved || cp packaging/swift-packages.json Package.resolved

# What each part of a release is made from.
made_for_core = core
made_for_deb = pi amd64
made_for_tool = stage
made_for_docs = docs
made_for_pico = pico
# Compiled in a folder whose name always has the same length: Swift records in a program the lengths of the paths of
# some packages' sources, which are in that folder.
dist: setup-dist pins ## make a release of the last commit: build/dist; PARTS="source core deb tool docs pico"
	@folder=$$(mktemp -d /var/tmp/plumb-release-XXXXXX) && trap 'rm -rf "$$folder"' EXIT && \
	  $(MAKE) --no-print-directory SETUP=true SCRATCH="$$folder" PARTS="$(PARTS)" dist-parts

.PHONY: dist-parts
dist-parts: $(foreach part,$(PARTS),$(made_for_$(part)))
	@SCRATCH="$(SCRATCH)" bash scripts/dist.sh $(PARTS)

reproduce: setup-reproduce ## make a release twice, in other places, times, names and languages, and compare all bytes; PARTS as for dist
	@bash Tests/System/Releases/reproduce.sh $(PARTS)

wheel: setup-wheel ## build the Python package: build/python
	@bash scripts/wheel.sh

##@ Documentation

docs: setup-docs ## build the documentation of all modules as a site: build/docs
	@SCRATCH="$(SCRATCH)" bash scripts/docs.sh

examples: bridge setup-examples ## build and run the example packages
	@bash Tests/System/Consumers/consumers.sh

pictures: setup-test-web setup-test-desktop build plumb-desktop ## take the pictures of the documentation again: docs/pictures
	@python3 -B scripts/pictures/watch.py --plumb build/plumb -o docs/pictures/watch.svg
	@PLUMB=build/plumb python3 -B -W error Tests/System/Web/test_page.py --pictures docs/pictures
	@python3 -B -W error scripts/pictures/rotation.py -o docs/pictures/rotation.svg

numerics: ## write the last results of microcontroller, bench and bench-time into docs/numerics.md
	@bash Tests/Proofs/Benchmarks/document.sh

##@ More tests

lint: lint-swift lint-c lint-rules lint-shell ## check formatting, C warnings, rules of the source and shell scripts

lint-swift: setup-lint
	@echo 'lint: swift format'
	@$(SWIFT) format lint --strict --recursive --parallel $(swift_sources)

lint-c: setup-lint
	@echo 'lint: clang-format and $(CHECK_CC) on CSupport'
	@$(CLANG_FORMAT) --dry-run --Werror $(c_files) $(c_headers) $(core_c_files) $(core_c_headers) $(test_c_files) \
	  $(bridge_c_files) $(pico_c_files) $(web_c_files)
	@set -e; for file in $(c_files); do $(CHECK_CC) $(c_flags) -ICSupport/include -ICSupport/connect/include -ICSupport/mqtt/include -ICSupport/desktop/include -isystem /usr/include/dbus-1.0 -isystem /usr/lib/$$(gcc -dumpmachine)/dbus-1.0/include -fsyntax-only "$$file"; done
	@set -e; for file in $(core_c_files) $(core_c_headers); do \
	  $(CHECK_CC) $(c_flags) -ISources/Core/CoreABI/include -fsyntax-only -x c "$$file"; done

lint-rules: setup-lint
	@echo 'lint: rules of the source'
	@sh Tests/Proofs/Gates/rules.sh
	@sh Tests/Proofs/Gates/words.sh
	@cd Tests/System/Fresh && python3 -B -W error -m unittest -q && python3 -B -W error needed_packages.py
	@python3 -B Tests/Proofs/Gates/names.py
	@python3 -B Tests/Proofs/Gates/sensors.py

lint-shell: setup-lint
	@echo 'lint: shellcheck'
	@$(SHELLCHECK) -x $(shell_files) $(script_tests)

test-docs: setup-test build bridge ## run every example of the documentation
	@SCRATCH="$(SCRATCH)" bash Tests/System/Documents/documents.sh

# These wait for a long time, compile Plumb again, or test scripts that change seldom.
test-programs: setup-test setup-test-install setup-apt build bridge ## test the programs as installed: daemon, signals, full disks, releases; and the scripts that test
	@$(side_by_side) 'scripts/core.sh host' 'scripts/program.sh plumbd host' 'scripts/program.sh plumb-mqtt host'
	@SCRATCH="$(SCRATCH)" $(side_by_side) $(program_tests)

test-install: stage setup-test-install ## install into a folder, and test it without Swift
	@PLUMB_STAGE=build/install bash Tests/System/Scripts/install.sh

test-fresh: setup-test-fresh ## run README.md's first commands on a fresh Debian with Swift (as root)
	@bash Tests/System/Fresh/fresh.sh

test-web: setup-test-web build bridge ## test `plumb serve` under load and with Prometheus, and the pages of `serve` and `plot` in headless Chromium
	@PLUMB=build/plumb $(side_by_side) --jobs 1 --limit 900 $(web_tests) -- python3 -B -W error

test-web-page: web build setup-test-web-page ## test the page for browsers in headless Chromium: a phone's sensors, an emulated board, recordings, a serial line, no network
	@PLUMB="$(abspath build/plumb)" $(side_by_side) --limit 900 Tests/System/Web/test_web_page.py -- python3 -B -W error

# STOPPED is for how many seconds a client is stopped by SIGSTOP.
test-stream: setup-test build plumbd ## attack the stream, and run its example clients
	@PLUMB=build/plumb PLUMBD=build/plumbd STOPPED="$(STOPPED)" SCRATCH="$(SCRATCH)" \
	  bash Tests/System/Share/share.sh

test-python: setup-test-python build plumbd ## test the Python package on each Python from 3.9 to 3.13 that is here
	@PLUMB=build/plumb PLUMBD=build/plumbd bash Tests/System/Python/python.sh

# MINUTE is for how many seconds the messages of a hundred publishers are counted.
test-mqtt: setup-test-mqtt build plumbd plumb-mqtt ## test both publishers on a mosquitto that fails in every way; a hundred of them
	@PLUMB=build/plumb PLUMB_MQTT=build/plumb-mqtt PLUMBD=build/plumbd MINUTE="$(MINUTE)" bash Tests/System/MQTT/mqtt.sh

test-desktop: setup-test-desktop build plumb-desktop ## test plumb-desktop and plumb-rotate on a bus, on compositors and on X11
	@PLUMB="$(abspath build/plumb)" PLUMB_DESKTOP="$(abspath build/plumb-desktop)" $(side_by_side) $(desktop_tests) -- python3 -B -W error

test-home-assistant: setup-test-home-assistant build ## test `plumb publish` with a real Home Assistant (as root)
	@PLUMB=build/plumb bash Tests/System/HomeAssistant/home_assistant.sh

test-peers: bridge setup-peers ## compare what i2c-tools and Python libraries read from the emulated sensors
	@bash Tests/System/Peers/peers.sh build/libPlumbBridge.so

test-pi: pi build setup-test-pi ## boot emulated Raspberry Pis with the daemon; read pins, stream and MQTT from outside
	@bash Tests/System/RaspberryPi/raspberry_pi.sh $(PI_FLAGS)

# DAYS is for how many days of the Pico's time samples are taken; by default as long as a minute's computing allows.
test-web-module: web build setup-test-web-module ## test the module for browsers and Node in Node: the recordings as `plumb replay`, bad arguments, hostile lines, a million samples
	@PLUMB=build/plumb node --test $(node_tests)

test-pico: pico build setup-test-pico ## run the firmware on an emulated Pico with emulated sensors: poses, faults, USB; DAYS=1
	@PLUMB="$(abspath build/plumb)" SCRATCH="$(SCRATCH)" DAYS="$(DAYS)" bash Tests/System/Pico/pico.sh

lint-deb: deb setup-test-deb ## check the packages: fields, contents, lintian, architecture, manual, services
	@bash Tests/System/Packages/packages.sh

test-deb: lint-deb ## also install them in Debian roots, and boot an emulated Pi with them (as root)
	@bash Tests/System/Packages/install.sh
	@bash Tests/System/Packages/service.sh

test-apt: deb setup-test-apt ## type the repository's three lines in Debian roots, and upgrade and purge there (as root)
	@bash Tests/System/Packages/three_lines.sh

test-deb-tool: deb deb-tool setup-test-deb ## check the package of the tool, install it in a Debian root, try it and remove it (as root)
	@bash Tests/System/Packages/tool.sh

##@ Proofs

test-proofs: setup-test ## run the Swift tests that take long: all states, faults under a monitor, days in virtual time, trials of the fusion
	@SCRATCH="$(SCRATCH)" python3 -B -W error Tests/Support/Python/test_only.py --release '^(($(subst $(space),|,$(proofs)))\.|$(long))'

# Without testable imports the tests share the modules that `build` made; with them everything would be compiled twice.
#
# DEPTH is the depth in inputs of the searches with too many states; in `test` they are a little shallower.
model: setup-test ## search all states for one that breaks a promise: DEPTH=13
	@PLUMB_MODEL_DEPTH="$(DEPTH)" $(SWIFT) test $(swift_flags) --disable-xctest --disable-testable-imports --filter ModelTests

model-breaks: setup-test ## break each promise in a copy, and check that the search finds it
	@python3 -B -W error Tests/Proofs/Model/breaks.py

endurance: setup-test ## run a day at 800 Hz and a month at 25 Hz in virtual time, with random faults
	@PLUMB_ENDURANCE=1 $(SWIFT) test $(swift_flags) --disable-xctest --disable-testable-imports --filter 'Endurance|Edge'

# SECONDS_EACH is how long each target is searched, TARGETS which of them, JOBS how many at a time, and FUZZ_SEED the
# random seed, which differs each time by default. FUZZ_EFFORT=10 gives each target a fixed number of inputs instead:
# those of some ten seconds of one processor.
fuzz: setup-fuzz ## search with libFuzzer for bytes that break the readers: SECONDS_EACH=60 TARGETS="board json" JOBS=1
	@SECONDS_EACH="$(SECONDS_EACH)" FUZZ_EFFORT="$(FUZZ_EFFORT)" TARGETS="$(TARGETS)" JOBS="$(JOBS)" FUZZ_SEED="$(FUZZ_SEED)" bash Tests/Proofs/Fuzz/fuzz.sh

sanitize: sanitize-c sanitize-swift ## run all C code and the Swift tests under the sanitizers

sanitize-c: setup-fuzz ## only the C code
	@bash Tests/Proofs/Sanitize/sanitize.sh

# KINDS selects the sanitizers, TEST_FLAGS the tests; by default all.
sanitize-swift: setup-test setup-fuzz ## only the Swift tests, half an hour: KINDS="address thread"
	@KINDS="$(KINDS)" TEST_FLAGS="$(TEST_FLAGS)" bash Tests/Proofs/Sanitize/swift.sh

# SEED chooses which changes are tried, COUNT how many. MUTATE_FLAGS=--keep tries only survivors again; other flags, such
# as --files and --each, limit the draw: see mutate.py.
mutate: setup-test ## change the core in 300 places, one at a time, and report which changes no test notices: SEED=1 COUNT=300
	@python3 -B -W error Tests/Proofs/Mutation/test_mutate.py
	@python3 -B -W error Tests/Proofs/Mutation/mutate.py --scratch $(SCRATCH)-mutate --seed $(SEED) --count $(COUNT) $(MUTATE_FLAGS)

coverage: setup-test setup-test-mqtt setup-test-desktop ## count the lines that the tests run, and compare with the required shares: build/coverage/index.html
	@python3 -B -W error Tests/Proofs/Coverage/test_coverage.py
	@python3 -B -W error Tests/Proofs/Coverage/coverage.py --scratch $(SCRATCH)-coverage --output build/coverage

##@ Measurements

bench: core build setup-bench ## count instructions per call, also of other libraries; compare recordings with numpy
	@bash Tests/Proofs/Benchmarks/bench.sh

bench-counts: core setup-bench ## only the reproducible counts, compared with docs/numerics.md
	@bash Tests/Proofs/Benchmarks/bench.sh --counts

bench-time: setup-build ## measure the time of the core and libm
	@bash Tests/Proofs/Benchmarks/time.sh

power: setup-test plumbd ## measure what each way of taking samples costs, and compare with docs/power.md
	@python3 -B -W error Tests/System/Daemon/power.py
