"""String metrics give the same numbers in every run, to the last digit: Python orders its sets differently in each."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from nlgauge import registry
from tests.extras import lacking

CODE = """
import sys
from nlgauge import Corpus, evaluate
from nlgauge.data.corpus import Row
from tests.metrics.strings import LINES

texts = [text for candidate, references in LINES for text in (candidate, *references)]
rows = [
    Row(" ".join(texts[at : at + 6]), (" ".join(texts[at + 2 : at + 8]), " ".join(reversed(texts[at : at + 5]))),
        " ".join(texts[at + 1 : at + 7]), item=str(at))
    for at in range(len(texts) - 8)
]
table = evaluate(Corpus(tuple(rows)), metrics=sys.argv[1:])
for spec, column in table.columns.items():
    print(spec, column.values.tobytes().hex(), column.sums.counts.tobytes().hex() if column.sums else "")
"""


WITHOUT_LIBRARIES = [
    *("CopyRate", "Length", "TokenF1", "Length(unit='characters')", "CopyRate(ngram=2)"),
    *("CIDEr(tokenizer='spaces')", "SARI(tokenizer='spaces')"),
    "METEOR(stemmer='none', tokenizer='spaces')",
]
NAMES = [name for name, kind in registry.project_metrics().items() if name != "Combination" and not kind.subject]
ALL = [name for name in NAMES if registry.metric(name).reads is None]


@pytest.mark.parametrize("specs", [WITHOUT_LIBRARIES, ALL], ids=["without libraries", "all"])
def test_the_order_of_sets_changes_no_digit(specs: list[str]) -> None:
    if extra := lacking(library for spec in specs for library in registry.metric(spec).libraries):
        pytest.skip(f"needs nlgauge[{extra}]")
    runs = [
        subprocess.run(
            [sys.executable, "-c", CODE, *specs],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0].count("\n") == len(specs) >= 8
    assert runs[0] == runs[1]
