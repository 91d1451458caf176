"""A pandas accessor: ``frame.nlgauge.scores("BERTScore")``.

pandas makes a `FrameAccessor` of a data frame when ``frame.nlgauge`` is first read; importing this file registers it
(`pandas.api.extensions.register_dataframe_accessor`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from nlgauge import Corpus, evaluate
from nlgauge.adapters.scorer import columns_of
from nlgauge.data.corpus.records import Columns
from nlgauge.data.table import ScoreTable
from nlgauge.errors import SpecError
from nlgauge.metrics.base import Metric


@pd.api.extensions.register_dataframe_accessor("nlgauge")
class FrameAccessor:
    """Scores of a data frame's rows; its columns are those of a corpus, or are named by `columns`."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self._frame = frame

    def evaluate(
        self,
        metrics: Sequence[str | Metric] | str | Metric,
        *,
        columns: Columns | None = None,
        **options: Any,
    ) -> ScoreTable:
        """`nlgauge.evaluate` of the frame's rows.

        columns: theirs by ours, {"candidate": "prediction"}. options: as `nlgauge.evaluate` takes them. Raises what it
        raises.
        """
        return evaluate(Corpus.from_records(self._frame, columns=columns), metrics=metrics, **options)

    def scores(
        self,
        metrics: Sequence[str | Metric] | str | Metric,
        *,
        columns: Columns | None = None,
        **options: Any,
    ) -> pd.DataFrame:
        """One column for each metric, or each part of it, with the index of the frame: ``frame.join(...)`` adds them.

        A missing number is NaN; `evaluate` says why. Arguments as of `evaluate`. Raises SpecError for a metric of sets,
        which has no number of a row.
        """
        table = self.evaluate(metrics, columns=columns, **options)
        for metric, column in table.columns.items():
            if column.level != "item":
                raise SpecError(f"{metric} measures sets of texts and has no number of a row: take evaluate(...)")
        numbers = {name: table.values(metric, part) for name, metric, part in columns_of(table)}
        return pd.DataFrame(numbers, index=self._frame.index)
