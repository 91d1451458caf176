"""Do intervals and tests hold on their worst designs? Coverage and mean length beside the textbook's, by simulation.

python benchmarks/intervals.py [--draws 2000] [-o docs/statistics_table.md]

Every line is a design of which the truth is known. It says how often 95 % intervals hold the truth, how long they are,
and how long the textbook's interval of the same ratings or items is: Wilson's for shares, Student's t for means. The
second table has tests against a margin at the edge of the hypothesis, which should reject in 5 % of the draws.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from nlgauge.data.table import Column, ScoreTable
from nlgauge.maths.inference import UNLIMITED, mean_of
from nlgauge.maths.intervals import share_interval, student_quantile
from nlgauge.maths.prediction_powered import Design
from nlgauge.maths.rated_means import MeanInterval, rated_means

LEVEL = 0.95


def sizes_of(kind: str, rng: np.random.Generator) -> np.ndarray:
    """The sizes of clusters: equal, uniform from 1 to 40, or lognormal with deviation 1."""
    if kind == "20 equal":
        return np.full(20, 5)
    if kind == "10 of 1 to 40":
        return rng.integers(1, 41, 10)
    return np.ceil(rng.lognormal(1, 1, int(kind.split()[0]))).astype(int)


def normal(sizes: np.ndarray, rho: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Values with mean 0 and the correlation rho within clusters, and the cluster of each."""
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    shared, own = rng.normal(size=len(sizes))[clusters], rng.normal(size=len(clusters))
    return math.sqrt(rho) * shared + math.sqrt(1 - rho) * own, clusters


def means(draws: int) -> Iterator[list[str]]:
    """Means of few items, beside Student's t."""
    for n in (2, 3, 5, 7, 8, 12, 20, 50, 100):
        rng, held, lengths = np.random.default_rng(n), 0, np.zeros(2)
        for _ in range(draws):
            of = rng.normal(size=n)
            table = ScoreTable([("s", str(at)) for at in range(n)], {"M": Column(("score",), of[:, None])}, {})
            one = table.by_system()[0]
            held += one.low <= 0 <= one.high
            half = student_quantile(0.975, n - 1) * of.std(ddof=1) / math.sqrt(n)
            lengths += one.high - one.low, 2 * half
        yield line(f"mean of {n} items, normal", held / draws, lengths / draws)


def clustered(draws: int) -> Iterator[list[str]]:
    """Means and shares of clusters, beside Student's t of clusters that are taken for equal."""
    for kind in ("20 equal", "10 of 1 to 40", "40 lognormal", "100 lognormal"):
        for rho in (0.0, 0.3, 0.9):
            rng, held, lengths = np.random.default_rng(7), 0, np.zeros(2)
            for _ in range(draws):
                of, clusters = normal(sizes_of(kind, rng), rho, rng)
                found = mean_of(of, UNLIMITED, clusters)
                low, high = found.interval(LEVEL)
                held += low <= 0 <= high
                lengths += high - low, 2 * student_quantile(0.975, found.groups - 1) * found.error
            yield line(f"mean of {kind} clusters, correlation {rho:g}", held / draws, lengths / draws)


def shares(draws: int) -> Iterator[list[str]]:
    """Shares estimated from ratings and scores, beside Wilson's interval of the ratings."""
    for p in (0.5, 0.8, 0.9, 0.95, 0.99):
        for n, rows in ((30, 300), (60, 600), (100, 1000)):
            for useful in ("useful scores", "useless skewed scores"):
                rng, held, lengths = np.random.default_rng(11), 0, np.zeros(2)
                for _ in range(draws):
                    y = (rng.random(rows) < p).astype(float)
                    noise = rng.normal(size=rows)
                    x = y + noise / 2 if useful == "useful scores" else np.exp(1.5 * noise)
                    rated = np.arange(rows) < n
                    low, high = estimated(y, x, Design(rated, np.zeros(rows, np.intp)))
                    held += low <= p <= high
                    alone = share_interval(float(y[:n].mean()), n, LEVEL)
                    lengths += high - low, alone[1] - alone[0]
                yield line(f"share {p:g}, {n} ratings of {rows}, {useful}", held / draws, lengths / draws)


def estimated(y: np.ndarray, x: np.ndarray, design: Design) -> tuple[float, float]:
    """The interval that `nlgauge.estimate` gives."""
    mean, _ = rated_means(y, x, design, (0.0, 1.0))
    sizes = np.ones(int(design.rated.sum()))
    return MeanInterval([mean], sizes, 1, None, False, (0.0, 1.0), True).ends(LEVEL)


def margins(draws: int) -> Iterator[list[str]]:
    """How often a loss that is just the margin is called no loss: at most 5 %."""
    for kind in ("20 equal", "10 of 1 to 40", "40 lognormal", "100 lognormal"):
        for rho in (0.0, 0.3, 0.9):
            rng, wrong = np.random.default_rng(13), 0
            for _ in range(draws):
                of, clusters = normal(sizes_of(kind, rng), rho, rng)
                wrong += mean_of(of - 0.2, UNLIMITED, clusters).above(-0.2) < 0.05
            yield [f"{kind} clusters, correlation {rho:g}", f"{100 * wrong / draws:.1f} %"]


def line(design: str, held: float, lengths: np.ndarray) -> list[str]:
    """A row of the first table."""
    ratio = lengths[0] / lengths[1]
    return [design, f"{100 * held:.1f} %", f"{lengths[0]:.3f}", f"{lengths[1]:.3f}", f"{ratio:.2f}"]


def main() -> None:
    """Print both tables as Markdown, or write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("-o", "--output", type=Path)
    given = parser.parse_args()
    lines = ["| design | holds | length | textbook | ratio |", "|---|---:|---:|---:|---:|"]
    for rows in (means, clustered, shares):
        lines += [f"| {' | '.join(row)} |" for row in rows(given.draws)]
    lines += ["", "| a loss of just the margin | called no loss |", "|---|---:|"]
    lines += [f"| {' | '.join(row)} |" for row in margins(given.draws)]
    text = "\n".join(lines) + "\n"
    if given.output is None:
        print(text, end="")
    else:
        given.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
