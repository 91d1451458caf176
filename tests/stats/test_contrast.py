"""contrast: which of two metrics agrees better, corrections, clusters that follow, and Williams' test as R has it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge import InputError, ScoreTable
from nlgauge.data.table import Column
from nlgauge.stats.agreement import correlate
from nlgauge.stats.contrast import contrast, williams
from nlgauge.stats.corrections import CORRECTIONS, benjamini_hochberg, benjamini_yekutieli, clusters, holm
from nlgauge.stats.correlation import LEVELS


@pytest.mark.parametrize(
    ("test", "options"),
    [
        ("permutation", {}),
        ("permutation", {"level": "pooled", "coefficient": "kendall"}),
        ("williams", {"level": "pooled", "correction": "benjamini_hochberg"}),
    ],
)
def test_contrasts_put_metrics_into_clusters(
    table: ScoreTable, ratings: Any, test: str, options: dict[str, Any]
) -> None:
    found = contrast(table, ratings, aspects=["good"], test=test, replicates=200, **options)
    assert len(found) == 6  # of four parts: the corpus-level metric has no rows
    assert found.clusters["good"] == {
        ("Near", "score"): 1, ("Far", "score"): 1, ("Noise", "p"): 2, ("Noise", "r"): 2
    }  # fmt: skip
    by_pair = {(one.first, one.second): one for one in found}
    same, better = (by_pair[("Near", "score"), other] for other in (("Far", "score"), ("Noise", "p")))
    assert (same.difference, same.p) == (0, 1) and np.isnan([same.low, same.high]).all()
    assert better.low > 0
    assert better.p <= better.adjusted < 0.1


@pytest.mark.parametrize(
    ("options", "say"),
    [
        ({"coefficient": "accuracy_calibrated"}, "no test of a difference"),
        ({"test": "t"}, "permutation or williams"),
        ({"correction": "bonferroni"}, "holm"),
        ({"test": "williams"}, "pooled rows"),
        ({"test": "williams", "level": "system", "coefficient": "kendall"}, "of Pearson"),
    ],
)
def test_contrasts_that_do_not_exist(table: ScoreTable, ratings: Any, options: dict[str, Any], say: str) -> None:
    with pytest.raises(InputError, match=say):
        contrast(table, ratings, **options)


@pytest.mark.parametrize("test", ["permutation", "williams"])
def test_a_metric_without_a_number_or_with_one_alone_contrasts_with_none(
    table: ScoreTable, ratings: Any, test: str
) -> None:
    table.columns["Empty"] = Column(("score",), np.full((len(table.rows), 1), math.nan))
    table.columns["Constant"] = Column(("score",), np.ones((len(table.rows), 1)))
    for level in LEVELS if test == "permutation" else ("system", "pooled"):
        found = contrast(table, ratings["good"], level=level, test=test, replicates=20)
        for one in found:
            known = "Empty" not in (one.first[0], one.second[0]) and "Constant" not in (one.first[0], one.second[0])
            assert math.isnan(one.difference) != known
            assert math.isnan(one.p) != known and math.isnan(one.adjusted) != known
        assert found.clusters["rating"]["Near", "score"] == 1
        assert (
            found.values["rating"]["Near", "score"]
            == correlate(table, ratings["good"], level=level, replicates=0).get("Near").value
        )


# t, p with n - 3 and n - 2 degrees of freedom: the specification's numbers, the first of which R's package prints.
WILLIAMS = [
    ((0.65, 0.55, 0.3, 50), 0.8160781865467162, 0.20928617286753579, 0.20924348296400863),
    ((0.888, 0.776, 0.80, 16), 1.4062061300401407, 0.09155691355501504, 0.09073467800179279),
    (
        (0.832697365507166, 0.600862600673365, 0.558064291449148, 16),
        1.6031162432689385, 0.06645889264879408, 0.06561205335088006,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("given", "t", "p", "p_of_r"), WILLIAMS)
def test_williams(given: tuple[float, float, float, int], t: float, p: float, p_of_r: float) -> None:
    found = williams(*given)
    assert_allclose((found.t, found.p, found.two_sided), (t, p, 2 * p), rtol=1e-10)
    assert found.df == given[3] - 3
    assert_allclose(williams(*given, df="n-2").p, p_of_r, rtol=1e-10)
    r12, r13, r23, n = given
    assert_allclose(williams(r13, r12, r23, n).p, 1 - p, rtol=1e-10)
    assert_allclose(williams(r13, r12, r23, n).two_sided, 2 * p, rtol=1e-10)


def test_williams_at_its_edges() -> None:
    assert williams(0.5, 0.5, 1, 20).p == 0.5
    assert math.isnan(williams(math.nan, 0.5, 0.5, 20).p)
    for bad in ((0.9, -0.9, 0.9, 20), (1.5, 0, 0, 20), (0.5, 0.4, 0.3, 3)):
        with pytest.raises(InputError):
            williams(*bad)
    with pytest.raises(InputError, match="n-2"):
        williams(0.5, 0.4, 0.3, 9, df="n")


def test_corrections() -> None:
    p = [0.01, 0.04, math.nan, 0.03, 0.6]
    assert_allclose(holm(p), [0.04, 0.09, math.nan, 0.09, 0.6])
    assert_allclose(benjamini_hochberg(p), [0.04, 0.16 / 3, math.nan, 0.16 / 3, 0.6])
    assert holm([0.7, 0.9]).max() == 1
    assert len(holm([])) == len(benjamini_hochberg([])) == 0
    assert_allclose(CORRECTIONS["none"](p), p)


def test_false_discoveries_as_scipy() -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    p = np.random.default_rng(1).random(40) ** 2
    assert_allclose(benjamini_hochberg(p), stats.false_discovery_control(p))
    assert_allclose(benjamini_yekutieli(p), stats.false_discovery_control(p, method="by"))
    assert math.isnan(benjamini_yekutieli([math.nan, 0.01])[0])


def test_clusters() -> None:
    values = [0.2, 0.9, 0.8, math.nan, 0.5]
    different = np.zeros((5, 5), bool)
    for i, j in ((1, 4), (1, 0), (2, 0), (4, 0)):
        different[i, j] = different[j, i] = True
    assert clusters(values, different) == [3, 1, 1, 4, 2]
    assert clusters([0.1, 0.2], np.zeros((2, 2), bool)) == [1, 1]
    assert clusters([], np.zeros((0, 0), bool)) == []
