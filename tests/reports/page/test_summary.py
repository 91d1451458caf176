"""Parts of a page: cards of metrics, pairs of systems as compare has them, agreement as correlate has it."""

from __future__ import annotations

import math

import pytest

from nlgauge import compare, correlate
from nlgauge.answers import contrast
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.selection import selected
from nlgauge.reports.page import agreement
from nlgauge.reports.page.agreement import agreeing
from nlgauge.reports.page.pairs import Pairings, pair
from nlgauge.reports.page.scored import Scored
from nlgauge.reports.page.summary import cards, verdict
from nlgauge.show.environment import places
from tests.report_tables import DOWN, SETS, UP, corpus, table
from tests.score_tables import column, one, same

TABLE = table(corpus())


def made(of: ScoreTable):
    return {card.spec: card for card in cards(of, of.by_system(), Pairings(of).test)}


def test_the_best_and_those_that_do_not_differ_significantly_from_it() -> None:
    card = made(TABLE)[UP]
    ranks = {one.score.system: one.rank for one in card.part.standings}
    assert ranks["bad"] == "behind"
    assert sorted([ranks["good"], ranks["twin"]]) == ["alike", "best"]
    assert not card.part.reason and (card.name, card.parameters) == ("Up", "k=1")


def test_a_column_without_any_number_has_no_bar() -> None:
    (card,) = made(one([math.nan, math.nan], reasons={0: "no words", 1: "no words"})).values()
    assert places([math.nan], *card.part.ends) == [-1] and card.missing == [("no words", 2, 2)]


def said(of: ScoreTable) -> str:
    made = cards(of, of.by_system(), Pairings(of).test)
    return " ".join(f"{system} {sentence}".strip() for system, sentence in verdict(made, of.systems))


def test_many_systems_are_counted_and_not_named() -> None:
    rows = [(system, str(item)) for system in "abcdef" for item in range(3)]
    flat = {f"M{n}": column(*(3.0 if at // 3 == max(0, n - 2) else 1.0 for at in range(18))) for n in range(8)}
    sentences = said(ScoreTable(rows, {**flat, "E": column(*[1.0] * 18)}, {}))
    assert sentences.startswith("a is best by 4 of 9 metrics.")
    assert "By E it shares the best value with 5 others." in sentences
    assert sentences.endswith("5 other systems are best by at most 2 of the metrics each.")


def test_a_pair_holds_the_numbers_of_compare() -> None:
    found = pair(Pairings(TABLE), "good", "bad")
    expected = compare(TABLE, "good", "bad").records
    assert same([line.difference for line in found.lines], expected)
    assert [line.name for line in found.lines] == [f"{UP} f1", f"{UP} recall", DOWN, SETS]


def test_verdicts_and_how_often_each() -> None:
    found = pair(Pairings(TABLE), "good", "bad")
    verdicts = {line.name: line.verdict for line in found.lines}
    assert verdicts[f"{UP} f1"] == verdicts[DOWN] == "good"
    assert verdicts[SETS] == "good (not tested)"
    assert found.told["good"] >= 2 and sum(found.told.values()) == 3
    assert any("2 of 24 items are left out" in note and DOWN in note for note in found.notes)
    assert any(SETS in note and "one number a system" in note for note in found.notes)


def test_systems_without_a_common_item_say_so() -> None:
    rows = [("a", "1"), ("a", "2"), ("b", "3"), ("b", "4")]
    tests = Pairings(ScoreTable(rows, {"M": column(1, 2, 3, 4)}, {}))
    assert pair(tests, "a", "b").notes == ["'a' and 'b' have no item in common"]
    assert math.isnan(tests.test("a", "b", "M", "score").p)


ROWS = corpus()
SCORED = Scored(table(ROWS), ROWS, ROWS)


def test_agreement_with_people_is_that_of_correlate_best_first() -> None:
    made = agreeing(SCORED, None, "pearson", 100, 0)
    assert made.level == "item"
    (aspect,) = made.aspects
    expected = {one.metric: one for one in correlate(selected(SCORED.table), ROWS, replicates=100)}
    values = [line.agreement.value for line in aspect.lines if line.agreement.value == line.agreement.value]
    assert values == sorted(values, reverse=True)
    for line in aspect.lines:
        if not line.sentinel:
            assert line.agreement.value == pytest.approx(expected[line.agreement.metric].value, nan_ok=True)
    assert {line.name for line in aspect.lines if line.sentinel} == {"Length", "CopyRate"}
    assert aspect.tested and {line.name for line in aspect.lines if line.cluster} == {f"{UP} f1", DOWN}


def test_too_much_to_test_is_left_to_contrast_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contrast, "_EXCHANGED", 1)
    monkeypatch.setattr(agreement, "MOST_DRAWN", 10)
    made = agreeing(SCORED, None, "pearson", 500, 0)
    assert not made.aspects[0].tested
    assert any("200 draws" in note for note in made.notes)
    assert any("nlgauge correlate --pairs" in note for note in made.notes)
    assert any("by value alone" in note for note in made.notes)


def test_too_few_draws_are_said() -> None:
    made = agreeing(SCORED, None, "pearson", 10, 0)
    assert any("10 replicates cannot show a difference in 1 test, " in note for note in made.notes)
    assert any("metrics and sentinels: 10 replicates" in note for note in made.notes)
    assert not any("replicates" in note for note in agreeing(SCORED, None, "pearson", None, 0).notes)


def test_rows_that_do_not_differ_are_said() -> None:
    twice = ScoreTable([("s", "1"), ("s", "1")], {"M": column(1, 2), "N": column(2, 1)}, {})
    made = agreeing(Scored(twice, None, {("s", "1"): 1.0}), None, "pearson", 10, 0)
    assert made.matrix is None and len(made.notes) == 2 and "is there twice" in made.notes[0]
