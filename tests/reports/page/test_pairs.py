"""Pairs of systems: the numbers of `compare`, read from either side."""

from __future__ import annotations

import math

import pytest

from nlgauge import compare
from nlgauge.data.table import ScoreTable
from nlgauge.reports.page.pairs import MOST_SYSTEMS, Pairings, chosen, pair
from tests.report_tables import DOWN, SETS, UP, corpus, table
from tests.score_tables import column

TABLE = table(corpus())


def test_a_pair_holds_the_numbers_of_compare() -> None:
    found = pair(Pairings(TABLE, 200, 3), "good", "bad")
    assert [line.difference for line in found.lines] == compare(TABLE, "good", "bad", replicates=200, seed=3).records
    assert [line.name for line in found.lines] == [f"{UP} f1", f"{UP} recall", DOWN, SETS]


def test_a_pair_is_tested_once_whichever_side_is_asked_for_first() -> None:
    tests = Pairings(TABLE, 200, 3)
    p = tests.test("bad", "good", UP, "f1").p
    assert tests.of("bad", "good") is tests.of("good", "bad")
    assert pair(tests, "good", "bad") == pair(Pairings(TABLE, 200, 3), "good", "bad")
    other_way = compare(TABLE, "bad", "good", replicates=200, seed=3)
    for line, other in zip(pair(tests, "good", "bad").lines, other_way, strict=True):
        one = line.difference
        assert (one.a, one.difference) == (other.b, -other.difference)
        assert one.low == pytest.approx(-other.high, nan_ok=True)
        assert one.p == pytest.approx(other.p, nan_ok=True)
        assert one.better == other.better
        if (one.metric, one.part) == (UP, "f1"):
            assert p == one.p


def test_verdicts_and_how_often_each() -> None:
    found = pair(Pairings(TABLE, 1000, 0), "good", "bad")
    verdicts = {line.name: line.verdict for line in found.lines}
    assert verdicts[f"{UP} f1"] == verdicts[DOWN] == "good"
    assert verdicts[SETS] == "good (not tested)"
    assert found.told["good"] >= 2 and sum(found.told.values()) == 3
    assert any("2 of 24 items are left out" in note and DOWN in note for note in found.notes)
    assert any(SETS in note and "one number a system" in note for note in found.notes)


def test_twins_are_not_told_apart() -> None:
    line = pair(Pairings(TABLE, 1000, 0), "good", "twin").lines[0]
    assert line.verdict == "no significant difference" and line.difference.low < 0 < line.difference.high <= line.most


def test_systems_without_a_common_item_say_so() -> None:
    rows = [("a", "1"), ("a", "2"), ("b", "3"), ("b", "4")]
    tests = Pairings(ScoreTable(rows, {"M": column(1, 2, 3, 4)}, {}), 100, 0)
    assert pair(tests, "a", "b").notes == ["'a' and 'b' have no item in common"]
    assert math.isnan(tests.test("a", "b", "M", "score").p)


def test_of_many_systems_only_pairs_with_a_leading_one_stand_in_a_page() -> None:
    few, many = ["a", "b", "c"], [str(n) for n in range(MOST_SYSTEMS + 1)]
    assert len(chosen(few, ["a"])) == 3
    pairs = chosen(many, ["0", "5"])
    assert len(pairs) == 2 * MOST_SYSTEMS - 1 and all({"0", "5"} & set(one) for one in pairs)
