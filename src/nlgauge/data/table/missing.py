"""Rows without a candidate, put back among those that were scored without them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from nlgauge.data.corpus import Corpus
from nlgauge.data.table.column import Column, Sums
from nlgauge.data.table.table import ScoreTable

NO_CANDIDATE = "there is no candidate"


def with_missing(table: ScoreTable, corpus: Corpus) -> ScoreTable:
    """A table of `corpus.present` with all rows of the corpus: the others have no values, and a reason."""
    rows = [(row.system, row.item) for row in corpus]
    places = [number for number, row in enumerate(corpus) if not row.missing]
    systems = {name: number for number, name in enumerate(corpus.systems)}
    by_level = {"item": (places, len(rows)), "system": ([systems[name] for name in table.systems], len(systems))}
    columns = {spec: _spread(column, *by_level[column.level]) for spec, column in table.columns.items()}
    run = {**table.run, "rows": len(rows), "corpus": corpus.digest}
    return replace(table, rows=rows, columns=columns, run=run)


def _spread(column: Column, places: list[int], size: int) -> Column:
    """A column of so many rows (or systems), whose values stand at some places."""

    def moved(kept: Mapping[int, Any]) -> dict[int, Any]:
        return {places[number]: one for number, one in kept.items()}

    def grown(values: Any) -> Any:
        whole = np.full((size, values.shape[1]), np.nan)
        whole[places] = values
        return whole

    gone = dict.fromkeys(set(range(size)) - set(places), NO_CANDIDATE)
    sums = None if column.sums is None else Sums(column.sums.formula, grown(column.sums.counts))
    return replace(
        column, values=grown(column.values), reasons=moved(column.reasons) | gone, evidence=moved(column.evidence),
        sums=sums,
    )  # fmt: skip
