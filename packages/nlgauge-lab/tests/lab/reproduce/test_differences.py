"""Differences of two systems whose ratings are known: drawn as it says, and held by the intervals."""

from __future__ import annotations

import numpy as np

from nlgauge_lab.reproduce.coverage import Population
from nlgauge_lab.reproduce.differences import differences, tried


def population(systems: int = 3, items: int = 60) -> Population:
    rng = np.random.default_rng(0)
    item, system = np.tile(np.arange(items), systems), np.repeat(np.arange(systems), items)
    scores = rng.normal(size=items)[item] + rng.normal(size=len(item))
    ratings = scores + 0.3 * system + 0.5 * rng.normal(size=len(item))
    return Population("m", "M", item, {"good": ratings}, {"M": scores, "N": rng.normal(size=len(item))}, system)


def test_one_system_or_too_few_rows_have_no_difference() -> None:
    assert differences(population(1), 2) == [] and differences(population(3, 49), 2) == []


def test_all_that_is_tried_of_a_set() -> None:
    made = population()
    found = tried(made, 3)
    assert found.population is made and found.items == 60 and found.promises == []
    assert {cell.metric for cell in found.cells} == {cell.metric for cell in found.differences}
