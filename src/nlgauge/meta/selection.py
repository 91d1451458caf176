"""Which metrics and parts of a table a question is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nlgauge.data.table import Column, ScoreTable
from nlgauge.errors import InputError


def label(table: ScoreTable, metric: str, part: str) -> str:
    """What to call a part of a metric: its spec, with the part where it has several."""
    return f"{metric} {part}" if len(table.columns[metric].parts) > 1 else metric


def selected(table: ScoreTable, metrics: Sequence[str] | None = None, every_part: bool = False) -> ScoreTable:
    """The table with some of its metrics only: of each its first score, or all its scores (`every_part`).

    metrics: specs, names, or either with a part ("BERTScore recall"), which is then the part taken; all where none is
    given. In the order given. A detail, which has no better direction, is taken where its name is given and nowhere
    else, and stands in the table as the scores do; but a metric that has nothing else, such as Length, is taken as it
    is. Raises InputError for what the table does not hold.
    """
    wanted: dict[str, dict[str, None]] = {}
    for name in metrics if metrics is not None else table.columns:
        spec, parts = named(table, name)
        wanted.setdefault(spec, {}).update(dict.fromkeys(parts if every_part else parts[:1]))
    if not wanted:
        raise InputError("no metric was chosen", remedy=f"the table has {', '.join(table.columns) or 'none'}")
    columns = {spec: _cut(table.columns[spec], list(parts)) for spec, parts in wanted.items()}
    signatures = {spec: table.signatures[spec] for spec in columns if spec in table.signatures}
    return replace(table, columns=columns, signatures=signatures)


def named(table: ScoreTable, name: str) -> tuple[str, tuple[str, ...]]:
    """The spec and the parts that are meant by a name: a part that it names, else the metric's scores.

    Raises InputError for what the table does not hold.
    """
    try:
        spec = table.find(name)
    except KeyError as error:
        head, _, part = name.rpartition(" ")
        try:
            spec = table.find(head)
        except KeyError:
            raise InputError(str(error.args[0]), remedy="name one of those, or one and its part") from None
        if part not in table.columns[spec].parts:
            parts = ", ".join(table.columns[spec].parts)
            raise InputError(f"{spec} has no part {part!r}", remedy=f"it has {parts}") from None
        return spec, (part,)
    column = table.columns[spec]
    return spec, column.shown


def _cut(column: Column, parts: list[str]) -> Column:
    """A column with some of its parts, in its own order."""
    kept = tuple(part for part in column.parts if part in parts)
    details = () if column.scores else kept
    if len(kept) == len(column.parts):
        return replace(column, details=details)
    values = column.values[:, [column.parts.index(part) for part in kept]]
    return Column(kept, values, column.reasons, {}, column.higher_is_better, column.level, details=details)
