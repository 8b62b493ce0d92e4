# Touchstone's commands. `make` alone prints them.

VENV := .venv
BIN := $(VENV)/bin
NEW_ENOUGH := -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement
# uv, pinned with what the tests need, is much quicker; pip does it where uv cannot, for example because only pip is told
# where the packages are. Compiled at once, as pip does: a warning in a package's own code then fails no test.
INSTALL = { awk '/^uv==/,!/\\$$/' tests/requirements.txt | $(PIP_INSTALL) /dev/stdin --only-binary :all: && $(BIN)/uv pip install --quiet --compile-bytecode \
	--python $(BIN)/python --require-hashes --requirement $(1); } 2>/dev/null || $(PIP_INSTALL) $(1)
FAILED := { echo "The installation failed: see pip's message above, then run the same command again." >&2; exit 1; }
PYTEST := $(BIN)/pytest --numprocesses auto --maxprocesses 4 --dist worksteal
# Most of these tests wait for a browser or a server: one more at a time than there are processors.
ONE_MORE = $$($(BIN)/python -c 'import os; print(min(os.cpu_count(), 3) + 1)')
PIN := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --custom-compile-command "make pins" pyproject.toml
# What marks a sentence besides gettext: services' refusals, `message` with values, and the two functions of scripts.
MARKED := -k _l -k lazy_gettext -k later -k message -k number_message:1,2 -k plainly -k RefusedError -k BadPictureError -k NotFoundError -k InvalidError -k ConflictError -k GoneError -k TooManyError -k t -k tn:2,3
# Without compiled modules every command that a test starts would compile them again.
unexport PYTHONDONTWRITEBYTECODE
# Options for pytest, a benchmark or a trial: make test ARGS="-k pooling".
ARGS ?=
# bench_saving_ratings.py is run by `make bench-saving-ratings`.
BENCHES := $(subst _,-,$(patsubst tests/benchmarks/%.py,%,$(wildcard tests/benchmarks/bench_*.py)))
TRIALS := $(subst _,-,$(patsubst tests/trials/%.py,%,$(wildcard tests/trials/trial_*.py)))

# No environment, or one whose Python has gone or is too old: it is made anew, with the first Python that runs.
# Being found is not enough: version managers put names on the path that only print an error.
ifneq (ok,$(shell $(BIN)/python $(NEW_ENOUGH) && echo ok))
$(shell rm -f $(VENV)/.made $(VENV)/.installed $(VENV)/.installed-dev)
ifndef PYTHON
PYTHON := $(shell for name in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$name $(NEW_ENOUGH) && echo $$name && break; done)
endif
endif

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run install install-dev test test-all check static format browser bench translations pins upgrade-pins
.PHONY: $(BENCHES) $(TRIALS) style types floors migrations

help:  ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "One benchmark or trial alone: $(BENCHES) $(TRIALS)" | fold -s -w 100 | sed 's/^/  /'

run: $(VENV)/.installed  ## Start Touchstone and print its address (installs what it needs first)
	@exec $(BIN)/flask --app app serve

install: $(VENV)/.installed  ## Install what Touchstone needs into .venv

install-dev: $(VENV)/.installed-dev  ## Install what its tests need as well

test: $(VENV)/.installed-dev  ## Test what is quick on SQLite, what differs on PostgreSQL, seven times in Chromium (ARGS="-k name")
	@$(PYTEST) -m "not thorough" $(ARGS)

test-all: $(VENV)/.installed-dev  ## The rest: all other tests on PostgreSQL and in Chromium, trials that take long
	@$(PYTEST) --numprocesses $(ONE_MORE) -m "thorough or hypothesis" --hypothesis-profile all $(ARGS)

check: static test test-all  ## Check everything that must hold: style, types, floors, migrations, tests

static: style types floors migrations  ## The part of `make check` that runs no test

style: $(VENV)/.installed-dev
	@$(BIN)/ruff format --check --quiet --output-format concise .
	@$(BIN)/ruff check .

types: $(VENV)/.installed-dev
	@$(BIN)/mypy

floors: $(VENV)/.installed-dev
	@$(BIN)/lint-imports

# The models against the tables that the migrations really make, in a database of its own.
migrations: $(VENV)/.installed-dev
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && export INSTANCE_PATH="$$folder" DATABASE_URL= && \
		$(BIN)/flask --app app db upgrade && $(BIN)/flask --app app db check

format: $(VENV)/.installed-dev  ## Format the code and apply the linter's safe repairs
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

browser: $(VENV)/.installed-dev  ## Install Chromium for the browser tests, if none is there
	@if command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update -q && apt-get install -q -y --no-install-recommends chromium-headless-shell fonts-dejavu-core; \
	else $(BIN)/playwright install chromium; fi

bench: $(BENCHES)  ## Run every benchmark (minutes; on a quiet machine)

$(BENCHES): $(VENV)/.installed-dev
	@PYTHONPATH=. $(BIN)/python tests/benchmarks/$(subst -,_,$@).py $(ARGS)

$(TRIALS): $(VENV)/.installed-dev
	@PYTHONPATH=. $(BIN)/python tests/trials/$(subst -,_,$@).py $(ARGS)

translations: $(VENV)/.installed-dev  ## Add new sentences to the catalogues of every language, to be translated
	@set -e; for language in app/translations/*/; do \
		mapping=$$language/sentences.toml; [ -f $$mapping ] || mapping=pyproject.toml; \
		PYTHONPATH=. $(BIN)/pybabel -q extract -F $$mapping $(MARKED) --add-location=file --no-wrap --sort-by-file -o $(VENV)/messages.pot . ; \
		$(BIN)/pybabel -q update -i $(VENV)/messages.pot --no-fuzzy-matching \
			--no-wrap --ignore-obsolete --omit-header -o "$$language"messages.po -l $$(basename "$$language"); done

pins: $(VENV)/.installed-dev  ## Write both pinned lists from pyproject.toml
	@$(PIN) --output-file requirements.txt
	@$(PIN) --output-file tests/requirements.txt --extra dev

upgrade-pins: $(VENV)/.installed-dev  ## The same, with the newest versions that pyproject.toml allows
	@$(PIN) --output-file requirements.txt --upgrade
	@$(PIN) --output-file tests/requirements.txt --extra dev --upgrade

# An environment that works, or one sentence that says what is missing.
$(VENV)/.made:
	@if $(BIN)/python $(NEW_ENOUGH); then :; \
	elif [ -z "$(PYTHON)" ]; then \
		echo "Touchstone needs Python 3.11 or newer and found none: install it (Debian: sudo apt install python3 python3-venv), or name it (make run PYTHON=/path/to/python3.11)." >&2; exit 1; \
	elif ! $(PYTHON) $(NEW_ENOUGH); then \
		echo "Touchstone needs Python 3.11 or newer, and PYTHON=$(PYTHON) is older or does not run: name another one." >&2; exit 1; \
	elif ! $(PYTHON) -c 'import venv, ensurepip' 2>/dev/null; then \
		echo "$$($(PYTHON) --version) lacks its venv module: install it (Debian and Ubuntu: sudo apt install python3-venv), then run the same command again." >&2; exit 1; \
	else $(PYTHON) -m venv --clear $(VENV); fi
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip >/dev/null 2>&1 || { \
		echo "The environment $(VENV) has no pip: remove it (rm -r $(VENV)), then run the same command again." >&2; exit 1; }
	@touch $@

# A stamp is newer than the list it was made from: nothing is installed twice.
$(VENV)/.installed: requirements.txt $(VENV)/.made
	@echo "Installing what Touchstone needs into $(VENV) ..." >&2
	@$(call INSTALL,requirements.txt) || $(FAILED)
	@touch $@

$(VENV)/.installed-dev: tests/requirements.txt $(VENV)/.made
	@echo "Installing what the tests need into $(VENV) (about 1.2 GB) ..." >&2
	@$(call INSTALL,tests/requirements.txt) || $(FAILED)
	@touch $(VENV)/.installed $@
