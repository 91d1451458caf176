"""Populations are drawn as they say, and intervals that ought to hold do."""

from __future__ import annotations

import numpy as np

from nlgauge.lab.reproduce.coverage import ALONE, TOGETHER, Drawing, Population, cover


def population(rows: int = 120, size: int = 2, seed: int = 0) -> Population:
    rng = np.random.default_rng(seed)
    scores = rng.random(rows)
    ratings = (0.5 * scores + 0.5 * rng.random(rows) > 0.4).astype(float)
    return Population(
        "made",
        "Made up",
        np.arange(rows) // size,
        {"good": ratings},
        {"M": scores, "N": rng.random(rows)},
        np.arange(rows) % size,
    )


def test_a_file_has_whole_items_and_enough_rows() -> None:
    drawing = Drawing(population(), ["good"], 100)
    rows, design = drawing.file(np.random.default_rng(0))
    assert len(rows) >= 400 and design.rated.sum() == 100
    assert design.clusters is not None and (np.bincount(design.clusters) == 2).all()
    assert (rows[::2] % 2 == 0).all() and (rows[1::2] == rows[::2] + 1).all()
    assert Drawing(population(size=1), ["good"], 50).file(np.random.default_rng(0))[1].clusters is None


def test_intervals_hold_and_the_bare_mean_does_not() -> None:
    tried = cover(population(), 200)
    assert tried.items == 60
    cells = {(cell.metric, cell.bare, cell.ratings): cell for cell in tried.cells}
    assert len(cells) == len(tried.cells) == 3 * 6
    assert all(0.9 <= cell.covered <= 0.99 for key, cell in cells.items() if not key[1])
    assert cells["M", True, 200].covered < 0.1
    assert cells["M", False, 100].half < cells[ALONE, False, 100].half
    assert abs(cells[TOGETHER, False, 100].half / cells["M", False, 100].half - 1) < 0.1
    assert cells["M", False, 200].half < 0.8 * cells["M", False, 50].half
