"""Default thresholds for --grounded, read from the table's signature, and which of two models decided each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from nlgauge.data.table import Column, ScoreTable
from nlgauge.errors import InputError
from nlgauge.stats.gate.limits import Limits

DECIDED = "decided"
"""The sub-score that is 1 where the first model decided, and 2 where the second did"""
METRIC, PART = "Consistency(aligner='D')", "probability"
"""How likely it is that the source supports all of a candidate. The mean over the words is no gate: it forgives one
wrong word among many right ones"""


def grounded_by(table: ScoreTable, metric: object = None) -> Limits:
    """Return the metric that decides, with the thresholds in the table's signature.

    metric: which one, if the table has several.
    Raises InputError if the table lacks the metric, or if no thresholds were measured for its model.
    """
    able = [spec for spec, column in table.columns.items() if PART in column.parts and column.level == "item"]
    if metric is not None:
        able = [spec for spec in able if spec == str(metric) or table.run.get("asked", {}).get(str(metric)) == spec]
    if len(able) != 1:
        problem = f"the table has {'several metrics' if able else 'no metric'} with a {PART}"
        raise InputError(problem, remedy=f"name one of {', '.join(able)}" if able else f"score with {METRIC}")
    (spec,) = able
    second = DECIDED in table.columns[spec].parts
    fail_below, pass_from, origin = _thresholds(table, spec, "unsure" if second else "grounded", "grounded")
    notes = [] if origin is None else [f"thresholds {fail_below:g} and {pass_from:g} of the model: {origin}"]
    limits = Limits(spec, PART, table.columns[spec], at_least=fail_below, sure=pass_from, notes=tuple(notes))
    if not second:
        return limits
    theirs = _thresholds(table, spec, "then_grounded", "then_grounded")
    return replace(limits, second=replace(limits, at_least=theirs[0], sure=theirs[1]))


def _thresholds(table: ScoreTable, spec: str, fact: str, origin: str) -> tuple[float, float, str | None]:
    """Two thresholds in a signature, and where they are from."""
    facts = table.signatures[spec].facts if spec in table.signatures else {}
    thresholds, told = facts.get(fact), facts.get(f"{origin}_from")
    if not (isinstance(thresholds, Sequence) and len(thresholds) == 2):
        remedy = (
            "name the least probability that passes (at_least), or choose a threshold by ratings (nlgauge calibrate)"
        )
        which = "second model" if fact.startswith("then") else "model"
        raise InputError(f"the {which} of {spec} has no measured thresholds", remedy=remedy)
    fail_below, pass_from = map(float, thresholds)
    return fail_below, pass_from, None if told is None else str(told)


def _models(table: ScoreTable, spec: str) -> list[str]:
    """Return the names of the first model and of the second, nothing for a metric without a second model."""
    if DECIDED not in table.columns[spec].parts or spec not in table.signatures:
        return []
    facts = table.signatures[spec].facts
    return [str(one["name"]) for name, one in facts.items() if isinstance(one, Mapping) and name.startswith("model")]


def deciders(table: ScoreTable, spec: str) -> list[str | None]:
    """Return the name of the model that decided about each row; None for a row that neither decided.

    An empty list for a metric without a second model.
    """
    models, column = _models(table, spec), table.columns[spec]
    numbers = column.values[:, column.parts.index(DECIDED)].tolist() if models else []
    return [models[int(number) - 1] if number in (1.0, 2.0) else None for number in numbers]


def second_decides(column: Column, index: int) -> bool:
    """Return whether the second model was asked about a row."""
    return bool(column.values[index, column.parts.index(DECIDED)] != 1)


def shares_decided(table: ScoreTable, spec: str) -> list[str]:
    """Return a sentence that says how many rows each model decided: what the second model cost."""
    names = deciders(table, spec)
    if not names:
        return []
    first, second = _models(table, spec)[:2]
    asked, decided = len(names) - names.count(first), names.count(second)
    neither = f"; {asked - decided} were decided by neither" if asked > decided else ""
    return [
        f"{second} read {asked} of {len(names)} rows ({asked / len(names):.0%}), which the first model cannot decide"
        f"{neither}"
    ]
