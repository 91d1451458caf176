"""Which rows have more in common than chance: clusters, taken from a column of the outputs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.corpus.paths import looked_up
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError
from nlgauge.stats.join import Key
from nlgauge.stats.matching import matched


def by_column(table: ScoreTable, outputs: Corpus, column: str) -> ScoreTable:
    """The table with clusters: rows whose outputs have the same value in a column, joined by system and item.

    column: a field of the rows (`source`, `context`, `item`), or one of their other columns; a.b is b inside a. Miller,
    *Adding Error Bars to Evals*, arXiv:2411.00640, section 2.2, says why rows that share a source need this. Raises
    InputError for a row of the table without an output, or without a value in the column.
    """
    outputs = matched(table, outputs)
    found = column_of(table.rows, outputs, column)
    labels = [label for label in found if label is not None]
    if len(labels) < len(found):
        number = found.index(None)
        system, item = table.rows[number]
        there = any((row.system, row.item) == (system, item) for row in outputs)
        columns = ["source", "context", "item", *dict.fromkeys(name for row in outputs for name in row.extra)]
        raise InputError(
            f"row {number + 1} of the scores, system {system!r}, item {item!r}, "
            + (f"has no {column!r}" if there else "is not among the outputs"),
            remedy=f"give every row its cluster; there are {', '.join(columns)}",
        )
    return table.clustered(labels)


def column_of(keys: Sequence[Key], outputs: Iterable[Row], name: str) -> list[str | None]:
    """A column of outputs for each (system, item), as texts; None where there is none. Columns as in `by_column`."""
    values: dict[Key, str | None] = {}
    for number, row in enumerate(outputs, 1):
        value = _value(row, name)
        if values.setdefault((row.system, row.item), value) != value:
            problem = f"the outputs of system {row.system!r} for item {row.item!r} are of several {name!r}"
            raise InputError(problem, row=number, remedy="give each output of a system an item of its own")
    return [values.get(key) for key in keys]


def _value(row: Row, column: str) -> str | None:
    own = ("candidate", "source", "context", "question", "item", "system")
    value = getattr(row, column) if column in own else looked_up(row.extra, column)
    if value is None or value == "":
        return None
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)
