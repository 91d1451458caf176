"""What intervals and tests promise: simulation on their worst designs, all exchanges, and the power asked for."""

from __future__ import annotations

import math

import numpy as np
import pytest

import nlgauge
from nlgauge import InputError
from nlgauge.answers.estimated_means import Estimate
from nlgauge.data.table import Column, ScoreTable
from nlgauge.maths.inference import UNLIMITED, mean_of


def test_two_systems_at_item_level_are_told_that_an_item_is_two_points() -> None:
    rng = np.random.default_rng(0)
    keys = [(system, str(n)) for system in "abc" for n in range(12)]
    column = Column(("score",), rng.normal(size=(36, 1)))
    given = {key: float(n % 5) for n, key in enumerate(keys)}
    notes = {}
    for systems in ("ab", "abc"):
        places = [n for n, (system, _) in enumerate(keys) if system in systems]
        table = ScoreTable([keys[n] for n in places], {"M": Column(("score",), column.values[places])}, {})
        notes[systems] = nlgauge.correlate(table, given, level="item", replicates=20).notes
    assert any("is one of two points" in note for note in notes["ab"])
    assert not any("is one of two points" in note for note in notes["abc"])


def _sizes(kind: str, rng: np.random.Generator) -> np.ndarray:
    if kind == "equal":
        return np.full(20, 5)
    return rng.integers(1, 41, 10) if kind == "uniform" else np.ceil(rng.lognormal(1, 1, 40)).astype(int)


@pytest.mark.parametrize("kind", ["equal", "uniform", "lognormal"])
def test_margins_and_intervals_of_unequal_clusters_keep_their_level(kind: str) -> None:
    """Of a nominal 5 %: docs/statistics.md has the table of many draws; these 1,500 leave room for chance."""
    rng, wrong, held, draws = np.random.default_rng(3), 0, 0, 1500
    for draw in range(draws):
        sizes = _sizes(kind, rng)
        clusters = np.repeat(np.arange(len(sizes)), sizes)
        rho = (0.0, 0.3, 0.9)[draw % 3]
        of = math.sqrt(rho) * rng.normal(size=len(sizes))[clusters] + math.sqrt(1 - rho) * rng.normal(
            size=len(clusters)
        )
        found = mean_of(of, UNLIMITED, clusters)
        wrong += found.above() < 0.05
        low, high = found.interval()
        held += low <= 0 <= high
    assert 0.03 <= wrong / draws <= 0.075
    assert 0.93 <= held / draws <= 0.975


def test_clusters_that_say_as_much_as_less_than_two_are_not_tested() -> None:
    clusters = np.array([0] * 40 + [1, 2])
    rows = [(system, str(n)) for system in "ab" for n in range(42)]
    values = np.arange(84.0)[:, None]
    table = ScoreTable(rows, {"M": Column(("score",), values)}, {}).clustered([str(n) for n in clusters] * 2)
    (one,) = nlgauge.compare(table, "a", "b", margin=1)
    assert np.isnan([one.low, one.high, one.p, one.needed, one.detectable, one.no_worse, one.alike]).all()
    assert one.effective == pytest.approx(42**2 / 1602) and one.difference == -42
    assert one.reason == "the clusters are too unequal: 3 say as much as 1.1 of equal size" and one.clusters == 3
    assert all(math.isnan(score.low) and score.effective < 2 for score in table.by_system())


def test_shares_in_clusters_have_one_more_cluster_of_each_kind() -> None:
    stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
    sizes = [4, 4, 4, 4, 4, 4, 4]
    rows = [("s", str(n)) for n in range(sum(sizes))]
    of = np.repeat([str(n) for n in range(7)], sizes)
    for bad, shares in (((), [1.0] * 7), ((3, 4, 5), [0.75, 0.5, 1, 1, 1, 1, 1])):
        values = np.ones((len(rows), 1))
        values[list(bad)] = 0
        score = ScoreTable(rows, {"M": Column(("score",), values)}, {}).clustered(of).by_system()[0]
        more = [*shares, 0.0, 1.0]
        low, high = stats.t.interval(0.95, 8, np.mean(more), stats.sem(more))
        assert (score.low, score.high) == (pytest.approx(low), pytest.approx(min(1, high)))


def _estimated(ratings: list[float], rows: int = 150, scores: np.ndarray | None = None, **how: object):  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(len(ratings))
    x = rng.normal(size=rows) if scores is None else scores
    table = ScoreTable([("a", str(n)) for n in range(rows)], {"M": Column(("score",), x[:, None])}, {})
    places = rng.choice(rows, len(ratings), replace=False)
    given = {("a", str(place)): rating for place, rating in zip(places, ratings, strict=True)}
    return nlgauge.estimate(table, given, **how)  # type: ignore[arg-type]


def test_57_of_60_right_answers_have_wilsons_interval_where_the_scores_do_not_help() -> None:
    found = _estimated([1.0] * 57 + [0.0] * 3)
    (one,) = found
    # Wilson by hand, z = 1.959964: (0.95 + z^2 / 120 -+ z sqrt(.95 .05 / 60 + z^2 / 14400)) / (1 + z^2 / 60).
    assert one.worth.value == pytest.approx(60 * ((one.alone.high - one.alone.low) / (one.high - one.low)) ** 2)
    assert (one.alone.low, one.alone.high) == (pytest.approx(0.862995, abs=1e-6), pytest.approx(0.982850, abs=1e-6))
    assert one.high <= 1 and one.worth.value >= 60
    ends = f"{100 * one.low:.3g} to {100 * one.high:.3g}"
    assert found.answers == [
        f"a, rating: about {100 * one.estimate:.3g} of 100 outputs are rated 1 (95 % interval {ends}; 60 of 150 rows "
        "are rated)."
    ]


def test_all_ratings_alike_have_the_exact_bound_on_a_known_scale() -> None:
    (one,) = _estimated([1.0] * 60)
    assert (one.estimate, one.high) == (1, 1) and one.low == pytest.approx(0.025 ** (1 / 60))
    (five,) = _estimated([5.0] * 60, scale=(1, 5))
    assert five.high == 5 and five.low == pytest.approx(1 + 4 * 0.025 ** (1 / 60))
    with pytest.raises(InputError, match="all 60 ratings are 5, which does not say how often others occur: say from"):
        _estimated([5.0] * 60)
    with pytest.raises(InputError, match="does not rise"):
        _estimated([5.0] * 60, scale=(5, 1))
    with pytest.raises(
        InputError, match=r"system 'a', item '\d+', rating: the rating 7 is not on the scale from 1 to 5"
    ):
        _estimated([5.0] * 59 + [7.0], scale=(1, 5))
    assert any("are read as 0 or 1; --scale names another scale" in note for note in _estimated([1.0] * 60).notes)
    assert not any("--scale" in note for note in _estimated([1.0] * 59 + [0.0]).notes)


def test_no_estimate_leaves_the_scale_and_useless_scores_change_nothing() -> None:
    rng = np.random.default_rng(0)
    for seed in range(40):
        ratings = np.clip(np.round(rng.normal(4.6, 0.6, 40)), 1, 5).tolist()
        scores = np.exp(np.random.default_rng(seed).normal(size=150) * 1.5)
        (one,) = _estimated(ratings, scores=scores, scale=(1, 5))
        assert 1 <= one.low <= one.estimate <= one.high <= 5
        assert one.worth.value >= one.ratings * 0.999 or one.weight != 0
        if one.weight == 0:
            assert (one.low, one.high, one.worth.value) == (one.alone.low, one.alone.high, one.ratings)


def _given(table: ScoreTable, given: dict[tuple[str, str], float]) -> Estimate:
    """The estimate of the one system; one draw in about a thousand looks chosen by its scores, and is refused."""
    column = Column(("rating",), np.array([given.get(key, math.nan) for key in table.rows])[:, None])
    try:
        (one,) = nlgauge.estimate(table, column)
    except InputError:
        return Estimate(system="a", aspect="rating", metric="M", estimate=0, low=-math.inf, high=math.inf)
    return one


@pytest.mark.parametrize("p, n, rows", [(0.95, 60, 600), (0.9, 30, 300), (0.8, 120, 1000), (0.5, 40, 400)])
def test_shares_are_covered_by_intervals_no_longer_than_those_of_the_ratings(p: float, n: int, rows: int) -> None:
    rng, draws = np.random.default_rng(int(100 * p)), 250
    held, lengths = 0, np.zeros(2)
    for _ in range(draws):
        y = (rng.random(rows) < p).astype(float)
        table = ScoreTable(
            [("a", str(at)) for at in range(rows)],
            {"M": Column(("score",), (y + rng.normal(size=rows) / 2)[:, None])},
            {},
        )
        given = {("a", str(at)): y[at] for at in rng.choice(rows, n, replace=False)}
        one = _given(table, given)
        held += one.low <= p <= one.high
        lengths += (one.high - one.low, one.alone.high - one.alone.low) if one.ratings else (0, 0)
    assert held / draws >= 0.92 and not lengths[0] > lengths[1]


def test_differences_of_three_systems_have_the_level_of_all_three() -> None:
    rng = np.random.default_rng(3)
    keys = [(system, str(n)) for system in "abc" for n in range(90)]
    y = rng.normal(3, 1, len(keys))
    x = (y + rng.normal(size=len(keys)))[:, None]
    given = {key: y[at] for at, key in enumerate(keys) if int(key[1]) < 40}
    three = nlgauge.estimate(ScoreTable(keys, {"M": Column(("score",), x)}, {}), given)
    two = ScoreTable(keys[:180], {"M": Column(("score",), x[:180])}, {})
    (together,) = (one for one in three if one.system == "a - b")
    (alone,) = (one for one in nlgauge.estimate(two, given, confidence=1 - 0.05 / 3) if one.system == "a - b")
    assert (together.low, together.high) == pytest.approx((alone.low, alone.high)) and together.p == alone.p
    assert any("3 differences hold all at once (Bonferroni)" in note for note in three.notes)
    for one in three:
        lengths = (one.alone.high - one.alone.low) / (one.high - one.low)
        assert lengths > 1.05 and one.worth.value == pytest.approx(one.ratings * lengths**2)


def test_whole_clusters_of_lognormal_sizes_are_covered() -> None:
    rng, held, draws = np.random.default_rng(5), 0, 150
    for _ in range(draws):
        sizes = np.ceil(rng.lognormal(1, 1, 120)).astype(int)
        of = np.repeat(np.arange(120), sizes)
        y = 0.7 * rng.normal(size=120)[of] + rng.normal(size=len(of))
        x = y + rng.normal(size=len(of))
        table = ScoreTable([("a", str(at)) for at in range(len(of))], {"M": Column(("score",), x[:, None])}, {})
        rated = set(rng.choice(120, 60, replace=False).tolist())
        given = {("a", str(at)): y[at] for at, cluster in enumerate(of.tolist()) if cluster in rated}
        one = _given(table.clustered(of.tolist()), given)
        held += one.low <= 0 <= one.high
        assert one.effective < one.clusters == 60 or not one.ratings
    assert held / draws >= 0.91
