"""Which ratings cannot give a valid interval, why, and what to do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nlgauge.errors import InputError
from nlgauge.maths.intervals import effective_groups
from nlgauge.maths.order import halves_p, high, runs, runs_p
from nlgauge.maths.prediction_powered import Design, Integers, selection_p
from nlgauge.stats.arrays import Float, Mask

LEAST = 20
"""Rated rows, and clusters that hold them, under which no interval is given"""
LEAST_EFFECTIVE = 5
"""Clusters of equal size that say as much as those with ratings, under which no interval is given"""
LEAST_TOGETHER = 30
"""The same where several metrics are fitted to the ratings"""
CHOSEN = 0.001
"""p under which rated rows count as chosen by their score"""
SORTED = 1e-4
"""p under which ratings with less than a third of the runs that random order brings count as sorted"""
DRIFT = 0.01
"""p under which ratings count as changed along the sheet"""
LEFT_OUT = 0.5
"""The share of rows that raters may leave out, of those up to the last that is rated"""
UNREACHED = 0.05
"""Rows behind the last rated one count as not reached where they are so many that raters who leave out rows as often as
before it would leave out all of them with at most this probability"""


@dataclass(frozen=True)
class Unanswered:
    """Rows that were drawn and that nobody rated."""

    drawn: int
    missing: int
    left_out: int
    """Those that are `blank`; the others are only not reached yet, in random order"""
    reached: int
    """Rows that are rated or left out"""
    p: float
    """The smallest p, over the metrics, that their scores are like those of the rated rows; NaN where none is tested"""

    @property
    def problem(self) -> str | None:
        """Why the rated rows are no sample of those that were drawn, and what to do."""
        if self.p < CHOSEN:
            problem = (
                f"{self.missing} of {self.drawn} rows that were drawn are not rated, and their scores are not like"
            )
            return f"{problem} those of the rated rows (p {self.p:.1g}): rate them too"
        if self.left_out > LEFT_OUT * self.reached:
            problem = f"{self.left_out} of {self.reached} rows up to the last rated one are left out"
            return f"{problem}, and at most {LEFT_OUT:.0%} may be: rate them too, in the order of the sheet"
        return None

    def __str__(self) -> str:
        where = f"; blank, because raters passed them by: {self.left_out}" if self.left_out else ""
        problem = "" if self.problem is None else f"; {self.problem}"
        return f"{self.missing} of {self.drawn} rows that were drawn are not rated{where}{problem}"


def blank(asked: Integers, rated: Mask, refused: Mask | None = None) -> Mask:
    """Return which rows raters passed by: drawn, and not rated although a later row of the sheet is.

    `UNREACHED` says when rows behind the last rated row are blank too.

    Args:
        asked: the place of each row on the sheet, from 1; 0 where it was not drawn: [rows].
        rated: which rows are rated: [rows].
        refused: for which rows a rater says that they are not rated (n/a): [rows].

    Returns:
        Which rows are blank: [rows].
    """
    drawn = asked > 0
    seen = rated if refused is None else rated | refused
    before = drawn & (asked <= asked[seen & drawn].max(initial=0))
    passed, rest = before & ~rated, drawn & ~before
    share = float(passed.sum()) / max(1, int(before.sum()))
    return np.asarray(passed | rest if share ** int(rest.sum()) > UNREACHED else passed)


def unanswered(
    scores: Float, rated: Mask, asked: Integers, clusters: Integers | None, left_out: Mask | None = None
) -> Unanswered:
    """Return how rows that were drawn and not rated compare with the rated ones.

    Args:
        scores: those of the metrics: [rows, metrics].
        rated: which rows are rated: [rows].
        asked: the place of each row on the sheet, from 1; 0 where it was not drawn: [rows].
        clusters: what rows share: [rows].
        left_out: which rows are blank: [rows]; by default as `blank` says.

    Returns:
        How many rows are not rated, and whether their scores are like those of the rated rows.
    """
    drawn = asked > 0
    left_out = blank(asked, rated) if left_out is None else left_out
    of = None if clusters is None else np.unique(clusters[drawn], return_inverse=True)[1]
    p = [selection_p(x[drawn], rated[drawn], of) for x in scores.T]
    smallest = min((chance for chance in p if not math.isnan(chance)), default=math.nan)
    passed, rated_rows = int(left_out.sum()), int((drawn & rated).sum())
    return Unanswered(
        drawn=int(drawn.sum()),
        missing=int((drawn & ~rated).sum()),
        left_out=passed,
        reached=rated_rows + passed,
        p=smallest,
    )


def alike(ratings: Float, blanks: int) -> str | None:
    """Return why ratings that are all alike say nothing where raters passed rows by, and what to do.

    Args:
        ratings: of the rated rows: [rows].
        blanks: how many rows are blank.

    Returns:
        The reason; None where ratings differ, where no row is blank, or where no row is rated.
    """
    if not blanks or not len(ratings) or np.ptp(ratings) > 0:
        return None
    problem = f"all {len(ratings)} ratings are {ratings[0]:g}, and {blanks} of the {len(ratings) + blanks} rows"
    return f"{problem} up to the last rated one are blank: rate them too"


def drift(ratings: Float, whose: str, folder: Path | None = None) -> str | None:
    """Return what is to be said of ratings that changed along the sheet, whose rows are in random order.

    Args:
        ratings: of one rater, in the order of the sheet: [rows].
        whose: the aspect and the rater.
        folder: that of the rating project, for the error.

    Returns:
        A sentence; None where p of such a change is not below `DRIFT`.

    Raises:
        InputError: where the ratings are sorted, as those of a column are that a spreadsheet sorted alone.
    """
    labels = high(ratings)
    n, good, few = len(labels), int(labels.sum()), runs_p(labels)
    expected = 1 + 2 * good * (n - good) / n if n else 0.0
    if few < SORTED and 3 * runs(labels) < expected:
        problem = f"{whose}: the {n} ratings are sorted, and the rows of the sheet are not: {runs(labels)} runs of like"
        problem = f"{problem} ratings, where random order has about {expected:.0f} (p {few:.1g})"
        raise InputError(problem, file=folder, remedy="put each rating beside its row again, as before it was sorted")
    halves = halves_p(labels)
    if (p := min(1.0, 2 * min(few, halves))) >= DRIFT:
        return None
    if halves <= few:
        means = [float(part.mean()) for part in (ratings[: n // 2], ratings[n // 2 :])]
        how = f"their mean is {means[0]:.3g} in the first half and {means[1]:.3g} in the second"
    else:
        how = f"{runs(labels)} runs of like ratings, where random order has about {expected:.0f}"
    return f"{whose}: the ratings change along the sheet, whose rows are in random order (p {p:.1g}): {how}"


def refusal(
    y: Float,
    scores: Float | None,
    design: Design,
    at_random: bool,
    asked: Integers | None = None,
    bounds: tuple[float, float] | None = None,
    left_out: Mask | None = None,
) -> str | None:
    """Return why no interval would be valid, and what to do.

    Args:
        y: the ratings: [rows].
        scores: [rows, metrics]; None where a metric has no score on any row.
        design: how rows were drawn, and which are rated.
        at_random: whether nothing is said of how rows were drawn, so that they have to be drawn from all.
        asked: the place of each row on the sheet, 0 for none: [rows]; None where it is not known.
        bounds: the ends of the scale of y, where it is known.
        left_out: which rows are `blank`: [rows].

    Returns:
        The reason; None where an interval is valid.
    """
    n, units = int(design.rated.sum()), design.units
    rate = "rate more, drawn by nlgauge sample"
    if n < LEAST:
        return f"{n} rows are rated, and at least {LEAST} are needed: {rate}"
    if units < LEAST:
        return f"the ratings are of {units} clusters, and at least {LEAST} are needed: {rate}, of other clusters"
    if scores is not None and scores.shape[1] > 1 and units < LEAST_TOGETHER:
        what = "rows are rated" if design.clusters is None else "clusters hold ratings"
        fewest = f"and at least {LEAST_TOGETHER} are needed where several metrics are fitted to ratings"
        return f"{units} {what}, {fewest}: take one metric, or {rate}{', of other clusters' * (units < n)}"
    if scores is None:
        return "a metric has no score on any row: name others"
    if not np.isfinite(y[design.rated]).all():
        return "a rating is infinite, and so would the mean be: leave it out"
    if left_out is not None and (problem := alike(y[design.rated], int(left_out.sum()))):
        return problem
    if bounds is None and np.ptp(y[design.rated]) == 0:
        return (
            f"all {n} ratings are {y[design.rated][0]:g}, which does not say how often others occur: say from where to "
            f"where the ratings go, with scale, as in --scale 1 5, or {rate}"
        )
    sizes = np.ones(n) if design.clusters is None else np.bincount(design.clusters, design.rated).astype(float)
    if (effective := effective_groups(sizes)) < LEAST_EFFECTIVE:
        return (
            f"the ratings are of {units} clusters that say as much as {effective:.1f} of equal size, and at least "
            f"{LEAST_EFFECTIVE} are needed: {rate}, of other clusters"
        )
    if design.probabilities is None:
        of_rated, of_all = np.bincount(design.strata, design.rated), np.bincount(design.strata)
        if (of_rated[of_all > 0] < 2).any():
            return f"a stratum has fewer than 2 rated rows: {rate}"
    if asked is not None and (
        problem := unanswered(scores, design.rated, asked=asked, clusters=design.clusters, left_out=left_out).problem
    ):
        return problem
    if at_random and chosen_by_score(scores, design):
        problem = "the rated rows' scores are not like those of the others, so they were not drawn at random"
        return f"{problem}: give the folder of nlgauge sample, or the column probability with which each row was drawn"
    return None


def chosen_by_score(scores: Float, design: Design) -> bool:
    """Return whether the scores [rows, metrics] of the rated rows are unlike those of the others, by any metric."""
    return any(selection_p(x, design.rated, design.clusters) < CHOSEN for x in scores.T)
