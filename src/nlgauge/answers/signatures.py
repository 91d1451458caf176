"""The check of whether the scores of a metric in two tables were computed in the same way, by their signatures."""

from __future__ import annotations

from nlgauge.data.signature import OF_ROWS, fact_text, other_facts, rowless
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError

_AGAIN = "score the baseline's outputs again as these are scored"


def refuse_other_numbers(
    table: ScoreTable, earlier: ScoreTable, spec: str, what: str = "baseline", remedy: str = _AGAIN
) -> list[str]:
    """Return notes on how the signatures of a metric differ in two tables of scores.

    Args:
        table: the scores.
        earlier: the earlier scores, with which they are compared.
        spec: the metric.
        what: the name of the earlier scores in messages.
        remedy: what the error tells the user to do.

    Returns:
        A note where library versions differ, or where a signature is missing.

    Raises:
        InputError: the metric's scores in the two tables were computed in different ways, and must not be compared.
    """
    now, before = (
        dict(scores.signatures[spec].facts) if spec in scores.signatures else {} for scores in (table, earlier)
    )
    if not now or not before:
        return [f"what the numbers of {spec} depend on is not known of both runs, and was not compared"]
    if other := other_facts(now, before):
        facts = "; ".join(f"{name} is {_short(now.get(name))}, was {_short(before.get(name))}" for name in other)
        raise InputError(f"the {what}'s {spec} was computed otherwise: {facts}", remedy=remedy)
    names = [name for name in dict.fromkeys([*now, *before]) if name not in OF_ROWS]
    versions = [name for name in names if rowless(now.get(name)) != rowless(before.get(name))]
    told = ", ".join(f"{name} {_short(before.get(name))} -> {_short(now.get(name))}" for name in versions)
    return [f"other versions than in the {what}, which may move numbers: {told}"] if told else []


def _short(fact: object) -> str:
    return "absent" if fact is None else fact_text(fact)
