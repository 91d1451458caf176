"""nlgauge contrast: what the function finds, in text and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from nlgauge import Corpus, ScoreTable
from nlgauge.data.table import Column
from nlgauge.stats.contrast import contrast
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


def test_json_is_what_the_function_finds(files: tuple[Path, Path]) -> None:
    scores, outputs = files
    options = ["--level", "pooled", "--test", "williams", "--df", "n-2", "--correction", "none", "--parts"]
    result = nlgauge("contrast", scores, "--ratings", outputs, *options, "--replicates", 20, "--format", "json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert (found["test"], found["df"], found["correction"]) == ("williams", "n-2", "none")
    expected = contrast(
        ScoreTable.load(scores), Corpus.read(outputs), level="pooled", test="williams", df="n-2", correction="none",
        replicates=20,
    )  # fmt: skip
    assert len(found["contrasts"]) == len(expected) == 6
    for one, other in zip(found["contrasts"], expected, strict=True):
        assert (one["first"], one["second"]) == (list(other.first), list(other.second))
        assert (one["p"], one["low"]) == (other.p, other.low)
    best = next(one for one in found["metrics"] if (one["part"], one["aspect"]) == ("recall", "good"))
    assert best["cluster"] == 1 and best["value"] == pytest.approx(1)


def test_scores_from_elsewhere_and_chosen_metrics(files: tuple[Path, Path]) -> None:
    scores, outputs = files
    result = nlgauge(
        "contrast", scores, "--ratings", outputs, "--level", "system", "--replicates", 20, "--aspect", "good",
        "--add", "COMET=comet", "-m", "COMET", "-m", "Good recall", "-m", "Set", "--format", "json",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert [(one["metric"], one["part"]) for one in found["metrics"]] == [
        ("COMET", "score"), ("Good(k=1)", "recall"), ("Set", "score")
    ]  # fmt: skip
    same = found["contrasts"][0]
    assert same["difference"] == pytest.approx(0) and same["p"] == 1


def test_refusals(files: tuple[Path, Path]) -> None:
    scores, outputs = files
    run = ("contrast", scores, "--ratings", outputs)
    refused(*run, "-m", "Bad", say="one metric has nothing to be compared with")
    refused(*run, "-m", "BLEU", say="no metric BLEU in the table")
    refused(*run, "--test", "williams", say="Williams' test is of Pearson over systems or pooled rows")
    refused(*run, "--test", "williams", "--level", "pooled", "--df", "n", say="give 'n-3', or 'n-2'")
    refused(*run, "--correction", "bonferroni", say="holm, benjamini_hochberg or none")
    refused(*run, "--add", "=COMET", say="write COLUMN or NAME=COLUMN")
    refused(*run, "--aspect", "quiet", say="nothing is rated for 'quiet'")
