"""Cards of metrics: who is best, who does not differ significantly, and what has no value."""

from __future__ import annotations

import math
from dataclasses import replace

from nlgauge.data.table import ScoreTable
from nlgauge.render.markup.environment import places
from nlgauge.reports.page.pairs import Pairings
from nlgauge.reports.page.summary import best_of, cards, verdict, wins
from tests.report_tables import DOWN, SETS, SYSTEMS, UP, corpus, table
from tests.score_tables import column, one

TABLE = table(corpus())


def made(of: ScoreTable, replicates: int = 1000):
    return {card.spec: card for card in cards(of, of.by_system(), Pairings(of, replicates, 0).test)}


def test_the_best_and_those_that_cannot_be_told_apart_from_it() -> None:
    card = made(TABLE)[UP]
    ranks = {one.score.system: one.rank for one in card.part.standings}
    assert ranks["bad"] == "behind"
    assert sorted([ranks["good"], ranks["twin"]]) == ["alike", "best"]
    assert not card.part.reason and (card.name, card.parameters) == ("Up", "k=1")


def test_lower_is_better_where_it_is_and_gaps_are_counted_by_reason() -> None:
    card = made(TABLE)[DOWN]
    assert best_of(card.part) in (["good"], ["twin"])
    assert card.missing == [("no source", 2, len(TABLE.rows))]


def test_a_metric_of_sets_has_no_test_and_so_no_best() -> None:
    part = made(TABLE)[SETS].part
    assert best_of(part) == [] and "one number a system" in part.reason
    assert [one.rank for one in part.standings] == ["", "", ""]


def test_details_have_no_best() -> None:
    parts = {part.name: part for part in made(TABLE)[UP].others}
    assert parts["count"].detail and best_of(parts["count"]) == []
    assert not parts["recall"].detail


def test_bars_lie_between_their_ends() -> None:
    for card in made(TABLE).values():
        for standing in card.part.standings:
            one = standing.score
            at, low, _ = found = places((one.mean, one.low, one.high), *card.part.ends)
            assert all(place == -1 or 4 <= place <= 96 for place in found)
            assert not low > at


def test_one_system_has_no_rank() -> None:
    (card,) = made(one([1.0, 2.0])).values()
    assert best_of(card.part) == [] and card.part.standings[0].rank == ""


def test_a_column_without_any_number_has_no_bar() -> None:
    (card,) = made(one([math.nan, math.nan], reasons={0: "no words", 1: "no words"})).values()
    assert places([math.nan], *card.part.ends) == [-1] and card.missing == [("no words", 2, 2)]


def test_wins_count_metrics() -> None:
    counted = wins(list(made(TABLE).values()))
    assert sum(counted.values()) == 2 and set(counted) <= set(SYSTEMS)


def said(of: ScoreTable) -> str:
    made = cards(of, of.by_system(), Pairings(of, 1000, 0).test)
    return " ".join(f"{system} {sentence}".strip() for system, sentence in verdict(made, of.systems))


def test_the_leader_what_it_is_level_with_and_what_cannot_be_tested() -> None:
    sentences = said(table(corpus()))
    assert "No system leads: twin and good are each best by 1 of 2 metrics." in sentences
    alone = said(replace(TABLE, columns={UP: TABLE.columns[UP]}))
    assert "is best by" in alone and "does not differ significantly from" in alone
    assert f"{SETS} gives one number a system, which cannot be tested." in sentences


def test_a_clear_lead_is_called_one() -> None:
    rows = [(system, str(item)) for system in "ab" for item in range(12)]
    values = [1 + item / 100 for item in range(12)] + [item / 50 for item in range(12)]
    sentences = said(ScoreTable(rows, {"M": column(*values)}, {}))
    assert sentences == (
        "a is best by the one metric that can tell. "
        "Its lead over every other system is beyond chance (corrected p < 0.05)."
    )


def test_one_clear_lead_among_two_is_named() -> None:
    rows = [(system, str(item)) for system in "ab" for item in range(12)]
    clear = [1 + item / 100 for item in range(12)] + [item / 50 for item in range(12)]
    faint = [item % 3 + 0.05 for item in range(12)] + [(item + 1) % 3 for item in range(12)]
    sentences = said(ScoreTable(rows, {"M": column(*clear), "N": column(*faint)}, {}))
    assert sentences.startswith("a is best by both metrics. By M its lead over every other system is beyond chance")


def test_two_that_are_best_equally_often() -> None:
    rows = [(system, str(item)) for system in "ab" for item in range(2)]
    sentences = said(ScoreTable(rows, {"M": column(2, 2, 1, 1), "N": column(1, 1, 2, 2)}, {}))
    assert sentences == "No system leads: a and b are each best by 1 of 2 metrics."


def test_equal_values_are_best_together() -> None:
    rows = [(system, str(item)) for system in "ab" for item in range(2)]
    sentences = said(ScoreTable(rows, {"M": column(2, 2, 2, 2), "N": column(3, 2, 1, 1)}, {}))
    assert sentences.startswith("a is best by both metrics.")
    assert "By M it shares the best value with b." in sentences and sentences.endswith("b is best by 1 of 2 metrics.")


def test_systems_without_common_items_are_not_tested() -> None:
    of = ScoreTable([("a", "1"), ("a", "2"), ("b", "3"), ("b", "4")], {"M": column(2, 2, 1, 1)}, {})
    assert said(of).endswith("By M there is no test: the systems have too few items in common.")


def test_many_systems_are_counted_and_not_named() -> None:
    rows = [(system, str(item)) for system in "abcdef" for item in range(3)]
    flat = {f"M{n}": column(*(3.0 if at // 3 == max(0, n - 2) else 1.0 for at in range(18))) for n in range(8)}
    sentences = said(ScoreTable(rows, {**flat, "E": column(*[1.0] * 18)}, {}))
    assert sentences.startswith("a is best by 4 of 9 metrics.")
    assert "By E it shares the best value with 5 others." in sentences
    assert sentences.endswith("5 other systems are best by at most 2 of the metrics each.")


def test_one_system_and_no_numbers() -> None:
    assert said(one([1.0])) == "There is one system, so there is nothing to compare it with."
    nothing = ScoreTable(
        [("a", "1"), ("b", "1")], {"M": column(float("nan"), float("nan"), reasons={0: "x", 1: "x"})}, {}
    )
    assert said(nothing) == "No metric of this table can tell which system is best."
