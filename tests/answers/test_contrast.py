"""contrast: which of two metrics agrees better, corrections, clusters that follow, and Williams' test as R has it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from nlgauge import InputError, ScoreTable
from nlgauge.answers.contrast import contrast, williams
from nlgauge.answers.correlate import correlate
from nlgauge.answers.sentinels import unbeaten
from nlgauge.data.table import Column
from nlgauge.ratings.rated import joined
from nlgauge.stats.coefficients import COEFFICIENTS
from nlgauge.stats.corrections import (
    CORRECTIONS,
    benjamini_hochberg,
    benjamini_yekutieli,
    clusters,
    draws_for,
    holm,
    too_few_draws,
)
from nlgauge.stats.correlation import LEVELS
from nlgauge.stats.of_items import difference_of_items


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
    assert found.draws == (0 if test == "williams" else 200)
    assert len(found) == 6  # of four parts: the corpus-level metric has no rows
    assert found.clusters["good"] == {("Near", "score"): 1, ("Far", "score"): 1, ("Noise", "p"): 2, ("Noise", "r"): 2}
    by_pair = {(one.first, one.second): one for one in found}
    same, better = (by_pair[("Near", "score"), other] for other in (("Far", "score"), ("Noise", "p")))
    assert (same.difference, same.p) == (0, 1) and math.isnan(same.low) and math.isnan(same.high)
    assert found.notes[-1] == "1 differences have no interval: they are alike in all resamples"
    assert better.low > 0
    assert better.p <= better.adjusted < 0.1
    assert found.draws == (0 if test == "williams" else 200)


def test_a_p_comes_from_as_many_draws_as_so_many_pairs_need(table: ScoreTable, ratings: Any) -> None:
    strict = contrast(table, ratings, aspects=["good"], confidence=0.99, intervals=False)
    assert len(strict) == 6 and strict.draws == 3000, "the smallest p, times 6, is a fifth of .01"


def many(metrics: int) -> tuple[ScoreTable, dict[tuple[str, str], float]]:
    """Ratings of 40 items and 4 systems, metrics that follow them closely, and as many that hardly do."""
    rng = np.random.default_rng(2)
    keys = [(system, str(item)) for item in range(40) for system in "ABCD"]
    truth = rng.normal(size=len(keys))
    columns = {
        f"M{n}": Column(("score",), (truth + (0.3 if n % 2 else 4) * rng.normal(size=len(keys)))[:, None])
        for n in range(metrics)
    }
    return ScoreTable(keys, columns, {}), dict(zip(keys, truth.tolist(), strict=True))


@pytest.mark.parametrize("level", LEVELS)
def test_differences_of_many_metrics_are_found(level: str) -> None:
    """66 pairs: with 1,000 exchanges no p, corrected by Holm, could be below 0.065."""
    table, given = many(12)
    found = contrast(table, given, level=level, intervals=False)
    assert found.draws == 6600 and not found.notes
    told = [one for one in found if int(one.first[0][1:]) % 2 != int(one.second[0][1:]) % 2]
    if level != "system":  # four systems have few orders
        assert len(told) == 36 and all(one.adjusted < 0.05 for one in told)
        assert {found.clusters["rating"][f"M{n}", "score"] for n in range(1, 12, 2)} == {1}
    few = contrast(table, given, level=level, intervals=False, replicates=1000)
    assert all(one.adjusted > 0.06 for one in few)
    (note,) = few.notes
    needed = int(note.split("give at least ")[1].split(",")[0] + note.split("give at least ")[1].split(",")[1][:3])
    assert "66 tests" in note and 66 / (needed + 1) <= 0.05 < 66 / needed
    assert not contrast(table, given, level=level, intervals=False, replicates=1000, correction="none").notes
    assert not contrast(table, given, level=level, intervals=False, replicates=0).notes


def test_a_sentinel_of_many_metrics_is_beaten() -> None:
    table, given = many(30)
    table.columns["Length"] = Column(("score",), np.random.default_rng(0).normal(size=(160, 1)))
    table.columns["CopyRate"] = Column(("score",), np.random.default_rng(1).normal(size=(160, 1)))
    agreed = correlate(table, given, replicates=0)
    both = joined(table.per_item(), given, list(agreed.unrated))
    notes: list[str] = []
    behind = unbeaten(both, agreed, level="item", coefficient="pearson", notes=notes)
    assert not notes and not {one.metric for one in behind} & {f"M{n}" for n in range(1, 30, 2)}
    behind = unbeaten(both, agreed, level="item", coefficient="pearson", notes=notes, replicates=1000)
    assert {f"M{n}" for n in range(30)} == {one.metric for one in behind}
    assert notes[0].startswith("metrics and sentinels: 1,000 replicates cannot show a difference in 60 tests")
    unbeaten(both, agreed, level="item", coefficient="kendall", notes=notes, replicates=10**9)
    assert "by value alone" in notes[1]


@pytest.mark.parametrize("level", LEVELS)
def test_intervals_of_other_items_are_those_of_items(table: ScoreTable, ratings: Any, level: str) -> None:
    cut = [n for n, (_, item) in enumerate(table.rows) if int(item) < 9]
    columns = {name: Column(("score",), table.columns[name].values[cut, :1]) for name in ("Near", "Noise")}
    few = ScoreTable([table.rows[n] for n in cut], columns, {})
    given = {key: ratings["good"][key] for key in few.rows}
    found = contrast(few, given, level=level, resample="items")
    x, other = (columns[name].values.reshape(9, 5) for name in ("Near", "Noise"))
    y = np.array([given[key] for key in few.rows]).reshape(9, 5)
    assert (found[0].low, found[0].high) == difference_of_items(x, other, y, COEFFICIENTS["pearson"], level)
    assert any("means of 9 items" in note for note in found.notes) == (level == "system")


def test_a_small_p_beside_an_interval_that_holds_0_is_said() -> None:
    rng = np.random.default_rng(3)
    keys = [(system, str(item)) for item in range(40) for system in "ABCD"]
    truth = (rng.normal(size=(40, 4)) + np.arange(4)).ravel()
    columns = {f"M{n}": Column(("score",), (truth + n * rng.normal(size=160))[:, None]) for n in (1, 1.5)}
    found = contrast(ScoreTable(keys, columns, {}), dict(zip(keys, truth.tolist(), strict=True)), level="pooled")
    assert found[0].low < 0 < found[0].high and found[0].adjusted < 0.05
    assert found.notes == [
        "1 of 1 differences are significant where the interval holds 0: the interval also speaks about other items and"
        " systems, and p about these outputs alone"
    ]


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
        1.6031162432689385,
        0.06645889264879408,
        0.06561205335088006,
    ),
]


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


@pytest.mark.parametrize("tests", [1, 3, 10, 11, 66, 120, 1225])
def test_draws_follow_the_number_of_tests(tests: int) -> None:
    draws = draws_for(tests)
    assert draws >= 1000 and tests / (draws + 1) <= 0.05 / 5
    assert draws == 1000 or tests / (draws - 1) >= 0.05 / 5
    assert too_few_draws(draws, tests) is None and too_few_draws(0, tests) is None
    fewest = next(n for n in range(1, 30_000) if tests / (n + 1) < 0.05)
    assert too_few_draws(fewest, tests) is None
    assert f"give at least {fewest:,}, or" in str(too_few_draws(fewest - 1, tests))


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
