"""`nlgauge.sample`: which rows people should rate, so that `nlgauge.estimate` can say what they would say of all.

A `Draw` holds all rows of the outputs, and how those that are to be rated were drawn.
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
    """A row of the outputs, drawn or not."""

    system: str
    item: str
    probability: float
    """With which the row was to be drawn"""
    stratum: int = 0
    cluster: str | None = None
    """What whole clusters were drawn by; None where rows were drawn"""
    name: str | None = None
    """What the row is called on the sheet; None where it was not drawn"""
    trial: str | None = None
    """Which run of the system on the item it is, where the system was run several times"""

    @property
    def key(self) -> Key:
        """The system, and the item, or the trial of it (`nlgauge.data.corpus.row.of_trial`)."""
        return self.system, of_trial(self.item, self.trial)


@dataclass(frozen=True)
class Draw:
    """All rows of the outputs, in their order, and which of them are on the sheet."""

    rows: tuple[DrawnRow, ...]

    @property
    def sheet(self) -> list[DrawnRow]:
        """The rows that are to be rated, in the order of the sheet."""
        return sorted((row for row in self.rows if row.name is not None), key=lambda row: row.name or "")

    @property
    def of_trials(self) -> bool:
        """Whether rows are trials of items."""
        return any(row.trial is not None for row in self.rows)

    def resolved(self, ratings: dict[str, dict[Key, float]]) -> dict[str, dict[Key, float]]:
        """Return ratings of the sheet's names, by aspect, as ratings of rows.

        Args:
            ratings: by aspect, the ratings whose item is a name of the sheet.

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
        """Return the drawn row of each row of a table.

        Args:
            rows: the (system, item) of each row of the table.

        Returns:
            The rows of the outputs, in the order of the table.

        Raises:
            InputError: the outputs had other rows.
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
"""Rows that are drawn of every stratum at least, without which it has no variance"""


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
    """Draw n rows to be rated, in random order and under names that hide their systems, and keep how they were drawn.

    Every system gets its share of n, and rows are drawn at random within it. Where a system was run several times on an
    item, each trial is a row.

    Args:
        outputs: all outputs.
        n: how many rows are drawn.
        scores: a table of these outputs: rows are drawn within groups of rows with neighbouring scores.
        metric: whose scores these are, with its sub-score; may be left out where the table has one metric.
        strata: how many groups of equally many rows are made of a system's rows, where there are scores.
        allocation: 'proportional', each group by its number of rows; 'neyman', by this times the standard deviation of
            its scores, which stands for that of the ratings (Neyman 1934), at least 2 each.
        cluster: 'item' or a column of the outputs; whole clusters are drawn at random, as many as bring about n rows.
        seed: of the draw.

    Returns:
        All rows of the outputs, and which of them are on the sheet.

    Raises:
        InputError: something does not fit.
        SpecError: something cannot be meant.
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
    """Return how many of n rows to draw of each stratum, by its size times its spread.

    Each gets at least 2 rows and at most all; what is over goes where the rounding took most.

    Args:
        n: how many rows are drawn.
        sizes: how many rows each stratum has: [strata].
        spread: the standard deviation of each stratum, or 1 for each: [strata].

    Returns:
        The number of rows of each stratum: [strata].

    Raises:
        InputError: n is too small.
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
    """Return a score for each row, larger better, least where there is none. Raise InputError for a wrong table."""
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
    """Return groups of equally many rows by score, within each system; rows of one score share a group."""
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
    """Return the draw with names in random order, of equally many digits, so that they sort as the sheet does."""
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
