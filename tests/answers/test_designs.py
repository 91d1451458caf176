"""Every printed interval and test of means holds on its worst designs, or is named here with its figure."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge import compare
from tests.answers.designs import DESIGNS, Design

DRAWS = 200
SAID = {"score": 0.95, "compare": 0.95, "margin": 0.05}
"""How often the two intervals hold the truth, at least, and how often the margin test may err"""
NAMED = {
    ("small losses hide large ones, 100 items", "margin"): 0.173,
    ("whole clusters are lost, 60 lognormal", "margin"): 0.097,
    ("larger clusters are worse, 15 lognormal", "score"): 0.898,
    ("larger clusters are worse, 15 lognormal", "compare"): 0.910,
    ("larger clusters are worse, 15 lognormal", "margin"): 0.135,
    ("larger clusters are worse, 30 lognormal", "score"): 0.902,
    ("larger clusters are worse, 30 lognormal", "compare"): 0.922,
    ("larger clusters are worse, 30 lognormal", "margin"): 0.121,
}
"""The share of 2,000 draws, where it is below .93, or above .07 for a margin"""


@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
def test_intervals_and_margin_tests_hold(design: Design) -> None:
    rng, seen = np.random.default_rng(14), []
    for _ in range(DRAWS):
        table = design.table(rng)
        score = table.by_system()[0]
        (pair,) = compare(table, "A", "B", margin=design.loss)
        if not math.isnan(pair.low):
            holds = score.low <= design.mean <= score.high, pair.low <= -design.loss <= pair.high
            seen.append((*holds, pair.no_worse < 0.05))
    assert len(seen) > 0.95 * DRAWS
    for name, share in zip(SAID, np.mean(seen, 0).tolist(), strict=True):
        expected = NAMED.get((design.name, name), SAID[name])
        chance = 3 * math.sqrt(expected * (1 - expected) / DRAWS)
        assert share >= expected - chance or name == "margin", (name, share)
        assert share <= expected + chance or expected == 0.95, (name, share)
