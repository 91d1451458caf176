"""Which model decided about each row, where a second model reads the rows that the first cannot decide."""

from __future__ import annotations

from collections.abc import Mapping

from nlgauge.data.table import Column, ScoreTable

DECIDED = "decided"
"""The sub-score that is 1 where the first model decided, and 2 where the second did"""


def deciders(table: ScoreTable, spec: str) -> list[str | None]:
    """Return the name of the model that decided about each row; None for a row that neither decided.

    An empty list for a metric without a second model.
    """
    column = table.columns[spec]
    if DECIDED not in column.parts or spec not in table.signatures:
        return []
    facts = table.signatures[spec].facts
    models = [fact["name"] for name, fact in facts.items() if isinstance(fact, Mapping) and name.startswith("model")]
    numbers = column.values[:, column.parts.index(DECIDED)].tolist()
    return [str(models[int(number) - 1]) if number in (1.0, 2.0) else None for number in numbers]


def second_decides(column: Column, index: int) -> bool:
    """Return whether the second model was asked about a row."""
    return bool(column.values[index, column.parts.index(DECIDED)] != 1)


def told(table: ScoreTable, spec: str) -> list[str]:
    """Return a sentence that says how many rows each model decided: what the second model cost."""
    names = deciders(table, spec)
    facts = table.signatures[spec].facts if names else {}
    second = [
        str(fact["name"]) for name, fact in facts.items() if isinstance(fact, Mapping) and name.startswith("model ")
    ]
    if not second:
        return []
    own, theirs = (names.count(name) for name in (_first(table, spec), second[0]))
    asked = len(names) - own
    share = asked / len(names) if names else 0.0
    neither = f"; {asked - theirs} were decided by neither" if asked > theirs else ""
    return [
        f"{second[0]} read {asked} of {len(names)} rows ({share:.0%}), which the first model cannot decide{neither}"
    ]


def _first(table: ScoreTable, spec: str) -> str:
    model = table.signatures[spec].facts["model"]
    return str(model["name"]) if isinstance(model, Mapping) else str(model)
