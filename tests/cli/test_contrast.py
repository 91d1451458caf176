"""nlgauge contrast: what the function finds, in text and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from nlgauge import ScoreTable
from nlgauge.data.table import Column
from tests.command import nlgauge, refused

SYSTEMS, ITEMS = 4, 12


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Scores and rated outputs of a good, a bad and a set metric; the outputs have a column of a fourth."""
    rng = np.random.default_rng(0)
    keys = [(f"s{s}", f"i{i}") for i in range(ITEMS) for s in range(SYSTEMS)]
    y = rng.normal(size=len(keys))
    columns = {
        "Good(k=1)": Column(("f1", "recall"), np.stack([y + rng.normal(size=len(y)) / 4, y], 1)),
        "Bad": Column(("score",), rng.normal(size=(len(y), 1)), higher_is_better=False),
        "Set": Column(("score",), np.arange(float(SYSTEMS))[:, None], level="system"),
    }
    scores, outputs = tmp_path / "scores.jsonl", tmp_path / "outputs.jsonl"
    ScoreTable(keys, columns, {}, {"rows": len(keys)}, "9.9").save(scores)
    records = [
        {"system": s, "item": i, "candidate": "a", "scores": {"good": float(v), "loud": float(-v)}, "comet": float(v)}
        for (s, i), v in zip(keys, y, strict=True)
    ]
    outputs.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return scores, outputs


def test_text(files: tuple[Path, Path]) -> None:
    scores, outputs = files
    result = nlgauge("contrast", scores, "--ratings", outputs, "--aspect", "good", "--replicates", 50)
    assert result.exit_code == 0
    metrics, pairs = (block.splitlines() for block in result.stdout.split("\n\n"))
    assert metrics[0].split() == ["aspect", "metric", "pearson", "cluster"]
    assert [(line.split()[1], line.split()[-1]) for line in metrics[1:]] == [("Good(k=1)", "1"), ("Bad", "2")]
    assert pairs[0].split() == ["aspect", "metric", "against", "difference", "p", "corrected"]
    assert len(pairs) == 2 and pairs[1].startswith("good    Good(k=1)  Bad      ")
    assert "metrics of sets have a system level only, left out: Set" in result.stderr


def test_refusals(files: tuple[Path, Path]) -> None:
    scores, outputs = files
    run = ("contrast", scores, "--ratings", outputs)
    refused(*run, "-m", "Bad", say="one metric has nothing to be compared with")
    refused(*run, "-m", "BLEU", say="no metric BLEU in the table")
    refused(*run, "--test", "williams", say="Williams' test is of Pearson over systems or pooled rows")
    refused(*run, "--test", "williams", "--level", "pooled", "--df", "n", say="give 'n-3', or 'n-2'")
    refused(*run, "--correction", "bonferroni", say="holm, benjamini_hochberg or none")
    refused(*run, "--add", "COMET", say="write NAME=COLUMN")
    refused(*run, "--aspect", "quiet", say="nothing is rated for 'quiet'")
