"""Which rows have more in common than chance: clusters, taken from a column of the outputs."""

from __future__ import annotations

import json

from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError
from nlgauge.meta.elsewhere import looked_up


def by_column(table: ScoreTable, outputs: Corpus, column: str) -> ScoreTable:
    """The table with clusters: rows whose outputs have the same value in a column, joined by system and item.

    column: a field of the rows (`source`, `context`, `item`), or one of their other columns; a.b is b inside a. Miller,
    *Adding Error Bars to Evals*, arXiv:2411.00640, section 2.2, says why rows that share a source need this. Raises
    InputError for a row of the table without an output, or without a value in the column.
    """
    found = {(row.system, row.item): _value(row, column) for row in outputs}
    for number, key in enumerate(table.rows, 1):
        if found.get(key) is None:
            system, item = key
            what = f"has no {column!r}" if key in found else "is not among the outputs"
            raise InputError(
                f"row {number} of the scores, system {system!r}, item {item!r}, {what}",
                remedy=f"give every row its cluster; there are {', '.join(_columns(outputs))}",
            )
    return table.clustered([found[key] for key in table.rows])


def _value(row: Row, column: str) -> str | None:
    fields = {"source": row.source, "context": row.context, "item": row.item, "system": row.system}
    value = fields[column] if column in fields else looked_up(row.extra, column)
    if value is None or value == "":
        return None
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def _columns(outputs: Corpus) -> list[str]:
    return ["source", "context", "item", *dict.fromkeys(name for row in outputs for name in row.extra)]
