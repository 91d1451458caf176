"""Default thresholds for --grounded, calibrated per model and read from the table's signature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError
from nlgauge.stats.deciders import DECIDED
from nlgauge.stats.gate.limits import Limits

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
