"""Means with their intervals: a literal bootstrap, and what has no interval."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge.data.signature import Signature
from nlgauge.data.table import Column, ScoreTable, Sums, SystemScore
from nlgauge.data.table import intervals as module
from nlgauge.maths.intervals import expanded
from tests.score_tables import KL, L1, PARTS, column, counted, mixed, one


def _ends(level: float, n: int) -> tuple[float, float]:
    return (1 - expanded(level, n)) / 2, (1 + expanded(level, n)) / 2


@pytest.fixture
def table() -> ScoreTable:
    return mixed()


def test_by_system_has_one_entry_per_metric_part_and_system(table: ScoreTable) -> None:
    scores = table.by_system()
    assert [(score.metric, score.part, score.system) for score in scores] == [
        (spec, part, system)
        for spec, parts in ((KL, ["score"]), (L1, ["score"]), (PARTS, ["p", "r", "f"]))
        for part in parts
        for system in table.systems
    ]
    found = {(score.metric, score.part, score.system): score for score in scores}
    assert found[L1, "score", "größte Ü"].mean == 3
    assert found[L1, "score", "模型 🙂"].mean == 3
    assert found[PARTS, "r", "模型 🙂"].mean == pytest.approx((4 + 10) / 2 / 7)
    assert [found[L1, "score", system].n for system in table.systems] == [3, 2]


def test_the_interval_is_that_of_a_literal_bootstrap() -> None:
    values = np.random.default_rng(3).normal(size=23)
    got = one(values.tolist()).by_system(confidence=0.9, replicates=200, seed=7)[0]
    picks = np.random.default_rng([7, 23]).integers(0, 23, (200, 23), dtype=np.int32)
    means = sorted(sum(values[i] for i in pick) / 23 for pick in picks)

    def quantile(share: float) -> float:
        place = share * (len(means) - 1)
        below = math.floor(place)
        return means[below] + (place - below) * (means[min(below + 1, len(means) - 1)] - means[below])

    assert got.mean == pytest.approx(values.mean(), abs=1e-12)
    low, high = _ends(0.9, 23)
    assert 0.035 < low < 0.05
    assert (got.low, got.high) == pytest.approx((quantile(low), quantile(high)), abs=1e-12)


def test_the_interval_of_many_items_is_that_of_a_literal_bootstrap_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_DRAWN_AT_ONCE", 1)
    values = np.random.default_rng(4).normal(size=20)
    got = one(values.tolist()).by_system(replicates=50, seed=1)[0]
    generator = np.random.default_rng([1, 20])
    means = [values[generator.integers(0, 20, 20, dtype=np.int32)].mean() for _ in range(50)]
    assert (got.low, got.high) == pytest.approx(np.quantile(means, _ends(0.95, 20)), abs=1e-12)


def test_intervals_repeat_and_follow_the_seed() -> None:
    values = np.random.default_rng(5).normal(size=30).tolist()
    table = one(values)
    assert table.by_system(seed=1) == table.by_system(seed=1)
    assert table.by_system(seed=1)[0].low != table.by_system(seed=2)[0].low
    assert table.by_system(seed=1)[0].mean == table.by_system(seed=2)[0].mean


def test_the_interval_holds_the_mean_and_grows_with_the_level() -> None:
    for size in (2, 3, 10, 100):
        table = one(np.random.default_rng(size).exponential(size=size).tolist())
        narrow, wide = table.by_system(confidence=0.5)[0], table.by_system(confidence=0.99)[0]
        assert narrow.low <= narrow.mean <= narrow.high
        assert wide.low <= narrow.low < narrow.high <= wide.high


def test_an_interval_does_not_depend_on_the_other_systems(table: ScoreTable) -> None:
    alone = ScoreTable(
        [row for row in table.rows if row[0] == "模型 🙂"],
        {L1: column(2, 4, higher_is_better=False)},
        {L1: Signature(L1)},
    )
    together = [score for score in table.by_system() if (score.system, score.metric) == ("模型 🙂", L1)]
    assert alone.by_system() == together


def test_missing_values_are_left_out_and_counted() -> None:
    whole, holes = one([1.0, 2.0, 4.0]), one([math.nan, 1.0, 2.0, math.nan, 4.0])
    expected, got = whole.by_system()[0], holes.by_system()[0]
    assert (got.mean, got.low, got.high, got.n) == (expected.mean, expected.low, expected.high, 3)
    assert (expected.undefined, got.undefined) == (0, 2)


def test_one_item_has_a_mean_and_no_interval() -> None:
    score = one([0.25, math.nan]).by_system()[0]
    assert (score.mean, score.n, score.undefined) == (0.25, 1, 1)
    assert math.isnan(score.low)
    assert math.isnan(score.high)


def test_no_value_at_all_has_no_mean() -> None:
    score = one([math.nan, math.nan]).by_system()[0]
    assert (score.n, score.undefined) == (0, 2)
    assert all(math.isnan(number) for number in (score.mean, score.low, score.high))


def test_an_infinite_value_makes_the_mean_infinite_and_no_interval() -> None:
    score = one([1.0, math.inf, 2.0]).by_system()[0]
    assert (score.mean, score.n, score.undefined) == (math.inf, 3, 0)
    assert math.isnan(score.low)


def test_equal_values_have_an_interval_of_no_width() -> None:
    score = one([0.5] * 9).by_system()[0]
    assert isinstance(score, SystemScore)
    assert score.low == score.mean == score.high == 0.5


def test_without_replicates_there_are_means_alone(table: ScoreTable) -> None:
    for scores in (table.by_system(replicates=0), counted().by_system(replicates=0)):
        assert all(math.isnan(score.low) and math.isnan(score.high) for score in scores)
    assert [score.mean for score in counted().by_system(replicates=0)] == [30, 30]


def test_a_value_of_all_rows_is_no_mean_of_rows() -> None:
    a, b = counted().by_system()
    assert (a.mean, b.mean) == (100 * 6 / 20, 100 * 3 / 10)
    assert (a.n, a.undefined, b.n, b.undefined) == (3, 0, 2, 1)
    assert a.whole and b.whole
    # Edits and words without each row, literally: Student's t with 2 degrees of freedom, and no rate below 0.
    without = np.array([100 * 5 / 16, 100 * 6 / 14, 100 * 1 / 10])
    half = 4.302653 * math.sqrt(2 / 3 * ((without - 30) ** 2).sum())
    assert (a.low, a.high) == (max(0, 30 - half), pytest.approx(30 + half))
    assert b.low == 0 and b.high > 100


def test_its_interval_is_that_of_the_same_resamples_as_the_means(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = np.random.default_rng(1).integers(1, 9, (9, 2)).astype(float)
    column = Column(("score",), 100 * counts[:, :1] / counts[:, 1:], sums=Sums({"name": "rate"}, counts))
    table = ScoreTable([("A", str(n)) for n in range(9)], {"TER": column}, {})
    draws = np.random.default_rng([7, 9]).integers(0, 9, (400, 9), dtype=np.int32)
    sums = counts[draws].sum(axis=1)
    wanted = np.quantile(100 * sums[:, 0] / sums[:, 1], _ends(0.9, 9))
    found = table.by_system(confidence=0.9, replicates=400, seed=7)[0]
    assert (found.low, found.high) == pytest.approx(tuple(wanted))
    monkeypatch.setattr("nlgauge.data.table.intervals._DRAWN_AT_ONCE", 1)
    again = table.by_system(confidence=0.9, replicates=400, seed=7)[0]
    assert (again.low, again.high) == pytest.approx(tuple(wanted))


def test_a_system_of_which_nothing_is_counted_has_no_value() -> None:
    table = counted()
    table.columns["TER"].sums.counts[3:] = np.nan  # type: ignore[union-attr]
    b = table.by_system()[1]
    assert math.isnan(b.mean) and math.isnan(b.low)
    assert (b.n, b.undefined) == (0, 3)
