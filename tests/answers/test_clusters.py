"""Clusters: from a column, and every interval and test against an independent bootstrap and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge import Corpus, InputError, ScoreTable, compare
from nlgauge.data.table import Column
from nlgauge.maths.inference import UNLIMITED, mean_of
from nlgauge.maths.intervals import student_quantile
from nlgauge.ratings.join import by_column
from nlgauge.stats.coefficients import COEFFICIENTS, superiority
from nlgauge.stats.correlation import estimate
from nlgauge.stats.resampling import bootstrap, permuted
from tests.score_tables import counted

SIZES = [1, 2, 3, 4, 5] * 8
"""Of 40 clusters"""
CLUSTERS = np.repeat(np.arange(len(SIZES)), SIZES)


def values(seed: int, shift: float = 0.0) -> np.ndarray:
    """Items that share half of their variance with their cluster."""
    rng = np.random.default_rng(seed)
    return shift + rng.normal(size=len(SIZES))[CLUSTERS] + rng.normal(size=len(CLUSTERS))


def student(of: np.ndarray, level: float = 0.95) -> tuple[float, float]:
    """The interval of Student's t with the error of a jackknife that leaves every cluster out once, literally."""
    away = np.array([of[n != CLUSTERS].mean() for n in range(len(SIZES))]) - of.mean()
    error = math.sqrt((len(SIZES) - 1) / len(SIZES) * (away**2).sum())
    sizes = np.bincount(CLUSTERS)
    tails = 2 / ((away**4).sum() / (away**2).sum() ** 2 - 1 / len(SIZES))
    t = student_quantile((1 + level) / 2, min(sizes.sum() ** 2 / (sizes**2).sum() - 1, tails))
    return of.mean() - t * error, of.mean() + t * error


def test_intervals_are_those_of_a_literal_jackknife_and_near_an_independent_bootstrap() -> None:
    of, nothing = values(1), np.zeros(len(CLUSTERS))
    rows = [(system, str(n)) for system in "st" for n in range(len(of))]
    column = Column(("score",), np.concatenate([of, nothing])[:, None])
    table = ScoreTable(rows, {"M": column}, {}).clustered(CLUSTERS.tolist() * 2)
    (difference,) = compare(table, "s", "t")
    assert_allclose((difference.low, difference.high), student(of), rtol=1e-10)
    assert (difference.n, difference.clusters) == (len(of), len(SIZES))
    found = table.by_system()[0]
    assert_allclose((found.low, found.high), student(of), rtol=1e-10)
    drawn = np.random.default_rng(99).integers(0, len(SIZES), (4000, len(SIZES)))
    means = np.bincount(CLUSTERS, of)[drawn].sum(1) / np.array(SIZES)[drawn].sum(1)
    assert_allclose(mean_of(of, UNLIMITED, CLUSTERS).error, means.std(), rtol=0.15)
    alone = ScoreTable(rows, table.columns, {}).by_system()[0]
    assert found.high - found.low > 1.2 * (alone.high - alone.low)
    assert (found.mean, found.n, found.clusters) == (alone.mean, alone.n, len(SIZES)) and alone.clusters is None
    assert found.effective == difference.effective == pytest.approx(len(of) ** 2 / np.square(SIZES).sum())


def test_clustered_tests_keep_their_level_where_others_do_not() -> None:
    clustered = plain = 0
    for seed in range(300):
        of = values(1000 + seed)
        clustered += mean_of(of, UNLIMITED, CLUSTERS).p() < 0.05
        plain += mean_of(of, UNLIMITED).p() < 0.05
    assert clustered <= 27 < plain


def test_agreement_is_that_of_an_independent_bootstrap() -> None:
    rng = np.random.default_rng(8)
    shared = values(4)[:, None] + rng.normal(size=4)
    x, y = (shared + rng.normal(size=shared.shape) for _ in range(2))
    members = [np.flatnonzero(n == CLUSTERS) for n in range(len(SIZES))]
    for level, name in (("pooled", "pearson"), ("item", "kendall"), ("item", "pairwise_difference")):
        kind = COEFFICIENTS[name]
        expected = []
        for _ in range(800):
            items = np.concatenate([members[n] for n in rng.integers(0, len(SIZES), len(SIZES))])
            expected.append(estimate(x[items], y[items], kind, level).value)
        found = bootstrap(x, y, kind, level, resample="items", replicates=1500, clusters=CLUSTERS)
        assert_allclose(np.quantile(found, [0.025, 0.975]), np.quantile(expected, [0.025, 0.975]), atol=0.03)


def test_clusters_of_one_size_change_place_as_wholes() -> None:
    clusters = np.repeat(np.arange(5), 3)
    for items, _ in permuted((15, 2), 50, 0, clusters):
        for order in items:
            assert sorted(order.tolist()) == list(range(15))
            assert all(len(set(clusters[order[clusters == n]])) == 1 for n in range(5))
    lone = bootstrap(np.eye(4), np.eye(4), COEFFICIENTS["pearson"], "pooled", clusters=np.zeros(4, int))
    assert np.isnan(lone).all(), "one cluster says nothing of others"


def test_superiority_exchanges_clusters() -> None:
    of = np.stack([values(6, 0.3), np.zeros(len(CLUSTERS))], 1)
    assert superiority(of, 4000, clusters=CLUSTERS)[0, 1] > superiority(of, 4000)[0, 1]


def corpus(missing: bool = False) -> Corpus:
    records = [
        {
            "system": system,
            "item": str(n),
            "candidate": "x",
            "source": f"s{n // 2}",
            "topic": {"name": n // 4},
            "scores": {"good": float(n + len(system))},
        }
        for system in ("a", "bb")
        for n in range(8)
    ]
    if missing:
        del records[3]["topic"]
    return Corpus.from_records(records)


def scores(outputs: Corpus) -> ScoreTable:
    rng = np.random.default_rng(0)
    return ScoreTable(
        [(row.system, row.item) for row in outputs], {"M": Column(("score",), rng.normal(size=(len(outputs), 1)))}, {}
    )


def test_clusters_are_a_column_of_the_outputs() -> None:
    outputs = corpus()
    table = scores(outputs)
    assert by_column(table, outputs, "source").clusters[:4] == ["s0", "s0", "s1", "s1"]
    assert len(set(by_column(table, outputs, "topic.name").clusters)) == 2
    assert compare(by_column(table, outputs, "source"), "a", "bb").records[0].clusters == 4
    with pytest.raises(InputError, match="item '3', has no 'topic'"):
        by_column(table, corpus(missing=True), "topic")
    with pytest.raises(InputError, match=r"row 16 .* is not among the outputs"):
        by_column(table, outputs[:15], "source")
    with pytest.raises(InputError, match="several clusters"):
        compare(by_column(table, outputs, "system"), "a", "bb")
    with pytest.raises(InputError, match="3 clusters for 16 rows"):
        table.clustered(["a", "b", "c"])
    one = compare(table.clustered(["all"] * 16), "a", "bb").records[0]
    assert one.reason == "all items are of one cluster" and math.isnan(one.low)


def test_values_of_all_rows_together_have_clusters_too() -> None:
    table = counted()
    wide = table.clustered(["x", "x", "y", "x", "x", "y"]).by_system()[0]
    assert wide.mean == table.by_system()[0].mean
    assert math.isnan(wide.low) and wide.effective == pytest.approx(1.8), "two clusters, of two rows and of one"


def test_margins_are_those_of_one_sided_t_tests() -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    rng = np.random.default_rng(4)
    a, b = rng.normal(0.5, 0.1, 30), rng.normal(0.51, 0.1, 30)
    rows = [(system, str(n)) for system in "ab" for n in range(30)]
    for higher in (True, False):
        column = Column(("score",), np.concatenate([a, b])[:, None], higher_is_better=higher)
        (one,) = compare(ScoreTable(rows, {"M": column}, {}), "a", "b", margin=0.05)
        gain = a - b if higher else b - a
        worse = stats.ttest_1samp(gain, -0.05, alternative="greater").pvalue
        better = stats.ttest_1samp(gain, 0.05, alternative="less").pvalue
        assert one.no_worse == pytest.approx(worse)
        assert one.alike == pytest.approx(max(worse, better))
    with pytest.raises(InputError, match="above 0"):
        compare(ScoreTable(rows, {"M": column}, {}), "a", "b", margin=0)


def test_p_of_several_metrics_is_of_one_family_without_those_that_only_describe() -> None:
    rng = np.random.default_rng(6)
    rows = [(system, str(n)) for system in "ab" for n in range(30)]
    columns = {
        name: Column(("score",), rng.normal(size=(60, 1)) + np.repeat([shift, 0], 30)[:, None], details=details)
        for name, shift, details in (("M", 0.6, ()), ("N", 0.2, ()), ("Length", 3, ("score",)))
    }
    found = compare(ScoreTable(rows, columns, {}), "a", "b").records
    p = sorted(one.p for one in found[:2])
    assert sorted(one.adjusted for one in found[:2]) == pytest.approx([2 * p[0], max(2 * p[0], p[1])])
    assert math.isnan(found[2].adjusted) and found[2].better is None and found[2].p < 0.05
