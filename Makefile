# make demo: from a fresh clone to scores on the embedded model.   make test: everything that must hold.
# make base: the larger model beside it.           make docs: the documentation as a site.
PYTHON ?= python3
VENV ?= .venv
BASE ?= .venv-base
PIP := -m pip --disable-pip-version-check --quiet
# A torch of another version brings gigabytes of CUDA libraries where none are wanted.
TORCH := torch==2.13.0

.PHONY: demo base docs test test-base check clean

demo: $(VENV)/demo
	$(VENV)/bin/nlgauge score examples/outputs.jsonl -m InfoLM -m BaryScore -m BERTScore -m MarkEvaluate -o demo-scores.jsonl
	@echo "scores of every row: demo-scores.jsonl" >&2

# The larger model, from its folder: --model base.
base: $(VENV)/demo
	$(VENV)/bin/python $(PIP) install -e packages/nlgauge-base

# The site: docs/_build/html/index.html. It is built offline, and a warning is an error.
docs: $(VENV)/test
	$(VENV)/bin/python -m sphinx -W --keep-going -q docs docs/_build/html

test: check test-base
	$(VENV)/bin/python -m pytest -q

check: $(VENV)/test
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

# What `pip install nlgauge` alone brings: every test that needs no more runs, the others skip by name.
test-base: $(BASE)/test
	$(BASE)/bin/python -m pytest -q

$(VENV)/demo: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python $(PIP) install -e .
	@touch $@

$(VENV)/test: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python $(PIP) install $(TORCH)
	$(VENV)/bin/python $(PIP) install -e '.[train,aligner,tables,strings,plots,serve,docs,dev]' -e packages/nlgauge-base
	@touch $@

$(BASE)/test: pyproject.toml
	$(PYTHON) -m venv $(BASE)
	$(BASE)/bin/python $(PIP) install -e '.[test]'
	@touch $@

clean:
	rm -rf $(VENV) $(BASE) docs/_build demo-scores.jsonl
