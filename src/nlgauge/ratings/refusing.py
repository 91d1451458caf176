"""Ratings that cannot give a valid interval, with the reasons and the remedies."""

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
"""With fewer rated rows, or fewer clusters with rated rows, no interval is given"""
LEAST_EFFECTIVE = 5
"""With a smaller effective number of clusters with ratings, no interval is given"""
LEAST_TOGETHER = 30
"""The number in place of `LEAST` if several metrics are fitted to the ratings"""
CHOSEN = 0.001
"""With a p below this, rated rows are taken to be chosen by their score"""
SORTED = 1e-4
"""With a p below this, and less than a third of the runs that a random order gives, ratings are taken to be sorted"""
DRIFT = 0.01
"""With a p below this, ratings are taken to change along the sheet"""
LEFT_OUT = 0.5
"""The largest share of rows that raters may leave blank, of the rows up to the last rated one"""
UNREACHED = 0.05
"""Rows after the last rated one count as not reached, unless raters who leave rows blank as often as before would leave
all of them blank with a larger probability than this"""


@dataclass(frozen=True)
class Unanswered:
    """The rows that were drawn and that nobody rated."""

    drawn: int
    missing: int
    left_out: int
    """The number of blank rows among them (`blank`). The others were not reached yet, and the sheet is in random
    order"""
    reached: int
    """The number of rows that are rated or blank"""
    p: float
    """The smallest p over the metrics, for the hypothesis that these rows have scores like the rated rows; NaN if
    untested"""

    @property
    def problem(self) -> str | None:
        """The reason why the rated rows are no sample of the drawn rows, with a remedy; None if they are."""
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
    """Return which rows raters left blank: drawn rows that are not rated although a later row of the sheet is.

    Rows after the last rated one are blank too if there are few of them (`UNREACHED`).

    Args:
        asked: the position of each row on the sheet, from 1, or 0 if it was not drawn: [rows].
        rated: which rows are rated: [rows].
        refused: which rows a rater calls not rated (n/a): [rows]; none by default.

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
    """Return a comparison of the drawn rows that are not rated with the rated ones.

    Args:
        scores: the scores: [rows, metrics].
        rated: which rows are rated: [rows].
        asked: the position of each row on the sheet, from 1, or 0 if it was not drawn: [rows].
        clusters: the cluster of each row: [rows]; None without clusters.
        left_out: which rows are blank: [rows]; by default as `blank` says.

    Returns:
        The numbers of rows that are not rated, and the p of whether their scores are like those of the rated rows.
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
    """Return a reason to refuse ratings that are all equal while some rows are blank, with a remedy.

    Args:
        ratings: the ratings of the rated rows: [rows].
        blanks: the number of blank rows.

    Returns:
        The reason; None where ratings differ, where no row is blank, or where no row is rated.
    """
    if not blanks or not len(ratings) or np.ptp(ratings) > 0:
        return None
    problem = f"all {len(ratings)} ratings are {ratings[0]:g}, and {blanks} of the {len(ratings) + blanks} rows"
    return f"{problem} up to the last rated one are blank: rate them too"


def drift(ratings: Float, whose: str, folder: Path | None = None) -> str | None:
    """Return a note on ratings that change along the sheet, although its rows are in random order.

    Args:
        ratings: the ratings of one rater, in the order of the sheet: [rows].
        whose: the aspect and the rater, for the note.
        folder: the folder of the rating project, for the error.

    Returns:
        The note; None if p of such a change is not below `DRIFT`.

    Raises:
        InputError: the ratings are sorted, which happens if a spreadsheet sorts a single column.
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
    """Return the reason why no interval would be valid, with a remedy.

    Args:
        y: the ratings: [rows].
        scores: the scores: [rows, metrics]; None if a metric has no score on any row.
        design: how rows were drawn, and which are rated.
        at_random: whether nothing is known of how rows were drawn, so that they are assumed to be drawn from all rows.
        asked: the position of each row on the sheet, from 1, or 0 if it was not drawn: [rows]; None where it is not
            known.
        bounds: the least and the greatest possible value of y; None where they are not known.
        left_out: which rows are blank: [rows].

    Returns:
        The reason; None if an interval is valid.
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
    """Return whether the scores [rows, metrics] of rated rows differ from those of the others, by any metric."""
    return any(selection_p(x, design.rated, design.clusters) < CHOSEN for x in scores.T)
