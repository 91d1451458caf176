"""Cards of metrics: who is best, who does not differ significantly, and what has no value."""

from __future__ import annotations

import math

from nlgauge.data.table import ScoreTable
from nlgauge.render.environment import places
from nlgauge.reports.page.pairs import Pairings
from nlgauge.reports.page.summary import cards, verdict
from tests.report_tables import UP, corpus, table
from tests.score_tables import column, one

TABLE = table(corpus())


def made(of: ScoreTable, replicates: int = 1000):
    return {card.spec: card for card in cards(of, of.by_system(), Pairings(of, replicates, 0).test)}


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
    made = cards(of, of.by_system(), Pairings(of, 1000, 0).test)
    return " ".join(f"{system} {sentence}".strip() for system, sentence in verdict(made, of.systems))


def test_many_systems_are_counted_and_not_named() -> None:
    rows = [(system, str(item)) for system in "abcdef" for item in range(3)]
    flat = {f"M{n}": column(*(3.0 if at // 3 == max(0, n - 2) else 1.0 for at in range(18))) for n in range(8)}
    sentences = said(ScoreTable(rows, {**flat, "E": column(*[1.0] * 18)}, {}))
    assert sentences.startswith("a is best by 4 of 9 metrics.")
    assert "By E it shares the best value with 5 others." in sentences
    assert sentences.endswith("5 other systems are best by at most 2 of the metrics each.")
