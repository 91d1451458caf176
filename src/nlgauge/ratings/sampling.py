"""`nlgauge.sample`: a random draw of rows that people rate, from which `nlgauge.estimate` estimates all rows.

A `Draw` holds all rows of the outputs, and how the rows to be rated were drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.data.corpus import Corpus
from nlgauge.data.corpus.row import of_trial
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.selection import meant
from nlgauge.errors import InputError, SpecError
from nlgauge.maths.prediction_powered import Integers
from nlgauge.ratings.join import Key, column_of, keyed, refuse_twice, turned
from nlgauge.ratings.matching import matched
from nlgauge.ratings.trials import each_trial
from nlgauge.stats.arrays import Float


@dataclass(frozen=True)
class DrawnRow:
    """A row of the outputs, which was drawn or not."""

    system: str
    item: str
    probability: float
    """The probability with which the row is drawn"""
    stratum: int = 0
    cluster: str | None = None
    """The cluster of the row, if whole clusters were drawn; None if single rows were drawn"""
    name: str | None = None
    """The name of the row on the sheet; None if the row was not drawn"""
    trial: str | None = None
    """The name of the trial, if the system was run several times on the item; else None"""

    @property
    def key(self) -> Key:
        """The system, with the item or with the name that `nlgauge.data.corpus.row.of_trial` gives a trial."""
        return self.system, of_trial(self.item, self.trial)


@dataclass(frozen=True)
class Draw:
    """All rows of the outputs, in their order, with the names of those that are on the sheet."""

    rows: tuple[DrawnRow, ...]

    @property
    def sheet(self) -> list[DrawnRow]:
        """The rows to be rated, in the order of the sheet."""
        return sorted((row for row in self.rows if row.name is not None), key=lambda row: row.name or "")

    @property
    def of_trials(self) -> bool:
        """Whether the rows are trials of items."""
        return any(row.trial is not None for row in self.rows)

    def resolved(self, ratings: dict[str, dict[Key, float]]) -> dict[str, dict[Key, float]]:
        """Return ratings by (system, item), from ratings by the names on the sheet.

        Args:
            ratings: by aspect, the ratings by (system, item), where the item is a name on the sheet.

        Returns:
            By aspect, the ratings by (system, item).

        Raises:
            InputError: a name is not on the sheet.
        """
        rows = {row.name: row.key for row in self.sheet}
        if stray := [name for scores in ratings.values() for _, name in scores if name not in rows]:
            remedy = "give the ratings of the rows that were drawn"
            raise InputError(f"{stray[0]!r} is rated and was not drawn", remedy=remedy)
        return {
            aspect: {rows[name]: score for (_, name), score in keyed(scores).items()}
            for aspect, scores in ratings.items()
        }

    def of(self, rows: Sequence[Key]) -> list[DrawnRow]:
        """Return the record of each row of a table, with its probability and its name on the sheet.

        Args:
            rows: the (system, item) of each row of the table.

        Returns:
            The records, in the order of the table.

        Raises:
            InputError: a row of the table is not among the outputs that were sampled.
        """
        by_key = {row.key: row for row in self.rows}
        if absent := [key for key in rows if key not in by_key]:
            system, item = absent[0]
            problem = (
                f"the outputs that were sampled have no row of system {system!r}, item {item!r}, and the scores do"
            )
            raise InputError(problem, remedy="score the outputs that were sampled, all of them and no others")
        return [by_key[key] for key in rows]


ALLOCATIONS = ("proportional", "neyman")
_EACH = 2
"""The least number of rows drawn from every stratum, which its variance needs"""


def sample(
    outputs: Corpus,
    n: int,
    *,
    scores: ScoreTable | None = None,
    metric: str | None = None,
    strata: int = 5,
    allocation: str = "proportional",
    cluster: str | None = None,
    seed: int = 0,
) -> Draw:
    """Draw n rows for people to rate, in random order, under names that hide their systems.

    Every system gets a share of n by its number of rows, and rows are drawn at random within each system. Where a
    system was run several times on an item, each trial is a row.

    Args:
        outputs: all outputs.
        n: the number of rows to draw.
        scores: a table of these outputs. If given, rows are drawn within strata, which are groups of rows with
            neighbouring scores.
        metric: the metric whose scores make the strata, with its sub-score; it may be left out if the table has only
            one metric.
        strata: the number of strata of each system, with about equally many rows in each.
        allocation: 'proportional' gives each stratum a part of n by its number of rows. 'neyman' multiplies this number
            with the standard deviation of the stratum's scores, which replaces that of the ratings (Neyman 1934). Each
            stratum gets at least 2 rows.
        cluster: 'item' or a column of the outputs. If given, whole clusters are drawn at random, as many as have about
            n rows together.
        seed: the seed of the draw.

    Returns:
        All rows of the outputs with their probabilities, and the names of the drawn ones on the sheet.

    Raises:
        InputError: n is not possible, an output is there twice, or the scores or the cluster do not fit the outputs.
        SpecError: the allocation is unknown, or arguments contradict each other.
    """
    if allocation not in ALLOCATIONS:
        raise SpecError(f"the allocation {allocation!r} is unknown: take {' or '.join(ALLOCATIONS)}")
    if cluster is not None and scores is not None:
        raise SpecError("whole clusters are drawn at random, and not by score: leave out the scores or the cluster")
    if allocation == "neyman" and scores is None:
        raise SpecError("the allocation 'neyman' is by the spread of scores: give the scores")
    rows = each_trial(outputs)
    if scores is not None:
        scores = scores.per_trial()
        rows = matched(scores, rows)
    keys = [(row.system, row.item) for row in rows]
    refuse_twice(keys, "the outputs", _REMEDY)
    if not 1 <= n <= len(keys):
        raise InputError(f"{n} of {len(keys)} rows cannot be drawn", remedy=f"draw from 1 to {len(keys)}")
    rng = np.random.default_rng([seed, len(keys), n])
    trials = [row.trial for row in outputs]
    items = [of if trial is None else row.item for (_, of), row, trial in zip(keys, outputs, trials, strict=True)]
    names = list(zip(items, trials, strict=True))
    if cluster is not None:
        labels = items if cluster == "item" else column_of(keys, rows, cluster)
        return _clusters(keys, labels, name=cluster, n=n, rng=rng, names=names)
    values = None if scores is None else _values(keys, scores, metric)
    numbers = {system: number for number, system in enumerate(rows.systems)}
    systems = np.array([numbers[system] for system, _ in keys])
    groups = systems if values is None else _strata(systems, values, strata)
    sizes = np.bincount(groups)
    spread = np.ones(len(sizes))
    if allocation == "neyman" and values is not None:
        finite = np.where(np.isfinite(values), values, values[np.isfinite(values)].min())
        spread = np.array([finite[groups == group].std() for group in range(len(sizes))])
    wanted = allocated(n, sizes, spread)
    drawn = np.zeros(len(keys), bool)
    for group, count in enumerate(wanted):
        drawn[rng.choice(np.flatnonzero(groups == group), count, replace=False)] = True
    return _named(
        keys,
        drawn,
        probabilities=wanted[groups] / sizes[groups],
        strata=groups,
        clusters=[None] * len(keys),
        rng=rng,
        names=names,
    )


_REMEDY = "give each output of a system an item of its own, or each run on an item a name in a column trial"


def allocated(n: int, sizes: Integers, spread: Float) -> Integers:
    """Return how many of n rows to draw from each stratum, in proportion to its size times its spread.

    Each stratum gets at least 2 rows, and at most all of its rows. The numbers are rounded by Jefferson's method.

    Args:
        n: the number of rows to draw.
        sizes: the number of rows in each stratum: [strata].
        spread: the standard deviation of each stratum's scores, or 1 for each: [strata].

    Returns:
        The number of rows to draw from each stratum: [strata].

    Raises:
        InputError: n is too small for 2 rows from each stratum.
    """
    least = np.minimum(_EACH, sizes)
    if least.sum() > n:
        problem = f"{n} rows are too few for {len(sizes)} strata, each of which needs {_EACH}"
        raise InputError(problem, remedy=f"draw {least.sum()} or more, or make fewer strata")
    weights = sizes * spread if (sizes * spread).any() else sizes.astype(float)
    wanted = least.copy()
    while wanted.sum() < n:
        # The stratum that is furthest behind its share takes the next row: Jefferson's way to round.
        open_ = wanted < sizes
        behind = np.where(open_, np.maximum(weights, 1e-12) / (wanted + 1), -math.inf)
        wanted[int(np.argmax(behind))] += 1
    return np.asarray(wanted)


def _values(keys: Sequence[tuple[str, str]], scores: ScoreTable, metric: str | None) -> Float:
    """Return a score for each row, larger being better, -inf if missing.

    Args:
        keys: the (system, item) of each row.
        scores: the scores.
        metric: the metric with its sub-score; None if the table has only one metric.

    Raises:
        InputError: the metric has one number for each system, or a row is not in the table.
    """
    spec, parts = meant(scores, metric)
    column = scores.columns[spec]
    if column.level != "item":
        raise InputError(f"{spec} has one number a system", remedy="name a metric that has one for each row")
    places = {key: place for place, key in enumerate(scores.rows)}
    if absent := [key for key in keys if key not in places]:
        system, item = absent[0]
        raise InputError(f"the scores have no row of system {system!r}, item {item!r}", remedy="score these outputs")
    values = turned(column, column.parts.index(parts[0]))[[places[key] for key in keys]]
    return np.where(np.isnan(values), -math.inf, values)


def _strata(systems: Integers, values: Float, strata: int) -> Integers:
    """Return the number of each row's stratum, by score within each system. Equal scores are in one stratum."""
    groups = np.zeros(len(values), np.intp)
    for system in range(int(systems.max()) + 1):
        rows = np.flatnonzero(systems == system)
        edges = np.quantile(values[rows], np.arange(1, strata) / strata, method="higher")
        groups[rows] = system * strata + np.searchsorted(edges, values[rows], side="right")
    return np.unique(groups, return_inverse=True)[1]


def _clusters(
    keys: Sequence[tuple[str, str]],
    labels: Sequence[object],
    name: str,
    n: int,
    rng: np.random.Generator,
    names: Sequence[tuple[str, str | None]],
) -> Draw:
    if None in labels:
        raise InputError(f"a row of the outputs has no {name!r} to be clustered by", remedy="name another column")
    codes = np.unique([str(label) for label in labels], return_inverse=True)[1]
    count = int(codes.max()) + 1
    wanted = min(count, max(1, round(n * count / len(keys))))
    drawn = np.isin(codes, rng.choice(count, wanted, replace=False))
    probability = np.full(len(keys), wanted / count)
    return _named(
        keys,
        drawn,
        probabilities=probability,
        strata=np.zeros(len(keys), np.intp),
        clusters=[str(label) for label in labels],
        rng=rng,
        names=names,
    )


def _named(
    keys: Sequence[tuple[str, str]],
    drawn: np.ndarray,
    probabilities: Float,
    strata: Integers,
    clusters: Sequence[str | None],
    rng: np.random.Generator,
    names: Sequence[tuple[str, str | None]],
) -> Draw:
    """Return the draw, in which the drawn rows have names in random order.

    The names have equally many digits, so that they sort correctly.

    Args:
        keys: the (system, item) of each row, where the item of a trial contains the trial.
        drawn: which rows are drawn: [rows].
        probabilities: the probability with which each row is drawn: [rows].
        strata: the number of each row's stratum: [rows].
        clusters: the cluster of each row; None where single rows are drawn.
        rng: the random numbers for the order of the names.
        names: the item and the trial of each row; the trial is None for a row that is no trial.
    """
    places = rng.permutation(np.flatnonzero(drawn))
    digits = len(str(len(places)))
    on_sheet = {int(row): f"r{number:0{digits}d}" for number, row in enumerate(places, 1)}
    return Draw(
        tuple(
            DrawnRow(
                system=system,
                item=item,
                probability=float(probabilities[row]),
                stratum=int(strata[row]),
                cluster=clusters[row],
                name=on_sheet.get(row),
                trial=trial,
            )
            for row, ((system, _), (item, trial)) in enumerate(zip(keys, names, strict=True))
        )
    )
