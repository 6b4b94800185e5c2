# Set-up, checks and packages. Each target does its own set-up, in .venv; what is unchanged is not built again.
# Options: PYTHON=python3.12 (what .venv is made with), PYTEST_ARGS="-k othello".

PYTHON ?= python3
PYTEST_ARGS ?= -n $(WORKERS)

# More workers than cores: tests wait for programs, servers and kills about a third of their time.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 2)
# Packages are installed and sources checked while the core compiles.
MAKEFLAGS += --jobs=2

BIN := .venv/bin
# What is never imported is never compiled to bytecode: half of the time for torch.
PIP_INSTALL := -m pip install --quiet --no-compile --constraint constraints.txt
CORE := $(wildcard core/*.cpp core/*.hpp)
BUILD_TOOLS := scikit-build-core nanobind cmake ninja
CORE_TESTS := $(addprefix tests/test_,chance.py examples.py examples_loader.py levels.py lines.py mdrnn.py positions.py \
  rules.py search.py spatial.py)

# A stamp is touched when its step has succeeded, so a step that was interrupted is done again.
VENV := .venv/.stamp-venv
TOOLS := .venv/.stamp-tools
PACKAGES := .venv/.stamp-packages
COMPILED := .venv/.stamp-compiled
INSTALLED := $(PACKAGES) $(COMPILED)
FOR_WEB := .venv/.stamp-web
PEERS := .venv/.stamp-peers
SANITIZE := build/sanitize
SANITIZE_VENV := $(SANITIZE)/.stamp-venv

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The tests start hundreds of processes: bytecode is written, so that each module is compiled once.
unexport PYTHONDONTWRITEBYTECODE

.DELETE_ON_ERROR:
.PHONY: help install test lint format demo web bench duels fuzz fuzz-web sanitize dist constraints clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

install: $(INSTALLED) ## make .venv, compile the core, install zeroply there, editable

test: lint $(INSTALLED) ## lint, then run the tests
	$(BIN)/python -m pytest $(PYTEST_ARGS)

lint: $(PACKAGES) ## ruff, mypy --strict and clang-format; changes nothing
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --strict
	$(BIN)/clang-format --dry-run -Werror $(CORE)

format: $(PACKAGES) ## format the Python and C++ sources, fix what ruff can fix
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(CORE)

demo: $(INSTALLED) ## show what zeroply does, in a few minutes
	$(BIN)/python -m zeroply.demo

# Without the tools of developers, if they are not there yet: a player is not kept waiting for them.
web: $(if $(wildcard $(PACKAGES)),$(INSTALLED),$(FOR_WEB)) ## the page: play in the browser, look inside players, watch runs
	$(BIN)/zeroply web --open

fuzz-web: $(INSTALLED) ## thousands of odd questions to the server of the page
	ZEROPLY_WEB_EXAMPLES=200 $(BIN)/python -m pytest -s tests/test_web_schema.py

bench: $(PEERS) ## the speed of the games, beside OpenSpiel and pgx
	$(BIN)/zeroply bench games

fuzz: $(INSTALLED) ## 200,000 mutations for everything that reads files and lines of others; takes about an hour
	$(BIN)/python tests/fuzzing.py

duels: $(INSTALLED) ## zeroply against itself over every protocol, 100 games each at 50 ms a move
	$(BIN)/python -m pytest -m duels tests/test_duels.py -s

# --- set-up -----------------------------------------------------------------------------------------------------------

$(VENV):
	@command -v $(PYTHON) >/dev/null || \
	  { echo "There is no $(PYTHON): install Python 3.11 or later, or name one with PYTHON=..."; exit 1; } >&2
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "$(PYTHON) is too old: zeroply needs Python 3.11 or later; name one with PYTHON=..."; exit 1; } >&2
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "$(PYTHON) cannot make virtual environments: install venv (apt install python3-venv)"; exit 1; } >&2
	@test -f "$$($(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" || \
	  { echo "The headers of $(PYTHON) are missing: install them (apt install python3-dev)"; exit 1; } >&2
	@for name in "$$CXX" c++ g++ clang++; do command -v "$$name" && break; done >/dev/null || \
	  { echo "There is no C++ compiler: install one (apt install g++)"; exit 1; } >&2
	@echo "Making .venv"
	@$(PYTHON) -m venv .venv
	@touch $@

$(TOOLS): constraints.txt $(VENV)
	@echo "Installing the build tools"
	@$(BIN)/python $(PIP_INSTALL) $(BUILD_TOOLS)
	@touch $@

$(PACKAGES): pyproject.toml constraints.txt $(TOOLS)
	@echo "Installing what zeroply and its tests need"
	@$(call requirements,.venv)
	@$(BIN)/python $(PIP_INSTALL) --requirement .venv/requirements.txt
	@$(BIN)/python -c 'import torch._dynamo'  # so that its bytecode is written once, and not by every test worker
	@touch $@

# The packages that the project asks for, as a file in the folder $(1).
requirements = $(BIN)/python -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
  print(*project["dependencies"], *project["optional-dependencies"]["dev"], sep="\n")' > $(1)/requirements.txt

# Without build isolation the build directory stays valid, so only what changed is compiled, and only for this processor.
BUILD := --no-build-isolation --config-settings=cmake.define.ZEROPLY_NATIVE=ON
$(COMPILED): pyproject.toml CMakeLists.txt $(CORE) $(TOOLS)
	@echo "Compiling the core and installing zeroply"
	@$(BIN)/python $(PIP_INSTALL) $(BUILD) --no-deps --editable .
	@touch $@

$(FOR_WEB): pyproject.toml CMakeLists.txt $(CORE) $(TOOLS)
	@echo "Compiling the core and installing zeroply and what the page needs"
	@$(BIN)/python $(PIP_INSTALL) $(BUILD) --editable '.[web]'
	@touch $@

$(PEERS): pyproject.toml constraints.txt $(INSTALLED)
	@echo "Installing the peers to compare with"
	@$(BIN)/python $(PIP_INSTALL) $(BUILD) --editable '.[peers]'
	@touch $@

constraints: $(VENV) ## renew the pins of constraints.txt, all but that of torch
	@mkdir -p build
	$(BIN)/python -m pip install --quiet --dry-run --ignore-installed --report build/resolved.json \
	  "$$(grep '^torch==' constraints.txt)" $(BUILD_TOOLS) '.[train,web,cluster,peers,dev]'
	@sed -n '/^#/p' constraints.txt > build/constraints.txt
	@$(BIN)/python -c 'import json; \
	  packages = [p["metadata"] for p in json.load(open("build/resolved.json"))["install"]]; \
	  pins = [p["name"] + "==" + p["version"].split("+")[0] for p in packages if p["name"] != "zeroply"]; \
	  print(*sorted(pins, key=str.lower), sep="\n")' >> build/constraints.txt
	@mv build/constraints.txt constraints.txt

# --- the core under AddressSanitizer and UBSan ------------------------------------------------------------------------

# The package tree in build/sanitize/site is run by an environment of its own, in which zeroply is not installed.
SANITIZED = env LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
  ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONMALLOC=malloc \
  PYTHONPATH="$(CURDIR)/$(SANITIZE)/site" $(SANITIZE)/venv/bin/python

sanitize: $(SANITIZE_VENV) ## run the tests of the core with it under AddressSanitizer and UBSan; needs g++
	$(BIN)/cmake -S . -B $(SANITIZE)/core -G Ninja -DCMAKE_MAKE_PROGRAM="$(CURDIR)/$(BIN)/ninja" \
	  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_COMPILER=g++ \
	  -DPython_EXECUTABLE="$(CURDIR)/$(BIN)/python" -DZEROPLY_SANITIZE=ON
	$(BIN)/cmake --build $(SANITIZE)/core
	@rm -rf $(SANITIZE)/site
	$(BIN)/cmake --install $(SANITIZE)/core --prefix $(SANITIZE)/site
	@cp -R src/zeroply $(SANITIZE)/site/
	@$(SANITIZED) -c 'import sys, zeroply._core as core; \
	  sys.exit("/$(SANITIZE)/site/" not in core.__file__ and "not the sanitized core: " + core.__file__)'
	$(SANITIZED) -m pytest --capture=sys $(PYTEST_ARGS) $(CORE_TESTS)

$(SANITIZE_VENV): pyproject.toml constraints.txt $(TOOLS)
	@echo "Making $(SANITIZE)/venv"
	@$(BIN)/python -m venv $(SANITIZE)/venv
	@$(call requirements,$(SANITIZE))
	@$(SANITIZE)/venv/bin/python $(PIP_INSTALL) --requirement $(SANITIZE)/requirements.txt
	@touch $@

# --- packages ---------------------------------------------------------------------------------------------------------

SMOKE := import zeroply as zp; print(zp.match("naive", "random", game="atarigo(size=5)", games=100, seed=1))

dist: $(INSTALLED) ## build sdist and wheel into dist/, install and try each in a clean environment
	@rm -rf dist build/dist
	$(BIN)/python -m build --no-isolation
	@set -e; for package in dist/*.whl dist/*.tar.gz; do \
	  echo "Trying $$package"; \
	  venv="$(CURDIR)/build/dist/$${package##*.}"; \
	  $(BIN)/python -m venv "$$venv"; \
	  "$$venv/bin/python" $(PIP_INSTALL) "$$package"; \
	  (cd / && "$$venv/bin/python" -c '$(SMOKE)' && "$$venv/bin/zeroply" --help >/dev/null); \
	done
	@ls -l dist

clean: ## remove what make made: .venv, build, dist and the caches of the tools
	rm -rf .venv build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find core src tests -name __pycache__ -type d -prune -exec rm -rf {} +
