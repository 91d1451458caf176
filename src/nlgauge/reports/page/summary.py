"""The summary of systems by metrics: values with intervals, and which systems are best or not significantly worse."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from nlgauge.answers.best import OTHER_ITEMS, Best, PairTests, by_part
from nlgauge.data.table import Column, ScoreTable, SystemScore


@dataclass(frozen=True)
class Standing:
    """The value and the rank of one system by one sub-score of a metric."""

    score: SystemScore
    rank: str
    """'best', 'alike' (does not differ significantly from the best), 'behind', or '' where there is no rank"""


@dataclass(frozen=True)
class Part:
    """The standings of all systems by one sub-score of a metric."""

    name: str
    standings: list[Standing]
    """One for each system, in the order of the table, which sets the systems' colours"""
    ends: tuple[float, float]
    """The values at the left and the right end of the bars"""
    detail: bool
    reason: str
    """Why no system is called best; '' where a system is"""


@dataclass(frozen=True)
class Card:
    """The card of one metric: its deciding score, and its other sub-scores."""

    spec: str
    column: Column
    part: Part
    others: list[Part] = field(default_factory=list)
    missing: list[tuple[str, int, int]] = field(default_factory=list)
    """(reason, number of rows or systems without a value, number of all) for each reason"""
    note: str = ""
    """A further remark on the numbers; '' for none"""

    @property
    def name(self) -> str:
        """The metric's name, without its parameters."""
        return self.spec.partition("(")[0]

    @property
    def parameters(self) -> str:
        """The parameters in the spec, without brackets."""
        return self.spec[len(self.name) :].strip("()")


def cards(table: ScoreTable, scores: Sequence[SystemScore], tests: PairTests) -> list[Card]:
    """Return a card for each metric, in the table's order.

    Args:
        table: the scores.
        scores: the value of each system.
        tests: the function that tests two systems by a sub-score.

    Returns:
        The cards.
    """
    by_name = {(score.metric, score.part, score.system): score for score in scores}
    leaders = by_part(table, scores, tests)
    made = []
    for spec, column in table.columns.items():
        parts = {}
        for part in column.parts:
            of_part, leading = [by_name[spec, part, name] for name in table.systems], leaders.get((spec, part))
            standings = [Standing(score, _rank(score, leading)) for score in of_part]
            reason = "" if leading is None else leading.reason
            parts[part] = Part(
                name=part, standings=standings, ends=_ends(of_part), detail=part in column.details, reason=reason
            )
        first = parts.pop(column.shown[0])
        size = len(table.rows) if column.level == "item" else len(table.systems)
        missing = [(why, count, size) for why, count in Counter(column.reasons.values()).most_common()]
        made.append(Card(spec=spec, column=column, part=first, others=list(parts.values()), missing=missing))
    return made


def best_of(part: Part) -> list[str]:
    """Return the systems that a sub-score calls best.

    Args:
        part: the standings of all systems by the sub-score.

    Returns:
        The best system; several where their numbers are equal; none where no system can be called best.
    """
    return [standing.score.system for standing in part.standings if standing.rank == "best"]


def wins(made: Sequence[Card]) -> Counter[str]:
    """Return how many metrics call each system best."""
    return Counter(system for card in made for system in best_of(card.part))


def _rank(score: SystemScore, leading: Best | None) -> str:
    if leading is None:
        return ""
    return leading.mark(score.system) or ("behind" if score.system in leading.behind else "")


def _ends(scores: Sequence[SystemScore]) -> tuple[float, float]:
    values = [value for score in scores for value in (score.mean, score.low, score.high) if math.isfinite(value)]
    if not values:
        return math.nan, math.nan
    low, high = min(values), max(values)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


_NAMED = 3
"""The greatest number of systems or metrics that a sentence names"""


def verdict(made: Sequence[Card], systems: Sequence[str], people: bool = False) -> Iterator[tuple[str, str]]:
    """Yield pairs (system or '', sentence) on which system is best. The sentence continues after the name.

    Args:
        made: the cards. A metric without a better direction has no best, and so no vote.
        systems: the names of the systems.
        people: whether the cards are of people's ratings.

    Returns:
        The sentences.
    """
    judged = [card for card in made if best_of(card.part)]
    if len(systems) < 2:
        yield "", "There is one system, so there is nothing to compare it with."
        return
    if not judged:
        yield "", f"No {'rating' if people else 'metric'} of this table can tell which system is best."
        yield from _undecided(made)
        return
    noun = "aspect that people rated" if people else "metric"
    ranked = wins(made).most_common()
    leader, won = ranked[0]
    tied = [name for name, count in ranked if count == won]
    if len(tied) > 1:
        yield "", f"No system leads: {_and(tied)} are each best by {_metrics(won, len(judged), noun)}."
    else:
        yield leader, f"is best by {_metrics(won, len(judged), noun)}."
        yield from _sureness(judged, leader)
        yield from _others(ranked[1:], len(judged), noun)
    yield from _undecided(made)


def estimated(made: Sequence[Card]) -> Iterator[tuple[str, str]]:
    """Yield ('', sentence) for each aspect: for the best systems, the mean rating that is estimated for all their rows.

    Args:
        made: the cards of the rated aspects.
    """
    for card in made:
        scores = sorted((standing.score for standing in card.part.standings), key=lambda score: -score.mean)[:_NAMED]
        said = [f"{score.system} {score.mean:.3g} ({score.low:.3g} to {score.high:.3g})" for score in scores]
        yield "", f"For all rows, {card.name} is estimated at {_and(said)}."


def _others(ranked: Sequence[tuple[str, int]], of: int, noun: str) -> Iterator[tuple[str, str]]:
    """Yield pairs (system or '', sentence) on the systems besides the leading one that some metric calls best.

    Args:
        ranked: (system, number of metrics that call it best). Of many systems, only their number is told.
        of: the number of metrics that have a best system.
        noun: what a metric is called in the sentence.
    """
    if len(ranked) <= _NAMED:
        yield from ((name, f"is best by {_metrics(count, of, noun)}.") for name, count in ranked)
        return
    most = ranked[0][1]
    share = "one" if most == 1 else f"at most {most}"
    yield "", f"{len(ranked)} other systems are best by {share} of the {_plural(noun)} each."


def _sureness(judged: Sequence[Card], leader: str) -> Iterator[tuple[str, str]]:
    leads = [card for card in judged if leader in best_of(card.part)]
    clear = [card for card in leads if not _alike(card) and best_of(card.part) == [leader]]
    if clear:
        few = clear[0].name if len(clear) == 1 else f"{len(clear)} of them"
        which = "Its" if len(leads) == 1 else f"By {_all(len(leads)) if len(clear) == len(leads) else few} its"
        yield "", f"{which} lead over every other system is beyond chance (corrected p < 0.05)."
    for card in leads:
        if equal := [system for system in best_of(card.part) if system != leader]:
            yield "", f"By {card.name} it shares the best value with {_and(equal)}."
        if alike := _alike(card):
            yield "", f"By {card.name} it does not differ significantly from {_and(alike)}."


def _undecided(made: Sequence[Card]) -> Iterator[tuple[str, str]]:
    """Yield sentences that say why a metric calls no system best."""
    untested = [card for card in made if card.part.reason]
    if sets := [card.name for card in untested if card.column.level == "system"]:
        verb = "gives" if len(sets) == 1 else "give"
        yield "", f"{_and(sets)} {verb} one number a system, which cannot be tested."
    rest = [card for card in untested if card.column.level == "item"]
    if apart := [card.name for card in rest if card.part.reason == OTHER_ITEMS]:
        yield (
            "",
            (
                f"By {_and(apart)} the systems are not comparable: they have values on different items, and on the "
                "items that they share the order of the means does not hold."
            ),
        )
    if others := [card.name for card in rest if card.part.reason != OTHER_ITEMS]:
        yield "", f"By {_and(others)} there is no test: the systems have too few items in common."


def _alike(card: Card) -> list[str]:
    return [standing.score.system for standing in card.part.standings if standing.rank == "alike"]


def _and(names: Sequence[str]) -> str:
    """Return names as part of a sentence, joined with "and"; of many names only their number."""
    if len(names) > _NAMED:
        return f"{len(names)} others"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _metrics(count: int, of: int, noun: str) -> str:
    if count == of:
        single = "the one metric that can tell" if noun == "metric" else f"the one {noun}"
        return single if of == 1 else f"{_all(of)} {_plural(noun)}"
    return f"{count} of {of} {_plural(noun)}"


def _all(count: int) -> str:
    return "both" if count == 2 else f"all {count}"


def _plural(noun: str) -> str:
    head, _, rest = noun.partition(" ")
    return f"{head}s {rest}".rstrip()
