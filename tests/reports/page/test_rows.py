"""Rows as the script reads them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from nlgauge.data.table import Column, ScoreTable
from nlgauge.render.markup.environment import data
from nlgauge.reports.page.rows import Listed, by_turns, histograms, listed, listed_rows, worst_of
from nlgauge.reports.page.scored import Scored, standing
from tests.report_tables import DOWN, ITEMS, UP, corpus, table

ROWS = corpus()
SCORED = Scored(table(ROWS), ROWS, ROWS)
MEAN, SPREAD = standing(SCORED.scales)


def read(listed: Listed) -> dict:
    return json.loads(str(data(listed_rows(SCORED, SCORED.scales, listed, MEAN, SPREAD))))


def test_numbers_and_texts_of_all_rows() -> None:
    found = read(Listed(list(range(len(ROWS))), len(ROWS), {}))
    assert found["number"][:2] == [1, 2] and found["system"] == [n // ITEMS for n in range(len(ROWS))]
    for place, row in enumerate(ROWS):
        candidate, source, context, references = found["has"][place]
        assert (found["texts"][candidate], found["texts"][source], context) == (row.candidate, row.source, None)
        assert [found["texts"][number] for number in references] == list(row.references)
    assert len(set(found["texts"])) == len(found["texts"])
    assert found["values"][0] == pytest.approx(SCORED.scales[0].values, abs=1e-5)
    assert found["reasons"] == [{"metric": DOWN, "why": "no source", "rows": [2 * ITEMS, 2 * ITEMS + 1]}]
    assert set(found["evidence"]["of"]) == {UP} and len(found["evidence"]["of"][UP]) == len(ROWS)
    assert (found["evidence"]["kept"], found["evidence"]["left_out"]) == (len(ROWS), 0)


def test_the_worst_of_a_system() -> None:
    found = worst_of(SCORED, "bad", MEAN, 2)
    own = sorted(range(2 * ITEMS, 3 * ITEMS), key=lambda row: MEAN[row])
    assert [row for row, _, _ in found] == [own[0] + 1, own[1] + 1]
    assert found[0][2] == ROWS[own[0]].candidate


def test_what_is_infinite_or_missing_has_no_bin() -> None:
    columns = {"M": Column(("score",), np.array([[np.inf], [np.nan], [1.0]]), {1: "why"})}
    scored = Scored(ScoreTable([("s", "1"), ("s", "2"), ("t", "1")], columns, {}), None, None)
    (one,) = histograms(scored.table, scored.scales)
    assert [system["n"] for system in one["systems"]] == [0, 1] and one["systems"][0]["mean"] is None
    nothing = Scored(
        ScoreTable([("s", "1")], {"M": Column(("score",), np.array([[np.nan]]), {0: "why"})}, {}), None, None
    )
    assert histograms(nothing.table, nothing.scales) == [None]


MEANS = np.array([0.5, 0.1, 0.9, np.nan, 0.4, 0.6])
SPREADS = np.array([0.1, 0.0, 0.0, np.nan, 0.4, 0.2])


def test_else_it_is_said_how_many_of_which_kind() -> None:
    found = listed(by_turns(MEANS, SPREADS), [["a"]] * 6, 4, 3)
    assert len(found.rows) == 4 and {1, 2, 4} <= set(found.rows) and found.rows == sorted(found.rows)
    assert found.kinds == {"worst": 1, "best": 1, "most disputed": 1, "sample": 1}
