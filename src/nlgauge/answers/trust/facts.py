"""The facts that the numbers of trust are computed from: those of one scorer, for one aspect."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from nlgauge.answers.estimated_means import Estimate
from nlgauge.answers.rated_scores import Bin, Chosen, RatedScores
from nlgauge.answers.trust.decisions import CHOSEN, FITTED, Rule
from nlgauge.answers.wordings import WordingBand
from nlgauge.maths.inference import NOTHING, Measured
from nlgauge.stats.arrays import Float, Integers, Mask
from nlgauge.stats.decisions import auroc, calibration_error, chosen_share, rows_needed, share_of


@dataclass(frozen=True)
class Ranking:
    """The scores of the rated rows, larger ones being better, beside good and bad: each [rated]."""

    scores: Float
    bad: Mask
    clusters: Integers
    reliability: tuple[Bin, ...] = ()
    bands: tuple[WordingBand, ...] = ()
    """How well the scores tell good from bad rows, by wording; empty where the wording is not known"""

    @property
    def auroc(self) -> Measured:
        """The share of pairs of a good and a bad row in which the good one has the better score."""
        return auroc(self.scores, self.bad, self.clusters)


@dataclass(frozen=True)
class Decisions:
    """What a rule decides: each [rows]."""

    rule: Rule
    sign: int
    """1 where higher is better, -1 where lower is"""
    bad: Mask
    good: Mask
    """The rated rows that are good"""
    passed: Mask
    fitted: Mask
    """Who passes the threshold that was chosen on other folds; for a rule that was not chosen, who passes it"""
    clusters: Integers
    margin: float | None = None
    """Half the length that intervals are to have, where it is asked how many ratings that takes"""

    @property
    def rated(self) -> Mask:
        """The rated rows."""
        return self.bad | self.good

    @property
    def threshold(self) -> float:
        """In the scorer's own direction; NaN where every row passes."""
        return self.sign * self.rule.threshold if math.isfinite(self.rule.threshold) else math.nan

    @property
    def second(self) -> float:
        """That of the second model."""
        return self.sign * self.rule.second

    def share(self, of: Mask, hits: Mask, fitted: Mask) -> Measured:
        """Return the share of rows that are hit; of a threshold of these ratings by the hits of other folds."""
        if self.rule.origin in (CHOSEN, FITTED):
            return chosen_share(hits[of], fitted[of], self.clusters[of])
        return share_of(hits[of], self.clusters[of])

    def needed(self, of: Mask, hits: Mask) -> float:
        """Return how many rated rows of a kind make the interval of their share plus or minus the margin."""
        if self.margin is None:
            return math.nan
        chosen = self.rule.origin in (CHOSEN, FITTED)
        return rows_needed(hits[of], self.clusters[of], self.margin, any_threshold=chosen)

    @property
    def needed_bad(self) -> float:
        """How many rated rows have to be bad; NaN where no margin is asked for."""
        return self.needed(self.bad, ~self.passed)

    @property
    def needed_good(self) -> float:
        """How many rated rows have to be good; NaN where no margin is asked for."""
        return self.needed(self.good, self.passed)

    @property
    def needed_rows(self) -> float:
        """How many rows, drawn at random, have to be rated to reach `needed_bad` and `needed_good`."""
        bad = float(self.bad.sum() / self.rated.sum())
        both = [need / share for need, share in ((self.needed_bad, bad), (self.needed_good, 1 - bad)) if share]
        return math.nan if len(both) < 2 or any(map(math.isnan, both)) else math.ceil(max(both) - 1e-9)


@dataclass(frozen=True)
class Probability:
    """Scores that are probabilities that a row is good [rows], beside the rated rows that have one."""

    values: Float
    rows: RatedScores
    seed: int

    @property
    def brier(self) -> float:
        """The mean squared distance from the rating; NaN where no row has a score."""
        good = (~self.rows.bad).astype(float)
        return float(((self.values - good)[self.rows.rated] ** 2).mean()) if self.rows.rated.any() else math.nan

    @property
    def ece(self) -> Measured:
        """The expected calibration error."""
        return calibration_error(self.values, ~self.rows.bad, self.rows.clusters, self.rows.fifths(), seed=self.seed)


@dataclass(frozen=True)
class Promise:
    """The threshold that can be certified."""

    chosen: Chosen
    sign: int
    at_once: int
    blanks: int

    @property
    def threshold(self) -> float:
        """In the scorer's own direction; NaN where none can be certified."""
        return self.sign * self.chosen.threshold

    @property
    def passing(self) -> float:
        """The share of all rows that passes it."""
        return self.chosen.passing

    @property
    def reason(self) -> str | None:
        """Why none can be certified."""
        return self.chosen.reason

    @property
    def tipping(self) -> int | None:
        """How many blank rows have to be bad until none can be."""
        return self.chosen.tipping


class Correlations(NamedTuple):
    """How scores agree with ratings on a scale."""

    pearson: Measured
    spearman: float = math.nan
    kendall: float = math.nan
    pdp: Measured = NOTHING


class MayStandIn(NamedTuple):
    """Whether a scorer may stand in for a rater, and the raters that it wins against, as in '2 of 3'."""

    passed: bool | None
    won: str


class Repeats(NamedTuple):
    """The rows that were scored several times."""

    rows: int
    flips: Measured = NOTHING


class Injection(NamedTuple):
    """What orders in the texts do to a scorer."""

    rows: int
    """Rated rows that are bad and were stopped, and were scored again with an order in the candidate"""
    obeyed: Measured
    """The share of them that passes with the order"""


class Since(NamedTuple):
    """What anchors say of a scorer since an earlier run."""

    anchors: int
    mean: Measured
    """Of the difference of the mean scores"""
    mean_p: float
    """Corrected for all tests, as is the other p; with a history, for all comparisons too"""
    threshold: float
    changed: Measured
    righter: Measured
    righter_p: float


@dataclass(kw_only=True)
class Facts:
    """All facts of one scorer for one aspect. A part is None where the scorer has no such facts."""

    metric: str
    aspect: str
    rated: int
    rows: int
    unscored: int = 0
    single: float = math.nan
    reason: str | None = None
    sentinels: tuple[str, ...] = ()
    unbeaten: tuple[str, ...] = ()
    ranking: Ranking | None = None
    decisions: Decisions | None = None
    probability: Probability | None = None
    promise: Promise | None = None
    correlations: Correlations | None = None
    estimate: Estimate | None = None
    stand_in: MayStandIn | None = None
    repeats: Repeats | None = None
    injection: Injection | None = None
    since: Since | None = None
