"""Differences of two systems whose ratings are known: drawn as it says, and held by the intervals."""

from __future__ import annotations

import numpy as np

from nlgauge_lab.reproduce.coverage import ALONE, TOGETHER, Population
from nlgauge_lab.reproduce.differences import differences, tried


def population(systems: int = 3, items: int = 60) -> Population:
    rng = np.random.default_rng(0)
    item, system = np.tile(np.arange(items), systems), np.repeat(np.arange(systems), items)
    scores = rng.normal(size=items)[item] + rng.normal(size=len(item))
    ratings = scores + 0.3 * system + 0.5 * rng.normal(size=len(item))
    return Population("m", "M", item, {"good": ratings}, {"M": scores, "N": rng.normal(size=len(item))}, system)


def test_intervals_hold_and_a_good_metric_makes_them_shorter() -> None:
    cells = {(cell.metric, cell.ratings): cell for cell in differences(population(), 150)}
    assert {metric for metric, _ in cells} == {ALONE, "M", "N", TOGETHER} and len(cells) == 8
    assert all(0.89 <= cell.covered <= 1 and cell.refused < 0.05 for cell in cells.values())
    assert cells["M", 100].half < 0.75 * cells[ALONE, 100].half
    assert cells[TOGETHER, 100].half < 0.8 * cells[ALONE, 100].half < 0.8 * cells["N", 100].half * 1.05
    assert cells[ALONE, 100].half < 0.8 * cells[ALONE, 50].half


def test_one_system_or_too_few_rows_have_no_difference() -> None:
    assert differences(population(1), 2) == [] and differences(population(3, 49), 2) == []


def test_all_that_is_tried_of_a_set() -> None:
    made = population()
    found = tried(made, 3)
    assert found.population is made and found.items == 60 and found.promises == []
    assert {cell.metric for cell in found.cells} == {cell.metric for cell in found.differences}
