"""Estimates: as the formulas say, what is refused, and how differences and designs are put together."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import nlgauge
from nlgauge import Corpus
from nlgauge.data.table import Column
from nlgauge.maths.intervals import share_interval
from nlgauge.maths.prediction_powered import Design, powered
from tests.stats.hidden import SPEC, outputs


def test_a_system_as_the_formulas_say() -> None:
    table, corpus, _ = outputs(400, 150)
    (a, b, difference) = nlgauge.estimate(table, corpus)
    rows = [row for row in corpus if row.system == "a"]
    y = np.array([row.scores.get("good", math.nan) for row in rows])
    design = Design(~np.isnan(y), np.zeros(400, np.intp))
    found = powered(y, table.values(SPEC)[:400], design)
    alone = powered(y, np.zeros(400), design)
    effective = 150 * float((alone.cautious**2).sum()) / float((found.cautious**2).sum())
    low, high = share_interval(found.estimate, effective, 0.95)
    assert (a.system, a.aspect, a.metric, a.ratings, a.rows, a.clusters) == ("a", "good", SPEC, 150, 400, 150)
    assert_allclose((a.estimate, a.low, a.high, a.weight), (found.estimate, low, high, found.weight), rtol=1e-12)
    assert_allclose(a.alone, np.nanmean(y), rtol=1e-12)
    assert a.high - a.low < a.alone_high - a.alone_low and a.worth > 150 and math.isnan(a.more)
    assert_allclose(a.bare, table.values(SPEC)[:400].mean(), rtol=1e-12)
    assert difference.system == "a - b"
    assert_allclose(difference.estimate, a.estimate - b.estimate, rtol=1e-12)
    # Here the two systems' rows of an item have nothing in common.
    assert_allclose(difference.half, math.hypot(a.half, b.half), rtol=0.1)


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
    assert bad.worth == pytest.approx(good.worth) and bad.worth > 240
    assert bad.estimate == pytest.approx(1 - good.estimate)


def test_systems_are_estimated_together_as_one_whose_items_are_clusters() -> None:
    table, corpus, _ = outputs(200, 80)
    (one,) = nlgauge.estimate(table, corpus, pooled=True)
    assert (one.system, one.ratings, one.rows) == ("all systems", 160, 400)
    keys = [("all", f"{system} {item}") for system, item in table.rows]
    whole = replace(table, rows=keys)
    rows = [replace(row, system="all", item=f"{row.system} {row.item}", extra={"of": row.item}) for row in corpus]
    (other,) = nlgauge.estimate(whole, Corpus(rows), cluster="of")
    assert (one.estimate, one.low, one.worth) == (other.estimate, other.low, other.worth)
