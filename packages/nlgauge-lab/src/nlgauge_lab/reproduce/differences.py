"""Simulation of whether the intervals of `nlgauge estimate` hold the difference of two systems.

Files are drawn as in `coverage`, which does the same for single means.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from nlgauge.maths.prediction_powered import Design, Float, Integers
from nlgauge.maths.rated_means import RatedMeans, helps, inference, rated_means
from nlgauge.ratings.refusing import refusal
from nlgauge.stats.fitting import combined
from nlgauge_lab.reproduce.coverage import (
    ALONE,
    CONFIDENCE,
    ROWS_A_RATING,
    TOGETHER,
    Cell,
    Ends,
    Population,
    Tried,
    cover,
    promises,
    summed,
)

RATINGS = (50, 100)
"""Number of rated rows of each of the two systems"""
_LEAST_ROWS = 50
"""The least number of rated rows of a system that is used"""


class _Half(NamedTuple):
    """The rows of one of the two systems in a drawn file."""

    rows: Integers
    items: Integers
    """Position of each row's item among the drawn items: [rows]"""
    design: Design


def differences(population: Population, draws: int) -> list[Cell]:
    """Return the results of intervals for the difference of two systems; empty if the set has one system.

    Each draw takes two systems at random. It draws items with replacement, and takes the rows of both systems for the
    same items. The rated rows of one system are drawn independently of the rated rows of the other.
    """
    cells: list[Cell] = []
    first = next(iter(population.ratings))
    for aspect, ratings in population.ratings.items():
        place = _places(population, ratings)
        if len(place) < 2:
            continue
        for n in RATINGS:
            rng = np.random.default_rng([n, len(place), draws, 2])
            found: dict[str, list[tuple[Ends, float]]] = {}
            for _ in range(draws):
                pair = place[rng.choice(len(place), 2, replace=False)]
                halves = _file(pair[:, (pair >= 0).any(0)], n, rng)
                one, other = (float(ratings[rows[rows >= 0]].mean()) for rows in pair)
                for metric, ends in _intervals(population.scores, ratings, halves, aspect == first):
                    found.setdefault(metric, []).append((ends, one - other))
            cells += [summed(aspect, metric, n, drawn) for metric, drawn in found.items()]
    return cells


def tried(population: Population, draws: int) -> Tried:
    """Return the results of draws from a population: intervals of means and differences, and thresholds.

    Thresholds are tried only if the rows are labelled as supported or not.
    """
    return Tried(population, cover(population, draws), differences(population, draws), promises(population, draws))


def _places(population: Population, ratings: Float) -> Integers:
    """Return the number of the rated row of each system and item: [systems, items]; -1 where no row is rated.

    Systems with few rated rows are left out.

    Args:
        population: the rated set.
        ratings: the ratings of one aspect: [rows], NaN where a row has no rating.
    """
    known = np.flatnonzero(~np.isnan(ratings))
    place = np.full((int(population.systems.max()) + 1, int(population.clusters.max()) + 1), -1, np.intp)
    place[population.systems[known], population.clusters[known]] = known
    rated: Integers = place[(place >= 0).sum(1) >= _LEAST_ROWS]
    return rated


def _file(pair: Integers, n: int, rng: np.random.Generator) -> list[_Half]:
    """Return the rows of both systems in a drawn file.

    Args:
        pair: numbers of the two systems' rows: [2, items].
        n: number of rated rows of each system.
        rng: draws the items with replacement, and the rated rows.
    """
    drawn = rng.integers(pair.shape[1], size=pair.shape[1] * math.ceil(ROWS_A_RATING * n / pair.shape[1]))
    halves = []
    for rows in pair[:, drawn]:
        items = np.flatnonzero(rows >= 0)
        rated = np.zeros(len(items), bool)
        rated[rng.choice(len(items), n, replace=False)] = True
        halves.append(_Half(rows[items], items, Design(rated, np.zeros(len(items), np.intp))))
    return halves


def _intervals(
    scores: Mapping[str, Float], ratings: Float, halves: list[_Half], together: bool
) -> Iterator[tuple[str, Ends]]:
    """Yield for each metric the interval of the difference, as `nlgauge.estimate` computes it.

    The interval is None if the mean of one of the systems is refused.

    Args:
        scores: by metric, the scores of the set's rows: [rows].
        ratings: the ratings of the set's rows: [rows].
        halves: the drawn rows of the two systems.
        together: whether to yield an interval by all metrics combined too.
    """
    every = np.stack(list(scores.values()), 1)
    columns = {ALONE: np.zeros((len(every), 1)), **{metric: x[:, None] for metric, x in scores.items()}}
    for metric, x in {**columns, TOGETHER: every}.items() if together else columns.items():
        found: list[RatedMeans] = []
        places = np.cumsum([0, *(len(half.rows) for half in halves)])
        scale = (0.0, 1.0) if np.isin(ratings[~np.isnan(ratings)], (0, 1)).all() else None
        for start, (rows, _, design) in zip(places, halves, strict=False):
            y = ratings[rows]
            if refusal(y, x[rows], design, metric != ALONE, bounds=scale) is None:
                single = metric != TOGETHER
                one = (
                    x[rows, 0]
                    if single
                    else combined(x[rows], y, rated=design.rated, items=np.arange(len(rows)), seed=0)
                )
                means = rated_means(
                    y, one, design=design, scale=scale, least=-math.inf if single else 0.0, yes_no=scale is not None
                )
                found.append(means.placed(np.arange(start, start + len(rows)), int(places[-1])))
        yield metric, _ends(found, halves, scale) if len(found) == len(halves) else None


def _ends(found: list[RatedMeans], halves: list[_Half], scale: tuple[float, float] | None) -> tuple[float, float]:
    items = np.unique(np.concatenate([half.items for half in halves]), return_inverse=True)[1]
    rated = np.concatenate([half.design.rated for half in halves])
    helped, alone = ([getattr(one, kind) for one in found] for kind in ("helped", "alone"))
    by_scores, by_ratings = (inference(means, [items], rated, scale) for means in (helped, alone))
    return (by_scores if helps(by_ratings, by_scores) else by_ratings).interval(CONFIDENCE)
