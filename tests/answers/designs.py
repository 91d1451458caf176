"""Designs of which the truth is known, and on which intervals and tests have failed before: the worst ones we know.

Each draws the scores of two systems on the same items. The truth is of the population that the items, or the clusters,
are drawn from.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from nlgauge import ScoreTable
from nlgauge.data.table import Column

Drawn = tuple[np.ndarray, np.ndarray, "np.ndarray | None"]
"""The scores of A and of B [items], and the cluster of each item"""


@dataclass(frozen=True)
class Design:
    """Scores of two systems, and their true means."""

    name: str
    draw: Callable[[np.random.Generator], Drawn]
    mean: float
    """Of A"""
    loss: float
    """B's mean less A's, above 0: what the margin test is asked about"""

    def table(self, rng: np.random.Generator) -> ScoreTable:
        """Return a draw as a table of the systems A and B."""
        a, b, clusters = self.draw(rng)
        rows = [(system, str(item)) for system in "AB" for item in range(len(a))]
        column = Column(("score",), np.concatenate([a, b])[:, None])
        return ScoreTable(rows, {"M": column}, {}, clusters=None if clusters is None else [*map(str, clusters)] * 2)


def lognormal(rng: np.random.Generator, count: int) -> np.ndarray:
    """Return the cluster of each item: the sizes have a median of 3, and one in forty has more than 20."""
    return np.repeat(np.arange(count), np.ceil(rng.lognormal(1, 1, count)).astype(int))


@cache
def by_size(of: Callable[[np.ndarray], np.ndarray]) -> float:
    """Return the mean over items of what a cluster's size makes of it, where sizes are as `lognormal` draws them."""
    sizes = np.arange(1, 20_000)
    normal = np.array([0.5 * math.erfc(-(math.log(size) - 1) / math.sqrt(2)) for size in range(1, 20_001)])
    weights = np.diff(np.append(0.0, normal))[: len(sizes)] * sizes
    return float(weights @ of(sizes) / weights.sum())


def lost(n: int, share: float, good: float) -> Callable[[np.random.Generator], Drawn]:
    """A share of the items is right by B and wrong by A; on the others the two agree, a share of them being right."""

    def draw(rng: np.random.Generator) -> Drawn:
        loss, right = rng.random(n) < share, rng.random(n) < good
        return (right & ~loss) * 1.0, (right | loss) * 1.0, None

    return draw


def failing(n: int) -> Callable[[np.random.Generator], Drawn]:
    """Scores of .95, but for 5 % failures of A, at .2."""
    return lambda rng: (np.where(rng.random(n) < 0.05, 0.2, 0.95), np.full(n, 0.95), None)


def zero_inflated(n: int) -> Callable[[np.random.Generator], Drawn]:
    """On nine items of ten the two are equal, on the tenth A loses up to .3."""

    def draw(rng: np.random.Generator) -> Drawn:
        b = rng.uniform(0.3, 0.9, n)
        return b - (rng.random(n) < 0.1) * rng.uniform(0, 0.3, n), b, None

    return draw


def hiding(n: int) -> Callable[[np.random.Generator], Drawn]:
    """A loses .05 on 15 % of the items and .8 on 3 %: where only small losses were drawn, they hide the large ones."""

    def draw(rng: np.random.Generator) -> Drawn:
        u = rng.random(n)
        return 0.9 - np.select([u < 0.03, u < 0.18], [0.8, 0.05], 0.0), np.full(n, 0.9), None

    return draw


def two_raters(n: int) -> Callable[[np.random.Generator], Drawn]:
    """The mean of two raters' yes and no, who mostly agree: in 5 % of the items both find that A fails, in 5 % one."""

    def draw(rng: np.random.Generator) -> Drawn:
        u = rng.random(n)
        return np.select([u < 0.05, u < 0.1], [0.0, 0.5], 1.0), np.where(rng.random(n) < 0.03, 0.5, 1.0), None

    return draw


def smooth(n: int) -> Callable[[np.random.Generator], Drawn]:
    def draw(rng: np.random.Generator) -> Drawn:
        item = rng.normal(0.6, 0.08, n)
        return item + rng.normal(-0.02, 0.05, n), item + rng.normal(0, 0.05, n), None

    return draw


def yes_no_in_clusters(count: int) -> Callable[[np.random.Generator], Drawn]:
    """Shares of right answers that differ from cluster to cluster; A loses .05 of them on the same answers."""

    def draw(rng: np.random.Generator) -> Drawn:
        of = lognormal(rng, count)
        share, u = rng.beta(8, 2, count)[of], rng.random(len(of))
        return (u < 0.95 * share) * 1.0, (u < share) * 1.0, of

    return draw


def whole_clusters(count: int) -> Callable[[np.random.Generator], Drawn]:
    """B is always right; A loses 6.4 % of the clusters as wholes."""

    def draw(rng: np.random.Generator) -> Drawn:
        of = lognormal(rng, count)
        return 1.0 - (rng.random(count) < 0.064)[of], np.ones(len(of)), of

    return draw


def fading(size: np.ndarray) -> np.ndarray:
    return np.asarray(0.8 - 0.1 * np.log(size))


def longer_are_worse(count: int) -> Callable[[np.random.Generator], Drawn]:
    """A's scores fall with the logarithm of the cluster's size, as on long documents; B's do not."""

    def draw(rng: np.random.Generator) -> Drawn:
        of = lognormal(rng, count)
        a, b = (rng.normal(0, 0.1, count)[of] + rng.normal(0, 0.1, len(of)) for _ in range(2))
        return fading(np.bincount(of))[of] + a, 0.8 + b, of

    return draw


def failing_more(size: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(0.8 * np.log(size) - 2)))


def longer_are_wrong(count: int) -> Callable[[np.random.Generator], Drawn]:
    """A's right answers become fewer with the logarithm of the cluster's size; B's do not."""

    def draw(rng: np.random.Generator) -> Drawn:
        of = lognormal(rng, count)
        share = failing_more(np.bincount(of))[of]
        return (rng.random(len(of)) < share) * 1.0, (rng.random(len(of)) < 0.8) * 1.0, of

    return draw


DESIGNS = (
    *(Design(f"rare losses, {n} items", lost(n, 0.05, 0.8), 0.95 * 0.8, 0.05) for n in (20, 60, 200)),
    Design("nearly all equal, 20 items", lost(20, 0.02, 1.0), 0.98, 0.02),
    *(Design(f"yes and no, .97, {n} items", lost(n, 0.03, 1.0), 0.97, 0.03) for n in (30, 120)),
    *(Design(f".95 and failures at .2, {n} items", failing(n), 0.9125, 0.0375) for n in (5, 8, 15, 30)),
    *(Design(f"nine differences of ten are 0, {n} items", zero_inflated(n), 0.585, 0.015) for n in (30, 100)),
    *(Design(f"small losses hide large ones, {n} items", hiding(n), 0.8685, 0.0315) for n in (20, 100)),
    Design("two raters, 40 items", two_raters(40), 0.925, 0.06),
    *(Design(f"smooth, {n} items", smooth(n), 0.58, 0.02) for n in (5, 8, 12, 30)),
    *(Design(f"yes and no, {n} lognormal clusters", yes_no_in_clusters(n), 0.76, 0.04) for n in (15, 30)),
    *(Design(f"whole clusters are lost, {n} lognormal", whole_clusters(n), 0.936, 0.064) for n in (15, 30, 60)),
    *(
        Design(f"larger clusters are worse, {n} lognormal", longer_are_worse(n), by_size(fading), 0.8 - by_size(fading))
        for n in (15, 30)
    ),
    Design(
        "larger clusters have more errors, 30 lognormal",
        longer_are_wrong(30),
        by_size(failing_more),
        0.8 - by_size(failing_more),
    ),
)


@dataclass(frozen=True)
class TrialDesign:
    """Items whose chances to pass have a beta distribution, so that the trials of an item are correlated."""

    items: int
    trials: int
    k: int
    mean: float
    correlation: float

    @property
    def name(self) -> str:
        return f"{self.mean:g} pass, correlation {self.correlation:g}, {self.items} x {self.trials}, k = {self.k}"

    @property
    def shapes(self) -> tuple[float, float]:
        """The two parameters of the beta distribution."""
        total = 1 / self.correlation - 1
        return self.mean * total, (1 - self.mean) * total

    @property
    def truth(self) -> float:
        """The chance that k trials of an item all pass."""
        a, b = self.shapes
        return math.prod((a + i) / (a + b + i) for i in range(self.k))

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return how many trials of each item pass, and how many it has."""
        return rng.binomial(self.trials, rng.beta(*self.shapes, self.items)), np.full(self.items, self.trials)


TRIALS = tuple(
    TrialDesign(items, trials, k, mean, correlation)
    for items, trials, k in ((20, 2, 2), (20, 16, 8), (40, 8, 4), (100, 4, 2), (100, 16, 16))
    for mean, correlation in ((0.5, 0.3), (0.7, 0.1), (0.7, 0.5))
)
"""From 20 to 100 items and 2 to 16 trials; the second size is the worst, because few items show the rare ones that pass
eight times
"""
