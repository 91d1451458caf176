"""Suites with their numbers: metrics that are chosen, views, and nothing that is scored twice."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from lab.reproduce.pieces import SUITE, written
from nlgauge import SpecError
from nlgauge.stats.agreement import Agreement
from nlgauge_lab.reproduce.measuring import Key, Measured, measure
from nlgauge_lab.reproduce.rated import Data
from nlgauge_lab.reproduce.scoring import Scores

pytestmark = pytest.mark.usefixtures("one_model", "counting")


def test_metrics_can_be_chosen_and_nothing_is_scored_twice(folder: Path, published: dict[str, float]) -> None:
    text = written(folder, metrics=["Words"])
    assert "Frechet" not in text
    assert "| `Words` |" in text
    scores = Scores(folder / "scores")
    measure(Data(folder), scores, replicates=0, suites=(SUITE,), metrics=["Words"])
    assert scores.computed == 0
    with pytest.raises(SpecError, match=r"--metrics InfoLM: no suite has it; there are Emb.*, Words"):
        written(folder, metrics=["InfoLM"])


COLUMN: Key = ("quality", "pooled", "pearson")


def agreement(metric: str, value: float, low: float = math.nan, high: float = math.nan) -> Agreement:
    return Agreement(
        metric, "score", *COLUMN, value, low, high, p=math.nan, n=9, rows=9, undefined=0, turned=False, threshold=None,
        reason=None,
    )  # fmt: skip


def measured(*agreements: Agreement, reading: str = "ABC", **options: object) -> Measured:
    given: dict[str, object] = {"reasons": {}, "models": [], "reading": frozenset(reading), "partial": {}, **options}
    return Measured(SUITE, 9, 3, 3, {one.metric: {COLUMN: one} for one in agreements}, **given)  # type: ignore[arg-type]
