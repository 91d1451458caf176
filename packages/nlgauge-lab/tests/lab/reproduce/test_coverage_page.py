"""The page says what held, what did not, and what is not there."""

from __future__ import annotations

import numpy as np

from nlgauge_lab.reproduce.coverage import ALONE, TOGETHER, Cell, Population, Promise, Tried
from nlgauge_lab.reproduce.coverage_page import page

POPULATION = Population("made", "Made up", np.arange(3), {"good": np.ones(3)}, {"M": np.ones(3)}, np.zeros(3, int))


def cells(metric: str, covered: float, half: float, bare: bool = False) -> list[Cell]:
    return [Cell("good", metric, n, covered, half, 0.0, bare) for n in (50, 100, 200)]


def test_a_page() -> None:
    given = [*cells(ALONE, 0.95, 0.2), *cells("M", 0.924, 0.1), *cells("M", 0.0, 0.05, True)]
    refused = [*cells(TOGETHER, 0.92, 0.1)[:2], Cell("good", TOGETHER, 200, 0.5, 0.1, 0.9)]
    differences = [cell._replace(covered=0.94) for cell in cells("M", 0.924, 0.1)[:2]]
    tried = Tried(POPULATION, [*given, *refused], differences, [Promise("M", 100, 0.1, 0.5, 0.25, 0.04)])
    text = page([tried], ["gone"], 2000)
    assert "| good | all of them, cross-fitted | 92.0 | 0.1 | 92.0 | 0.1 | refused | - |" in text
    assert "- Made up, good, all of them, cross-fitted, 200 ratings: 90% of the draws" in text
    assert "Intervals of 2 kinds hold it in 94.0 to 94.0 % of the draws, 0 of them in" in text
    assert "| Made up | good | `M` | 94.0 | 0.1 | 94.0 | 0.1 |" in text
    assert "| Made up | 3 | 3 | 92.0 to 95.0 % | `M`, good | 400 |" in text
    assert "8 kinds of intervals were tried, and 5 of them hold in less than 93% or more than 97%" in text
    assert "- Made up, good, `M`, 50 ratings: 92.4 %, ± 0.1" in text
    assert "| good | `M`, its bare mean | 0.0 | 0.05 | 0.0 | 0.05 | 0.0 | 0.05 |" in text
    assert "| Made up | `M` | 100 | 10% | 50.0% | 25% | 4.0% |" in text
    assert "Not in this run: gone." in text and "Each of 2,000 draws" in text
