"""Do the bars of `nlgauge calibrate` keep their promise? Labelled sets whose labels are hidden, again and again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nlgauge.lab.reproduce.coverage import Cell, Drawing, Population, Tried, cover
from nlgauge.lab.reproduce.differences import differences
from nlgauge.meta.certified import RatedScores

RATINGS, RISKS, CONFIDENCE = (100, 300), (0.1, 0.2), 0.9
METRICS = ("Consistency(aligner='D') score", "Consistency(aligner='D') probability")


class Promise(NamedTuple):
    """What became of the bars over all draws."""

    metric: str
    ratings: int
    risk: float
    certified: float
    """The share of draws in which a bar was certified"""
    passing: float
    """The mean share of rows that pass, where a bar was"""
    broken: float
    """The share of draws in which a bar was certified whose true risk is larger than was promised"""


def every(population: Population, draws: int) -> tuple[Tried, list[Cell], list[Promise]]:
    """What intervals of means do, and of differences, and bars where a row is supported or not."""
    bars = promises(population, draws) if set(population.ratings) == {"supported"} else []
    return cover(population, draws), differences(population, draws), bars


def promises(population: Population, draws: int) -> list[Promise]:
    """The bars of so many draws, for a set in which a row is supported or not."""
    found: dict[tuple[str, int, float], list[tuple[bool, float, bool]]] = {}
    (aspect,) = population.ratings
    for n in RATINGS:
        drawing = Drawing(population, [aspect], n)
        truth = drawing.ratings[aspect] < 1
        rng = np.random.default_rng([n, len(drawing.members), draws, 1])
        for _ in range(draws):
            rows, design = drawing.file(rng)
            clusters = np.arange(len(rows)) if design.clusters is None else design.clusters
            for metric in METRICS:
                scores = drawing.scores[metric]
                rated = RatedScores(scores[rows], design.rated, design.rated & truth[rows], clusters)
                for risk in RISKS:
                    bar = rated.certified(risk, 1 - CONFIDENCE)
                    broken = bar.reason is None and bool(truth[scores >= bar.threshold].mean() > risk)
                    found.setdefault((metric, n, risk), []).append((bar.reason is None, bar.passing, broken))
    return [
        Promise(
            *key, float(np.mean([one[0] for one in bars])),
            float(np.mean([one[1] for one in bars if one[0]] or [np.nan])), float(np.mean([one[2] for one in bars])),
        )
        for key, bars in sorted(found.items())
    ]  # fmt: skip
