"""Results as pandas data frames, and a table of scores in a few lines: the means of the first systems and metrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from nlgauge.data.jsonable import values_of
from nlgauge.errors import InputError, MissingExtraError
from nlgauge.show.environment import small
from nlgauge.show.numbers import fixed

if TYPE_CHECKING:
    import pandas as pd

    from nlgauge.data.table import ScoreTable


T = TypeVar("T")


def long_frame(table: ScoreTable) -> pd.DataFrame:
    """Return a frame, a line for each value: system, item, trial where rows name one, metric, part, value, reason."""
    names = ("system", "item", *_trial(table), "metric", "part", "value", "reason")
    made = _frame(([record.get(name) for name in names] for record in table.records()), names)
    # As in a scores file, where an infinite value is a word.
    return made.assign(value=made["value"].astype(object).astype(float))


def wide_frame(table: ScoreTable) -> pd.DataFrame:
    """Return a frame with a line for each row: system, item, trial where rows name one, and each sub-score."""
    parts = [column.label(spec, part) for spec, column in table.columns.items() for part in column.parts]
    return _frame((list(row.values()) for row in table), ["system", "item", *_trial(table), *parts])


def _trial(table: ScoreTable) -> tuple[str, ...]:
    return tuple(table.named_trial(0)) if len(table) else ()


class Records(Sequence[T]):
    """The result of a question about scores, as a sequence of records."""

    records: list[T]
    kind: ClassVar[type[Any]]
    """The dataclass of the records"""

    def __getitem__(self, index: Any) -> Any:
        return self.records[index]

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[T]:
        return iter(self.records)

    def to_pandas(self) -> pd.DataFrame:
        """Return a frame: a line for each record, a column for each field. Raises MissingExtraError without pandas."""
        return frame_of(self.records, self.kind)


def frame_of(records: Iterable[Any], kind: type[Any]) -> pd.DataFrame:
    """Return a frame with a line for each record (a dataclass) and a column for each of its values."""
    lines = [dict(values_of(record)) for record in records]
    names = list(lines[0]) if lines else [field.name for field in fields(kind)]
    return _frame((list(line.values()) for line in lines), names)


def _frame(lines: Iterable[Sequence[Any]], names: Sequence[str]) -> pd.DataFrame:
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError("a data frame", "tables") from None
    return pd.DataFrame(list(lines), columns=list(names))


_SYSTEMS, _METRICS = 10, 5


def summary(table: ScoreTable) -> str:
    """Return a line that counts rows, systems and metrics, then a table of means.

    The table has a line for each system and a column for each metric. A metric shows its deciding score; an arrow says
    which direction is better, and "-" stands for a missing number. Where rows have no value, a line says how many.

    Args:
        table: the scores.

    Returns:
        A text of several lines.
    """
    columns = _columns(table)
    widths = [max(map(len, cells)) for cells in columns]
    means = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in zip(*columns, strict=True)
    ]
    return "\n".join([_counted(table), *means, *_more(table)])


def notebook(table: ScoreTable) -> str:
    """Return the summary of a table as HTML for a notebook."""
    head, *rows = list(zip(*_columns(table), strict=True)) or [()]
    return small(_counted(table), head, rows, _more(table))


def _counted(table: ScoreTable) -> str:
    counts = ((len(table.rows), "row"), (len(table.systems), "system"), (len(table.metrics), "metric"))
    return "ScoreTable: " + ", ".join(f"{count:,} {noun}" + "s" * (count != 1) for count, noun in counts)


def _more(table: ScoreTable) -> list[str]:
    """Return lines that count missing values, and the systems and metrics that are not shown."""
    missing = []
    for spec in table.metrics[:_METRICS]:
        column = table.columns[spec]
        valued = ~np.isnan(column.values[:, column.parts.index(column.shown[0])])
        if gone := int((~valued).sum()):
            missing.append(
                f"{spec}: no value for {gone:,} of {len(valued):,} {'rows' if column.level == 'item' else 'systems'}"
            )
    left = ((len(table.systems) - _SYSTEMS, "systems"), (len(table.metrics) - _METRICS, "metrics"))
    more = [f"{count:,} more {noun}" for count, noun in left if count > 0]
    return missing + ([f"... and {', '.join(more)}"] if more else [])


def _columns(table: ScoreTable) -> list[list[str]]:
    """Return columns of cells, each with its head: the systems, then the means by each metric. Empty without rows."""
    systems, specs = table.systems[:_SYSTEMS], table.metrics[:_METRICS]
    if not (systems and specs):
        return []
    try:
        mean_of = {(mean.system, mean.metric, mean.part): mean.mean for mean in table.by_system()}
    except InputError:  # rows that repeat have no means, and what is shown in a debugger must not fail
        return []
    columns = [["system", *systems]]
    for spec in specs:
        column = table.columns[spec]
        first = column.shown[0]
        means = [mean_of[system, spec, first] for system in systems]
        head = column.label(spec, first) + column.arrow(first)
        columns.append([head, *(fixed(mean) if mean == mean else "-" for mean in means)])
    return columns
