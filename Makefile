# Every target sets up what it needs in .venv; nothing but Python 3.11 to 3.13 has to be there.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
# CONSTRAINTS names a file of versions that pip keeps to.
PIP    := $(if $(CONSTRAINTS),PIP_CONSTRAINT=$(CONSTRAINTS) )$(BIN)/python -m pip --disable-pip-version-check -q

# The interpreter of a version of Python: pyenv's, or the one on the path.
python = $(or $(lastword $(wildcard $(HOME)/.pyenv/versions/$(1).*/bin/python)),python$(1))

.PHONY: help demo test test-all test-newest test-lowest bench corpus cross random switches graphs rules native peers survey docs docs-output compatibility lint types coverage examples clean
.DEFAULT_GOAL := help

help:
	@echo "make demo      fit a predator-prey model to real data with a derivative you can read"
	@echo "make examples  run the other examples"
	@echo "make test      run a sample of the tests of every layer, in minutes      make test-all    run every test"
	@echo "make test-newest, make test-lowest   the sample with the newest versions on Python 3.13, the lowest on 3.11"
	@echo "make bench     measure: generated against hand-written, gradient over function, other tools, compile time"
	@echo "make corpus    every function of the corpus in every mode   make random   2,000 random programs"
	@echo "make cross     20,000 generated user programs in every mode against finite differences"
	@echo "make switches  all of these with each optimization disabled"
	@echo "make graphs    2,000 random graphs on the tape and on PyTorch (which has to be there)"
	@echo "make native    the corpus and random programs compiled by Numba"
	@echo "make rules     every check on every rule        make peers    beside JAX and HIPS autograd"
	@echo "make survey    functions of published packages that know nothing of derivatives"
	@echo "make docs      build the documentation into docs/_build/html   make docs-output   update the printed output on its pages"
	@echo "make compatibility   record which functions and keywords of NumPy and SciPy are differentiated"
	@echo "make lint      ruff, layers    make types     mypy --strict"
	@echo "make coverage  line and branch coverage"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# One stamp per set of extra dependencies: a set is installed once, and again only when pyproject.toml or the constraints change.
$(VENV)/.installed-%: pyproject.toml $(CONSTRAINTS) | $(BIN)/python
	$(PIP) install -e '.[$*]'
	@touch $@

demo: $(VENV)/.installed-examples
	$(BIN)/python examples/lotka_volterra.py

examples: $(VENV)/.installed-examples
	$(BIN)/python examples/logistic_regression.py
	$(BIN)/python examples/kalman_filter.py
	$(BIN)/python examples/digits_network.py
	$(BIN)/python examples/heat_control.py

# A sample of every layer; test-all runs every case, and fails if one is skipped because a package is missing.
test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n 2 $(ARGS)

test-all: $(VENV)/.installed-test-all
	$(BIN)/python -m pytest -n 2 --every-case --no-missing-packages $(ARGS)

# The sample with the newest versions on Python 3.13 and with the lowest on 3.11, each in an environment of its own.
test-newest:
	$(MAKE) test PYTHON=$(call python,3.13) VENV=.venv-newest

test-lowest:
	$(MAKE) test PYTHON=$(call python,3.11) VENV=.venv-lowest CONSTRAINTS=packaging/lowest.txt

coverage: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n 2 --cov --cov-report=term --cov-fail-under=90 $(ARGS)

bench: $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks $(ARGS)

corpus: $(VENV)/.installed-test
	$(BIN)/python -m tests.corpus $(ARGS)

random: $(VENV)/.installed-test
	$(BIN)/python -m tests.random_programs --count 2000 --show 0 $(ARGS)
	$(BIN)/python -m tests.random_control --count 500 --budget 2 $(ARGS)
	$(BIN)/python -m tests.random_control --count 500 --budget 2 --wide $(ARGS)
	$(BIN)/python -m tests.random_control --count 500 --budget 2 --state $(ARGS)

cross: $(VENV)/.installed-test
	$(BIN)/python -m tests.cross --count 20000 $(ARGS)

switches: $(VENV)/.installed-test
	$(BIN)/python -m tests.switches $(ARGS)

native: $(VENV)/.installed-test
	$(BIN)/python -m tests.native $(ARGS)
	$(BIN)/python -m tests.random_programs --count 100 --mode numba --show 0
	$(BIN)/python -m tests.random_control --count 200 --budget 2 --backend numba

graphs: $(VENV)/.installed-test
	$(BIN)/python -m tests.random_graphs --count 2000 $(ARGS)

rules: $(VENV)/.installed-test
	$(BIN)/python -m tests.rules $(ARGS)

peers: $(VENV)/.installed-test $(VENV)/.installed-bench
	$(BIN)/python -m benchmarks.peers $(ARGS)

survey: $(VENV)/.installed-survey
	$(BIN)/python -m tests.packages.survey $(ARGS)

docs: $(VENV)/.installed-docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@$(BIN)/python docs/check_site.py docs/_build/html
	@echo "docs/_build/html/index.html"

# Write the current output of the examples into the pages.
docs-output: $(VENV)/.installed-docs
	PYTHONPATH=. $(BIN)/python docs/page_code.py $(ARGS)

# Record the cases from which the compatibility tables are made; ARGS=--stale only those that changed.
compatibility: $(VENV)/.installed-test
	$(BIN)/python -m tests.rules.compatibility $(ARGS)

lint: $(VENV)/.installed-lint
	$(BIN)/python -m ruff check .
	$(BIN)/lint-imports

types: $(VENV)/.installed-lint
	$(BIN)/python -m mypy

clean:
	rm -rf docs/_build docs/reference/generated out .pytest_cache .mypy_cache .ruff_cache .coverage
