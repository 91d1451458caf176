"""A table beside its ratings, and how their agreement is to be measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from nlgauge.data.table import Column, ScoreTable
from nlgauge.errors import InputError
from nlgauge.meta.arrays import Float, Mask
from nlgauge.meta.coefficients import COEFFICIENTS, SPECIAL
from nlgauge.meta.correlation import LEVELS
from nlgauge.meta.join import Grid, Ratings, Source, grid, ratings, turned
from nlgauge.meta.resampling import RESAMPLED


@dataclass(frozen=True)
class Measurement:
    """How agreement is measured. Raises InputError for what does not exist or does not go together."""

    level: str
    coefficient: str
    resample: str
    confidence: float
    replicates: int
    seed: int

    def __post_init__(self) -> None:
        for what, given, known in (
            ("level", self.level, LEVELS),
            ("coefficient", self.coefficient, (*COEFFICIENTS, *SPECIAL)),
            ("resample", self.resample, RESAMPLED),
        ):
            if given not in known:
                raise InputError(f"the {what} {given!r} is unknown", remedy=f"take {', '.join(known)}")
        if self.coefficient == "soft_accuracy" and self.level != "system":
            raise InputError("soft_accuracy compares systems", remedy="take level='system'")
        if self.coefficient == "accuracy_calibrated" and self.level == "pooled":
            problem = "accuracy_calibrated looks at all pairs of a sample"
            raise InputError(problem, remedy="take level='item' or 'system'")
        if self.coefficient == "pairwise_difference" and self.level != "item":
            raise InputError("pairwise_difference compares outputs for one item", remedy="take level='item'")
        if not 0 < self.confidence < 1:
            raise InputError(f"the confidence {self.confidence!r} is not between 0 and 1", remedy="0.95, for one")


def joined(table: ScoreTable, source: Source, aspects: Iterable[str] | None) -> tuple[Grid, Ratings, list[str]]:
    """The table's places, its ratings, and the aspects that are asked for, all where none is. Raises InputError."""
    place, rated = grid(table), ratings(table, source)
    chosen = list(rated.values) if aspects is None else list(aspects)
    if unknown := [aspect for aspect in chosen if aspect not in rated.values]:
        raise InputError(f"nothing is rated for {unknown[0]!r}", remedy=f"rated are {', '.join(rated.values)}")
    return place, rated, chosen


def by_row(table: ScoreTable, column: Column, part: int) -> Float:
    """A number per row, bigger is better; a system's number for each of its rows, whose mean is that number again."""
    values = turned(column, part)
    if column.level == "item":
        return values
    number = dict(zip(table.systems, values.tolist(), strict=True))
    return np.array([number[system] for system, _ in table.rows])


def rated_items(*tables: Float) -> Mask:
    """Which items have a cell that all tables have: those that `rated_part` keeps."""
    known: Mask = np.all([~np.isnan(table) for table in tables], axis=0)
    return np.asarray(known.any(1))


def rated_part(*tables: Float) -> list[Float]:
    """Tables cut down to cells that all have, and to the items and systems that have such a cell."""
    known: Mask = np.all([~np.isnan(table) for table in tables], axis=0)
    cut = np.ix_(known.any(1), known.any(0))
    return [np.where(known, table, np.nan)[cut] for table in tables]
