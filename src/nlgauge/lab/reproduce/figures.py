"""Figures of rebuilt tables (extra `plots`)."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from nlgauge.lab.reproduce.published import Table
from nlgauge.lab.reproduce.rebuilt import Block, Rebuilt
from nlgauge.meta.arrays import Float
from nlgauge.show import figures


def draw(rebuilt: Rebuilt, folder: Path) -> list[str]:
    """Write the figures of a table as PNG into a folder; their file names. Raises MissingExtraError.

    A block without a number of ours has no figure.
    """
    table = rebuilt.table
    names: list[str] = []

    def place() -> Path:
        names.append(f"{table.name}-{len(names) + 1}.png")
        return folder / names[-1]

    if table.kind == "distributions":
        for data, samples in rebuilt.samples.items():
            if samples:
                _histograms(place(), f"{table.name}: {data}", samples)
        return names
    for block in rebuilt.blocks:
        if any(not math.isnan(cell.ours) for cells in block.rows.values() for cell in cells):
            _block(place(), block, table)
    return names


def _block(path: Path, block: Block, table: Table) -> None:
    title, rows = f"{table.name}: {block.title}", list(block.rows)
    numbers = [[cell.ours for cell in cells] for cells in block.rows.values()]
    if table.kind == "between":
        figures.heats(path, {title: figures.Heat(rows, block.heads, numbers)}, "Pearson correlation", (-1, 1))
    elif table.kind == "williams":
        labels = [[f"{p:.2f}" if p < 0.05 else "" for p in row] for row in numbers]
        figures.heats(path, {title: figures.Heat(rows, block.heads, numbers, labels)}, "p", (0, 0.1), "Blues_r")
    elif table.kind == "sweep":
        at = [float(place) for place in range(len(rows))]
        ours = {head: figures.Curve(at, [row[n] for row in numbers]) for n, head in enumerate(block.heads)}
        figures.curves(path, {title: ours}, "", "correlation", rows)
    else:
        # The first coefficient, what is published behind the bar of ours.
        printed = [cells[0].published for cells in block.rows.values()]
        marks = ["" if value is None else f"{value:.{table.digits}f}" for value in printed]
        nothing = [math.nan] * len(rows)
        times = f" x {table.scale:g}" if table.scale != 1 else ""
        shown = figures.Bars([row[0] for row in numbers], nothing, nothing, marks)
        figures.bars(
            path, {f"{title}, {block.heads[0]}{times}: ours, and behind each bar what is published": shown}, rows
        )


def _histograms(path: Path, title: str, samples: dict[str, Float]) -> None:
    counts = {name: np.histogram(values, 40, (0, 1))[0] for name, values in samples.items()}
    shares = {name: (found / max(1, found.sum())).tolist() for name, found in counts.items()}
    edges = np.linspace(0, 1, 41).tolist()
    figures.histograms(path, {title: figures.Histograms(shares, edges)}, "value, from the least to the greatest")
