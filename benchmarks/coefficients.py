"""Coverage of 95 % intervals of coefficients with few items and systems, by simulation.

python benchmarks/coefficients.py [--draws 1000] [-o FILE]

Every line is a design whose truth is known. In the first table, the truth is the coefficient of very many items of the
same systems. For each number of items the table has the percentage of draws in which
`nlgauge.correlate(resample="items")` holds the truth. In brackets is the same for the percentiles of a bootstrap of
items. In the second table, the truth is about other items and other systems (`resample="both"`).
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from nlgauge.stats.coefficients import COEFFICIENTS
from nlgauge.stats.correlation import estimate
from nlgauge.stats.of_items import of_items
from nlgauge.stats.resampling import bootstrap, interval

ITEMS = (5, 8, 12, 20, 60)
Drawn = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]


def normal(systems: int, rho: float) -> Drawn:
    """Return a design in which items, systems and outputs have effects.

    Effects of items and outputs are correlated at rho.
    """

    def drawn(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        x, y = np.sin(1.7 * np.arange(systems)), np.arange(systems) / 2.0
        for shape in ((n, 1), (n, systems)) if systems > 1 else ((n, 1),):
            effect = rng.normal(size=shape)
            x, y = x + rho * effect + math.sqrt(1 - rho**2) * rng.normal(size=shape), y + effect
        return x, y

    return drawn


def steps(systems: int, rho: float) -> Drawn:
    """Return the design of `normal` with ratings on five steps."""

    def drawn(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        x, y = normal(systems, rho)(rng, n)
        return x, np.clip(np.round(y + 3), 1, 5)

    return drawn


def skewed(rho: float) -> Drawn:
    """Return a design with one row an item, and a lognormal score."""

    def drawn(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        x, y = normal(1, rho)(rng, n)
        return np.exp(x), y

    return drawn


def verdicts(right: float) -> Drawn:
    """Return a design with one row an item.

    Seven in ten rows are good, and a judge is right about the share `right` of rows.
    """

    def drawn(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        y = (rng.random((n, 1)) < 0.7).astype(float)
        return np.where(rng.random((n, 1)) < right, y, 1 - y), y

    return drawn


DESIGNS: tuple[tuple[str, str, str, Drawn], ...] = (
    ("item", "pearson", "3 systems, correlated at .6", normal(3, 0.6)),
    ("item", "pearson", "3 systems, correlated at .9", normal(3, 0.9)),
    ("item", "pearson", "16 systems, correlated at .6", normal(16, 0.6)),
    ("item", "kendall", "5 systems, five steps", steps(5, 0.6)),
    ("pooled", "pearson", "a row an item, correlated at 0", normal(1, 0.0)),
    ("pooled", "pearson", "a row an item, correlated at .9", normal(1, 0.9)),
    ("pooled", "pearson", "a row an item, lognormal score", skewed(0.6)),
    ("pooled", "pearson", "yes or no, 98 % right", verdicts(0.98)),
    ("pooled", "pearson", "yes or no, 90 % right", verdicts(0.9)),
    ("pooled", "kendall", "3 systems, five steps", steps(3, 0.6)),
    ("system", "pearson", "5 systems", normal(5, 0.6)),
    ("system", "kendall", "8 systems", normal(8, 0.6)),
)


def effects(items: int, systems: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return scores and ratings [items, systems] made of effects of items, systems and outputs.

    All effects are correlated at .6, and effects of systems are half as large as the others.
    """
    x = y = np.zeros((items, systems))
    for size, shape in ((1.0, (items, 1)), (0.5, (1, systems)), (1.0, (items, systems))):
        effect = rng.normal(size=shape)
        x, y = x + size * (0.6 * effect + 0.8 * rng.normal(size=shape)), y + size * effect
    return x, y


SIZES = ((5, 5), (12, 5), (20, 3), (60, 3), (60, 5), (60, 16))


def of_both(level: str, draws: int) -> list[str]:
    """Return the cells of a row of the second table."""
    kind, cells = COEFFICIENTS["pearson"], []
    for items, systems in SIZES:
        rng, held = np.random.default_rng([items, systems]), 0
        # At item level the number of systems is a part of what is asked, and at system level that of items.
        shape = {"item": (3000, systems), "pooled": (300, 300), "system": (items, 3000)}[level]
        truth = float(np.mean([estimate(*effects(*shape, rng), kind, level).value for _ in range(20)]))
        for draw in range(draws):
            x, y = effects(items, systems, rng)
            low, high = interval(bootstrap(x, y, kind, level, replicates=500, seed=draw))
            held += low <= truth <= high
        cells.append(f"{100 * held / draws:.0f}")
    return [level, *cells]


def line(level: str, name: str, what: str, drawn: Drawn, draws: int) -> list[str]:
    """Return the cells of a row of the first table."""
    kind, cells = COEFFICIENTS[name], []
    for n in ITEMS:
        rng = np.random.default_rng([n, len(what)])
        truth = float(np.mean([estimate(*drawn(rng, 1000), kind, level).value for _ in range(60)]))
        held, known = np.zeros(2), np.zeros(2)
        for draw in range(draws):
            x, y = drawn(rng, n)
            if math.isnan(estimate(x, y, kind, level).value):
                continue
            found = of_items(x, y, kind, level)
            before = interval(bootstrap(x, y, kind, level, resample="items", replicates=500, seed=draw))
            for place, (low, high) in enumerate(((found.low, found.high), before)):
                known[place] += 1
                held[place] += low <= truth <= high
        cells.append("{:.0f} ({:.0f})".format(*100 * held / known))
    return [level, name, what, *cells]


def main() -> None:
    """Print the table as Markdown, or write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args()
    lines = [
        f"| level | coefficient | design | {' | '.join(f'{n} items' for n in ITEMS)} |",
        f"|---|---|---|{'---:|' * len(ITEMS)}",
        *(f"| {' | '.join(line(*design, given.draws))} |" for design in DESIGNS),
        "",
        f"| level | {' | '.join(f'{items} items, {systems} systems' for items, systems in SIZES)} |",
        f"|---|{'---:|' * len(SIZES)}",
        *(f"| {' | '.join(of_both(level, given.draws))} |" for level in ("item", "pooled", "system")),
    ]
    text = "\n".join(lines) + "\n"
    if given.output is None:
        print(text, end="")
    else:
        given.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
