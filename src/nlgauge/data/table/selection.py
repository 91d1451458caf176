"""Which metrics and sub-scores of a table a question is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nlgauge.data.table import Column, ScoreTable
from nlgauge.errors import InputError, SpecError


def label(table: ScoreTable, metric: str, part: str) -> str:
    """Return what to call a sub-score of a metric: its spec, with the sub-score where it has several."""
    return table.columns[metric].label(metric, part)


def meant(table: ScoreTable, metric: object) -> tuple[str, tuple[str, ...]]:
    """Return the spec and the sub-scores that a name means. Without a name, they are those of the only metric.

    Args:
        table: the scores.
        metric: as `ScoreTable.named` takes it; None for the one metric of the table.

    Returns:
        The spec, and sub-scores, of which the first is the deciding one.

    Raises:
        InputError: no metric is named, and the table has several.
    """
    if metric is None and len(table.columns) != 1:
        raise InputError("the table has several metrics", remedy=f"name one of {', '.join(table.columns) or 'none'}")
    return table.named(str(metric if metric is not None else table.metrics[0]))


def selected(table: ScoreTable, metrics: Sequence[str] | None = None, every_part: bool = False) -> ScoreTable:
    """Return the table with some of its metrics only.

    Args:
        table: the scores.
        metrics: specs, names, or either with a sub-score ("BERTScore recall"), which is then the sub-score taken; all
            where none is given. An informational sub-score, which has no better direction, is taken where its name is
            given and nowhere else, and stands in the table as the scores do; but a metric that has nothing else, such
            as Length, is taken as it is.
        every_part: take all scores of a metric, not the deciding one alone.

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
    """Return a column with some of its sub-scores, in its own order."""
    taken = column if set(parts) == set(column.parts) else column.cut(parts)
    return replace(taken, details=() if column.scores else taken.parts)


def directed(table: ScoreTable, spec: str, part: str) -> str:
    """Return what to call a sub-score of a metric, with an arrow for the better direction where it has one."""
    return label(table, spec, part) + table.columns[spec].arrow(part)
