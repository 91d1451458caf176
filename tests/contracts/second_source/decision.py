"""Literal versions of what the gate decides about a set."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import numpy as np

from nlgauge.gate import check
from nlgauge.gate.verdict import Decision, SystemDecision
from tests.contracts.second_source.literal import Raw, Sources, literals, none, stats
from tests.gate.test_decision import table

FAILING, LOW, HIGH = 0.05, 0.15, 0.25
"""The shares of right answers below the strict threshold, and doubted at least and at most, of `table`"""


def read(r: Raw) -> list[float]:
    """The numbers of the answers that share a half of their wording, or more."""
    return [value for value, wording in zip(r.values, r.wording, strict=True) if wording >= 0.5]


def unread(r: Raw) -> int:
    return len(r.values) - len(read(r))


def doubted(r: Raw) -> int:
    return sum(value < 0.5 for value in read(r))


def failing(r: Raw) -> int:
    return sum(value < 0.1 for value in read(r))


def tails(r: Raw) -> tuple[float, float]:
    n = len(read(r))
    return stats.binom.sf(failing(r) - 1, n, FAILING), stats.binom.sf(doubted(r) - 1, n, HIGH)


def p_of(r: Raw) -> float:
    return min(1.0, 2 * min(tails(r)))


def ruling(r: Raw) -> str:
    return "fails" if p_of(r) < 0.01 / len(r.systems) else "passes"


def expected(r: Raw) -> tuple[int, int]:
    n = len(read(r))
    return int(stats.binom.ppf(0.025, n, LOW)), int(stats.binom.ppf(0.975, n, HIGH))


def sentence(r: Raw) -> str:
    n, (low, high) = len(read(r)), expected(r)
    verb = "is" if doubted(r) == 1 else "are"
    said = f"{doubted(r)} of {n} answers {verb} doubted; right answers alone make {low} to {high} of {n}"
    other = ""
    if unread(r):
        are = "is" if unread(r) == 1 else "are"
        other = f"; {unread(r)} of {len(r.values)} answers {are} in other words than the source, and the model cannot"
        other += " read such answers"
    if ruling(r) == "passes":
        return f"The set passes: {said}{other}."
    of_failing, of_doubted = tails(r)
    if of_failing < of_doubted:
        most = int(stats.binom.ppf(0.975, n, FAILING))
        said = f"{failing(r)} of {n} answers are below the strict threshold; right answers alone make at most {most}"
    chance = "p < 0.0001" if p_of(r) < 0.0001 else f"p {p_of(r):.4f}"
    return f"The set fails: {said} ({chance}){other}."


def following(r: Raw) -> str:
    count = sum(map(failing, r.systems))
    read = f"{count} fail even the strict threshold: read these first. "
    if count < 2:
        read = "1 fails even the strict threshold: read it first. " if count else ""
    return f"{read}How many are wrong cannot be told without ratings: nlgauge sample draws answers to rate."


SYSTEM_DECISION: Sources = {
    "system": lambda r: r.name,
    "ruling": ruling,
    "n": lambda r: len(read(r)),
    "doubted": doubted,
    "failing": failing,
    "unread": unread,
    "expected": expected,
    "p": p_of,
    "wrong": lambda r: (math.nan, math.nan, math.nan),
    "passes": lambda r: (math.nan, math.nan, math.nan),
    "sentence": sentence,
}
DECISION: Sources = {
    "by": lambda r: "alone",
    "systems": lambda r: tuple(literals(SYSTEM_DECISION, system) for system in r.systems),
    "following": following,
}


@cache
def decisions() -> list[tuple[str, Decision, Raw]]:
    """Sets of one system and of two, of which some fail by one count or the other."""
    made, rng = [], np.random.default_rng(4)
    for shares in ([(0.8, 0.15)], [(0.4, 0.55)], [(0.7, 0.1)], [(0.75, 0.2), (0.5, 0.45)]):
        groups = [rng.choice([0.9, 0.3, 0.05], size=60, p=[good, doubt, 1 - good - doubt]) for good, doubt in shares]
        names = [name for name, group in zip("AB", groups, strict=False) for _ in group]
        wordings = [rng.choice([0.9, 0.2], size=60, p=[0.8, 0.2]) for _ in groups]
        values, wording = np.concatenate(groups).tolist(), np.concatenate(wordings).tolist()
        decision = check(table(values, names, wording=wording), grounded=True).decision
        assert decision is not None
        systems = [
            Raw(name=name, values=group.tolist(), wording=wording.tolist())
            for name, group, wording in zip("AB", groups, wordings, strict=False)
        ]
        for system in systems:
            system.systems = systems
        made.append((str(shares), decision, Raw(systems=systems)))
    return made


def system_decisions() -> Iterator[tuple[str, SystemDecision, Raw]]:
    for name, decision, raw in decisions():
        for found, system in zip(decision.systems, raw.systems, strict=True):
            yield f"{name}, {found.system}", found, system


NOT_DECIDED: Sources = {"sure": none, "decision": none, "strict": none}
"""Fields of a verdict by a rule on single rows"""
