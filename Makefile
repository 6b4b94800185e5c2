# Set-up, checks and packages. Each target does its own set-up, in .venv; a step is repeated only if its inputs changed.
# Options: PYTHON=python3.12 (the Python of .venv), PYTEST_ARGS="-k othello", DEBIAN=1 (install the Debian and npm
# packages that some tests use; needs root), CORE_CACHE= (always compile the core).

PYTHON ?= python3
PYTEST_ARGS ?= -n $(WORKERS)

# More workers than cores: about a third of their time, tests wait for programs, servers and processes they kill.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 2)
# The core compiles while packages are installed and sources are checked.
MAKEFLAGS += --jobs=3

# Compiled cores are stored here under a hash of sources, compiler and flags: a new clone does not compile them again.
CORE_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/zeroply/core

BIN := .venv/bin
# Bytecode is written when a module is first imported: compiling all of torch would double the time it takes to install.
PIP_INSTALL := -m pip install --quiet --no-compile --constraint constraints.txt
CORE := $(wildcard core/*.cpp core/*.hpp)
CORE_INPUTS := pyproject.toml CMakeLists.txt $(CORE) $(wildcard core/*.cmake)
BUILD_TOOLS := scikit-build-core nanobind cmake ninja
CORE_TESTS := $(patsubst %,tests/test_%.py,architectures board_conv board_norm board_stack calibration cancellation \
  chance copies endings evaluations examples examples_loader first_layer fit_patterns hex levels lin_white lines mdrnn normal \
  ntuple_files ntuple_learning obf populations positions rules search spatial threats)
# Compilers of `make compilers`: those of the oldest supported versions that are installed.
COMPILERS ?= $(foreach name,g++-11 clang++-14,$(shell command -v $(name)))

# Each step touches its stamp when it has succeeded, so an interrupted step is repeated.
VENV := .venv/.stamp-venv
TOOLS := .venv/.stamp-tools
PACKAGES := .venv/.stamp-packages
COMPILED := .venv/.stamp-compiled
INSTALLED := $(PACKAGES) $(COMPILED)
BYTECODE := .venv/.stamp-bytecode
FOR_WEB := .venv/.stamp-web
PEERS := .venv/.stamp-peers
PROGRAMS := .venv/.stamp-programs
SANITIZE := build/sanitize
SANITIZE_VENV := $(SANITIZE)/.stamp-venv

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The tests start hundreds of processes: with bytecode files each module is compiled only once.
unexport PYTHONDONTWRITEBYTECODE

.DELETE_ON_ERROR:
.PHONY: help install test lint format demo web bench duels fuzz fuzz-web compilers sanitize dist constraints clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

install: $(INSTALLED) ## create .venv, compile the core, install zeroply there (editable)

test: lint $(BYTECODE) $(if $(filter true,$(CI))$(filter 1,$(DEBIAN)),$(PROGRAMS)) ## lint, then run the tests
	$(BIN)/python -m pytest $(PYTEST_ARGS)

lint: $(PACKAGES) ## ruff, mypy --strict and clang-format; changes no file
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --strict
	$(BIN)/clang-format --dry-run -Werror $(CORE)

format: $(PACKAGES) ## format the Python and C++ sources, fix what ruff can fix
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(CORE)

demo: $(INSTALLED) ## a tour of zeroply in a few minutes
	$(BIN)/python -m zeroply.demo

# Does not install the development tools, so that a player need not wait for them.
web: $(if $(wildcard $(PACKAGES)),$(INSTALLED),$(FOR_WEB)) ## play in the browser, look inside players, watch runs
	$(BIN)/zeroply web --open

fuzz-web: $(INSTALLED) ## send thousands of malformed requests to the web server
	ZEROPLY_WEB_EXAMPLES=200 $(BIN)/python -m pytest -s tests/test_web_schema.py

bench: $(PEERS) ## measure the speed of the games against OpenSpiel and pgx
	$(BIN)/zeroply bench games

fuzz: $(INSTALLED) ## 200,000 mutated inputs for every file reader and protocol; takes about an hour
	$(BIN)/python tests/fuzzing.py

duels: $(INSTALLED) ## zeroply against itself over every protocol: 100 games each, 50 ms per move
	$(BIN)/python -m pytest -m duels tests/test_duels.py -s

# --- set-up -----------------------------------------------------------------------------------------------------------

$(VENV):
	@command -v $(PYTHON) >/dev/null || \
	  { echo "$(PYTHON) not found: install Python 3.11 or later, or choose one with PYTHON=..."; exit 1; } >&2
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "$(PYTHON) is too old: zeroply needs Python 3.11 or later; choose one with PYTHON=..."; exit 1; } >&2
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "$(PYTHON) cannot create virtual environments: install venv (apt install python3-venv)"; exit 1; } >&2
	@test -f "$$($(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" || \
	  { echo "The headers of $(PYTHON) are missing: install them (apt install python3-dev)"; exit 1; } >&2
	@for name in "$$CXX" c++ g++ clang++; do command -v "$$name" && break; done >/dev/null || \
	  { echo "No C++ compiler found: install one (apt install g++)"; exit 1; } >&2
	@echo "Creating .venv"
	@$(PYTHON) -m venv .venv
	@touch $@

$(TOOLS): constraints.txt $(VENV)
	@echo "Installing the build tools"
	@$(BIN)/python $(PIP_INSTALL) $(BUILD_TOOLS)
	@touch $@

$(PACKAGES): pyproject.toml constraints.txt $(TOOLS)
	@echo "Installing the packages of zeroply and its tests"
	@$(call requirements,.venv)
	@$(BIN)/python $(PIP_INSTALL) --requirement .venv/requirements.txt
	@$(BIN)/python -c 'import torch._dynamo'  # writes its bytecode once, instead of in every test worker
	@touch $@

# Writes the project's dependencies to requirements.txt in folder $(1).
requirements = $(BIN)/python -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
  print(*project["dependencies"], *project["optional-dependencies"]["dev"], sep="\n")' > $(1)/requirements.txt

# Without build isolation the build directory stays valid: only changed files are compiled, and only for this processor.
BUILD := --no-build-isolation --config-settings=cmake.define.ZEROPLY_NATIVE=ON \
  --config-settings=cmake.define.ZEROPLY_CACHE="$(CORE_CACHE)"
$(COMPILED): $(CORE_INPUTS) $(TOOLS)
	@echo "Compiling the core and installing zeroply"
	@$(BIN)/python $(PIP_INSTALL) $(BUILD) --no-deps --editable .
	@touch $@

$(FOR_WEB): $(CORE_INPUTS) $(TOOLS)
	@echo "Compiling the core and installing zeroply with its web server"
	@$(BIN)/python $(PIP_INSTALL) $(BUILD) --editable '.[web]'
	@touch $@

$(PEERS): pyproject.toml constraints.txt $(INSTALLED)
	@echo "Installing OpenSpiel and pgx"
	@$(BIN)/python $(PIP_INSTALL) $(BUILD) --editable '.[peers]'
	@touch $@

# Bytecode of the tests: written once, while mypy runs, instead of by every test worker.
$(BYTECODE): $(INSTALLED)
	@$(BIN)/python -m pytest --collect-only -q >/dev/null 2>&1 || true  # the tests report errors
	@touch $@

# Programs that the tests compare with. Where one cannot be installed, its tests are skipped.
DEBIAN_PACKAGES := chromium gnugo grhino quarry xdotool xvfb
APT := DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=150 -o Dpkg::Use-Pty=0
$(PROGRAMS): | $(VENV)
	@echo "Installing programs for the tests: $(DEBIAN_PACKAGES)"
	@$(APT) update >/dev/null || true
	@for package in $(DEBIAN_PACKAGES); do \
	  $(APT) install -y --no-install-recommends $$package >/dev/null || echo "$$package could not be installed"; \
	done
	@if command -v npm >/dev/null; then \
	  npm install --silent --no-audit --no-fund --prefix build/npm @sabaki/gtp@3.0.0 || true; \
	fi
	@touch $@

constraints: $(VENV) ## update the pinned versions in constraints.txt, except torch
	@mkdir -p build
	$(BIN)/python -m pip install --quiet --dry-run --ignore-installed --report build/resolved.json \
	  "$$(grep '^torch==' constraints.txt)" $(BUILD_TOOLS) '.[train,tensorboard,web,cluster,peers,dev]'
	@sed -n '/^#/p' constraints.txt > build/constraints.txt
	@$(BIN)/python -c 'import json; \
	  packages = [p["metadata"] for p in json.load(open("build/resolved.json"))["install"]]; \
	  pins = [p["name"] + "==" + p["version"].split("+")[0] for p in packages if p["name"] != "zeroply"]; \
	  print(*sorted(pins, key=str.lower), sep="\n")' >> build/constraints.txt
	@mv build/constraints.txt constraints.txt

# --- the core with other compilers and flags --------------------------------------------------------------------------

# Compiles the core into $(1)/core with the options $(2) of CMake and makes a package tree in $(1)/site.
define package_tree
	$(BIN)/cmake -S . -B $(1)/core -G Ninja -DCMAKE_MAKE_PROGRAM="$(CURDIR)/$(BIN)/ninja" \
	  -DPython_EXECUTABLE="$(CURDIR)/$(BIN)/python" $(2)
	$(BIN)/cmake --build $(1)/core
	@rm -rf $(1)/site && mkdir -p $(1)/site && cp -R src/zeroply $(1)/site/
	$(BIN)/cmake --install $(1)/core --prefix $(1)/site
endef

# Runs Python with the package tree $(1)/site, in an environment in which zeroply is not installed.
python_with = env PYTHONPATH="$(CURDIR)/$(1)/site" $(SANITIZE)/venv/bin/python
expect_tree = -c 'import sys, zeroply._core as core; \
  sys.exit("/$(1)/site/" not in core.__file__ and "not the core of $(1): " + core.__file__)'

compilers: $(SANITIZE_VENV) ## compile the core for every level with each of COMPILERS and run its tests
	@for compiler in $(COMPILERS); do $(MAKE) compiler-$$(basename $$compiler) || exit 1; done

compiler-%: $(SANITIZE_VENV)
	$(call package_tree,build/$*,-DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=$*)
	@$(call python_with,build/$*) $(call expect_tree,build/$*)
	$(call python_with,build/$*) -m pytest $(PYTEST_ARGS) $(CORE_TESTS)

# Fewer examples of property tests, and without the tests that measure the memory or the time of a process.
SANITIZED = env LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc ZEROPLY_EXAMPLES=5 \
  $(call python_with,$(SANITIZE))

sanitize: $(SANITIZE_VENV) ## run the core's tests under AddressSanitizer and UBSan; needs g++
	$(call package_tree,$(SANITIZE),-DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_COMPILER=g++ -DZEROPLY_SANITIZE=ON)
	@$(SANITIZED) $(call expect_tree,$(SANITIZE))
	$(SANITIZED) -m pytest --capture=sys $(PYTEST_ARGS) $(CORE_TESTS) \
	  -k 'not needs_no_table and not touches_only and not within_50_ms'

$(SANITIZE_VENV): pyproject.toml constraints.txt $(TOOLS)
	@echo "Creating $(SANITIZE)/venv"
	@$(BIN)/python -m venv $(SANITIZE)/venv
	@$(call requirements,$(SANITIZE))
	@$(SANITIZE)/venv/bin/python $(PIP_INSTALL) --requirement $(SANITIZE)/requirements.txt
	@touch $@

# --- packages ---------------------------------------------------------------------------------------------------------

SMOKE := import zeroply as zp; print(zp.match("naive", "random", game="atarigo(size=5)", games=100, seed=1))

dist: $(INSTALLED) ## build sdist and wheel into dist/, install and test each in a clean environment
	@rm -rf dist build/dist
	$(BIN)/python -m build --no-isolation
	@set -e; for package in dist/*.whl dist/*.tar.gz; do \
	  echo "Testing $$package"; \
	  venv="$(CURDIR)/build/dist/$${package##*.}"; \
	  $(BIN)/python -m venv "$$venv"; \
	  "$$venv/bin/python" $(PIP_INSTALL) "$$package"; \
	  (cd / && "$$venv/bin/python" -c '$(SMOKE)' && "$$venv/bin/zeroply" --help >/dev/null); \
	done
	@ls -l dist

clean: ## remove .venv, build, dist and the tools' caches (not the cache of compiled cores)
	rm -rf .venv build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find core src tests -name __pycache__ -type d -prune -exec rm -rf {} +
