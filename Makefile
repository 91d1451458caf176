# make demo: from a fresh clone to scores on the embedded model.   make test: everything that must hold.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# A torch of another version brings gigabytes of CUDA libraries where none are wanted.
TORCH := torch==2.13.0

.PHONY: demo test check clean

demo: $(VENV)/demo
	$(BIN)/nlgauge score examples/outputs.jsonl -m InfoLM -m BaryScore -m BERTScore -m MarkEvaluate -o demo-scores.jsonl
	@echo "scores of every row: demo-scores.jsonl" >&2

test: $(VENV)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q

$(VENV)/demo: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -e .
	@touch $@

$(VENV)/test: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(PIP) install $(TORCH)
	$(PIP) install -e '.[train,aligner,tables,strings,plots,dev]'
	@touch $@

clean:
	rm -rf $(VENV) demo-scores.jsonl
