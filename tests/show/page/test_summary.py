"""Cards of metrics: who is best, who does not differ significantly, and what has no value."""

from __future__ import annotations

import math

from nlgauge.data.table import ScoreTable
from nlgauge.show.markup.environment import places
from nlgauge.show.page.pairs import Pairings
from nlgauge.show.page.summary import best_of, cards, wins
from tests.report_tables import DOWN, SETS, SYSTEMS, UP, corpus, table
from tests.score_tables import one

TABLE = table(corpus())


def made(of: ScoreTable, replicates: int = 1000):
    return {card.spec: card for card in cards(of, of.by_system(), Pairings(of, replicates, 0).p)}


def test_the_best_and_those_that_cannot_be_told_apart_from_it() -> None:
    card = made(TABLE)[UP]
    ranks = {one.score.system: one.rank for one in card.part.standings}
    assert ranks["bad"] == "behind"
    assert sorted([ranks["good"], ranks["twin"]]) == ["alike", "best"]
    assert card.part.tested and (card.name, card.parameters) == ("Up", "k=1")


def test_lower_is_better_where_it_is_and_gaps_are_counted_by_reason() -> None:
    card = made(TABLE)[DOWN]
    assert best_of(card.part) in (["good"], ["twin"])
    assert card.missing == [("no source", 2, len(TABLE.rows))]


def test_a_metric_of_sets_has_a_best_and_no_test() -> None:
    part = made(TABLE)[SETS].part
    assert best_of(part) == ["good"] and not part.tested
    assert [one.rank for one in part.standings] == ["best", "", ""]


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
    assert sum(counted.values()) == 3 and set(counted) <= set(SYSTEMS)
