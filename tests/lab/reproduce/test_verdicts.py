"""Who wins, by numbers that are given by hand."""

from __future__ import annotations

import math

import pytest

from nlgauge.lab.reproduce.verdicts import Key, Measured
from nlgauge.meta.agreement import Agreement
from nlgauge.run.kept import NOT_SCORED
from tests.lab.reproduce.pieces import SUITE

POOLED: Key = ("quality", "pooled", "pearson")


def agreement(metric: str, value: float, low: float = math.nan, high: float = math.nan) -> Agreement:
    return Agreement(
        metric, "score", *POOLED, value, low, high, p=math.nan, n=9, rows=9, undefined=0, turned=False, threshold=None,
        reason=None,
    )  # fmt: skip


def measured(*agreements: Agreement, reading: str = "ABC", **options: object) -> Measured:
    given: dict[str, object] = {"reasons": {}, "models": [], "reading": frozenset(reading), "partial": {}, **options}
    return Measured(SUITE, 9, 3, 3, {one.metric: {POOLED: one} for one in agreements}, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "ends", "says"),
    [
        (0.95, (0.8, 0.99), "ahead by .050"),
        (0.95, (0.91, 0.99), "clearly ahead by .050"),
        (0.5, (0.3, 0.92), "behind by .400"),
        (0.5, (0.3, 0.7), "clearly behind by .400"),
    ],
)
def test_clearly_is_outside_the_interval(
    published: dict[str, float], value: float, ends: tuple[float, float], says: str
) -> None:
    verdict = measured(agreement("A", value, *ends)).verdict(POOLED)
    assert verdict is not None and str(verdict) == says


def test_the_best_that_reads_the_model_is_ours_and_the_best_of_the_others_a_floor(published: dict[str, float]) -> None:
    one = measured(agreement("A", 0.2), agreement("B", 0.4), agreement("Length", 0.6), agreement("C", math.nan))
    (verdict,) = one.verdicts
    assert verdict.metric == "B" and verdict.floor == ("Length", 0.6)
    assert measured(agreement("Length", 0.6)).verdicts == []
    published.clear()
    assert one.verdicts == []


def test_metrics_that_have_not_scored_all_rows_take_no_part(published: dict[str, float]) -> None:
    one = measured(agreement("A", 0.2), agreement("B", 0.4), partial={"B": 6})
    assert [verdict.metric for verdict in one.verdicts] == ["A"] and not one.finished
    waiting = measured(agreement("A", 0.2), reasons={"B": NOT_SCORED, "C": "no aligner"})
    assert waiting.waiting == ["B"] and not waiting.finished
    assert measured(agreement("A", 0.2), reasons={"C": "no aligner"}).finished
