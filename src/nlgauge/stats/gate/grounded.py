"""The bars of a decision without a number of the user's: those that were measured of the model of a table."""

from __future__ import annotations

from collections.abc import Sequence

from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError
from nlgauge.stats.gate.bar import Bar

METRIC, PART = "Consistency(aligner='D')", "probability"
"""How likely it is that the source supports all of a candidate. The mean over the words is no gate: it forgives one
wrong word among many right ones"""


def grounded_by(table: ScoreTable, metric: object = None) -> Bar:
    """The metric that decides, and its bars as the table's signature names them. metric: which, if there are several.

    Raises InputError where the table lacks the metric, and where nobody measured bars of its model.
    """
    able = [spec for spec, column in table.columns.items() if PART in column.parts and column.level == "item"]
    if metric is not None:
        able = [spec for spec in able if spec == str(metric) or table.run.get("asked", {}).get(str(metric)) == spec]
    if len(able) != 1:
        problem = f"the table has {'several metrics' if able else 'no metric'} with a {PART}"
        raise InputError(problem, remedy=f"name one of {', '.join(able)}" if able else f"score with {METRIC}")
    (spec,) = able
    bars = table.signatures[spec].facts.get("grounded") if spec in table.signatures else None
    if not (isinstance(bars, Sequence) and len(bars) == 2):
        remedy = "name the least probability that passes (at_least), or choose a bar by ratings (nlgauge calibrate)"
        raise InputError(f"the model of {spec} has no measured bars", remedy=remedy)
    fail_below, pass_from = map(float, bars)
    return Bar(spec, PART, table.columns[spec], at_least=fail_below, sure=pass_from)
