"""Estimates: as the formulas say, what is refused, and how differences and designs are put together."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import nlgauge
from nlgauge import Corpus, ScoreTable
from nlgauge.answers.estimated_means import Estimate
from nlgauge.data.table import Column
from nlgauge.maths.inference import mean_of
from nlgauge.maths.intervals import share_interval, student_quantile
from nlgauge.maths.prediction_powered import Design, powered
from nlgauge.maths.rated_means import rated_means
from tests.ratings.hidden import SPEC, outputs


def literal(y: np.ndarray, x: np.ndarray) -> tuple[float, float, float, float]:
    """Weight, estimate, centre and standard error of yes/no ratings drawn at random [rows], NaN where there is none."""
    rated, rows = ~np.isnan(y), len(y)
    y, own, rest = y[rated], x[rated], x[~rated]
    n, off = len(y), own - own.mean()
    # Of the variance of the ratings less the weighted scores, and of the mean of the other rows' scores, the least.
    part = len(rest) / rows
    weight = (off @ y / n**2) / (off @ off / n**2 + rest.var() / len(rest)) / part
    z = y - weight * own
    more = -weight * own[y == 1].mean(), 1 - weight * own[y == 0].mean()  # bad and taken for good; the other way round
    new = (z.sum() + sum(more)) / (n + 2)
    moves = (z - new + weight * n / rows * off) / (n + 2) / (1 - 1 / (n + 2) - off**2 / (off @ off))
    others = weight / rows * (rest - rest.mean()) / (1 - 1 / len(rest))
    square = moves @ moves + others @ others + sum((one - new) ** 2 for one in more) / (n + 1) ** 2
    overall = weight * x.mean()
    return weight, overall + z.mean(), overall + new, math.sqrt(square * (n + 1) / (n + 2))


def test_a_system_as_the_formulas_say() -> None:
    table, corpus, _ = outputs(400, 150)
    (a, b, difference) = nlgauge.estimate(table, corpus)
    y = np.array([row.scores.get("good", math.nan) for row in corpus])
    (weight, estimate, centre, error), other = (
        literal(y[of], table.values(SPEC)[of]) for of in (slice(400), slice(400, 800))
    )
    half = student_quantile(0.975, 151) * error
    assert (a.system, a.aspect, a.metric, a.ratings, a.rows, a.clusters) == ("a", "good", SPEC, 150, 400, 150)
    assert_allclose((a.estimate, a.low, a.high, a.weight), (estimate, centre - half, centre + half, weight), rtol=1e-9)
    share = float(np.nanmean(y[:400]))
    assert_allclose((a.alone.value, a.alone.low, a.alone.high), (share, *share_interval(share, 150, 0.95)), rtol=1e-12)
    assert_allclose(a.worth.value, 150 * ((a.alone.high - a.alone.low) / (2 * half)) ** 2, rtol=1e-9)
    assert 150 <= a.worth.low < a.worth.value < a.worth.high < 400 and a.high - a.low < a.alone.high - a.alone.low
    scores = table.values(SPEC)[:400]
    of_scores = 1.965927 * scores.std(ddof=1) / 20
    assert_allclose((a.bare.value, a.bare.low), (scores.mean(), scores.mean() - of_scores), rtol=1e-6)
    assert math.isnan(a.more) and math.isnan(a.p) and a.share and math.isnan(a.effective)
    # The two systems' rows of an item have nothing in common here, and other items of each are rated.
    assert (difference.system, difference.ratings, difference.rows) == ("a - b", 300, 800)
    assert_allclose(difference.estimate, a.estimate - b.estimate, rtol=1e-12)
    assert_allclose(difference.half, 1.9681 * math.hypot(error, other[3]), rtol=0.05)
    assert math.isnan(difference.weight) and math.isnan(difference.bare.value)


def test_systems_that_share_their_items_differ_by_less() -> None:
    """The second system is the first one but for one row in ten, and the same items are rated."""
    table, corpus, _ = outputs(300, 100, systems=("a",))
    rows = list(corpus)
    other = [replace(row, system="b") for row in rows]
    for row in other[::10]:
        if row.scores:
            row.scores["good"] = 1 - row.scores["good"]  # type: ignore[index]
    values = np.tile(table.values(SPEC), 2)[:, None]
    both = replace(
        table,
        rows=[*table.rows, *(("b", item) for _, item in table.rows)],
        columns={SPEC: replace(table.columns[SPEC], values=values)},
    )
    a, b, difference = nlgauge.estimate(both, Corpus((*rows, *other)))
    assert difference.half < 0.6 * math.hypot(a.half, b.half)
    # The errors of the scores do not cancel, so that the ratings alone say more of the difference: they are those of
    # `compare` on the rated items.
    assert a.weight > 0.2 and difference.worth.value == difference.ratings == 200 and difference.clusters == 100
    pairs = [(row.scores, twin.scores) for row, twin in zip(rows, other, strict=True) if row.scores]
    differences = np.array([one["good"] - two["good"] for one, two in pairs])
    said = mean_of(differences, (-1.0, 1.0))
    assert (difference.estimate, difference.low, difference.high) == (said.value, *said.interval())
    assert (difference.alone.value, difference.alone.low, difference.p) == (said.value, said.interval()[0], said.p())


def test_how_many_more_ratings() -> None:
    table, corpus, _ = outputs(2000, 100)
    found = nlgauge.estimate(table, corpus, margin=0.05)[0]
    assert 50 < found.more < 400
    more = outputs(2000, 100 + int(found.more))[:2]
    assert_allclose(nlgauge.estimate(*more)[0].half, 0.05, rtol=0.1)
    assert nlgauge.estimate(table, corpus, margin=0.2)[0].more == 0
    assert nlgauge.estimate(table, corpus, margin=0.001)[0].more == math.inf


def test_p_is_one_less_the_confidence_at_which_the_interval_reaches_zero() -> None:
    table, corpus, _ = outputs(200, 60, 3)
    a, _, difference = nlgauge.estimate(table, corpus)
    assert math.isnan(a.p) and 0 < difference.p < 1
    at = nlgauge.estimate(table, corpus, confidence=1 - difference.p)[2]
    assert_allclose(min(abs(at.low), abs(at.high)), 0, atol=1e-9)
    assert (difference.low <= 0 <= difference.high) == (difference.p >= 0.05)


def test_probabilities_of_rows_are_those_of_the_design() -> None:
    table, corpus, _ = outputs(300, 100, systems=("a",))
    scores, y = table.values(SPEC), np.array([row.scores.get("good", math.nan) for row in corpus])
    probability = np.where(scores < 0, 0.6, 0.15)
    rows = [replace(row, extra={"probability": p}) for row, p in zip(corpus, probability.tolist(), strict=True)]
    found = powered(y, scores, Design(~np.isnan(y), np.zeros(300, np.intp), probability))
    assert_allclose(nlgauge.estimate(table, Corpus(tuple(rows)))[0].estimate, found.estimate, rtol=1e-12)


def test_all_metrics_together_help_as_much_where_bad_rows_are_counted() -> None:
    table, corpus, _ = outputs(400, 200, systems=("a",))
    noise = np.random.default_rng(1).normal(size=(400, 1))
    table.columns["noise"] = Column(("score",), noise)
    good, bad = (nlgauge.estimate(table, corpus, below=below)[-1] for below in (None, 1))
    assert good.metric == bad.metric == "TokenF1 + noise"
    assert bad.worth.value == pytest.approx(good.worth.value) and bad.worth.value > 230
    assert (bad.estimate, bad.low) == pytest.approx((1 - good.estimate, 1 - good.high))


def test_systems_are_estimated_together_as_one_whose_items_are_clusters() -> None:
    table, corpus, _ = outputs(200, 80)
    (one,) = nlgauge.estimate(table, corpus, pooled=True)
    assert (one.system, one.ratings, one.rows) == ("all systems", 160, 400)
    keys = [("all", f"{system} {item}") for system, item in table.rows]
    whole = replace(table, rows=keys)
    rows = [replace(row, system="all", item=f"{row.system} {row.item}", extra={"of": row.item}) for row in corpus]
    (other,) = nlgauge.estimate(whole, Corpus(rows), cluster="of")
    assert (one.estimate, one.low, one.worth.value) == (other.estimate, other.low, other.worth.value)


def test_what_is_said_of_systems_and_their_difference() -> None:
    table, corpus, _ = outputs(200, 60, 3)
    found = nlgauge.estimate(table, corpus, confidence=0.9)
    a, _, difference = found
    of = "60 of 200 rows are rated"
    ends = f"90 % interval {100 * a.low:.3g} to {100 * a.high:.3g}"
    assert found.answers[0] == f"a, good: about {100 * a.estimate:.3g} of 100 outputs are rated 1 ({ends}; {of})."
    ends = f"90 % interval {100 * difference.low:.3g} to {100 * difference.high:.3g}"
    said = f"of 100 outputs, about {-100 * difference.estimate:.3g} fewer are rated 1"
    said = f"a - b, good: {said} ({ends}; 120 of 400 rows are rated; p "
    assert difference.estimate < 0 and found.answers[2].startswith(said)
    below = nlgauge.estimate(table, corpus, below=1)
    assert "fewer are rated 1" in found.answers[2] and "more are rated below 1" in below.answers[2]
    assert "outputs are rated below 1 (95 % interval" in below.answers[0]
    five = {key: 1.0 + place % 5 for place, key in enumerate(table.rows)}
    every = nlgauge.estimate(table, five, scale=(1, 5))
    assert every.answers[0].startswith("a, rating: the mean rating is about 3 (95 % interval 2.8")
    assert every.answers[0].endswith("; all 200 rows are rated, so scores had nothing left to save).")
    assert "b, rating: the mean ratings differ by about 0 (95 % interval -0." in every.answers[2]
    assert [(one.worth.value, one.weight) for one in every[:2]] == [(200, 0)] * 2
    assert all(math.isnan(one.worth.low) and math.isnan(one.worth.high) for one in every[:2])


def test_the_intervals_of_all_differences_hold_at_once() -> None:
    table, corpus, _ = outputs(150, 60, systems=("a", "b", "c"))
    found = nlgauge.estimate(table, corpus)
    assert "the intervals of the 3 differences hold all at once (Bonferroni)" in found.notes[0]
    alone = nlgauge.estimate(table, corpus, confidence=1 - 0.05 / 3)
    for one, other in zip(found[:3], alone[:3], strict=True):
        assert one.half < other.half
    pair = replace(
        table,
        rows=table.rows[:300],
        columns={SPEC: replace(table.columns[SPEC], values=table.columns[SPEC].values[:300])},
    )
    two = nlgauge.estimate(pair, Corpus(tuple(corpus)[:300]), confidence=1 - 0.05 / 3)[2]
    assert (found[3].low, found[3].high, found[3].p) == pytest.approx((two.low, two.high, two.p))
    assert found[3].p == nlgauge.estimate(table, corpus, confidence=0.5)[3].p, "p is of a difference alone"


def test_rows_without_a_score_count_with_the_mean() -> None:
    table, corpus, _ = outputs(200, 60, systems=("a",))
    values = table.values(SPEC).copy()
    values[:40] = math.nan
    some = replace(table, columns={SPEC: replace(table.columns[SPEC], values=values[:, None])})
    found = nlgauge.estimate(some, corpus)
    assert found.notes == [f"{SPEC}: 40 of 200 rows have no score, and count with the system's mean"]
    y = np.array([row.scores.get("good", math.nan) for row in corpus])
    expected = literal(y, np.where(np.isnan(values), np.nanmean(values), values))
    assert_allclose((found[0].weight, found[0].estimate), expected[:2], rtol=1e-9)


@pytest.mark.parametrize("scores", ["alike", "nearly alike", "exact"])
def test_systems_that_people_rate_alike_are_not_certainly_alike(scores: str) -> None:
    """40 items of two systems are rated from 1 to 5, and each item alike; the interval is that of 40 equal pairs."""
    rng = np.random.default_rng(0)
    ratings, noise = rng.integers(1, 6, 200).astype(float), rng.normal(size=200)
    x = np.tile(ratings if scores == "exact" else noise, 2)
    x += 0.01 * rng.normal(size=400) * (scores == "nearly alike")
    table = ScoreTable([(s, str(n)) for s in "ab" for n in range(200)], {"M": Column(("score",), x[:, None])}, {})
    given = {(s, str(n)): float(ratings[n]) for s in "ab" for n in range(40)}
    difference = nlgauge.estimate(table, given, scale=(1, 5))[2]
    low, high = mean_of(np.zeros(40), (-4.0, 4.0)).interval()
    assert (difference.estimate, difference.p) == (0, 1)
    assert (difference.low, difference.high) == (low, high) and high > 0.25
    del given["b", "0"]  # then the items are not the same, and each system has its own error
    other = nlgauge.estimate(table, given, scale=(1, 5))[2]
    assert other.high - other.low > 0.1


def test_differences_of_clusters_of_items_are_not_shorter_than_of_items() -> None:
    table, corpus, _ = outputs(240, 0, docs=60)
    rows = [
        replace(row, scores={"good": float(int(row.item[1:]) % 7 > (row.system == "b"))})
        if int(row.item[1:]) % 60 < 30
        else row
        for row in corpus
    ]
    of_items, of_clusters = (nlgauge.estimate(table, Corpus(rows), cluster=name)[2] for name in (None, "doc"))
    assert of_items.clusters == 120 and of_clusters.clusters == 30 and of_clusters.effective == 30
    assert of_clusters.low <= of_items.low < of_items.high <= of_clusters.high


def _two(y: np.ndarray, x: np.ndarray, rated: int, **options: Any) -> Estimate:
    """The difference of two systems [2, items], the first items of which are rated."""
    keys = [(system, str(item)) for system in "ab" for item in range(y.shape[1])]
    table = ScoreTable(keys, {"M": Column(("score",), x.reshape(-1, 1))}, {})
    given = {key: float(value) for key, value in zip(keys, y.ravel(), strict=True) if int(key[1]) < rated}
    return nlgauge.estimate(table, given, **options)[2]


def test_what_two_systems_share_cancels_with_scores_too() -> None:
    """Ratings are a score and what is the same for both outputs of an item: the scores say almost all."""
    rng = np.random.default_rng(2)
    x, shared = rng.normal(size=(2, 300)), rng.normal(size=300)
    difference = _two(x + shared + 0.05 * rng.normal(size=(2, 300)), x, 50)
    assert difference.alone.high - difference.alone.low > 2 * (difference.high - difference.low) > 0.2
    assert difference.worth.value > 400 and difference.half < 0.2
    assert difference.low < (x[0] - x[1]).mean() < difference.high


def test_pairs_of_several_raters_have_the_ends_of_the_scale() -> None:
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, (2, 60)) / 2
    y[1] = np.where(rng.random(60) < 0.7, y[0], y[1])
    difference = _two(np.tile(y, 3), rng.normal(size=(2, 180)), 60, scale=(0, 1))
    said = mean_of(y[0] - y[1], (-1.0, 1.0), ends=True)
    assert (difference.alone.value, difference.alone.low, difference.alone.high) == (said.value, *said.interval())
    assert said.interval() != mean_of(y[0] - y[1], (-1.0, 1.0)).interval()


def test_scores_that_are_not_used_have_an_upper_end_of_what_they_may_be_worth() -> None:
    table, corpus, _ = outputs(300, 60, systems=("a",))
    noise = replace(table, columns={"N": Column(("s",), np.random.default_rng(99).normal(size=(300, 1)))})
    (one,) = nlgauge.estimate(noise, corpus)
    assert (one.weight, one.worth.value) == (0, 60) and 30 < one.worth.low <= 60 < one.worth.high < 120
    assert (one.estimate, one.low, one.high) == (one.alone.value, one.alone.low, one.alone.high)


def test_fitted_scores_have_no_weight_below_0(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[float] = []

    def spied(y: Any, x: Any, design: Any, scale: Any, least: float, yes_no: bool) -> Any:
        taken.append(least)
        return rated_means(y, x, design, scale, least, yes_no)

    monkeypatch.setattr("nlgauge.answers.estimated_means.rated_means", spied)
    table, corpus, _ = outputs(200, 60, systems=("a",))
    table.columns["N"] = Column(("s",), -table.values(SPEC)[:, None])
    found = nlgauge.estimate(table, corpus)
    assert taken == [-math.inf, -math.inf, 0] and found[1].weight < 0 <= found[2].weight


def test_rows_of_a_cluster_say_less_than_others() -> None:
    table, corpus, _ = outputs(300, 0, systems=("a",), docs=60)
    rows = [replace(row, scores={"good": float(int(row.item[1:]) % 60 % 3 > 0)}) for row in list(corpus)[:150]]
    whole = Corpus([*rows, *list(corpus)[150:]])
    of_rows, of_clusters = (nlgauge.estimate(table, whole, cluster=name)[0] for name in (None, "doc"))
    assert (of_clusters.clusters, of_rows.clusters, of_rows.ratings) == (60, 150, 150)
    assert of_clusters.half > 1.4 * of_rows.half and of_clusters.alone.value == of_rows.alone.value
