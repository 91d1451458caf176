"""Coverage and mean length of intervals and tests on difficult designs, compared with the textbook's, by simulation.

python benchmarks/intervals.py [--draws 1000] [--write] [--only WORD]

A design is a way to draw items, ratings and scores for which the truth is known. Each line says how often the printed
95 % interval holds the truth, and how long it is. It has the same for the textbook's interval: Wilson's for shares,
Student's t for means (with the jackknife over clusters), and the normal interval for rows of unequal probability. For a
test against a margin, the true loss equals the margin. "Holds" is then the share of draws in which the loss is not
called "no worse". --write puts the lines into docs/data/intervals.csv, and the table of families and the exceptions
into docs/statistics.md.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.maths.effective import Gain, effective_ratings
from nlgauge.maths.inference import UNLIMITED, Inference, Limits, mean_of
from nlgauge.maths.intervals import mean_spread, share_interval, student_quantile
from nlgauge.maths.prediction_powered import Design, powered
from nlgauge.maths.rated_means import RatedMeans, helps, inference, rated_means
from nlgauge.stats.interim import interim_of
from nlgauge.stats.trials import all_of, all_pass

Float = NDArray[np.float64]
Ends = tuple[float, float]
ROOT = Path(__file__).parents[1]
LEVEL = 0.95
LEAST = 0.93
"""An interval that holds the truth less often is listed below the table"""
YES_NO: Limits = (0.0, 1.0)
FIVE: Limits = (1.0, 5.0)
NOTHING: Ends = (math.nan, math.nan)
AT_FIVE = np.array([0.02, 0.03, 0.05, 0.1, 0.8])
"""The probabilities of the ratings 1 to 5"""


class Drawn(NamedTuple):
    """The result of one draw of a design: whether the interval holds the truth (1 or 0), and its length."""

    held: float
    """NaN if there is no interval, for example with less than 2 effective clusters"""
    length: float = math.nan
    textbook_held: float = math.nan
    textbook_length: float = math.nan
    powered_held: float = math.nan
    """The same as `held`, for the normal interval of PPI++. It is for ratings of rows that were drawn at random"""


def drawn(truth: float, ends: Ends, textbook: Ends | None = None, powered: Ends | None = None) -> Drawn:
    """Return the result of one draw, from the truth and the ends of each interval."""
    given = [ends, textbook or NOTHING, powered or NOTHING]
    held = [math.nan if math.isnan(low) else float(low - 1e-12 <= truth <= high + 1e-12) for low, high in given]
    return Drawn(held[0], ends[1] - ends[0], held[1], given[1][1] - given[1][0], held[2])


class Case(NamedTuple):
    """A design with a given size."""

    family: str
    design: str
    n: int
    """Number of items, clusters or ratings"""
    draw: Callable[[np.random.Generator], Drawn]


class Line(NamedTuple):
    """The results of a case over all draws: shares of draws, and mean lengths."""

    family: str
    design: str
    n: int
    holds: float
    length: float
    textbook_holds: float
    textbook_length: float
    powered_holds: float
    shortest: float
    """Length of the shortest interval of all draws"""

    @property
    def ratio(self) -> float:
        return self.length / self.textbook_length if self.textbook_length > 1e-9 else math.nan


def tried(case: Case, draws: int) -> Line:
    """Draw a case `draws` times, and return its results. The seed depends on the case and the number of the draw."""
    name = [ord(letter) for letter in f"{case.family}, {case.design}"]
    made = [case.draw(np.random.default_rng([number, case.n, *name])) for number in range(draws)]
    known = np.array(made)
    numbers = [float(one[~np.isnan(one)].mean()) if not np.isnan(one).all() else math.nan for one in known.T]
    return Line(*case[:3], *numbers, float(np.nanmin(known[:, 1])) if not math.isnan(numbers[1]) else math.nan)


# What the textbook says.


def student(values: Float) -> Ends:
    """Return Student's t interval for the mean of independent values."""
    half = student_quantile((1 + LEVEL) / 2, len(values) - 1) * values.std(ddof=1) / math.sqrt(len(values))
    return values.mean() - half, values.mean() + half


def jackknifed(values: Float, clusters: NDArray[np.intp]) -> Ends:
    """Return Student's t interval with the jackknife over clusters, in which all clusters have the same weight."""
    of = np.unique(clusters, return_inverse=True)[1]
    error, groups = (
        mean_spread(np.bincount(of, values).astype(float), np.bincount(of).astype(float)).error,
        of.max() + 1,
    )
    if groups < 3:
        return NOTHING
    half = student_quantile((1 + LEVEL) / 2, groups - 1) * error
    return float(values.mean()) - half, float(values.mean()) + half


def wilson(values: Float) -> Ends:
    """Return Wilson's score interval of a share."""
    return share_interval(float(values.mean()), len(values), LEVEL)


def of_ratings(y: Float, design: Design) -> Ends:
    """Return the textbook's interval from the ratings alone."""
    rated = y[design.rated]
    if design.clusters is not None:
        return jackknifed(rated, design.clusters[design.rated])
    if design.probabilities is not None:
        weights = design.weights / len(y)
        value = float((weights * y).sum())
        half = 1.96 * math.sqrt(float(((weights * (y - value))[design.rated] ** 2).sum()))
        return value - half, value + half
    if design.strata.any():
        value = square = 0.0
        for stratum in range(int(design.strata.max()) + 1):
            own = y[design.rated & (design.strata == stratum)]
            share = float((design.strata == stratum).mean())
            value, square = value + share * own.mean(), square + share**2 * own.var(ddof=1) / len(own)
        half = student_quantile((1 + LEVEL) / 2, len(rated) - int(design.strata.max()) - 1) * math.sqrt(square)
        return value - half, value + half
    return wilson(rated) if np.isin(y, (0, 1)).all() else student(rated)


# Values of items, and differences of two systems on the same items.

Values = Callable[[np.random.Generator, int], Float]


def shared(chances: Sequence[float], values: Sequence[float]) -> Values:
    """Return a function that draws values with given probabilities."""
    return lambda rng, n: rng.choice(np.asarray(values, float), n, p=np.asarray(chances, float))


def beta_or_one(rng: np.random.Generator, n: int) -> Float:
    return np.where(rng.random(n) < 0.85, 1.0, rng.beta(2, 2, n))


def two_raters(rng: np.random.Generator, n: int) -> Float:
    return (rng.random((2, n)) < 0.95).mean(0)


def zero_or_loss(rng: np.random.Generator, n: int) -> Float:
    return np.where(rng.random(n) < 0.9, 0.0, -np.minimum(1.0, rng.exponential(0.5, n)))


def zero_or_small(rng: np.random.Generator, n: int) -> Float:
    return np.where(rng.random(n) < 0.55, 0.0, rng.normal(0, 0.05, n))


LOSS = 0.1 * 0.5 * (1 - math.exp(-2))
"""The mean loss of `zero_or_loss`"""
MEANS: dict[str, tuple[Values, float, Limits]] = {
    "normal values": (lambda rng, n: rng.normal(size=n), 0.0, UNLIMITED),
    "beta values, mean .8": (lambda rng, n: rng.beta(8, 2, n), 0.8, YES_NO),
    "lognormal values": (lambda rng, n: rng.lognormal(0, 1, n), math.exp(0.5), UNLIMITED),
    "all equal to .9": (shared([1], [0.9]), 0.9, YES_NO),
    ".95, with 5 % at .2": (shared([0.95, 0.05], [0.95, 0.2]), 0.9125, YES_NO),
    "yes/no, .5 yes": (shared([0.5, 0.5], [1, 0]), 0.5, YES_NO),
    "yes/no, .9 yes": (shared([0.9, 0.1], [1, 0]), 0.9, YES_NO),
    "yes/no, .97 yes": (shared([0.97, 0.03], [1, 0]), 0.97, YES_NO),
    "85 % at 1, others beta": (beta_or_one, 0.925, YES_NO),
    "mean of two raters, .95 yes": (two_raters, 0.95, YES_NO),
    "1 to 5, 80 % at 5": (shared(AT_FIVE.tolist(), [1, 2, 3, 4, 5]), float(AT_FIVE @ [1, 2, 3, 4, 5]), FIVE),
}
DIFFERENCES: dict[str, tuple[Values, float, Limits]] = {
    "normal": (lambda rng, n: rng.normal(size=n), 0.0, UNLIMITED),
    "lognormal less their mean": (lambda rng, n: rng.lognormal(0, 1, n) - math.exp(0.5), 0.0, UNLIMITED),
    "all equal": (shared([1], [0]), 0.0, (-1.0, 1.0)),
    "90 % are 0, others a loss": (zero_or_loss, -LOSS, (-1.0, 1.0)),
    "55 % are 0, others small": (zero_or_small, 0.0, (-1.0, 1.0)),
    "yes/no, 5 % lose": (shared([0.95, 0.05], [0, -1]), -0.05, (-1.0, 1.0)),
    "yes/no, 2 % lose": (shared([0.98, 0.02], [0, -1]), -0.02, (-1.0, 1.0)),
    "yes/no, 7 % lose, 2 % gain": (shared([0.91, 0.07, 0.02], [0, -1, 1]), -0.05, (-1.0, 1.0)),
}


def means(rng: np.random.Generator, values: Values, truth: float, limits: Limits, n: int) -> Drawn:
    of = values(rng, n)
    is_share = limits == YES_NO and np.isin(of, (0, 1)).all()
    return drawn(truth, mean_of(of, limits).interval(LEVEL), wilson(of) if is_share else student(of))


def margins(rng: np.random.Generator, values: Values, truth: float, limits: Limits, n: int) -> Drawn:
    """Return the result of one test against a margin that equals the true loss."""
    return of_test(values(rng, n), truth, limits, None)


def of_test(of: Float, loss: float, limits: Limits, clusters: NDArray[np.intp] | None) -> Drawn:
    """Return whether a test does not exclude the true loss, which counts as holding.

    The textbook's test is Student's t.
    """
    p = mean_of(of, limits, clusters).above(loss)
    low, high = student(of) if clusters is None else jackknifed(of, clusters)
    freedom = (len(of) if clusters is None else len(np.unique(clusters))) - 1
    half = (high - low) / 2 * student_quantile(LEVEL, freedom) / student_quantile((1 + LEVEL) / 2, freedom)
    return Drawn(float(not p < 1 - LEVEL), textbook_held=float((low + high) / 2 - half <= loss))


def all_means() -> Iterator[Case]:
    for kind, designs in (("means of items", MEANS), ("paired differences", DIFFERENCES)):
        for name, design in designs.items():
            for n in (5, 8, 15, 30, 60):
                yield Case(kind, name, n, partial(means, values=design[0], truth=design[1], limits=design[2], n=n))
    for name in ("normal", "90 % are 0, others a loss", *list(DIFFERENCES)[-3:]):
        values, truth, limits = DIFFERENCES[name]
        shifted: Values = values if truth else lambda rng, n: rng.normal(-0.2, 1, n)
        of = partial(margins, values=shifted, truth=truth or -0.2, limits=limits)
        for n in (10, 20, 30, 60, 100, 200):
            yield Case("margin tests", name, n, partial(of, n=n))


# Items in clusters.


def sizes_of(kind: str, clusters: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return the number of items in each cluster: 5 if `kind` is 'equal', else lognormal with deviation 1."""
    return np.full(clusters, 5) if kind == "equal" else np.ceil(rng.lognormal(1, 1, clusters)).astype(int)


def yes_no_of(of: NDArray[np.intp], p: float, rho: float, rng: np.random.Generator) -> Float:
    """Return values of 1 and 0 for items whose correlation within clusters is rho. of: the cluster of each item."""
    count = int(of.max()) + 1
    chance = (rng.random(count) < p) * 1.0 if rho == 1 else rng.beta(p * (1 / rho - 1), (1 - p) * (1 / rho - 1), count)
    return (rng.random(len(of)) < chance[of]) * 1.0


def worse_with_size(sizes: NDArray[np.intp]) -> Float:
    """Return the share of good items in clusters of given sizes. It is lower in larger clusters."""
    return np.clip(0.97 - 0.02 * sizes, 0.3, 1)


_SIZES = sizes_of("lognormal", 1_000_000, np.random.default_rng(5))
WORSE = float((_SIZES * worse_with_size(_SIZES)).sum() / _SIZES.sum())


def clusters_of(rng: np.random.Generator, kind: str, what: str, count: int) -> Drawn:
    sizes = sizes_of(kind, count, rng)
    of = np.repeat(np.arange(count), sizes)
    limits: Limits = YES_NO
    if what == "normal":
        common, single = rng.normal(size=count)[of], rng.normal(size=len(of))
        values, truth, limits = math.sqrt(0.3) * common + math.sqrt(0.7) * single, 0.0, UNLIMITED
    elif what == "larger clusters worse":
        values, truth = (rng.random(len(of)) < worse_with_size(sizes)[of]) * 1.0, WORSE
    elif what == "loss":
        values, truth, limits = -yes_no_of(of, 0.064, 0.3, rng), -0.064, (-1.0, 1.0)
        return of_test(values, truth, limits, of)
    elif what == "all items yes":
        values, truth = np.ones(len(of)), 1.0
    else:
        truth, rho = YES_NO_CLUSTERS[what]
        values = yes_no_of(of, truth, rho, rng)
    return drawn(truth, mean_of(values, limits, of).interval(LEVEL), jackknifed(values, of))


YES_NO_CLUSTERS = {
    "yes/no, .9 yes, correlation .3": (0.9, 0.3),
    "yes/no, .97 yes, correlation .5": (0.97, 0.5),
    "yes/no, .95 yes, clusters all alike": (0.95, 1.0),
}


def all_clusters() -> Iterator[Case]:
    for kind in ("equal", "lognormal"):
        for what in ("normal", *YES_NO_CLUSTERS, "all items yes"):
            for n in (8, 15, 30):
                yield Case(
                    "items in clusters", f"{what}, {kind} sizes", n, partial(clusters_of, kind=kind, what=what, count=n)
                )
    for n in (15, 30, 60):
        what = "larger clusters worse"
        yield Case("items in clusters", what, n, partial(clusters_of, kind="lognormal", what=what, count=n))
    for n in (8, 15, 30):
        name = "yes/no in lognormal clusters, 6.4 % lose"
        yield Case("margin tests", name, n, partial(clusters_of, kind="lognormal", what="loss", count=n))


# Estimates from all scores and few ratings.


class Population(NamedTuple):
    """A way to draw ratings and scores of rows, with the true mean rating."""

    draw: Callable[[np.random.Generator, int], tuple[Float, Float]]
    truth: float
    scale: Limits | None
    yes_no: bool


def judge(p: float, missed: float, alarms: float) -> Population:
    """Return a population with a yes/no judge.

    The judge takes the share `missed` of the bad rows for good, and the share `alarms` of the good rows for bad.
    """

    def draw(rng: np.random.Generator, rows: int) -> tuple[Float, Float]:
        y, u = (rng.random(rows) < p) * 1.0, rng.random(rows)
        return y, np.where(y == 1, u >= alarms, u < missed) * 1.0

    return Population(draw, p, YES_NO, True)


def scorer(p: float, kind: str) -> Population:
    """Return a population with yes/no ratings and a continuous score."""

    def draw(rng: np.random.Generator, rows: int) -> tuple[Float, Float]:
        y, noise = (rng.random(rows) < p) * 1.0, rng.normal(size=rows)
        return y, y + noise / 2 if kind == "useful" else np.exp(1.5 * noise)

    return Population(draw, p, YES_NO, True)


def two_people(p: float) -> Population:
    """Return a population whose rating is the mean of two raters. They and a judge each err on 5 % of the rows."""

    def draw(rng: np.random.Generator, rows: int) -> tuple[Float, Float]:
        true, errs = rng.random(rows) < p, rng.random((3, rows)) < 0.05
        said = (true != errs) * 1.0
        return said[:2].mean(0), said[2]

    return Population(draw, 0.95 * p + 0.05 * (1 - p), YES_NO, True)


def of_five(chances: Float, errors: float, noise: float = 0.0, unit: float = 1.0) -> Population:
    """Return a population with ratings from 1 to 5.

    The score equals the rating, except for a share of rows (`errors`) where it is 1 or 5. Noise and a unit may be
    added.
    """

    def draw(rng: np.random.Generator, rows: int) -> tuple[Float, Float]:
        y = rng.choice(5, rows, p=chances) + 1.0
        x = np.where(rng.random(rows) < errors, rng.choice([1.0, 5.0], rows), y)
        return y, unit * (x + noise * rng.normal(size=rows))

    return Population(draw, float(chances @ [1, 2, 3, 4, 5]), FIVE, False)


def smooth(kind: str) -> Population:
    def draw(rng: np.random.Generator, rows: int) -> tuple[Float, Float]:
        y = rng.normal(size=rows) if kind == "normal" else rng.lognormal(0, 1, rows)
        return y, y + rng.normal(size=rows)

    return Population(draw, 0.0 if kind == "normal" else math.exp(0.5), None, False)


EVEN = np.full(5, 0.2)
POPULATIONS = {
    "yes/no, .8 good, judge errs in 2 %": judge(0.8, 0.02, 0.02),
    "yes/no, .9 good, judge errs in 2 %": judge(0.9, 0.02, 0.02),
    "yes/no, .8 good, judge misses .1 of the bad": judge(0.8, 0.1, 0.0),
    "yes/no, .8 good, poor judge": judge(0.8, 0.3, 0.3),
    "yes/no, .97 good, judge errs in 2 %": judge(0.97, 0.02, 0.02),
    "yes/no, .8 good, useful score": scorer(0.8, "useful"),
    "yes/no, .8 good, useless skewed score": scorer(0.8, "useless"),
    "two raters, .9 good, judge errs in 5 %": two_people(0.9),
    "1 to 5, judge errs in 2 %": of_five(EVEN, 0.02),
    "1 to 5, 80 % at 5, judge errs in 5 %": of_five(AT_FIVE, 0.05),
    "1 to 5, 80 % at 5, judge of 20 to 100": of_five(AT_FIVE, 0.0, unit=20.0),
    "1 to 5, 80 % at 5, noisy score": of_five(AT_FIVE, 0.05, noise=0.6),
    "1 to 5, 80 % at 5, score errs in 10 %, else exact to .02": of_five(AT_FIVE, 0.1, noise=0.02),
    "normal ratings": smooth("normal"),
    "lognormal ratings": smooth("lognormal"),
}


def said_of(means: RatedMeans, design: Design, scale: Limits | None) -> Inference:
    """Return the estimate that `nlgauge.estimate` gives for a system."""
    levels = [None] if design.clusters is None else [design.clusters, None]
    return inference([means.taken], levels, design.rated, scale)


def at_random(rng: np.random.Generator, of: Population, n: int) -> Drawn:
    y, x = of.draw(rng, 10 * n)
    design = Design(np.arange(10 * n) < n, np.zeros(10 * n, np.intp))
    made = rated_means(y, x, design, of.scale, yes_no=of.yes_no)
    found = powered(y, x, design)
    half = 1.96 * math.sqrt(float(found.influence @ found.influence))
    normal = found.estimate - half, found.estimate + half
    return drawn(of.truth, said_of(made, design, of.scale).interval(LEVEL), of_ratings(y, design), normal)


def by_strata(rng: np.random.Generator, wanted: tuple[int, int], good: tuple[float, float]) -> Drawn:
    """Return the result of one draw with two strata by score, and a number of ratings in each."""
    x = rng.random(1000)
    strata = (x >= 0.5).astype(np.intp)
    y = (rng.random(1000) < np.asarray(good)[strata]) * 1.0
    rated = np.zeros(1000, bool)
    for stratum, n in enumerate(wanted):
        rated[rng.choice(np.flatnonzero(strata == stratum), n, replace=False)] = True
    design = Design(rated, strata)
    made = rated_means(y, x, design, YES_NO, yes_no=True)
    return drawn(sum(good) / 2, said_of(made, design, YES_NO).interval(LEVEL), of_ratings(y, design))


def by_probability(rng: np.random.Generator, rare: float, often: float, good: float) -> Drawn:
    """Return the result of one draw in which rows with low scores are rated with a larger probability.

    One row in five has a low score, and half of these rows are good.
    """
    x = rng.random(1000)
    high = x > 0.2
    y = (rng.random(1000) < np.where(high, good, 0.5)) * 1.0
    probabilities = np.where(high, rare, often)
    design = Design(rng.random(1000) < probabilities, np.zeros(1000, np.intp), probabilities)
    made = rated_means(y, x, design, YES_NO, yes_no=True)
    return drawn(0.8 * good + 0.1, said_of(made, design, YES_NO).interval(LEVEL), of_ratings(y, design))


def by_cluster(rng: np.random.Generator, p: float | None, rated: int) -> Drawn:
    """Return the result of one draw of clusters, of which a quarter is rated. The judge is wrong on 10 % of the rows.

    Without p, larger clusters are worse.
    """
    sizes = np.ceil(rng.lognormal(*((0.8, 0.8) if p else (1, 1)), 4 * rated)).astype(int)
    of = np.repeat(np.arange(len(sizes)), sizes)
    y = yes_no_of(of, p, 0.2, rng) if p else (rng.random(len(of)) < worse_with_size(sizes)[of]) * 1.0
    x = np.where(rng.random(len(of)) < 0.1, 1 - y, y)
    design = Design(np.isin(of, rng.choice(4 * rated, rated, replace=False)), np.zeros(len(of), np.intp), None, of)
    made = rated_means(y, x, design, YES_NO, yes_no=True)
    return drawn(p or WORSE, said_of(made, design, YES_NO).interval(LEVEL), of_ratings(y, design))


def two_systems(rng: np.random.Generator, of: str, n: int, same: bool) -> Drawn:
    """Return the result of one draw of the difference of two systems on the same items.

    same: whether the same items are rated for both systems.
    """
    rows = 10 * n
    u, v = rng.normal(size=rows), rng.normal(size=(2, rows))
    both = math.sqrt(0.5) * (u + v)
    scale: Limits | None = YES_NO
    if of.startswith("yes/no"):
        good, errors = {"yes/no, .9 and .8": ((0.9, 0.8), 0.1)}.get(of, ((0.95, 0.95), 0.02))
        y = np.array([(one < NormalDist().inv_cdf(p)) * 1.0 for one, p in zip(both, good, strict=True)])
        x, truth = np.where(rng.random((2, rows)) < errors, 1 - y, y), good[0] - good[1]
    elif of.startswith("1 to 5"):
        first = rng.choice(5, rows, p=AT_FIVE) + 1.0
        y = np.array([first, np.where(rng.random(rows) < 0.1, np.maximum(1, first - 1), first)])
        x, truth = np.where(rng.random((2, rows)) < 0.05, rng.choice([1.0, 5.0], (2, rows)), y), 0.1 * 0.98
        scale = FIVE
    else:
        y, truth, scale = both + np.array([[0.2], [0.0]]), 0.2, None
        x = y + rng.normal(size=(2, rows))
    chosen = [rng.permutation(rows)[:n] for _ in range(2)]
    rated = np.zeros((2, rows), bool)
    rated[0, chosen[0]] = rated[1, chosen[0 if same else 1]] = True
    made = []
    for system in range(2):
        design = Design(rated[system], np.zeros(rows, np.intp))
        means = rated_means(y[system], x[system], design, scale, yes_no=scale == YES_NO)
        made.append(means.placed(np.arange(rows) + system * rows, 2 * rows))
    items, where = np.tile(np.arange(rows), 2), rated.ravel()
    helped, alone = (
        inference([getattr(one, kind) for one in made], [items], where, scale) for kind in ("helped", "alone")
    )
    if same:  # as nlgauge.estimate has it
        most = scale[1] - scale[0] if scale else math.inf
        alone = mean_of((y[0] - y[1])[rated[0]], (-most, most), ends=scale == YES_NO)
    by_scores = helps(alone, helped) and not (same and scale == FIVE)
    ends = (helped if by_scores else alone).interval(LEVEL)
    if same:
        return drawn(truth, ends, student((y[0] - y[1])[rated[0]]))
    first, second = y[0][rated[0]], y[1][rated[1]]
    half = student_quantile((1 + LEVEL) / 2, 2 * n - 2) * math.sqrt((first.var(ddof=1) + second.var(ddof=1)) / n)
    return drawn(truth, ends, (first.mean() - second.mean() - half, first.mean() - second.mean() + half))


def effective(rng: np.random.Generator, p: float, missed: float, alarms: float, n: int) -> Drawn:
    """Return the result of one draw of the interval of the effective number of ratings.

    The truth is the number that the best weight gives.
    """
    rows = 5000
    y, x = judge(p, missed, alarms).draw(rng, rows)
    design = Design(np.arange(rows) < n, np.zeros(rows, np.intp))
    low, high = effective_ratings([Gain.of(y, x, design)], design.rated, rows, None, LEVEL)
    said_good = p * (1 - alarms) + (1 - p) * missed
    explained = (p * (1 - alarms) - p * said_good) ** 2 / (said_good * (1 - said_good))
    truth = p * (1 - p) / ((p * (1 - p) - explained) / n + explained / rows)
    return drawn(truth, (low, high))


def all_estimates() -> Iterator[Case]:
    for name, of in POPULATIONS.items():
        for n in (30, 50, 100, 200):
            yield Case("estimates", name, n, partial(at_random, of=of, n=n))
    family = "estimates of strata and of known probabilities"
    for wanted, good in (
        ((30, 30), (0.6, 0.99)),
        ((45, 15), (0.6, 0.99)),
        ((30, 30), (0.6, 1.0)),
        ((30, 30), (0.8, 0.9)),
    ):
        name = f"two strata, {wanted[0]} and {wanted[1]} ratings, {good[0]:g} and {good[1]:g} good"
        yield Case(family, name, sum(wanted), partial(by_strata, wanted=wanted, good=good))
    for rare, often, share in ((0.02, 0.5, 0.98), (0.05, 0.5, 0.95), (0.03, 0.3, 0.9), (0.02, 0.5, 1.0)):
        name = f"probabilities {rare:g} and {often:g}, {share:g} of the rare rows good"
        yield Case(
            family, name, round(800 * rare + 200 * often), partial(by_probability, rare=rare, often=often, good=share)
        )
    for p in (0.7, 0.95, None):
        for n in (20, 40, 60):
            name = f"{p:g} good, correlation .2" if p else "larger clusters worse"
            yield Case("estimates of clusters", name, n, partial(by_cluster, p=p, rated=n))
    for same in (True, False):
        for of in ("yes/no, .9 and .8", "yes/no, .95 and .95", "1 to 5, 80 % at 5", "normal"):
            for n in (30, 50, 100):
                name = f"{of}, {'the same' if same else 'other'} items rated"
                yield Case("differences of estimates", name, n, partial(two_systems, of=of, n=n, same=same))
    for p, missed, alarms, counts in (
        (0.8, 0.05, 0.05, (30, 50, 100, 200)),
        (0.5, 0.05, 0.05, (30, 100)),
        (0.8, 0.3, 0.3, (50, 200)),
    ):
        for n in counts:
            name = f"{p:g} good, judge errs in {100 * alarms:.0f} %"
            yield Case(
                "effective number of ratings", name, n, partial(effective, p=p, missed=missed, alarms=alarms, n=n)
            )


# Interim analyses.

ANALYSES = 5


def interim(rng: np.random.Generator, good: float, lost: float, n: int) -> Drawn:
    """Return the result of five analyses of the same items against one baseline.

    It counts as holding if the intervals of all five analyses hold the truth.
    """
    before = (rng.random(n) < good) * 1.0
    truth = lost * (1 - 2 * good)
    made = []
    for number in range(1, ANALYSES + 1):
        now = np.where(rng.random(n) < lost, 1 - before, before)
        found = interim_of(now, before, clusters=None, limits=YES_NO, number=number, level=1 - LEVEL)
        made.append(drawn(truth, (found.low, found.high), student(now - before)))
    return made[-1]._replace(held=min(one.held for one in made), textbook_held=min(one.textbook_held for one in made))


def all_interim() -> Iterator[Case]:
    for good, lost in ((0.9, 0.05), (0.95, 0.02), (0.8, 0.1), (1.0, 0.03)):
        for n in (30, 60, 200):
            name = f"yes/no, {good:g} yes, {100 * lost:g} % change"
            yield Case("five interim analyses, all at once", name, n, partial(interim, good=good, lost=lost, n=n))


# Trials of items.


def correlated(rng: np.random.Generator, items: int, trials: int, mean: float, rho: float) -> NDArray[np.intp]:
    """Return how many trials of each item pass, if the items' probabilities have a beta distribution: [items]."""
    return rng.binomial(trials, rng.beta(mean * (1 / rho - 1), (1 - mean) * (1 / rho - 1), items)).astype(np.intp)


def all_of_k(mean: float, rho: float, k: int) -> float:
    """Return the true probability that k trials of an item all pass."""
    a, b = mean * (1 / rho - 1), (1 - mean) * (1 / rho - 1)
    return math.prod((a + i) / (a + b + i) for i in range(k))


def of_trials(rng: np.random.Generator, items: int, trials: int, k: int, mean: float, rho: float) -> Drawn:
    passed, counts = correlated(rng, items, trials, mean, rho), np.full(items, trials)
    ends = all_pass(passed, counts, k).interval(LEVEL)
    return drawn(all_of_k(mean, rho, k), ends, student(all_of(passed, counts, k)))


def two_of_trials(rng: np.random.Generator, items: int, trials: int, k: int, mean: float, rho: float) -> Drawn:
    """Return the result of one draw of the difference of two systems, the second of which passes less often."""
    chances = rng.beta(mean * (1 / rho - 1), (1 - mean) * (1 / rho - 1), items)
    counts = np.full(items, trials)
    first, second = (all_of(rng.binomial(trials, p), counts, k) for p in (chances, 0.9 * chances))
    said = mean_of(first - second, (-1.0, 1.0), magnitude=1.0)
    return drawn((1 - 0.9**k) * all_of_k(mean, rho, k), said.interval(LEVEL), student(first - second))


def all_trials() -> Iterator[Case]:
    for mean, rho in ((0.5, 0.3), (0.7, 0.1), (0.7, 0.5), (0.9, 0.3)):
        for trials in (2, 4, 8, 16):
            for k in sorted({2, trials // 2, trials} - {1}):
                for n in (20, 40, 100):
                    of = {"items": n, "trials": trials, "k": k, "mean": mean, "rho": rho}
                    name = f"{mean:g} pass, correlation {rho:g}, {trials} trials, k = {k}"
                    yield Case("pass^k of trials", name, n, partial(of_trials, **of))
                    if mean == 0.7 and k == max(2, trials // 2):
                        yield Case("paired differences of pass^k", name, n, partial(two_of_trials, **of))


def cases() -> list[Case]:
    return [*all_means(), *all_clusters(), *all_estimates(), *all_interim(), *all_trials()]


# The page.

HEADS = ["family", "design", "n", "holds", "length", "textbook holds", "textbook length", "ratio", "PPI++ holds"]


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def cells(line: Line) -> list[str]:
    """Return the cells of a line of the long table. A cell is empty if there is no number."""
    shares = [percent(line.holds), percent(line.textbook_holds), percent(line.powered_holds)]
    lengths = [f"{line.length:.3f}", f"{line.textbook_length:.3f}", f"{line.ratio:.2f}"]
    made = [line.family, line.design, str(line.n), shares[0], lengths[0], shares[1], lengths[1], lengths[2], shares[2]]
    return ["" if "nan" in cell.split(" ")[0] else cell for cell in made]


def between(values: Sequence[float], shown: Callable[[float], str]) -> str:
    known = [value for value in values if not math.isnan(value)]
    return f"{shown(min(known))} to {shown(max(known))}" if known else "-"


def families(lines: Sequence[Line]) -> dict[str, list[Line]]:
    return {
        name: [line for line in lines if line.family == name] for name in dict.fromkeys(one.family for one in lines)
    }


def summary(lines: Sequence[Line]) -> Iterator[str]:
    """Yield the lines of the table of families."""
    yield "| what | designs | holds | length / textbook's | the textbook's holds |"
    yield "|---|---:|---:|---:|---:|"
    for name, of in families(lines).items():
        held = between([one.holds for one in of], percent)
        ratio = between([one.ratio for one in of], "{:.2f}".format)
        textbook = between([one.textbook_holds for one in of], percent)
        yield f"| {name} | {len(of)} | {held} | {ratio} | {textbook} |"


def exceptions(lines: Sequence[Line]) -> Iterator[str]:
    """Yield a line for each design whose intervals hold the truth too rarely, with the shares by size."""
    for family, of in families(lines).items():
        for design in dict.fromkeys(one.design for one in of):
            low = [one for one in of if one.design == design and one.holds < LEAST]
            if low:
                yield f"- {family}, {design}: {', '.join(f'{percent(one.holds)} (n = {one.n})' for one in low)}"


def written(lines: Sequence[Line], draws: int, file: str) -> str:
    """Return the text between the markers of the page."""
    wrong = list(exceptions(lines))
    many = sum(one.holds < LEAST for one in lines)
    said = f"Of {len(lines)} designs and sizes, {many} hold in less than {percent(LEAST)} of {draws:,} draws:"
    of = [one.powered_holds for one in lines if not math.isnan(one.powered_holds)]
    ends = between(of, percent)
    others = f"The normal interval of PPI++ holds in {ends} of the draws of the {len(of)} designs of estimates."
    return "\n".join(
        [*summary(lines), "", f"[{file}](data/{file}): {len(lines)} rows.", "", said, "", *wrong, "", others]
    )


def main() -> None:
    """Try all designs and print each result, and write the page with `--write`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--only", default="", help="designs and families that have this in their name")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.only and given.write:
        parser.error("--write needs all designs: leave out --only")
    lines = []
    for case in cases():
        if given.only in f"{case.family}, {case.design}":
            lines.append(tried(case, given.draws))
            print(" | ".join(cells(lines[-1])), flush=True)
    file = "statistics-designs.csv"
    text = written(lines, given.draws, file)
    print(f"\n{text}")
    if given.write:
        with (ROOT / "docs" / "data" / file).open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows([HEADS, *map(cells, lines)])
        page = ROOT / "docs" / "statistics.md"
        before, _, rest = page.read_text(encoding="utf-8").partition("<!-- intervals -->\n")
        after = rest.partition("<!-- end of intervals -->")[2]
        page.write_text(f"{before}<!-- intervals -->\n{text}\n<!-- end of intervals -->{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
