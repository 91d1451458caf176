"""A published table with ours in it: every number beside the published one."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from nlgauge.lab.reproduce.published import Table
from nlgauge.meta.arrays import Float


@dataclass(frozen=True)
class Cell:
    """One number, published and ours, in the unit in print."""

    published: float | None = None
    ours: float = math.nan
    reason: str | None = None
    """Why there is none of ours"""

    @property
    def difference(self) -> float:
        """Ours minus published; NaN where one is missing."""
        return math.nan if self.published is None else self.ours - self.published


@dataclass(frozen=True)
class Block:
    """Columns that stand together: one data set, aspect and level."""

    title: str
    heads: tuple[str, ...]
    rows: dict[str, tuple[Cell, ...]]


@dataclass(frozen=True)
class Rebuilt:
    """A table with ours in it."""

    table: Table
    blocks: list[Block]
    specs: dict[str, str]
    """By row: the spec of ours, with the data's name where rows have several"""
    facts: list[str]
    """Rows, models, and what else the numbers depend on"""
    samples: dict[str, dict[str, Float]] = field(default_factory=dict)
    """The values of 'distributions', by data and row: from 0 to 1, larger is better"""

    @property
    def cells(self) -> list[Cell]:
        """All, row by row."""
        return [cell for block in self.blocks for row in block.rows.values() for cell in row]

    @property
    def summary(self) -> str:
        """How much was rebuilt, and how near it is."""
        published = [cell for cell in self.cells if cell.published is not None]
        both = [cell for cell in published if not math.isnan(cell.difference)]
        if not published:
            return f"{sum(not math.isnan(cell.ours) for cell in self.cells)} numbers; none is published"
        if not both:
            return f"0 of {len(published)} published numbers compared"
        half = 0.5 * 10**-self.table.digits
        same = sum(abs(cell.difference) <= half * (1 + 1e-9) for cell in both)
        mean = float(np.mean([abs(cell.difference) for cell in both]))
        return (
            f"{len(both)} of {len(published)} published numbers compared, {same} of them to the last digit in print; "
            f"mean difference {mean:.{self.table.digits}f}"
        )
