"""Which rows are drawn: how many of each stratum, with which probability, under which names."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import nlgauge
from nlgauge import InputError, SpecError
from nlgauge.ratings.sampling import Draw, DrawnRow, allocated
from tests.ratings.hidden import SPEC, outputs


def test_whole_clusters() -> None:
    _, corpus, _ = outputs(100, 0, docs=20)
    draw = nlgauge.sample(corpus, 50, cluster="doc")
    drawn = {row.cluster for row in draw.sheet}
    assert len(drawn) == 5 and len(draw.sheet) == 50
    assert all((row.cluster in drawn) == (row.name is not None) for row in draw.rows)
    assert {row.probability for row in draw.rows} == {0.25}
    # 33 rows are 3.3 clusters: 3 of 20 are drawn.
    assert {row.probability for row in nlgauge.sample(corpus, 33, cluster="doc").rows} == {0.15}
    assert len({row.cluster for row in nlgauge.sample(corpus, 50, cluster="item").sheet}) == 25
    assert {row.probability for row in nlgauge.sample(corpus, 47, cluster="doc").rows} == {0.25}, "5 of 20 clusters"


@pytest.mark.parametrize("allocation", ["proportional", "neyman"])
def test_a_row_is_drawn_with_the_probability_of_its_stratum(allocation: str) -> None:
    table, corpus, _ = outputs(101, 0)
    draw = nlgauge.sample(corpus, 37, scores=table, allocation=allocation)
    for stratum in {row.stratum for row in draw.rows}:
        own = [row for row in draw.rows if row.stratum == stratum]
        assert {row.probability for row in own} == {sum(row.name is not None for row in own) / len(own)}
    assert len({row.probability for row in draw.rows}) > 1


def test_allocation() -> None:
    assert allocated(10, np.array([50, 30, 20]), np.ones(3)).tolist() == [5, 3, 2]
    assert allocated(10, np.array([50, 50]), np.array([1.0, 4.0])).tolist() == [2, 8]
    assert allocated(10, np.array([3, 50]), np.array([9.0, 1.0])).tolist() == [3, 7]
    assert allocated(10, np.array([1, 50]), np.zeros(2)).tolist() == [1, 9]
    assert allocated(10, np.array([50, 50]), np.array([0.0, 1.0])).tolist() == [2, 8]
    assert allocated(6, np.array([60, 41]), np.ones(2)).tolist() == [4, 2], "60 / 4 is more than 41 / 3"


def test_the_probability_of_a_row_is_the_share_of_its_stratum_that_is_drawn() -> None:
    """Two fifths of the rows have no score, and are in the stratum of the lowest ones."""
    table, corpus, _ = outputs(100, 0, systems=("a",))
    values = np.where(np.arange(100) < 40, np.nan, np.arange(100.0) ** 2)
    scored = replace(table, columns={SPEC: replace(table.columns[SPEC], values=values[:, None])})
    draw = nlgauge.sample(corpus, 30, scores=scored, strata=2, allocation="neyman")
    low, high = ([row for row in draw.rows if row.stratum == stratum] for stratum in (0, 1))
    assert [row.item for row in low[:40]] == [f"i{n}" for n in range(40)] and len(low) + len(high) == 100
    for rows in (low, high):
        drawn = sum(row.name is not None for row in rows)
        assert {row.probability for row in rows} == {drawn / len(rows)}
    assert low[0].probability != high[0].probability and sum(row.probability for row in draw.rows) == pytest.approx(30)


def test_the_rounds_of_a_draw_are_fair() -> None:
    _, corpus, _ = outputs(20, 0, systems=("a",))
    hits = np.zeros(20)
    for seed in range(600):
        hits += [row.name is not None for row in nlgauge.sample(corpus, 5, seed=seed).rows]
    assert abs(hits / 600 - 0.25).max() < 0.08


def test_estimates_of_a_drawn_sheet_are_right() -> None:
    """Twice as many of the low scores: without the key the mean would be far too low."""
    table, corpus, truth = outputs(400, 0, systems=("a",))
    whole, found = np.mean(list(truth.values())), []
    for seed in range(40):
        draw = nlgauge.sample(corpus, 80, scores=table, allocation="neyman", seed=seed)
        ratings = {("sheet", row.name): truth[row.system, row.item] for row in draw.sheet}
        (one,) = nlgauge.estimate(table, ratings, draw=draw)
        found.append((one.estimate - whole, one.low <= whole <= one.high))
    assert abs(np.mean([error for error, _ in found])) < 0.02
    assert sum(held for _, held in found) >= 36


def test_names_of_a_draw_stand_for_rows_and_other_rows_are_refused() -> None:
    draw = Draw((DrawnRow("a", "1", 0.5, name="r2"), DrawnRow("a", "2", 0.5), DrawnRow("b", "1", 0.25, name="r1")))
    assert [row.name for row in draw.sheet] == ["r1", "r2"] and draw.of([("b", "1")]) == [draw.rows[2]]
    ratings = {"good": {("system", "r2"): 1.0, ("system", "r1"): 0.0}}
    assert draw.resolved(ratings) == {"good": {("a", "1"): 1.0, ("b", "1"): 0.0}}
    with pytest.raises(InputError, match="'r9' is rated and was not drawn"):
        draw.resolved({"good": {("system", "r9"): 1.0}})
    with pytest.raises(InputError, match="no row of system 'c', item '1'"):
        draw.of([("c", "1")])


def test_what_cannot_be_drawn() -> None:
    table, corpus, _ = outputs(20, 0)
    for n in (0, 41):
        with pytest.raises(InputError, match=f"{n} of 40 rows cannot be drawn"):
            nlgauge.sample(corpus, n)
    with pytest.raises(InputError, match="5 rows are too few for 10 strata"):
        nlgauge.sample(corpus, 5, scores=table)
    with pytest.raises(InputError, match="the scores have no row of system 'a', item 'i20'"):
        nlgauge.sample(outputs(21, 0)[1], 5, scores=table)
    with pytest.raises(InputError, match="has no 'nothing' to be clustered by"):
        nlgauge.sample(corpus, 5, cluster="nothing")
    for options in ({"allocation": "best"}, {"allocation": "neyman"}, {"cluster": "doc", "scores": table}):
        with pytest.raises(SpecError):
            nlgauge.sample(corpus, 5, **options)
