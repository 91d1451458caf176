"""A ScoreTable as a pandas data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nlgauge.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd

    from nlgauge.data.table import ScoreTable


def frame(table: ScoreTable) -> pd.DataFrame:
    """One row for every value: system, item, metric, part, value, reason.

    A value of a whole system has no item; a missing value is NaN, and has a reason. Raises MissingExtraError without
    pandas.
    """
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError("a table as a data frame", "tables") from None
    names = ("system", "item", "metric", "part", "value", "reason")
    cells: dict[str, list[object]] = {name: [] for name in names}
    for record in table.records():
        for name in names:
            cells[name].append(record[name])
    # As in a scores file, where an infinite value is a word.
    return pd.DataFrame({**cells, "value": pd.Series(cells["value"], dtype=object).astype(float)})
