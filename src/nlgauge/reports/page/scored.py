"""The data of a page: a table, the texts of its rows, people's ratings, and all numbers of the rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.jsonable import plain
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.selection import label
from nlgauge.errors import InputError
from nlgauge.ratings.join import Source
from nlgauge.ratings.join import ratings as joined
from nlgauge.ratings.matching import matched
from nlgauge.stats.arrays import Float


@dataclass(frozen=True)
class Scale:
    """A column with a number for each row: a sub-score of a metric, or people's ratings of an aspect."""

    name: str
    metric: str
    """The spec of the metric; '' for ratings"""
    part: str
    values: Float
    """The number of each row, [rows]; NaN for a missing one"""
    up: bool
    """Whether higher is better"""
    first: bool = True
    """Whether this is the deciding score of its metric"""
    detail: bool = False

    @property
    def short(self) -> str:
        """The name of the scale without the parameters of the metric."""
        spec = self.metric
        return self.name.replace(spec, spec.partition("(")[0], 1) if spec else self.name


@dataclass
class Scored:
    """A table, with the texts and the ratings of its rows where they are given."""

    table: ScoreTable
    outputs: Corpus | None
    source: Source | None
    """The source of people's ratings; None without ratings"""
    notes: list[str] = field(default_factory=list)
    """Notes for the reader on how well table and outputs fit together"""

    @cached_property
    def texts(self) -> list[Row | None]:
        """The output of each row of the table, None for a row without one. Raises InputError if no row has one."""
        table, outputs = self.table, self.outputs
        if outputs is None:
            return [None] * len(table.rows)
        if outputs.digest == table.run.get("corpus") and len(outputs) == len(table.rows):
            return list(outputs)
        by_place = {(row.system, row.item): row for row in matched(table, outputs)}
        texts = [by_place.get(place) for place in table.rows]
        if not any(texts) and texts:
            here, there = table.rows[0], next(iter(by_place), None)
            remedy = f"the first (system, item) is {here!r} in the scores and {there!r} in the outputs"
            raise InputError("no row of the outputs has the system and item of a row of the scores", remedy=remedy)
        missing = sum(row is None for row in texts)
        self.notes.append(
            "The outputs are not the ones that were scored, so texts may differ from what the scores are of."
        )
        if missing:
            self.notes.append(f"{missing:,} of {len(texts):,} rows have no text in the outputs.")
        return texts

    @cached_property
    def ratings(self) -> dict[str, Float]:
        """The rating of each row, [rows], by aspect."""
        return {} if self.source is None else joined(self.table, self.source).values

    @cached_property
    def scales(self) -> list[Scale]:
        """All columns of numbers of the rows: metrics first, then ratings."""
        scales = [
            Scale(
                name=label(self.table, spec, part),
                metric=spec,
                part=part,
                values=column.values[:, at],
                up=column.higher_is_better,
                first=part == column.shown[0],
                detail=part in column.details,
            )
            for spec, column in self.table.columns.items()
            if column.level == "item"
            for at, part in enumerate(column.parts)
        ]
        return [
            *scales,
            *(
                Scale(name=f"people: {aspect}", metric="", part=aspect, values=values, up=True)
                for aspect, values in self.ratings.items()
            ),
        ]


def source_of(outputs: Corpus | None, ratings: Source | None) -> Source | None:
    """Return the given ratings; without them the outputs, if any of these is rated; else None."""
    if ratings is not None or outputs is None:
        return ratings
    return outputs if any(row.scores for row in outputs) else None


def rounded(values: Iterable[float]) -> list[float | str | None]:
    """Return numbers as the script reads them: with six digits, None for NaN, and a word for an infinite number."""
    return [plain(float(f"{value:.6g}")) for value in values]


def known_texts(row: Row | None) -> Mapping[str, Any]:
    """Return the texts of an output by name; an empty dict for None."""
    return {} if row is None else row.texts


def standing(scales: Sequence[Scale]) -> tuple[Float, Float]:
    """Return how well each row does by all metrics together, and how far the metrics disagree about it.

    For each metric, by its deciding score, a row has the share of all rows that are worse. Equal rows count half.

    Args:
        scales: the columns of numbers of the table.

    Returns:
        The mean of these shares over the metrics, and their spread: [rows] both, from 0 to 1. The mean is NaN where no
        metric has a value, and the spread where fewer than two metrics have values.
    """
    of_metrics = [scale for scale in scales if scale.metric and scale.first and not scale.detail]
    if not of_metrics:
        nothing = np.full(len(scales[0].values) if scales else 0, np.nan)
        return nothing, nothing
    shares = np.stack([_share_below(scale.values if scale.up else -scale.values) for scale in of_metrics])
    counts = (~np.isnan(shares)).sum(0)
    with np.errstate(invalid="ignore"):
        mean = np.nansum(shares, 0) / np.where(counts > 0, counts, np.nan)
        spread = np.sqrt(np.nansum((shares - mean) ** 2, 0) / np.where(counts > 1, counts, np.nan))
    return mean, spread


def _share_below(values: Float) -> Float:
    numeric = ~np.isnan(values)
    ordered = np.sort(values[numeric])
    shares = np.full(len(values), np.nan)
    below, up_to = (np.searchsorted(ordered, values[numeric], side=side) for side in ("left", "right"))
    shares[numeric] = (below + up_to) / (2 * max(1, len(ordered)))
    return shares
