"""The choice of the metrics and sub-scores of a table that a question is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nlgauge.data.table import Column, ScoreTable
from nlgauge.errors import InputError, SpecError


def label(table: ScoreTable, metric: str, part: str) -> str:
    """Return the name of a sub-score: the metric's spec, followed by the sub-score where the metric has several."""
    return table.columns[metric].label(metric, part)


def meant(table: ScoreTable, metric: object) -> tuple[str, tuple[str, ...]]:
    """Return the spec and the sub-scores that a name means. Without a name, they are those of the only metric.

    Args:
        table: the scores.
        metric: as `ScoreTable.named` takes it; None for the only metric of the table.

    Returns:
        The spec, and sub-scores, of which the first is the deciding one.

    Raises:
        InputError: no metric is named, and the table does not have exactly one.
    """
    if metric is None and len(table.columns) != 1:
        raise InputError("the table has several metrics", remedy=f"name one of {', '.join(table.columns) or 'none'}")
    return table.named(str(metric if metric is not None else table.metrics[0]))


def selected(table: ScoreTable, metrics: Sequence[str] | None = None, every_part: bool = False) -> ScoreTable:
    """Return the table with only the chosen metrics and sub-scores.

    Args:
        table: the scores.
        metrics: specs or names of metrics, each with or without a sub-score ("BERTScore recall"); None for all metrics.
            Without a sub-score, the deciding one is taken. An informational sub-score, which has no better direction,
            is taken if it is named, and is then shown as scores are. A metric with no other sub-scores, such as Length,
            is taken as it is.
        every_part: whether to take all scores of a metric for which no sub-score is named, and not the deciding one.

    Returns:
        The table, with the metrics in the order given.

    Raises:
        SpecError: the table does not hold what is named.
    """
    wanted: dict[str, dict[str, None]] = {}
    for name in metrics if metrics is not None else table.columns:
        spec, parts = table.named(name)
        wanted.setdefault(spec, {}).update(dict.fromkeys(parts if every_part else parts[:1]))
    if not wanted:
        raise SpecError(f"no metric was chosen; the table has {', '.join(table.columns) or 'none'}")
    columns = {spec: _cut(table.columns[spec], list(parts)) for spec, parts in wanted.items()}
    signatures = {spec: table.signatures[spec] for spec in columns if spec in table.signatures}
    return replace(table, columns=columns, signatures=signatures)


def _cut(column: Column, parts: list[str]) -> Column:
    """Return a column with only the named sub-scores, in the column's order."""
    taken = column if set(parts) == set(column.parts) else column.cut(parts)
    return replace(taken, details=() if column.scores else taken.parts)


def directed(table: ScoreTable, spec: str, part: str) -> str:
    """Return the name of a sub-score, as `label` does, with an arrow for the better direction where it has one."""
    return label(table, spec, part) + table.columns[spec].arrow(part)
