"""Pairs of systems: the numbers of `compare`, read from either side."""

from __future__ import annotations

import math

from nlgauge import compare
from nlgauge.data.table import ScoreTable
from nlgauge.reports.page.pairs import Pairings, pair
from tests.report_tables import DOWN, SETS, UP, corpus, table
from tests.score_tables import column, same

TABLE = table(corpus())


def test_a_pair_holds_the_numbers_of_compare() -> None:
    found = pair(Pairings(TABLE, 200, 3), "good", "bad")
    expected = compare(TABLE, "good", "bad", replicates=200, seed=3).records
    assert same([line.difference for line in found.lines], expected)
    assert [line.name for line in found.lines] == [f"{UP} f1", f"{UP} recall", DOWN, SETS]


def test_verdicts_and_how_often_each() -> None:
    found = pair(Pairings(TABLE, 1000, 0), "good", "bad")
    verdicts = {line.name: line.verdict for line in found.lines}
    assert verdicts[f"{UP} f1"] == verdicts[DOWN] == "good"
    assert verdicts[SETS] == "good (not tested)"
    assert found.told["good"] >= 2 and sum(found.told.values()) == 3
    assert any("2 of 24 items are left out" in note and DOWN in note for note in found.notes)
    assert any(SETS in note and "one number a system" in note for note in found.notes)


def test_systems_without_a_common_item_say_so() -> None:
    rows = [("a", "1"), ("a", "2"), ("b", "3"), ("b", "4")]
    tests = Pairings(ScoreTable(rows, {"M": column(1, 2, 3, 4)}, {}), 100, 0)
    assert pair(tests, "a", "b").notes == ["'a' and 'b' have no item in common"]
    assert math.isnan(tests.test("a", "b", "M", "score").p)
