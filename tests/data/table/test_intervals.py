"""Means with their intervals: Student's t of scipy, the limits of a metric, and what has no interval."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import nlgauge
from nlgauge.data.table import Column, ScoreTable, Sums
from nlgauge.maths.totals import total
from tests.score_tables import column, counted, one

stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")


def test_the_interval_is_students_at_the_level_that_was_asked_for() -> None:
    values = np.random.default_rng(3).normal(size=23)
    for level in (0.9, 0.95):
        (got,) = one([*values.tolist(), math.nan], reasons={23: "empty"}).by_system(confidence=level)
        assert (got.mean, got.n, got.undefined) == (pytest.approx(values.mean()), 23, 1)
        assert_allclose((got.low, got.high), stats.t.interval(level, 22, values.mean(), stats.sem(values)))
    assert got.clusters is None and math.isnan(got.effective) and not got.whole


def test_no_end_leaves_what_the_metric_can_say() -> None:
    """Scores from 0 to 1 are taken for shares; a distance is not below 0; BLEU is from 0 to 100."""
    (share,) = one([0.1, 0.9, 0.2, 1.0]).by_system()
    assert (share.low, share.high) == (0, 1)
    (distance,) = one([0.1, 5.0, 0.2], higher_is_better=False).by_system()
    assert distance.low == 0 and distance.high > 5
    (score,) = one([0.1, 5.0, 0.2]).by_system()
    assert score.low < 0
    counts = np.array([[9.0, 10, 5, 4, 3, 2, 9, 8, 7, 6], [9.0, 10, 9, 8, 7, 6, 9, 8, 7, 6]] * 2)
    bleu = column(*[50.0] * 4, sums=Sums({"name": "bleu"}, counts))
    assert bleu.range("score") == (0, 100)
    (score,) = ScoreTable([("s", str(n)) for n in range(4)], {"BLEU": bleu}, {}).by_system(confidence=0.9999)
    assert (score.low, score.high) == (0, 100) and score.whole


def test_a_number_of_all_rows_together_has_the_interval_of_the_jackknife() -> None:
    """Edits over words of A: 6 of 20; 5 of 16, 6 of 14 and 1 of 10 without a row each."""
    a, b = counted().by_system()
    pseudo = np.array([3 * 30 - 2 * 100 * left for left in (5 / 16, 6 / 14, 1 / 10)])
    low, high = stats.t.interval(0.95, 2, 30, stats.sem(pseudo))
    assert (a.mean, a.n, a.low, a.high) == (30, 3, max(0, low), pytest.approx(high))
    assert (b.n, b.undefined) == (2, 1)


def test_each_sub_score_of_summed_counts_has_its_interval() -> None:
    """By SARI's four parts: the value of the whole, and the jackknife's interval around it."""
    counts = np.random.default_rng(1).integers(3, 9, (8, 36)).astype(float)
    parts = ("sari", "add", "keep", "delete")
    sari = Column(parts, np.zeros((8, 4)), sums=Sums({"name": "sari"}, counts))
    scores = ScoreTable([("s", str(n)) for n in range(8)], {"SARI": sari}, {}).by_system()
    every = total({"name": "sari"}, counts.sum(0))
    without = np.array([total({"name": "sari"}, np.delete(counts, n, 0).sum(0)) for n in range(8)])
    for n, score in enumerate(scores):
        pseudo = 8 * every[n] - 7 * without[:, n]
        low, high = stats.t.interval(0.95, 7, every[n], stats.sem(pseudo))
        assert (score.part, score.mean) == (parts[n], pytest.approx(every[n]))
        assert (score.low, score.high) == pytest.approx((max(0, low), min(100, high)))


def test_a_column_of_clusters_is_of_rows_alone() -> None:
    rows = [(system, str(n)) for system in "ab" for n in range(4)]
    columns = {"M": column(*range(8)), "Set": Column(("score",), np.array([[0.5], [math.nan]]), level="system")}
    table = ScoreTable(rows, columns, {}).clustered(["p", "p", "q", "q"] * 2)
    mean, _, of_set, none = table.by_system()
    assert (none.n, none.undefined) == (0, 4)
    assert (mean.clusters, mean.effective) == (2, 2)
    assert of_set.clusters is None and math.isnan(of_set.effective) and math.isnan(of_set.low)
    assert (of_set.mean, of_set.n) == (0.5, 4)
    empty = ScoreTable([("s", "1")], {"M": column(math.nan, reasons={0: "empty"})}, {}).clustered(["p"]).by_system()[0]
    assert (empty.n, empty.clusters) == (0, None)


def test_options_of_resampling_are_accepted_once_more_and_said_to_do_nothing() -> None:
    table = one([0.1, 0.2, 0.5, 0.4, 0.9, 0.8])
    two = ScoreTable([*table.rows, *(("t", item) for _, item in table.rows)], {"M": column(*range(12))}, {})
    for call in (
        lambda **how: table.by_system(**how),
        lambda **how: nlgauge.compare(two, "s", "t", **how).records,
        lambda **how: nlgauge.check(table, against=table, **how).regressions,
    ):
        for how in ({"seed": 3}, {"replicates": 20}):
            with pytest.warns(DeprecationWarning, match="replicates and seed have no effect") as caught:
                found = call(**how)
            assert found == call() and caught[0].filename == __file__
