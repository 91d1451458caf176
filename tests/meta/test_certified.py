"""Bars with a promise: kept in most drawings, refused where it cannot be, and what stands beside them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import nlgauge
from nlgauge import InputError
from nlgauge.maths.bounds import proportion
from nlgauge.meta.certified import RatedScores
from tests.meta.hidden import SPEC, outputs


def test_a_bar_and_what_stands_beside_it() -> None:
    table, corpus, truth = outputs(400, 200, systems=("a",))
    found = nlgauge.calibrate(table, corpus, risk=0.15)
    bar = found.bar()
    assert (bar.metric, bar.part, bar.direction, bar.risk, bar.confidence, bar.n) == (
        SPEC, "f1", "at_least", 0.15, 0.9, 200,
    )  # fmt: skip
    values = table.values(SPEC)
    assert_allclose(bar.passing, (values >= bar.threshold).mean())
    bad = np.array([truth[key] for key in table.rows]) == 0
    assert bad[values >= bar.threshold].mean() < 0.15 < bad.mean()
    assert bar.signature == f"{SPEC}|nlgauge:1" and len(bar.scores) == 200
    assert [one.by for one in found.chosen] == ["risk", "f1", "cost", "precision"]
    assert [one.honest for one in found.chosen] == [False, True, True, True]
    assert sum(one.n for one in found.reliability) == 200
    assert found.reliability[0].good < found.reliability[-1].good
    assert (found.n, found.clusters) == (200, 200) and found.bar("f1").risk is None


def test_lower_is_better_turns_everything() -> None:
    table, corpus, _ = outputs(400, 200, systems=("a",))
    column = table.columns[SPEC]
    turned = replace(table, columns={SPEC: replace(column, values=-column.values, higher_is_better=False)})
    one, other = nlgauge.calibrate(table, corpus, risk=0.2), nlgauge.calibrate(turned, corpus, risk=0.2)
    assert other.bar().direction == "at_most" and other.bar().threshold == -one.bar().threshold
    assert [a.bad for a in one.chosen] == [b.bad for b in other.chosen]
    first, last = other.reliability[0], one.reliability[-1]
    assert (first.low, first.high, first.n, first.good) == (-last.high, -last.low, last.n, last.good)


def test_where_no_bar_can_be_certified_it_says_so() -> None:
    table, corpus, _ = outputs(400, 100, systems=("a",))
    found = nlgauge.calibrate(table, corpus, risk=0.02)
    assert math.isnan(found.chosen[0].threshold) and {bar.by for bar in found.bars} == {"f1", "cost", "precision"}
    with pytest.raises(InputError, match=r"no bar can be certified at a risk of 0.02 .* too few"):
        found.bar()
    with pytest.raises(InputError, match=r"risk of 0.1 .* rated rows with the best scores are bad; rate more"):
        nlgauge.calibrate(replace(table, columns={"x": _noise(table)}), corpus).bar()


def test_rows_without_a_score_make_no_bar_and_no_mean_infinite() -> None:
    table, corpus, _ = outputs(400, 100, systems=("a",))
    rated = [number for number, row in enumerate(corpus) if row.scores][:6]
    table.columns[SPEC].values[rated] = math.nan
    found = nlgauge.calibrate(table, corpus, cost=0.001)
    of_cost = found.chosen[2]
    assert math.isnan(of_cost.threshold) and "those without a score" in (of_cost.reason or "")
    with pytest.raises(InputError, match="no bar: by cost it is best to let every row pass"):
        found.bar("cost")
    assert all(math.isfinite(one.low + one.high + one.mean) for one in found.reliability)
    assert sum(one.n for one in found.reliability) == 100


def _noise(table: nlgauge.ScoreTable) -> object:
    column = table.columns[SPEC]
    return replace(column, values=np.random.default_rng(9).normal(size=column.values.shape))


@pytest.mark.parametrize("size", [1, 4], ids=["rows", "clusters"])
def test_a_promise_is_broken_in_few_drawings(size: int) -> None:
    """2,000 drawings from a population whose true risk at every bar is known; rows of a cluster are alike."""
    rng, broken, made = np.random.default_rng(0), 0, 0
    for _ in range(2000):
        shared = np.repeat(rng.normal(size=300 // size), size)
        scores = np.round(shared + 0.3 * rng.normal(size=300), 1)
        chance = 0.35 / (1 + np.exp(scores))
        bad = np.repeat(rng.random(300 // size), size) < chance
        rated = np.arange(300) < 120
        rows = RatedScores(scores, rated, bad & rated, np.arange(300) // size)
        found = rows.certified(0.15, 0.1)
        if found.reason is None:
            made += 1
            broken += _risk(found.threshold) > 0.15
    assert made > 50 and broken / 2000 <= 0.1


_DRAWN = np.random.default_rng(1).normal(size=(2, 400_000))
_POPULATION = np.sort(np.round(_DRAWN[0] + 0.3 * _DRAWN[1], 1))


def _risk(threshold: float) -> float:
    passed = _POPULATION[np.searchsorted(_POPULATION, threshold) :]
    return float((0.35 / (1 + np.exp(passed))).mean())


def test_what_is_bad_has_to_be_said() -> None:
    table, corpus, _ = outputs(200, 100, systems=("a",))
    rows = nlgauge.Corpus(tuple(replace(row, scores={k: 4 * v + 1 for k, v in row.scores.items()}) for row in corpus))
    with pytest.raises(InputError, match="good is not rated by 0 and 1"):
        nlgauge.calibrate(table, rows)
    assert nlgauge.calibrate(table, rows, below=3, risk=0.2).bad == nlgauge.calibrate(table, corpus, risk=0.2).bad


def test_what_is_refused() -> None:
    table, corpus, truth = outputs(200, 15, systems=("a",))
    with pytest.raises(InputError, match="15 rows are rated, and at least 20"):
        nlgauge.calibrate(table, corpus)
    lowest = sorted(truth, key=lambda key: table.values(SPEC)[table.rows.index(key)])[:60]
    with pytest.raises(InputError, match="not drawn at random"):
        nlgauge.calibrate(table, {key: truth[key] for key in lowest})
    with pytest.raises(InputError, match="0 of 200 rated rows are bad"):
        nlgauge.calibrate(table, dict.fromkeys(truth, 1.0))
    with pytest.raises(InputError, match="the risk 10"):
        nlgauge.calibrate(table, corpus, risk=10)
    draw = nlgauge.sample(corpus, 60, scores=table)
    with pytest.raises(InputError, match="unequal probabilities"):
        nlgauge.calibrate(table, {("x", row.name): truth[row.system, row.item] for row in draw.sheet}, draw=draw)


def test_reliability_has_exact_intervals() -> None:
    table, corpus, _ = outputs(200, 100, systems=("a",))
    for one in nlgauge.calibrate(table, corpus, risk=0.2).reliability:
        assert_allclose((one.good_low, one.good_high), proportion(round(one.good * one.n), one.n), rtol=1e-12)


def test_thresholds_worked_out_by_hand() -> None:
    """Scores 1 to 8 of which 1, 2 and 4 are bad: F1 is best where 4 rows are stopped, cost where 2 are."""
    from nlgauge.meta.certified import _threshold

    scores, bad = np.arange(1.0, 9.0), np.isin(np.arange(1, 9), (1, 2, 4))
    assert _threshold(scores, bad, "f1", 1, 0.9) == 5
    assert _threshold(scores, bad, "cost", 0.9, 0.9) == 3
    assert _threshold(scores, bad, "cost", 5, 0.9) == 5
    assert _threshold(scores, bad, "precision", 1, 0.9) == 3
    assert _threshold(scores, bad, "precision", 1, 0.7) == 5
