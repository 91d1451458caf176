"""Populations are drawn as they say, intervals that ought to hold do, and the risk of every threshold is known."""

from __future__ import annotations

import numpy as np

from nlgauge_lab.reproduce.coverage import ALONE, PROMISING, TOGETHER, Population, cover, promises


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


def test_intervals_hold_and_the_bare_mean_does_not() -> None:
    found = cover(population(), 200)
    cells = {(cell.metric, cell.bare, cell.ratings): cell for cell in found}
    assert len(cells) == len(found) == 3 * 6
    assert all(0.9 <= cell.covered <= 0.99 for key, cell in cells.items() if not key[1])
    assert cells["M", True, 200].covered < 0.1
    assert cells["M", False, 100].half < cells[ALONE, False, 100].half
    assert abs(cells[TOGETHER, False, 100].half / cells["M", False, 100].half - 1) < 0.1
    assert cells["M", False, 200].half < 0.8 * cells["M", False, 50].half


def test_promises_are_counted() -> None:
    rng = np.random.default_rng(0)
    scores = rng.random(400)
    supported = (scores + 0.3 * rng.normal(size=400) > 0.2).astype(float)
    metrics = dict.fromkeys(PROMISING, scores)
    made = Population("made", "Made up", np.arange(400), {"supported": supported}, metrics, np.zeros(400, int))
    found = promises(made, 20)
    assert len(found) == 8
    by = {(one.metric, one.ratings, one.risk): one for one in found}
    few, many = by[PROMISING[0], 100, 0.2], by[PROMISING[0], 300, 0.2]
    assert few == by[PROMISING[1], 100, 0.2]._replace(metric=few.metric)
    assert many.certified == 1 and 0.5 < many.passing <= 1 and many.broken <= 0.15
    rated = Population("rated", "Rated", np.arange(400), {"good": supported}, {"M": scores}, np.zeros(400, int))
    assert promises(rated, 2) == []
