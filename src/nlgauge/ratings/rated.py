"""Tables joined with ratings of their rows, and the settings by which their agreement is measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from nlgauge.data.corpus import Corpus
from nlgauge.data.table import Column, ScoreTable
from nlgauge.data.table.column import PROBABILITY, UNSEEN_PROBABILITY
from nlgauge.errors import InputError
from nlgauge.maths.intervals import expanded
from nlgauge.maths.prediction_powered import Design, Integers
from nlgauge.ratings.join import Grid, Ratings, Source, aspects_of, column_of, grid, number, ratings, turned
from nlgauge.ratings.matching import matched
from nlgauge.ratings.project import ProjectRatings
from nlgauge.ratings.refusing import blank, drift, unanswered
from nlgauge.ratings.sampling import Draw
from nlgauge.stats.arrays import Float, Mask
from nlgauge.stats.coefficients import COEFFICIENTS, SPECIAL
from nlgauge.stats.correlation import LEVELS
from nlgauge.stats.interrater import RaterAgreement
from nlgauge.stats.resampling import RESAMPLED

_FEW_SYSTEMS, _FEW_ITEMS = 5, 20
"""With fewer systems, or fewer items at system level, intervals hold the truth less often than they say"""


@dataclass(frozen=True)
class Measurement:
    """The settings of a measured agreement. Raises InputError for values that are unknown or contradict each other."""

    level: str
    coefficient: str
    resample: str
    confidence: float
    replicates: int
    seed: int

    def __post_init__(self) -> None:
        for what, chosen, choices in (
            ("level", self.level, LEVELS),
            ("coefficient", self.coefficient, (*COEFFICIENTS, *SPECIAL)),
            ("resample", self.resample, RESAMPLED),
        ):
            if chosen not in choices:
                raise InputError(f"the {what} {chosen!r} is unknown", remedy=f"take {', '.join(choices)}")
        if self.coefficient == "soft_accuracy" and self.level != "system":
            raise InputError("soft_accuracy compares systems", remedy="take level='system'")
        if self.coefficient == "accuracy_calibrated" and self.level == "pooled":
            problem = "accuracy_calibrated looks at all pairs of a sample"
            raise InputError(problem, remedy="take level='item' or 'system'")
        if self.coefficient == "pairwise_difference" and self.level != "item":
            raise InputError("pairwise_difference compares outputs for one item", remedy="take level='item'")
        if not 0 < self.confidence < 1:
            raise InputError(f"the confidence {self.confidence!r} is not between 0 and 1", remedy="0.95, for one")

    def percentiles(self, systems: int) -> float:
        """Return the share of resamples that an interval has to hold.

        If systems alone are resampled, the share is larger than the confidence (`expanded`). If both items and systems
        are resampled, the coefficients of the resamples vary more than the coefficient itself, and the confidence is
        large enough.

        Args:
            systems: the number of systems in the table.

        Returns:
            The share, from 0 to 1.
        """
        return expanded(self.confidence, systems) if self.resample == "systems" else self.confidence

    def too_few(self, items: int, systems: int) -> Iterator[str]:
        """Yield notes on why intervals of so few items or systems hold the truth less often than they say."""
        if self.resample == "systems" and systems < _FEW_SYSTEMS:
            yield f"{systems} systems say little about others: intervals hold the truth far less often than they say"
        if self.resample == "items" and self.level == "system" and items < _FEW_ITEMS:
            yield (
                f"the systems' means of {items} items are inexact, which makes correlations of systems smaller:"
                " intervals may hold that of exact means less often than they say"
            )


@dataclass(frozen=True)
class Joined:
    """A table joined with ratings of its rows."""

    table: ScoreTable
    place: Grid
    ratings: Ratings
    aspects: list[str]
    """The aspects to use"""

    def of(self, table: ScoreTable) -> Joined:
        """Return another table of the same rows, joined with the same ratings."""
        return self if table is self.table else replace(self, table=table)

    @cached_property
    def scores(self) -> dict[tuple[str, str], Float]:
        """The sub-scores that are shown, by (metric, sub-score), larger being better: [items, systems]."""
        return {
            (spec, part): self.place.of(by_row(self.table, column, column.parts.index(part)))
            for spec, column in self.table.columns.items()
            for part in column.shown
        }

    @cached_property
    def rated(self) -> dict[str, Float]:
        """The ratings by aspect: [items, systems]; NaN where there is none."""
        return {aspect: self.place.of(self.ratings.values[aspect]) for aspect in self.aspects}

    @property
    def fewest_rated(self) -> tuple[int, int]:
        """The least number of rated items of an aspect, and the least number of rated systems."""
        rated_tables = [~np.isnan(values) for values in self.rated.values()]
        items, systems = (min((int(rated.any(axis).sum()) for rated in rated_tables), default=0) for axis in (1, 0))
        return items, systems


def joined(table: ScoreTable, source: Source, aspects: Iterable[str] | None) -> Joined:
    """Return a table joined with ratings of its rows.

    Args:
        table: the table.
        source: where ratings come from, as `nlgauge.ratings.join.ratings` takes it.
        aspects: the aspects to use; None for all.

    Returns:
        The table with its grid of items and systems, its ratings and the names of the aspects.

    Raises:
        InputError: an aspect has no rating, and as `grid` and `ratings` of `nlgauge.ratings.join`.
    """
    place, rated = grid(table), ratings(table, source)
    chosen = list(rated.values) if aspects is None else list(aspects)
    if unknown := [aspect for aspect in chosen if aspect not in rated.values]:
        raise InputError(f"nothing is rated for {unknown[0]!r}", remedy=f"rated are {', '.join(rated.values)}")
    return Joined(table, place, rated, chosen)


def by_row(table: ScoreTable, column: Column, part: int) -> Float:
    """Return the numbers of a column for each row of a table, larger being better.

    Args:
        table: the table.
        column: a column of the table.
        part: the position of the sub-score in the column.

    Returns:
        The numbers: [rows]. With a corpus-level metric, each row has the number of its system.
    """
    values = turned(column, part)
    if column.level == "item":
        return values
    number = dict(zip(table.systems, values.tolist(), strict=True))
    return np.array([number[system] for system, _ in table.rows])


def unseen(table: ScoreTable, ratings: Mapping[str, Float], notes: list[str]) -> tuple[ScoreTable, frozenset[str]]:
    """Return a table in which the probabilities of panels of scorers are cross-fitted on the rated rows.

    Args:
        table: the scores.
        ratings: the ratings by aspect: [rows]; NaN for a row without one.
        notes: sentences for the reader are added to this list.

    Returns:
        The table, in which a rated row has a panel's probability by weights that were fitted without its rating. And
        the names of the panels that were fitted to some of the rated rows.
    """
    panels = {spec: column for spec, column in table.columns.items() if UNSEEN_PROBABILITY in column.parts}
    if not panels:
        return table, frozenset()
    rated = np.logical_or.reduce([~np.isnan(values) for values in ratings.values()])
    columns, here = dict(table.columns), set()
    for spec, column in panels.items():
        at, whole = column.parts.index(UNSEEN_PROBABILITY), column.parts.index(PROBABILITY)
        values = column.values.copy()
        values[:, whole] = values[:, at]
        columns[spec] = replace(column, values=values)
        if n := int(((column.values[:, whole] != values[:, whole]) & ~np.isnan(values[:, whole]) & rated).sum()):
            here.add(spec)
            notes.append(
                f"{spec} was fitted to {n} of the {int(rated.sum())} rated rows: these count with the probability by "
                "weights that were fitted without their rating (cross-fitted), and the intervals of its own decisions "
                "hold for any threshold; ratings of other rows say more"
            )
    return replace(table, columns=columns), frozenset(here)


def rated_items(*tables: Float) -> Mask:
    """Return which items [items] have a cell with a number in all tables [items, systems]."""
    rated: Mask = np.all([~np.isnan(table) for table in tables], axis=0)
    return np.asarray(rated.any(1))


def rated_part(*tables: Float) -> list[Float]:
    """Return tables cut to the cells that all of them have.

    Args:
        tables: the tables: [items, systems].

    Returns:
        The tables without the items and systems that have no common cell. A cell that some table lacks is NaN in all.
    """
    rated: Mask = np.all([~np.isnan(table) for table in tables], axis=0)
    cut = np.ix_(rated.any(1), rated.any(0))
    return [np.where(rated, table, np.nan)[cut] for table in tables]


@dataclass(frozen=True)
class RatedRows:
    """Ratings in the order of a table's rows, and how these rows were drawn."""

    values: dict[str, Float]
    """The ratings by aspect: [rows]; NaN for a row without one"""
    items: Integers
    """The number of each row's item, from 0: [rows]"""
    clusters: Integers | None
    """The number of each row's cluster, from 0: [rows]. None if rows do not belong to clusters"""
    strata: Integers
    probabilities: Float | None
    at_random: bool
    """Whether nothing is known of how rows were drawn. They are then assumed to be drawn at random from all rows"""
    notes: list[str]
    drawn_with: Float | None = None
    """The probability with which each row was drawn: [rows]; None where no draw gives it"""
    asked: Integers | None = None
    """The position of each row on the sheet, from 1, or 0 if it was not drawn: [rows]. None where it is not known"""
    blank: Mapping[str, Mask] = field(default_factory=dict)
    """By aspect, which rows raters left blank (`nlgauge.ratings.refusing.blank`): [rows]"""
    raters: Mapping[str, Float] = field(default_factory=dict)
    """By aspect, the ratings of each rater: [raters, rows], NaN where there is none. Empty where the raters are not
    known"""
    agreement: tuple[RaterAgreement, ...] = ()
    """The agreement of the raters of each aspect that has several raters"""
    scales: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By aspect, the least and the greatest possible rating, if a rating project gives them"""

    def of(self, aspect: str) -> RatedRows:
        """Return the same record with the ratings of one aspect alone."""
        values = self.values[aspect]
        probabilities = None if self.probabilities is None else np.where(np.isnan(values), 1.0, self.probabilities)
        return replace(self, values={aspect: values}, probabilities=probabilities)

    def asked_of(self, rows: Integers) -> Integers | None:
        """Return the positions on the sheet of some rows; None where they are not known."""
        return None if self.asked is None else self.asked[rows]

    def blank_of(self, aspect: str) -> Mask:
        """Return which rows are blank for an aspect: [rows]; no rows where no sheet is known."""
        return self.blank.get(aspect, np.zeros(len(self.items), bool))

    def probability(self, rated: Mask) -> Float | None:
        """Return the probability with which each row was drawn: [rows]; None if it is the same for all rated rows."""
        probability = self.drawn_with if self.drawn_with is not None else self.probabilities
        if probability is None and self.strata.any():
            probability = (np.bincount(self.strata, rated) / np.maximum(np.bincount(self.strata), 1))[self.strata]
        return None if probability is None or np.ptp(probability[rated]) < 1e-9 else probability

    def design(self, rows: Integers, rated: Mask) -> Design:
        """Return the sampling design of some rows: which are rated, strata, probabilities and clusters."""
        probabilities = None if self.probabilities is None else self.probabilities[rows]
        clusters = None if self.clusters is None else np.unique(self.clusters[rows], return_inverse=True)[1]
        return Design(rated, np.unique(self.strata[rows], return_inverse=True)[1], probabilities, clusters)


def fitted(table: ScoreTable, outputs: Corpus | None, source: Source) -> Corpus | None:
    """Return the outputs of a table's rows, with the items that these have in the table (`matched`).

    Args:
        table: the table.
        outputs: the outputs; None without them.
        source: the ratings.

    Returns:
        The outputs; None where there are none.

    Raises:
        InputError: as `matched`; or the outputs of a rating project were sampled in another order than they were
            scored.
    """
    if outputs is None:
        return None
    rows = matched(table, outputs)
    if isinstance(source, ProjectRatings) and outputs.digest == source.sampled:
        for number, (row, other) in enumerate(zip(outputs, rows, strict=True), 1):
            if row.item != other.item:
                problem = f"is item {other.item!r} in the scores, and was sampled as item {row.item!r}"
                raise InputError(problem, row=number, remedy="score the outputs that were sampled, in their order")
    return rows


def rated_rows(
    table: ScoreTable,
    source: Source,
    aspects: Sequence[str] | None,
    *,
    cluster: str | None = None,
    outputs: Corpus | None = None,
    draw: Draw | None = None,
) -> RatedRows:
    """Return ratings in the order of a table's rows, and how these rows were drawn.

    Args:
        table: the table.
        source: where ratings come from, as `nlgauge.ratings.join.ratings` takes it.
        aspects: the aspects to use; None for all.
        cluster: 'item', 'system' or a column of the outputs (else of the ratings). Rows with the same value are a
            cluster.
        outputs: the outputs of the table's rows.
        draw: how rows were drawn, if the ratings have names of a sheet for items; else None.

    Returns:
        The ratings, the design of the draw, and what is known of the raters.

    Raises:
        InputError: the ratings, the outputs or the draw do not fit the table.
    """
    outputs = fitted(table, outputs, source)
    source = matched(table, source) if isinstance(source, Corpus) else source
    if draw is not None and isinstance(source, Column):
        raise InputError("a column of ratings has no names of a sheet", remedy="give the rated sheet")
    resolved = source if draw is None or isinstance(source, Column) else draw.resolved(aspects_of(source))
    if isinstance(source, ProjectRatings):
        draw, resolved = source.draw, source
    both = joined(table, resolved, aspects or None)
    ratings = both.ratings
    values = {aspect: ratings.values[aspect] for aspect in both.aspects}
    any_rated = ~np.all([np.isnan(of_aspect) for of_aspect in values.values()], axis=0)
    notes = [f"{len(ratings.unscored)} rated outputs are not in the scores"] if ratings.unscored else []
    notes += ratings.notes
    items = np.array(both.place.place[0], np.intp)
    corpus = outputs if outputs is not None else source if isinstance(source, Corpus) else None
    strata, probabilities, at_random = np.zeros(len(table.rows), np.intp), None, True
    labels: list[Any] | None = None
    drawn_with, asked = None, None
    if draw is not None:
        drawn = draw.of(table.rows)
        strata, at_random = np.array([row.stratum for row in drawn], np.intp), False
        labels = [row.cluster for row in drawn]
        labels = None if all(label is None for label in labels) else labels
        drawn_with = np.array([row.probability for row in drawn])
        places = {row.name: place for place, row in enumerate(draw.sheet, 1)}
        asked = np.array([places.get(row.name, 0) for row in drawn], np.intp)
    elif isinstance(source, Corpus):
        strata_given = column_of(table.rows, source, "stratum")
        numbers = [number(cell, "a probability") for cell in column_of(table.rows, source, "probability")]
        if None not in strata_given:
            strata, at_random = codes(strata_given), False
        elif not all(np.isnan(numbers)):
            probabilities, at_random = _probabilities(np.array(numbers), any_rated), False
    if cluster is not None:
        labels = _labels(table, corpus, cluster)
    elif labels is None and table.clusters is not None:
        labels = list(table.clusters)
    clusters = None if labels is None else codes(labels)
    passed = dict[str, Mask]()
    if asked is not None:
        for aspect, of_rows in values.items():
            refused = source.refused.get(aspect, frozenset()) if isinstance(source, ProjectRatings) else frozenset()
            passed[aspect] = blank(asked, ~np.isnan(of_rows), np.array([key in refused for key in table.rows], bool))
        notes += _unanswered(table, values, asked=asked, clusters=clusters, passed=passed)
        if not isinstance(source, ProjectRatings):  # whose raters were looked at one by one
            order = np.argsort(asked, kind="stable")
            in_order = {aspect: of_rows[order][~np.isnan(of_rows[order])] for aspect, of_rows in values.items()}
            notes += [said for aspect, ordered in in_order.items() if (said := drift(ordered, aspect))]
    raters, agreement = dict[str, Float](), list[RaterAgreement]()
    if isinstance(source, ProjectRatings):
        for aspect in both.aspects:
            by_rater = source.raters.get(aspect, {}).values()
            raters[aspect] = np.array([[of.get(key, np.nan) for key in table.rows] for of in by_rater])
        agreement = [line for line in source.agreement if line.aspect in both.aspects]
        notes += source.told(both.aspects)
        if table.run.get("corpus") not in (None, source.sampled):
            notes.append(
                "the scores are not of the very outputs that were sampled: ratings hold for the same texts only"
            )
    return RatedRows(
        values=values,
        items=items,
        clusters=clusters,
        strata=strata,
        probabilities=probabilities,
        at_random=at_random,
        notes=notes,
        drawn_with=drawn_with,
        asked=asked,
        blank=passed,
        raters=raters,
        agreement=tuple(agreement),
        scales=source.scales if isinstance(source, ProjectRatings) else {},
    )


def _unanswered(
    table: ScoreTable,
    values: Mapping[str, Float],
    asked: Integers,
    clusters: Integers | None,
    passed: Mapping[str, Mask],
) -> Iterator[str]:
    """Yield notes by aspect on rows that were drawn and not rated.

    Args:
        table: the scores.
        values: the ratings by aspect: [rows]; NaN for a row without one.
        asked: the position of each row on the sheet, from 1, or 0 if it was not drawn: [rows].
        clusters: the cluster of each row: [rows]; None without clusters.
        passed: by aspect, which rows raters left blank: [rows].
    """
    columns = [column.values[:, 0] for column in table.columns.values() if column.level == "item"]
    scores = [np.where(np.isfinite(x), x, x[np.isfinite(x)].mean()) for x in columns if np.isfinite(x).any()]
    for aspect, of_aspect in values.items():
        of = np.array(scores).reshape(len(scores), -1).T
        missing = unanswered(of, ~np.isnan(of_aspect), asked=asked, clusters=clusters, left_out=passed[aspect])
        if missing.missing:
            yield f"{aspect}: {missing}"


def _labels(table: ScoreTable, corpus: Corpus | None, name: str) -> list[Any]:
    if name == "system":
        return [system for system, _ in table.rows]
    items = table.items
    if name == "item":
        return list(items)
    labels: list[Any] = [None] * len(table.rows) if corpus is None else column_of(table.rows, corpus, name)
    if missing := sum(label is None for label in labels):
        problem = f"{missing} of {len(labels)} rows of the scores have no {name!r} to be clustered by"
        raise InputError(problem, remedy="give the outputs, which have that column in every row")
    of: dict[str, Any] = {}
    for row, (item, label) in enumerate(zip(items, labels, strict=True), 1):
        if "items" in table.run and of.setdefault(item, label) != label:
            problem = f"the trials of item {item!r} are of several {name!r}"
            raise InputError(problem, row=row, remedy="cluster by what all trials of an item share")
    return labels


def codes(labels: Sequence[Any]) -> Integers:
    """Return a number for each label, counted from 0 in order of first appearance."""
    places = {label: n for n, label in enumerate(dict.fromkeys(map(str, labels)))}
    return np.array([places[str(label)] for label in labels], np.intp)


def _probabilities(probabilities: Float, rated: Mask) -> Float:
    wrong = rated & ~((probabilities > 0) & (probabilities <= 1))
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        problem = (
            f"the probability of a rated row is {probabilities[row]:g}" if not np.isnan(probabilities[row]) else None
        )
        raise InputError(problem or "a rated row has no probability", remedy="give one above 0 and up to 1 for each")
    return np.where(rated, probabilities, 1.0)
