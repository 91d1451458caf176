"""nlgauge compare: details are shown where they are named, and a note stands once for all parts of a metric."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nlgauge import ScoreTable
from nlgauge.table import Column
from tests.command import nlgauge


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """A metric of sets with two scores and a detail, and one of rows."""
    rows = [(system, item) for item in "xyz" for system in "AB"]
    columns = {
        "Set": Column(
            ("score", "quality", "n"), np.array([[0.5, 0.25, 3], [0.75, 0.5, 4]]), level="system", details=("n",)
        ),
        "Words": Column(("score", "words"), np.arange(12.0).reshape(6, 2), details=("words",)),
    }
    path = tmp_path / "scores.jsonl"
    ScoreTable(rows, columns, {}, {"rows": 6}, "0").save(path)
    return path


def test_details_are_left_out_and_a_note_stands_once(scores: Path) -> None:
    result = nlgauge("compare", scores, "A", "B", "--replicates", 20)
    assert result.exit_code == 0, result.stderr
    heads = [line.split("  ")[0] for line in result.stdout.splitlines()]
    assert heads == ["metric", "Set score ↑", "Set quality ↑", "Words score ↑"]
    assert result.stderr.splitlines() == [
        "Set score, quality: a metric of sets has one number a system: neither interval nor p"
    ]


def test_a_detail_is_compared_by_name_without_an_arrow_or_a_winner(scores: Path) -> None:
    result = nlgauge("compare", scores, "A", "B", "--metric", "Words words", "--replicates", 20)
    assert result.exit_code == 0, result.stderr
    (_, line) = result.stdout.splitlines()
    assert line.startswith("Words words  3") and line.endswith("-")
