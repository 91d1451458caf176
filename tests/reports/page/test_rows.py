"""Rows as the script reads them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from nlgauge.data.table import Column, ScoreTable
from nlgauge.render.markup.environment import data
from nlgauge.reports.page import rows as module
from nlgauge.reports.page.rows import Listed, by_turns, described, histograms, listed, listed_rows, worst_of
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


def test_places_are_those_of_the_list_where_rows_are_left_out() -> None:
    found = read(Listed([3, 2 * ITEMS], len(ROWS), {"worst": 2}))
    assert found["number"] == [4, 2 * ITEMS + 1]
    assert found["reasons"][0]["rows"] == [1]
    assert sorted(found["evidence"]["of"][UP]) == ["0", "1"]


def test_evidence_for_which_there_is_no_room_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_EVIDENCE", 1)
    evidence = read(Listed(list(range(len(ROWS))), len(ROWS), {}))["evidence"]
    assert (evidence["kept"], evidence["left_out"]) == (1, len(ROWS) - 1)
    (place,) = evidence["of"][UP]
    assert int(place) == int(np.nanargmin(MEAN))


def test_short_names_are_used_where_they_are_clear() -> None:
    assert [one["short"] for one in described(SCORED.scales)] == [
        "Up f1",
        "Up recall",
        "Up count",
        DOWN,
        "people: fluency",
    ]


def test_the_worst_of_a_system() -> None:
    found = worst_of(SCORED, "bad", MEAN, 2)
    own = sorted(range(2 * ITEMS, 3 * ITEMS), key=lambda row: MEAN[row])
    assert [row for row, _, _ in found] == [own[0] + 1, own[1] + 1]
    assert found[0][2] == ROWS[own[0]].candidate


def test_every_finite_value_is_in_a_bin_of_its_system() -> None:
    scored = Scored(table(ROWS), ROWS, ROWS)
    found = histograms(scored.table, scored.scales)
    for scale, one in zip(scored.scales, found, strict=True):
        assert one is not None
        sizes = [sum(system["counts"]) for system in one["systems"]]
        assert sizes == [system["n"] for system in one["systems"]] and sum(sizes) == np.isfinite(scale.values).sum()
        assert one["edges"][0] <= np.nanmin(scale.values) + 1e-5 and one["edges"][-1] >= np.nanmax(scale.values) - 1e-5
    assert [system["n"] for system in found[0]["systems"]] == [ITEMS] * 3  # type: ignore[index]


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


def test_rows_come_by_turns_and_each_once() -> None:
    order = list(by_turns(MEANS, SPREADS))
    assert order[:3] == [(1, "worst"), (2, "best"), (4, "most disputed")]
    assert sorted(row for row, _ in order) == list(range(6))


def test_all_rows_are_listed_where_there_is_room() -> None:
    found = listed(by_turns(MEANS, SPREADS), [["a"]] * 6, 10, 3)
    assert (found.rows, found.total, found.kinds) == (list(range(6)), 6, {})


def test_else_it_is_said_how_many_of_which_kind() -> None:
    found = listed(by_turns(MEANS, SPREADS), [["a"]] * 6, 4, 3)
    assert len(found.rows) == 4 and {1, 2, 4} <= set(found.rows) and found.rows == sorted(found.rows)
    assert found.kinds == {"worst": 1, "best": 1, "most disputed": 1, "sample": 1}


def test_a_text_that_several_rows_have_takes_room_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 12)
    shared, own = [["x" * 10, "y"]] * 6, [["x" * 10 + str(row)] for row in range(6)]
    assert len(listed(by_turns(MEANS, SPREADS), shared, 10, 0).rows) == 6
    assert len(listed(by_turns(MEANS, SPREADS), own, 10, 0).rows) == 1


def test_room_is_counted_in_bytes_and_shared_with_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [[f"图{row}"] for row in range(6)]
    monkeypatch.setattr(module, "MOST_BYTES", 12)
    assert len(listed(by_turns(MEANS, SPREADS), texts, 10, 0).rows) == 3
    monkeypatch.setattr(module, "MOST_BYTES", 45)
    assert len(listed(by_turns(MEANS, SPREADS), texts, 10, 1).rows) == 3


def test_a_sample_is_spread_over_the_table() -> None:
    order = list(by_turns(np.zeros(4000), np.zeros(4000)))
    sample = np.array([row for row, kind in order if kind == "sample"][:200])
    assert np.histogram(sample, bins=4, range=(0, 4000))[0].min() > 20
