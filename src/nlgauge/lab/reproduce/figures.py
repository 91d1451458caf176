"""Figures of rebuilt tables (extra `plots`)."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.data.atomic_write import atomic_bytes
from nlgauge.errors import MissingExtraError
from nlgauge.lab.reproduce.published import Table
from nlgauge.lab.reproduce.rebuilt import Block, Rebuilt

_OURS, _PUBLISHED = "#1f5fa8", "#c8c8c8"


def draw(rebuilt: Rebuilt, folder: Path) -> list[str]:
    """Write the figures of a table as PNG into a folder; their file names. Raises MissingExtraError."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("drawing figures", "plots") from None
    names = []
    for number, (title, paint) in enumerate(_panels(rebuilt), 1):
        # A figure of its own: pyplot would choose a backend for the whole process.
        figure = Figure(figsize=paint.size, layout="constrained")
        axes = figure.subplots()
        paint(figure, axes)
        axes.set_title(f"{rebuilt.table.name}: {title}", fontsize=9)
        name = f"{rebuilt.table.name}-{number}.png"
        with atomic_bytes(folder / name) as file:
            figure.savefig(file, format="png", dpi=150, metadata={"Software": None})
        names.append(name)
    return names


def _panels(rebuilt: Rebuilt) -> list[tuple[str, _Panel]]:
    """What there is to draw; nothing where a block has no number of ours."""
    kind = rebuilt.table.kind
    if kind == "distributions":
        return [(data, _Distributions(samples)) for data, samples in rebuilt.samples.items() if samples]
    drawn = [
        block for block in rebuilt.blocks if any(not math.isnan(c.ours) for row in block.rows.values() for c in row)
    ]
    panels = {"sweep": _Sweep, "between": _Matrix, "williams": _Matrix}
    return [(block.title, panels.get(kind, _Bars)(block, rebuilt.table)) for block in drawn]


class _Panel:
    size: tuple[float, float] = (6, 4)

    def __call__(self, figure: Any, axes: Any) -> None:
        raise NotImplementedError


class _Bars(_Panel):
    """The first coefficient of a block, published and ours, a pair of bars a row."""

    def __init__(self, block: Block, table: Table) -> None:
        self._block, self._table = block, table
        self._rows = {
            name: cells[0]
            for name, cells in block.rows.items()
            if cells[0].published is not None or not math.isnan(cells[0].ours)
        }
        self.size = (6.5, 1 + 0.32 * len(self._rows))

    def __call__(self, figure: Any, axes: Any) -> None:
        places = np.arange(len(self._rows))
        published = [math.nan if cell.published is None else cell.published for cell in self._rows.values()]
        axes.barh(places - 0.2, published, 0.38, color=_PUBLISHED, label="published")
        axes.barh(places + 0.2, [cell.ours for cell in self._rows.values()], 0.38, color=_OURS, label="ours")
        axes.set_yticks(places, list(self._rows), fontsize=7)
        axes.invert_yaxis()
        axes.axvline(0, color="black", linewidth=0.6)
        axes.set_xlabel(self._block.heads[0] + (f" x {self._table.scale:g}" if self._table.scale != 1 else ""))
        axes.legend(fontsize=7)


class _Sweep(_Panel):
    """A line a coefficient over the rows, which are settings."""

    def __init__(self, block: Block, table: Table) -> None:
        self._block = block
        self.size = (max(5, 0.3 * len(block.rows)), 4)

    def __call__(self, figure: Any, axes: Any) -> None:
        for n, head in enumerate(self._block.heads):
            axes.plot([cells[n].ours for cells in self._block.rows.values()], marker="o", markersize=3, label=head)
        axes.set_xticks(range(len(self._block.rows)), list(self._block.rows), rotation=90, fontsize=6)
        axes.set_ylabel("correlation")
        axes.legend(fontsize=7)


class _Matrix(_Panel):
    """Every row against every column."""

    def __init__(self, block: Block, table: Table) -> None:
        self._block, self._p = block, table.kind == "williams"
        side = 2.2 + 0.38 * len(block.rows)
        self.size = (side + 0.6, side)

    def __call__(self, figure: Any, axes: Any) -> None:
        values = np.array([[cell.ours for cell in cells] for cells in self._block.rows.values()])
        ends = (0, 0.1) if self._p else (-1, 1)
        shown = axes.imshow(values, vmin=ends[0], vmax=ends[1], cmap="Blues_r" if self._p else "RdBu")
        names = list(self._block.rows)
        axes.set_xticks(range(len(names)), names, rotation=90, fontsize=7)
        axes.set_yticks(range(len(names)), names, fontsize=7)
        for (i, j), value in np.ndenumerate(values):
            if not math.isnan(value) and (not self._p or value < 0.05):
                axes.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=5)
        figure.colorbar(shown, shrink=0.7, label="p" if self._p else "Pearson correlation")


class _Distributions(_Panel):
    """A histogram a metric, one under the other."""

    def __init__(self, samples: dict[str, Any]) -> None:
        self._samples = samples
        self.size = (6, 1 + 0.45 * len(samples))

    def __call__(self, figure: Any, axes: Any) -> None:
        for place, values in enumerate(self._samples.values()):
            counts, edges = np.histogram(values, 40, (0, 1))
            heights = 0.9 * counts / counts.max()
            axes.bar(edges[:-1], -heights, np.diff(edges), bottom=place, align="edge", color=_OURS)
        axes.set_yticks(range(len(self._samples)), list(self._samples), fontsize=7)
        axes.invert_yaxis()
        axes.set_xlabel("value, from the least to the greatest")
