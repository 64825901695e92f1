# SPDX-License-Identifier: Apache-2.0
# The front door. Meson does the building (build/py), pip the Python side (.venv); this file sets both
# up, once, and starts what there is to start. A stamp stands beside each thing that was set up, so that
# it goes when the thing goes.

PYTHON := python3
FUZZ_SECONDS := 60
SEEDS := 1000000:1002000
EXAMPLES := 20
SUITE :=
PYTHONS :=
CLIENTS := taichi_examples genesis_scenes array_api_suites library_programs
ARGS :=

BUILD := build/py
TEXTS := "-Dtexts=$(CURDIR)/build/texts"
BIN := .venv/bin
MESON := $(BIN)/meson
NINJA := $(BIN)/ninja
# Packages are compiled to byte code when they are first imported, not all when they are installed:
# PyTorch alone has thousands of files that nothing here imports.
PIP := $(BIN)/pip --disable-pip-version-check
INSTALL := $(PIP) install -qq --no-compile
# What pyproject.toml lists there.
listed = $(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))$(1), sep="\n")'
PYTEST := $(BIN)/python -m pytest
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

export PATH := $(CURDIR)/$(BIN):$(PATH)

# The commands below import the package from BUILD/site, a layout of links. The editable install's
# finder would start ninja in every process, so it is told to stand back.
export MESONPY_EDITABLE_SKIP := $(CURDIR)/$(BUILD)
export PYTHONPATH := $(CURDIR)/$(BUILD)/site

# Byte code has to be kept, as each process would compile what it imports otherwise.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help build demo test checks-and-c-tests python-tests test-all programs conformance bench clients wheel lint tidy sanitize sanitize-c sanitize-python fuzz nightly docs derived clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /:/' | \
		while IFS=: read -r name text; do printf 'make %-11s %s\n' "$$name" "$$text"; done

# ---- set-up ----

$(BIN)/python:
	@tools/setup.sh
	@echo "setup: making .venv"
	@$(PYTHON) -m venv .venv

# pip takes several settings of a build from 23.1 on; Debian 12 makes environments with 23.0.
.venv/.build-tools: pyproject.toml | $(BIN)/python
	@tools/setup.sh
	@$(INSTALL) 'pip>=23.1'
	@$(call listed,["build-system"]["requires"]) | $(INSTALL) -r /dev/stdin
	@touch $@

.venv/.release-tools: pyproject.toml | .venv/.build-tools
	@$(call listed,["project"]["optional-dependencies"]["release"]) | $(INSTALL) -r /dev/stdin
	@touch $@

# The editable install configures and compiles. The library is optimised as one piece only in wheels and
# in what `make bench` measures. The demo does with loops for this CPU; all else has them optimised for
# every instruction set.
LOOPS := all
demo: LOOPS = $(if $(wildcard $(BUILD)/.all-loops),all,native)
# pip waits for the network and the disk more than for a core, so the compilers run beside it.
demo: BESIDE = $(call listed,["project"]["optional-dependencies"]["demo"]) | $(INSTALL) -r /dev/stdin &

# Meson does not set an option that a configured build has not known, so such a build is made anew.
$(BUILD)/.installed: pyproject.toml meson.options .venv/.build-tools
	@echo "setup: configuring $(BUILD) and installing joggle into .venv"
	@if [ meson.options -nt $(BUILD)/build.ninja ]; then rm -rf $(BUILD); fi
	@$(BESIDE) $(INSTALL) --no-build-isolation -Cbuild-dir=$(BUILD) -Csetup-args=-Dtests=enabled \
		-Csetup-args=-Dwhole_program=false -Csetup-args=-Dloops=$(LOOPS) -Csetup-args=$(TEXTS) \
		-e . \
		$(if $(BESIDE),&& wait $$!)
	@rm -f $(BUILD)/.all-loops
	@touch $@ $(if $(filter all,$(LOOPS)),$(BUILD)/.all-loops)

$(BUILD)/.all-loops: $(BUILD)/.installed
	@[ -e $@ ] || $(MESON) configure $(BUILD) -Dloops=all
	@touch $@

# joggle is there by now, so pip looks only for what the extra adds.
.venv/.extra-%: pyproject.toml | $(BUILD)/.installed
	@echo "setup: installing what '$*' needs into .venv (minutes, the first time)"
	@$(INSTALL) 'joggle[$*]'
	@touch $@

.venv/.test-packages: tools/setup.sh | $(BIN)/python
	@tools/setup.sh test
	@touch $@

.venv/.check-packages: tools/setup.sh | $(BIN)/python
	@tools/setup.sh check
	@touch $@

# ---- building ----

# Meson looks for these files when it configures, so it has to configure anew when one comes or goes.
found := $(sort $(wildcard tests/c/*/test_*.c tests/fuzz/fuzz_*.c \
	python/src/*/*.c python/src/*.c python/joggle/*.py* python/joggle/*/*.py* python/joggle/*/*/*.py*))

# $(call compile,DIR,TARGETS): brings a configured build up to date, with targets that are not built by
# default, and lays its package out in DIR/site.
define compile
	@if [ -e $(1)/.found ] && [ "$$(cat $(1)/.found)" != "$(found)" ]; then \
		$(MESON) setup --reconfigure $(1) >/dev/null; \
	fi
	@echo "$(found)" >$(1)/.found
	@$(NINJA) -C $(1) --quiet all $(2)
	@tools/link_package.sh $(1)
endef

build: $(BUILD)/.all-loops ## set up and compile
	$(call compile,$(BUILD))

demo: .venv/.extra-demo ## train a network on NumPy's memory and a language model, take noise out of a photograph
	$(call compile,$(BUILD))
	@$(BIN)/python examples/digits.py
	@if [ -e $(BUILD)/site/joggle/libjoggle_jit.so ]; then \
		$(BIN)/python examples/photograph.py; \
	else \
		echo "demo: no photograph: kernels need LLVM 19, which this build was made without"; \
	fi
	@$(BIN)/python examples/language.py

build/bench/build.ninja: .venv/.build-tools
	@echo "setup: configuring build/bench"
	@$(MESON) setup -Dpython=enabled -Dwheel=true -Dtests=enabled -Dwhole_program=true build/bench >/dev/null

# What is measured is compiled as a wheel is. --accuracy runs a test of build/bench.
bench: .venv/.extra-bench build/bench/build.ninja ## measure against the other frameworks, side by side
	$(call compile,build/bench,$(if $(findstring --accuracy,$(ARGS)),$(c_tests)))
	@PYTHONPATH=$(CURDIR)/build/bench/site $(BIN)/python bench/run.py $(ARGS)

clients: build/bench/build.ninja ## published programs, and programs over other libraries, on joggle and on what they were written for [CLIENTS=genesis_scenes]
	$(call compile,build/bench)
	@for client in $(CLIENTS); do \
		PYTHONPATH=$(CURDIR)/build/bench/site $(BIN)/python clients/$$client.py $(ARGS); \
	done

docs: derived .venv/.extra-docs build ## write what is derived from the tables; build the site in build/docs, read it in a browser
	@NO_MKDOCS_2_WARNING=1 $(BIN)/python tools/site.py build/docs
	@if command -v chromium >/dev/null; then $(BIN)/python tools/site_check.py build/docs; fi
	@echo "docs: build/docs/index.html"

derived: $(BIN)/python ## write what is derived from the tables, tools/layers.txt and bench/figures, no more
	@$(BIN)/python tools/optable.py
	@$(BIN)/python tools/figures.py
	@$(BIN)/python tools/check_layers.py --draw

clean: ## remove what was built; .venv stays
	@rm -rf build demo bench/out

# ---- checking ----

# Meson's name for all that its tests run.
c_tests := meson-test-prereq

# Plugins that take part in every test for nothing: those of packages that are here for something else,
# and what keeps the log of each test, which visits the loggers of all frameworks.
UNUSED := -p no:anyio -p no:pytest_jsonreport -p no:logging

# Everything runs even if a part fails, so that one run tells all; ARGS go to pytest, and files or
# folders among them are all that runs. The C tests take what the Python tests leave of the cores, and
# both where these have ended; they are heard of when they have.
test: .venv/.test-packages .venv/.extra-test build ## C tests, staleness of derived files, Python tests; ARGS=tests/python/arrays for one folder
	@printf '%s\n' python-tests $(if $(filter tests/%,$(ARGS)),,checks-and-c-tests) | \
		SWEEPS="$(SWEEPS)" xargs -P 2 -I PART $(MAKE) PART

checks-and-c-tests:
	@failed=0; \
	$(BIN)/python tools/optable.py --check || failed=1; \
	$(BIN)/python tools/check_layers.py || failed=1; \
	nice -n 10 $(NINJA) -C $(BUILD) --quiet $(c_tests) || failed=1; \
	nice -n 10 $(MESON) test -C $(BUILD) --no-rebuild --quiet --print-errorlogs --timeout-multiplier 4 \
		> $(BUILD)/c_tests.log 2>&1 || failed=1; \
	cat $(BUILD)/c_tests.log; exit $$failed

# A process that dies ends the run: pytest-xdist may wait for ever after it has started another. A
# file's tests stay in one process; files are begun in order, those that take longest first
# (tests/conftest.py). There is one more than cores, as some tests wait, for processes that are gone
# and the like. They share the cores, so the frameworks' idle threads sleep instead of
# spinning; and JAX, whose values are all that is asked, compiles quickly.
python-tests:
	@OMP_WAIT_POLICY=passive JAX_DISABLE_MOST_OPTIMIZATIONS=1 $(PYTEST) -n "$$(($$(nproc) + 1))" --max-worker-restart 0 $(UNUSED) --dist loadfile --no-loadscope-reorder $(SWEEPS) $(ARGS)

test-all: SWEEPS := --all
test-all: export TESTS_IN_FULL := 1
test-all: test ## the same with sweeps in full; ARGS=--long runs random programs for an hour as well

# Programs that the tests do not run. A CPU runs them at the instruction sets that it has.
programs: .venv/.extra-test build ## random programs beside NumPy at each instruction set: [SEEDS=0:100000]
	@printf '%s\n' baseline avx2 avx512 | xargs -P "$$(nproc)" -I ISA bash -c ' \
		told=$$(JOGGLE_VERIFY=1 JOGGLE_ISA=ISA $(BIN)/python tests/python/programs --seeds $(SEEDS)) || failed=1; \
		echo "programs: ISA, seeds $(SEEDS): $$told"; exit $${failed:-0}'

# SUITE is a folder of data-apis/array-api-tests, which is only read; ARGS go to the script.
conformance: .venv/.test-packages .venv/.extra-conformance build ## run the Array API's test suite: SUITE=<folder> [EXAMPLES=500] [ARGS="--device opencl"]
	@$(if $(SUITE),,$(error conformance: SUITE=<folder> must name a folder of data-apis/array-api-tests))
	@$(BIN)/python tests/conformance/run.py $(SUITE) --examples $(EXAMPLES) $(ARGS)

c_files = $(shell git ls-files -co --exclude-standard -- '*.c' '*.h')

build/lint/build.ninja: .venv/.build-tools
	@echo "setup: configuring build/lint"
	@$(MESON) setup -Dwerror=true -Dtests=enabled -Dpython=enabled -Dloops=plain build/lint >/dev/null

lint: .venv/.check-packages .venv/.extra-lint build/lint/build.ninja build ## warnings, format, ruff, layers, circles, prefixes, effect lines, messages, score card
	$(call compile,build/lint,$(c_tests))
	@clang-format --dry-run -Werror $(c_files)
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check .
	@$(BIN)/python tools/check_layers.py
	@$(BIN)/python tools/check_circles.py build/lint
	@$(BIN)/python tools/check_prefixes.py build/lint
	@$(BIN)/python tools/check_effects.py
	@$(BIN)/python tools/check_waits.py
	@$(BIN)/python tools/check_messages.py
	@$(BIN)/python tools/lint_imports.py >build/lint/imports.txt || { cat build/lint/imports.txt; exit 1; }
	@$(BIN)/python tools/scorecard.py

# scalar.c is compiled by clang 19 alone, with flags of its own.
tidy: .venv/.check-packages build/lint/build.ninja ## clang-tidy over all of src and python/src; half an hour
	$(call compile,build/lint)
	@printf '%s\n' $(filter-out src/jit/llvm/scalar.c,$(filter src/%.c python/src/%.c,$(c_files))) | \
		xargs -P "$$(nproc)" -n 8 clang-tidy --quiet -p build/lint 2> >(grep -v 'warnings* generated' >&2)

# Vector loops take minutes to compile under sanitizers with more optimization. Reports name lines, which
# is what -g1 has.
instrumented = $(MESON) setup -Dbuildtype=debugoptimized -Doptimization=1 -Ddebug=false -Db_lundef=false

build/asan/build.ninja: .venv/.build-tools
	@echo "setup: configuring build/asan"
	@$(instrumented) -Db_sanitize=address,undefined -Dc_args='-g1 -fno-sanitize-recover=all' \
		-Dtests=enabled -Dpython=enabled -Dwheel=true $(TEXTS) build/asan >/dev/null

build/tsan/build.ninja: .venv/.build-tools
	@echo "setup: configuring build/tsan"
	@$(instrumented) -Db_sanitize=thread -Dc_args=-g1 -Dtests=enabled -Dthreaded_tests=true \
		-Dloops=native $(TEXTS) build/tsan >/dev/null

build/fuzz/build.ninja: .venv/.build-tools
	@echo "setup: configuring build/fuzz"
	@CC=clang $(instrumented) -Dwerror=true -Db_sanitize=address,undefined -Dfuzz=enabled \
		-Dtests=disabled -Dc_args='-g1 -fsanitize=fuzzer-no-link -fno-sanitize-recover=all' build/fuzz >/dev/null

instrumented_test = $(MESON) test --no-rebuild --quiet --print-errorlogs --timeout-multiplier 10
runtime = $$($(CC) -print-file-name=$(1))

sanitize-c: .venv/.check-packages .venv/.test-packages .venv/.build-tools build/asan/build.ninja build/tsan/build.ninja ## ASan and UBSan over the C tests, TSan over those of threads
	$(call compile,build/asan,$(c_tests))
	@UBSAN_OPTIONS=print_stacktrace=1 $(instrumented_test) -C build/asan
	$(call compile,build/tsan,$(c_tests))
	@TSAN_OPTIONS=halt_on_error=1 $(instrumented_test) -C build/tsan

# Leaks are looked for in the C tests only: CPython and the frameworks leave memory behind at exit.
# libstdc++ is loaded early because ASan must find the real __cxa_throw when it starts; pytest leaves
# stderr alone, where the reports go.
# Left out: tests of other libraries' LLVMs, and of what handles SIGBUS, which is then the sanitizer.
sanitized := $(filter-out %/test_jit_beside_others.py %/test_files_cut_short.py, \
	$(wildcard $(foreach room,exchange arrays files transform,tests/python/$(room)/test_*.py)))
sanitize-python: .venv/.test-packages .venv/.extra-test build/asan/build.ninja ## ASan and UBSan over the extension: exchange, arrays, files and transformations
	$(call compile,build/asan)
	@LD_PRELOAD="$(call runtime,libasan.so) $(call runtime,libstdc++.so.6)" \
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
		MESONPY_EDITABLE_SKIP=$(CURDIR)/$(BUILD) PYTHONPATH=$(CURDIR)/build/asan/site \
		$(PYTEST) --capture=sys -n "$$(nproc)" -o timeout=1200 $(UNUSED) $(sanitized)

sanitize: sanitized += tests/python/programs tests/interop
sanitize: sanitize-c sanitize-python ## the same, other interchange and programs from Python, TSan; fuzz
	@$(MAKE) fuzz

# FUZZ_SECONDS is for each target. The corpus in the tree is read; what is found goes to build/fuzz.
fuzz: .venv/.check-packages build/fuzz/build.ninja ## feed hostile input to every parser
	$(call compile,build/fuzz)
	@printf '%s\n' $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c)) | \
		xargs -P "$$(nproc)" -I SUBJECT bash -c ' \
			work=build/fuzz/corpus/SUBJECT; log=build/fuzz/SUBJECT.log; \
			mkdir -p $$work tests/fuzz/corpus/SUBJECT; \
			build/fuzz/tests/c/fuzz_SUBJECT -max_total_time=$(FUZZ_SECONDS) -timeout=10 \
				-artifact_prefix=build/fuzz/SUBJECT- $$work tests/fuzz/corpus/SUBJECT \
				>$$log 2>&1 || { echo "fuzz: SUBJECT failed"; tail -n 60 $$log; exit 1; }; \
			echo "fuzz: SUBJECT, $(FUZZ_SECONDS) s: $$(tail -n 1 $$log)"'

# PYTHONS are the interpreters that wheels are for; without, the one of .venv. SIGN names an SSH key that
# signs the checksums.
wheel: .venv/.release-tools ## build/wheel: wheels, source, checksums of a release [PYTHONS="python3.11 python3.13"] [SIGN=KEY]
	@rm -rf build/wheel
	@$(BIN)/python tools/wheel/build.py build/wheel $(PYTHONS:%=--python %) \
		$(if $(SIGN),--sign $(SIGN)) $(ARGS)

# What CPUs with fewer instructions run, and Arm's, is tested where it differs most.
nightly: ## what takes hours: clang-tidy, an hour of random programs, sanitizers, long fuzzing, other instruction sets, packages, the accuracy of every float
	@$(MAKE) tidy
	@$(MAKE) test-all ARGS=--long
	@$(MAKE) sanitize FUZZ_SECONDS=1800
	@for isa in avx2 baseline; do \
		JOGGLE_ISA=$$isa $(MAKE) test \
			ARGS="tests/python/evaluation/test_fusion*.py tests/python/fields tests/python/kernels tests/python/derivatives \
				tests/python/convolution"; \
	done
	@tools/free_threaded.sh
	@tools/package/nightly.sh
	@$(MAKE) bench ARGS=--accuracy
