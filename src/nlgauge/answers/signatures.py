"""Whether the numbers of two tables mean the same, by their signatures."""

from __future__ import annotations

import re
from collections.abc import Mapping

from nlgauge.data.signature import fact_text
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError

_AGAIN = "score the baseline's outputs again as these are scored"


def refuse_other_numbers(
    table: ScoreTable, earlier: ScoreTable, spec: str, what: str = "baseline", remedy: str = _AGAIN
) -> list[str]:
    """Return what is to be noted of the two signatures. Raises InputError where the numbers do not mean the same."""
    now, before = (dict(one.signatures[spec].facts) if spec in one.signatures else {} for one in (table, earlier))
    if not now or not before:
        return [f"what the numbers of {spec} depend on is not known of both runs, and was not compared"]
    names = [name for name in dict.fromkeys([*now, *before]) if name not in _OF_ROWS]
    if other := [name for name in names if _settled(now.get(name)) != _settled(before.get(name))]:
        facts = "; ".join(f"{name} is {_short(now.get(name))}, was {_short(before.get(name))}" for name in other)
        raise InputError(f"the {what}'s {spec} was computed otherwise: {facts}", remedy=remedy)
    versions = [name for name in names if _rowless(now.get(name)) != _rowless(before.get(name))]
    told = ", ".join(f"{name} {_short(before.get(name))} -> {_short(now.get(name))}" for name in versions)
    return [f"other versions than in the {what}, which may move numbers: {told}"] if told else []


_OF_ROWS = ("from", "values")
"""Facts of scores that were not computed here: which rows these are of"""


def _rowless(fact: object) -> object:
    """Return a fact without what it says of the rows: how many texts were longer than a window."""
    return re.sub(r",longer \d+/\d+", "", fact) if isinstance(fact, str) else fact


def _settled(fact: object) -> object:
    """Return a fact without version numbers too; of a thing that has a digest, the digest."""
    if isinstance(fact, Mapping) and "digest" in fact:
        return fact["digest"]
    if not isinstance(fact := _rowless(fact), str):
        return fact
    # How a checkpoint was recognised differs by how it is spelled, and moves no number.
    return re.sub(r" by (name|digest|config)$", "", re.sub(r"\d+(\.\d+)+\w*(\+\??\w+)?", "", fact))


def _short(fact: object) -> str:
    return "absent" if fact is None else fact_text(fact)
