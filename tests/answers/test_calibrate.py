"""Thresholds with a promise: it holds in most drawings, and is refused where it cannot hold."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import nlgauge
from nlgauge import InputError
from nlgauge.answers.rated_scores import RatedScores
from nlgauge.maths.intervals import proportion
from nlgauge.stats.decisions import calibration_error
from nlgauge.stats.fitting import folds_of
from tests.ratings.hidden import SPEC, outputs


def test_a_threshold_and_what_stands_beside_it() -> None:
    table, corpus, truth = outputs(400, 200, systems=("a",))
    found = nlgauge.calibrate(table, corpus, risk=0.15)
    threshold = found.threshold()
    assert (threshold.metric, threshold.part, threshold.direction) == (SPEC, "f1", "at_least")
    assert (threshold.risk, threshold.confidence, threshold.n) == (0.15, 0.9, 200)
    values = table.values(SPEC)
    assert_allclose(threshold.passing, (values >= threshold.threshold).mean())
    bad = np.array([truth[key] for key in table.rows]) == 0
    assert bad[values >= threshold.threshold].mean() < 0.15 < bad.mean()
    assert threshold.signature == f"{SPEC}|nlgauge:1" and len(threshold.scores) == 200
    assert [one.by for one in found.chosen] == ["risk", "f1", "cost", "precision"]
    assert [one.honest for one in found.chosen] == [False, True, True, True]
    assert sum(one.n for one in found.reliability) == 200
    for one in found.reliability:
        assert_allclose((one.good.low, one.good.high), proportion(round(one.good.value * one.n), one.n), rtol=1e-12)
    assert found.reliability[0].good.value < found.reliability[-1].good.value
    assert (found.n, found.clusters) == (200, 200) and found.threshold("f1").risk is None


def test_where_no_threshold_can_be_certified_it_says_so() -> None:
    table, corpus, _ = outputs(400, 100, systems=("a",))
    found = nlgauge.calibrate(table, corpus, risk=0.02)
    assert math.isnan(found.chosen[0].threshold) and {threshold.by for threshold in found.thresholds} == {
        "f1",
        "cost",
        "precision",
    }
    with pytest.raises(InputError, match=r"no threshold can be certified at a risk of 0.02 .* too few"):
        found.threshold()
    with pytest.raises(InputError, match=r"risk of 0.1 .* rated rows with the best scores are bad; rate more"):
        nlgauge.calibrate(replace(table, columns={"x": _noise(table)}), corpus).threshold()


def test_rows_without_a_score_make_no_threshold_and_no_mean_infinite() -> None:
    table, corpus, _ = outputs(400, 100, systems=("a",))
    rated = [number for number, row in enumerate(corpus) if row.scores][:6]
    table.columns[SPEC].values[rated] = math.nan
    found = nlgauge.calibrate(table, corpus, cost=0.001)
    of_cost = found.chosen[2]
    assert math.isnan(of_cost.threshold) and "those without a score" in (of_cost.reason or "")
    with pytest.raises(InputError, match="no threshold: by cost it is best to let every row pass"):
        found.threshold("cost")
    assert all(math.isfinite(one.low + one.high + one.mean) for one in found.reliability)
    assert sum(one.n for one in found.reliability) == 100


def _noise(table: nlgauge.ScoreTable) -> object:
    column = table.columns[SPEC]
    return replace(column, values=np.random.default_rng(9).normal(size=column.values.shape))


@pytest.mark.parametrize("size", [1, 4], ids=["rows", "clusters"])
def test_a_promise_is_broken_in_few_drawings(size: int) -> None:
    """600 drawings from a population whose true risk at every threshold is known; rows of a cluster are alike."""
    rng, broken, made = np.random.default_rng(0), 0, 0
    for _ in range(600):
        shared = np.repeat(rng.normal(size=300 // size), size)
        scores = np.round(shared + 0.3 * rng.normal(size=300), 1)
        chance = 0.35 / (1 + np.exp(scores))
        bad = np.repeat(rng.random(300 // size), size) < chance
        rated = np.arange(300) < 120
        rows = RatedScores(scores, rated, bad & rated, np.arange(300) // size, rated)
        found = rows.independent(rng)[0].certified(0.15, 0.1)
        if found.reason is None:
            made += 1
            broken += _risk(found.threshold) > 0.15
    assert made > 15 and broken / 600 <= 0.1


_DRAWN = np.random.default_rng(1).normal(size=(2, 400_000))
_POPULATION = np.sort(np.round(_DRAWN[0] + 0.3 * _DRAWN[1], 1))


def _risk(threshold: float) -> float:
    passed = _POPULATION[np.searchsorted(_POPULATION, threshold) :]
    return float((0.35 / (1 + np.exp(passed))).mean())


def test_what_is_bad_has_to_be_said() -> None:
    table, corpus, _ = outputs(200, 100, systems=("a",))
    rows = nlgauge.Corpus(tuple(replace(row, scores={k: 4 * v + 1 for k, v in row.scores.items()}) for row in corpus))
    with pytest.raises(InputError, match="good is not rated by 0 and 1 alone"):
        nlgauge.calibrate(table, rows)
    assert nlgauge.calibrate(table, rows, below=3, risk=0.2).bad == nlgauge.calibrate(table, corpus, risk=0.2).bad


def test_what_is_refused() -> None:
    table, corpus, truth = outputs(200, 15, systems=("a",))
    with pytest.raises(InputError, match="15 rows are rated, and at least 20"):
        nlgauge.calibrate(table, corpus)
    lowest = sorted(truth, key=lambda key: table.values(SPEC)[table.rows.index(key)])[:60]
    with pytest.raises(InputError, match="not drawn at random"):
        nlgauge.calibrate(table, {key: truth[key] for key in lowest})
    with pytest.raises(InputError, match="the risk 10"):
        nlgauge.calibrate(table, corpus, risk=10)
    with pytest.raises(InputError, match=r"the recall 1.0 is not between"):
        nlgauge.calibrate(table, corpus, recall=1.0)
    with pytest.raises(InputError, match=r"there is no system 'b' \(the scores have a\)"):
        nlgauge.calibrate(table, corpus, system="b")


def test_thresholds_worked_out_by_hand() -> None:
    """Scores 1 to 8 of which 1, 2 and 4 are bad: F1 is best where 4 rows are stopped, cost where 2 are."""
    from nlgauge.answers.rated_scores import _threshold

    scores, bad = np.arange(1.0, 9.0), np.isin(np.arange(1, 9), (1, 2, 4))
    assert _threshold(scores, bad, "f1", 1, 0.9) == 5
    assert _threshold(scores, bad, "cost", 0.9, 0.9) == 3
    assert _threshold(scores, bad, "cost", 5, 0.9) == 5
    assert _threshold(scores, bad, "precision", 1, 0.9) == 3
    assert _threshold(scores, bad, "precision", 1, 0.7) == 5


def test_all_good_is_certified_where_the_exact_bound_allows_it() -> None:
    """60 of 60: .95 ** 60 is .046, and .96 ** 60 is .086; of 58 rows .96 ** 58 is .094, and .97 ** 60 is .16."""
    table, _, _ = outputs(400, 0, systems=("a",))
    some = np.random.default_rng(0).permutation(400)[:60]
    good = {table.rows[place]: 1.0 for place in some}
    for risk in (0.05, 0.04):
        threshold = nlgauge.calibrate(table, good, risk=risk).threshold()
        assert threshold.passing == 1 and threshold.threshold == table.values(SPEC).min()
    found = nlgauge.calibrate(table, good, risk=0.03)
    assert "60 rated rows are too few to show so small a risk" in (found.chosen[0].reason or "")
    assert found.chosen[1].reason == "all 60 rated rows are good, so f1 chooses nothing"
    with pytest.raises(InputError, match="0 bad rows are rated, and at least 11 are needed"):
        nlgauge.calibrate(table, good, recall=0.8).threshold("recall")
    bad = nlgauge.calibrate(table, dict.fromkeys(good, 0.0), recall=0.8)
    assert bad.chosen[0].reason is not None and "rated rows with the best scores are bad" in bad.chosen[0].reason
    assert bad.threshold("recall").recall == 0.8 and bad.bad == 60


def test_a_recall_worked_out_by_hand() -> None:
    """20 of 40 tested rows are bad: of 20, one may pass where 80 % are stopped with 90 %; .8 ** 20 + ... is .069."""
    from nlgauge.maths.intervals import binomial_p

    assert binomial_p(1, 20, 0.2) < 0.1 < binomial_p(2, 20, 0.2)
    scores, rated = np.arange(40.0), np.ones(40, bool)
    bad = np.isin(np.arange(40), [*range(18), 30, 35])
    found = RatedScores(scores, rated, bad, np.arange(40), rated).recalled(0.8, 0.1)
    # Above row 30 one bad row passes; the row at 30 would be the second.
    assert found.threshold == 31 and found.recall == 19 / 20 and found.bad == 1 / 9
    few = RatedScores(scores, rated, bad & (scores < 10), np.arange(40), rated).recalled(0.8, 0.1)
    assert "10 bad rows are rated, and at least 11 are needed" in (few.reason or "")
    best = RatedScores(-scores, rated, bad, np.arange(40), rated).recalled(0.99, 0.1)
    assert best.reason is not None


def test_what_the_best_threshold_does_is_told_by_thresholds_of_other_rows() -> None:
    """Scores without worth, of which the threshold of all rows is better than those of other folds."""
    rng = np.random.default_rng(2)
    scores, bad, every = rng.normal(size=60), rng.random(60) < 0.4, np.ones(60, bool)
    rows = RatedScores(scores, every, bad, np.arange(60), every)
    threshold, of_row = rows.cross_fitted("balanced", 1.0, 0.9, 0)
    for row in range(60):
        fold = folds_of(np.arange(60), 5, 0)
        others = fold != fold[row]
        told = {t: (scores[bad & others] < t).mean() + (scores[~bad & others] >= t).mean() for t in scores[others]}
        best = max(told.values())
        assert math.isclose(told[of_row[row]], best) and of_row[row] in scores[others]
    found = rows.best("balanced", 1.0, 0.9, 0)
    passed = scores >= of_row
    assert (passed != (scores >= threshold)).any() and found.threshold == threshold
    assert (found.bad, found.recall) == (bad[passed].mean(), (~passed)[bad].mean())


def test_a_promise_of_recall_is_broken_in_few_drawings() -> None:
    """600 drawings of clusters of two; of the bad rows, at least 70 % are to be stopped."""
    bad_of = 0.5 / (1 + np.exp(_POPULATION))
    below = np.cumsum(bad_of) / bad_of.sum()
    rng, broken, made = np.random.default_rng(0), 0, 0
    for _ in range(600):
        scores = np.round(np.repeat(rng.normal(size=150), 2) + 0.3 * rng.normal(size=300), 1)
        bad = np.repeat(rng.random(150), 2) < 0.5 / (1 + np.exp(scores))
        rated = rng.permutation(300) < 120
        rows = RatedScores(scores, rated, bad & rated, np.arange(300) // 2, rated)
        found = rows.independent(rng)[0].recalled(0.7, 0.1)
        if found.reason is None:
            made += 1
            place = int(np.searchsorted(_POPULATION, found.threshold))
            broken += float(below[place - 1] if place else 0.0) < 0.7
    assert made > 150 and broken / 600 <= 0.1


@pytest.mark.parametrize(
    ("sizes", "whole"),
    [([2] * 150, False), ([1, 2] * 100, False), ([4] * 75, True), ([1, 2, 3, 12] * 20, True)],
    ids=["two versions", "a version that lacks items", "whole clusters", "clusters of all sizes"],
)
def test_a_promise_holds_on_the_worst_clusters(sizes: list[int], whole: bool) -> None:
    """Rows of a cluster are bad together, and large clusters are worse, at a risk just above what is promised."""
    rng, broken = np.random.default_rng(0), 0
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    of = np.array(sizes, float)
    chance = 0.155 * of / ((of * of).sum() / of.sum())
    for _ in range(600):
        bad = (rng.random(len(of)) < chance)[clusters]
        scores = rng.normal(size=len(bad))
        if whole:
            rated = np.isin(clusters, rng.permutation(len(of))[: len(of) // 2])
        else:
            rated = rng.permutation(len(bad)) < 0.6 * len(bad)
        rows, _ = RatedScores(scores, rated, bad & rated, clusters, rated).independent(rng)
        assert np.bincount(clusters, rows.tested).max() <= 1 and not (rows.tested & ~rated).any()
        broken += rows.certified(0.15, 0.1).reason is None
    assert broken / 600 <= 0.1


def test_every_rated_row_is_tested_as_often() -> None:
    """Clusters of 1, 2 and 3 rated rows: a row that is alone is not taken more often than one of three."""
    clusters, rated = np.array([0, 1, 1, 2, 2, 2, 2]), np.array([1, 1, 1, 1, 1, 1, 0], bool)
    rng, hits = np.random.default_rng(0), np.zeros(7)
    for _ in range(6000):
        rows, notes = RatedScores(np.zeros(7), rated, np.zeros(7, bool), clusters, rated).independent(rng)
        hits += rows.tested
    assert_allclose(hits[:6] / 6000, 1 / 3, atol=0.02)
    assert hits[6] == 0 and "ratings are tested: rows of an item or a cluster" in notes[0]


def test_two_versions_are_pooled_and_one_may_be_chosen() -> None:
    """Each version is a stratum, all rows had one probability: this was refused for unequal ones."""
    table, corpus, truth = outputs(300, 0)
    draw = nlgauge.sample(corpus, 240)
    names = {("x", row.name): truth[row.system, row.item] for row in draw.sheet}
    both = nlgauge.calibrate(table, names, draw=draw, risk=0.2)
    assert (both.n, both.clusters) == (240, len({row.item for row in draw.sheet}))
    assert [note.partition(":")[0] for note in both.notes] == [f"{both.clusters} of 240 ratings are tested"]
    assert nlgauge.calibrate(table, names, draw=draw, risk=0.2) == both
    one = nlgauge.calibrate(table, names, draw=draw, risk=0.2, system="b")
    assert (one.n, one.notes) == (120, ())
    column = replace(table.columns[SPEC], values=table.columns[SPEC].values[300:])
    alone = nlgauge.calibrate(
        nlgauge.ScoreTable(table.rows[300:], {SPEC: column}, {}),
        {(row.system, row.item): truth[row.system, row.item] for row in draw.sheet if row.system == "b"},
        risk=0.2,
    )
    assert one.threshold().threshold == alone.threshold().threshold
    by_score = nlgauge.sample(corpus, 240, scores=table)
    names = {("x", row.name): truth[row.system, row.item] for row in by_score.sheet}
    assert nlgauge.calibrate(table, names, draw=by_score, risk=0.2).n == 240


def test_rows_of_larger_probability_are_thinned() -> None:
    table, corpus, truth = outputs(300, 0, systems=("a",))
    draw = nlgauge.sample(corpus, 150, scores=table, allocation="neyman")
    names = {("x", row.name): truth[row.system, row.item] for row in draw.sheet}
    found = nlgauge.calibrate(table, names, draw=draw, risk=0.2)
    (note,) = found.notes
    assert "of 150 ratings are left out of the tests at random: rows were drawn with unequal" in note
    rates = {row.stratum: row.probability for row in draw.rows}
    kept = 150 - int(note.split()[0])
    assert abs(kept - 300 * min(rates.values())) < 25 and found.n == 150


def test_a_promise_holds_where_the_scores_drew_the_rows() -> None:
    """Neyman's allocation draws more of the middle; were it not thinned, the share of bad rows would be another."""
    rng, broken = np.random.default_rng(0), 0
    table, corpus, _ = outputs(400, 0, systems=("a",))
    values = table.values(SPEC)
    for seed in range(150):
        bad = rng.random(400) < np.where(np.abs(values) > 1.2, 0.45, 0.02)
        draw = nlgauge.sample(corpus, 160, scores=table, allocation="neyman", seed=seed)
        truth = {key: float(not one) for key, one in zip(table.rows, bad.tolist(), strict=True)}
        names = {("x", row.name): truth[row.system, row.item] for row in draw.sheet}
        threshold = next(
            (b for b in nlgauge.calibrate(table, names, draw=draw, seed=seed).thresholds if b.by == "risk"), None
        )
        chance = np.where(np.abs(values) > 1.2, 0.45, 0.02)
        broken += threshold is not None and chance[values >= threshold.threshold].mean() > 0.1
    assert broken / 150 <= 0.1


def _rated(scores: list[float], good: list[int]) -> RatedScores:
    n = len(scores)
    everything = np.ones(n, bool)
    return RatedScores(np.array(scores, float), everything, np.array(good) == 0, np.arange(n), everything)


def test_rows_of_one_score_are_in_one_group() -> None:
    """By hand: of six rows at 0 two are good, of four at 1 three; the order of the rows must not matter."""
    for order in (slice(None), slice(None, None, -1)):
        rows = _rated(([0] * 6 + [1] * 4)[order], [1, 1, 0, 0, 0, 0, 1, 1, 1, 0][order])
        assert [(one.low, one.high, one.mean, one.n, one.good.value) for one in rows.reliability(1)] == [
            (0, 0, 0, 6, 2 / 6),
            (1, 1, 1, 4, 3 / 4),
        ]
        error = calibration_error(rows.scores, ~rows.bad, rows.clusters, rows.fifths())
        assert_allclose(error.value, 0.6 * 2 / 6 + 0.4 * 1 / 4)
        assert 0 <= error.low < error.value < error.high <= 1
        turned = replace(rows, scores=-rows.scores)
        assert [(one.mean, one.n, one.good.value) for one in turned.reliability(-1)] == [(0, 6, 2 / 6), (1, 4, 3 / 4)]
    half = _rated([0.5] * 8, [1, 1, 1, 1, 0, 0, 0, 0])
    assert calibration_error(half.scores, ~half.bad, half.clusters, half.fifths()).value == 0
    # Four scores, and a group each; then six, where the cuts behind 2, 4, 6 and 8 rows go to 2, 4, 5 and 5.
    many = _rated([0.1, 0.2, 0.3, *[0.9] * 7], [0, 0, 1, *[1] * 6, 0])
    assert [one.n for one in many.reliability(1)] == [1, 1, 1, 7]
    many = _rated([0.1, 0.2, 0.3, 0.4, 0.5, *[0.9] * 5], [0, 0, 1, 0, 0, *[1] * 5])
    assert [one.n for one in many.reliability(1)] == [2, 2, 1, 5]
    apart = _rated(np.linspace(0, 1, 12).tolist(), [1] * 12)
    assert [one.n for one in apart.reliability(1)] == [3, 3, 2, 2, 2]


SHARES = [0.1, 0.25, 0.4, 0.6, 0.7, 0.9]


@pytest.mark.parametrize(
    ("risk_below", "risk_above", "known", "bands", "made"),
    [(0.6, 0.02, 2.0, 300, 100), (0.3, 0.11, 0.0, 250, 0), (0.12, 0.12, 0.0, 250, 0), (0.35, 0.25, 1.0, 0, 10)],
    ids=["all errors in the unread band", "noise just above the risk", "noise", "bands left out by chance"],
)
def test_a_promise_holds_for_what_is_judged_where_bands_are_left_out(
    risk_below: float, risk_above: float, known: float, bands: int, made: int
) -> None:
    """300 drawings of 300 ratings, which choose the band and test the thresholds; the true risk is known."""
    rng = np.random.default_rng(1)
    wording = rng.choice(SHARES, 20_000)
    bad = rng.random(len(wording)) < np.where(wording < 0.35, risk_below, risk_above)
    scores = rng.normal(size=len(wording)) - known * bad * (wording >= (0.35 if known > 1 else 0))
    seen = certified = broken = 0
    for _ in range(300):
        drawn = rng.choice(len(wording), 1500, replace=False)
        rated = np.arange(1500) < 300
        rows = RatedScores(scores[drawn], rated, bad[drawn] & rated, np.arange(1500), rated)
        unread, error, _ = rows.unread(wording[drawn], 0.1)
        assert unread is not None and error == (0.01 if unread.bands else 0.05)
        found = rows.of(unread.read).certified(0.1, error)
        seen += bool(unread.bands)
        if found.reason is None:
            certified += 1
            judged = wording >= (unread.bands[0].end if unread.bands else 0)
            broken += bool(bad[judged & (scores >= found.threshold)].mean() > 0.1)
    assert seen >= bands and certified >= made and broken / 300 <= 0.1


def _worded(corpus: nlgauge.Corpus, table: nlgauge.ScoreTable) -> tuple[nlgauge.ScoreTable, nlgauge.Corpus]:
    """Every second answer in other words than its source, with scores that say nothing about it."""
    other = np.arange(len(corpus)) % 2 == 0
    rows = [
        replace(row, candidate="quite other wording" if apart else "plain words alone", source="plain words alone")
        for row, apart in zip(corpus, other, strict=True)
    ]
    column, noise = table.columns[SPEC], np.random.default_rng(3).normal(size=len(rows))
    values = np.where(other[:, None], noise[:, None], column.values)
    return replace(table, columns={SPEC: replace(column, values=values)}), nlgauge.Corpus(tuple(rows))


def test_answers_that_a_metric_cannot_read_are_not_judged() -> None:
    table, rated, _ = outputs(400, 300, systems=("a",))
    table, corpus = _worded(rated, table)
    found = nlgauge.calibrate(table, corpus, risk=0.35, bands=True)
    threshold = found.threshold()
    assert threshold.bands is not None
    (band,) = threshold.bands
    assert band[:2] == (0.0, 0.8) and band.area < 0.65 and threshold.n == found.n < 300
    assert "not judged are answers of which under 80%" in found.notes[-1]
    plain = nlgauge.calibrate(table, corpus, risk=0.35)
    assert plain.n == 300 and all(one.bands is None for one in plain.thresholds)


def test_without_sources_all_answers_are_judged_as_before() -> None:
    table, corpus, _ = outputs(400, 200, systems=("a",))
    bare = nlgauge.Corpus(tuple(replace(row, source=None) for row in corpus))
    found = nlgauge.calibrate(table, bare, risk=0.15, bands=True)
    assert found.threshold() == nlgauge.calibrate(table, bare, risk=0.15).threshold()
    assert found.notes[-1].startswith("no rated row has an answer and a source, so all answers are judged")
