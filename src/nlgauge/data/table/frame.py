"""Results as pandas data frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from nlgauge.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd

    from nlgauge.data.table import ScoreTable

T = TypeVar("T")


def long_frame(table: ScoreTable) -> pd.DataFrame:
    """One line for every value: system, item, metric, part, value, reason."""
    names = ("system", "item", "metric", "part", "value", "reason")
    made = _frame(([record[name] for name in names] for record in table.records()), names)
    # As in a scores file, where an infinite value is a word.
    return made.assign(value=made["value"].astype(object).astype(float))


def wide_frame(table: ScoreTable) -> pd.DataFrame:
    """One line for every row: system, item, and a column for each part of each metric."""
    parts = [column.label(spec, part) for spec, column in table.columns.items() for part in column.parts]
    return _frame((list(row.values()) for row in table), ["system", "item", *parts])


class Records(Sequence[T]):
    """What was asked of scores comes to: a sequence of its `records`."""

    records: list[T]
    kind: ClassVar[type[Any]]
    """The dataclass that they are of"""

    def __getitem__(self, index: Any) -> Any:
        return self.records[index]

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[T]:
        return iter(self.records)

    def to_pandas(self) -> pd.DataFrame:
        """One line for every record, a column for each of its fields. Raises MissingExtraError without pandas."""
        return frame_of(self.records, self.kind)


def frame_of(records: Iterable[Any], kind: type[Any]) -> pd.DataFrame:
    """One line for every record, which is of a dataclass; a column for each of its fields."""
    names = [field.name for field in fields(kind)]
    return _frame(([getattr(one, name) for name in names] for one in records), names)


def _frame(lines: Iterable[Sequence[Any]], names: Sequence[str]) -> pd.DataFrame:
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError("a data frame", "tables") from None
    return pd.DataFrame(list(lines), columns=list(names))
