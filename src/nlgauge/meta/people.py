"""What people say of the systems: their ratings as columns of a table, with the means and the tests of a metric."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from nlgauge.data.table import Column, ScoreTable
from nlgauge.meta.join import Source, ratings

if TYPE_CHECKING:
    from nlgauge.data.corpus import Corpus


def people(table: ScoreTable, source: Source) -> ScoreTable:
    """The rows of a table, and a column for each aspect of its ratings: a row that nobody rated has no number.

    This is what a headline is made of where ratings are at hand, and it is what ratings alone say. An estimate from all
    scores and these ratings takes its place here. Raises InputError as `nlgauge.meta.join.ratings`.
    """
    columns = {
        aspect: Column(("score",), values[:, None], dict.fromkeys(np.flatnonzero(np.isnan(values)).tolist(), "unrated"))
        for aspect, values in ratings(table, source).values.items()
    }
    return ScoreTable(table.rows, columns, {}, clusters=table.clusters)


LED = "people: "
"""What the name of an aspect begins with where it stands among metrics"""


def led(table: ScoreTable, outputs: Corpus) -> ScoreTable:
    """The table with what people say before its metrics, if any of its outputs is rated."""
    if not any(row.scores for row in outputs):
        return table
    said = {f"{LED}{aspect}": column for aspect, column in people(table, outputs).columns.items()}
    return replace(table, columns={**said, **table.columns})
