"""What `nlgauge.trust` says: of each scorer and aspect, of the rows that are disputed, and of all together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from nlgauge.data.table.frame import Records
from nlgauge.maths.inference import NOTHING, Measured
from nlgauge.render.tables import terminal
from nlgauge.stats.certified import Bin
from nlgauge.stats.interrater import RaterAgreement
from nlgauge.stats.trust_decisions import HALF

SIGNIFICANT = 0.05
"""p below which a scorer is said to have moved"""


@dataclass(frozen=True, kw_only=True)
class Trust:
    """What ratings say of one scorer and one aspect. A bad row is stopped where its score is below the threshold.

    A number with its interval of 95 % is a `Measured` (value, low, high); in JSON and in data frames it is three, as
    `tpr`, `tpr_low` and `tpr_high`.
    """

    metric: str
    """With its sub-score; for a combination, several that are joined by " + \""""
    aspect: str
    rated: int = 0
    """Rated rows that the numbers are of"""
    rows: int = 0
    """All rows of the table"""
    unscored: int = 0
    """Rated rows without a score: a threshold stops them, and Brier and ECE are of the others"""
    bad: int | None = None
    """Rated rows that are bad; None where the ratings are a scale and nothing says which are"""
    single: float = math.nan
    """The one score that all rows have; NaN where they have several"""
    threshold: float = math.nan
    """In the scorer's own direction; NaN where every row passes, and where nothing is decided"""
    second_threshold: float = math.nan
    """That of the rows that the second model of a cascade decided; NaN where there is one threshold for all rows"""
    threshold_from: str = ""
    """'given'; 'its own'; '0.5, as it has one score alone'; 'chosen on these ratings', for the best balanced accuracy:
    the shares are then cross-fitted, and their intervals hold for any threshold that ratings choose; '' where nothing
    is decided"""
    tpr: Measured = NOTHING
    """The share of the bad rows that is stopped"""
    tnr: Measured = NOTHING
    """The share of the good rows that passes"""
    kappa: float = math.nan
    """Cohen's, of decisions and ratings"""
    auroc: Measured = NOTHING
    brier: float = math.nan
    """The mean squared distance of a probability from the rating; NaN where the score is no probability"""
    ece: Measured = NOTHING
    """The expected calibration error over the fifths of the rated rows; NaN where the score is no probability"""
    pearson: Measured = NOTHING
    """Over all rated rows; positive is agreement, also where lower is better"""
    spearman: float = math.nan
    kendall: float = math.nan
    pdp: Measured = NOTHING
    """Pearson of the differences between two outputs for one item; NaN where no item has two"""
    effective: Measured = NOTHING
    """How many ratings would say as much without the scorer (`nlgauge.estimate`, all systems together). It has no
    interval where all rows are rated"""
    mean: Measured = NOTHING
    """The corrected mean rating of all rows: for yes or no, the share of bad rows"""
    certified: float = math.nan
    """The threshold that is certified at the asked risk (`nlgauge.calibrate`)"""
    certified_passing: float = math.nan
    """The share of all rows that passes it"""
    certified_at_once: int = 0
    """The scorers of the aspect that were tried: all their promises together hold with the asked confidence
    (Bonferroni)"""
    not_certified: str | None = None
    """Why no threshold can be certified, and what to do"""
    blank: int = 0
    """Rows that raters passed by. They count as bad where a threshold is certified, and in nothing else"""
    tipping: int | None = None
    """How many of them have to be bad until no threshold can be certified (`nlgauge.stats.certified.Chosen`)"""
    sentinels: tuple[str, ...] = ()
    """What it was compared with: Length and CopyRate, where there are texts"""
    unbeaten: tuple[str, ...] = ()
    """Those of the sentinels that it is not shown to agree better than"""
    stand_in: bool | None = None
    """Whether it may stand in for a rater; None where too few rows have several raters, or a constant passes too"""
    won: str = ""
    """Raters that it wins against, as in '2 of 3'"""
    repeated: int = 0
    """Rows that were scored several times"""
    flips: Measured = NOTHING
    """The share of these scores that does not decide as most of their row do"""
    anchors: int = 0
    """Rows that both runs have a score for"""
    moved: Measured = NOTHING
    """Their mean score now, less the one before, in the scorer's own direction"""
    moved_p: float = math.nan
    """That it did not move, corrected by Holm for all tests of the comparison"""
    frozen: float = math.nan
    """The threshold by which both runs are decided: the given one, the scorer's own, or the best on the earlier scores
    of rated anchors"""
    changed: Measured = NOTHING
    """The share of the anchors that is decided otherwise than before"""
    righter: Measured = NOTHING
    """The share of the rated anchors that is decided as people rate them, less the same share before"""
    righter_p: float = math.nan
    """That this share did not change, corrected likewise"""
    reason: str | None = None
    """Why there are no numbers of ratings, and what to do"""
    reliability: tuple[Bin, ...] = ()
    """For yes or no: the share of good rows by score"""

    @property
    def has_moved(self) -> bool:
        """Whether the scorer is shown to judge otherwise than in the earlier run."""
        return self.moved_p < SIGNIFICANT or self.righter_p < SIGNIFICANT

    @property
    def answer(self) -> str:
        """One sentence."""
        if self.reason:
            return f"{self.metric}: {self.reason}."
        return f"{self.metric} {'; '.join(self._said())}."

    def _said(self) -> Iterator[str]:
        yield self._judged()
        if not math.isnan(self.effective.value):
            yield self._saved()
        if self.unbeaten:
            yield f"it is not shown to agree better than {' and '.join(self.unbeaten)}"
        if self.has_moved:
            yield f"it moved since the earlier run: {' and '.join(self._moved())}"

    def _moved(self) -> Iterator[str]:
        """What is shown to have moved; where decisions can be compared, also how many are others."""
        if self.moved_p < SIGNIFICANT:
            yield f"its mean score by {_number(self.moved)}"
        if self.righter_p < SIGNIFICANT:
            yield f"its share of right decisions by {_number(self.righter)}"
        if not math.isnan(self.changed.value):
            yield f"{_share(self.changed, self.anchors, 'of its decisions')}"

    def _judged(self) -> str:
        if self.bad is None:
            return f"agrees with people by a correlation of {_number(self.pearson, f'{self.rated:,} ratings')}"
        if self.bad in (0, self.rated):
            return f"cannot be judged, as all {self.rated:,} rated rows are {'bad' if self.bad else 'good'}"
        if not self.threshold_from:
            return f"decides nothing: all its scores are {self.single:g}, and only --threshold can say what that means"
        stops = Measured(*(1 - end for end in (self.tnr.value, self.tnr.high, self.tnr.low)))
        said = f"finds {_share(self.tpr, self.bad, 'of the bad rows')} and stops "
        said += _share(stops, self.rated - self.bad, "of the good ones")
        return f"{said}; all its scores are {self.single:g}, and 0.5 decides" if self.threshold_from == HALF else said

    def _saved(self) -> str:
        if self.rated >= self.rows:
            return "all rows are rated, so that there was nothing left to save"
        value, low, high = self.effective
        ends = f"at least {low:,.0f}" if high >= self.rows else f"95 % interval {low:,.0f} to {high:,.0f}"
        if not low > self.rated:
            return f"it is not shown to save ratings (they say as much as {value:,.0f}, {ends})"
        return f"it raises the effective number of ratings from {self.rated:,} to {value:,.0f} ({ends})"


def _share(share: Measured, n: int, of: str) -> str:
    """Return a share of n rows with count and interval, as '100% of them (3 of 3, 95 % interval 29 to 100%)'."""
    count = f"{round(share.value * n):,} of {n:,}"
    ends = "no interval" if math.isnan(share.low) else f"95 % interval {100 * share.low:.0f} to {share.high:.0%}"
    return f"{share.value:.0%} {of} ({count}, {ends})"


def _number(number: Measured, more: str = "") -> str:
    """Return a number with its interval."""
    ends = "no interval" if math.isnan(number.low) else f"95 % interval {number.low:.2f} to {number.high:.2f}"
    return f"{number.value:.2f} ({ends}{f'; {more}' if more else ''})"


@dataclass(frozen=True)
class Dispute:
    """A rated row on which a scorer and people differ much."""

    system: str
    item: str
    aspect: str
    rating: float
    scores: Mapping[str, float]
    """By scorer"""
    metric: str
    """The scorer that differs most"""
    apart: float
    """Its rank of the row less people's, in shares of the rated rows: above 0 where the scorer finds it better"""


@dataclass(frozen=True)
class Trusts(Records[Trust]):
    """What `trust` found: by aspect, a record for each scorer, and one for all of them together."""

    kind = Trust
    records: list[Trust]
    notes: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    """A sentence for each scorer"""
    disputes: list[Dispute] = field(default_factory=list)
    """The rows on which scorers and people differ most"""
    agreement: tuple[RaterAgreement, ...] = ()
    """Of the raters of each aspect that several people rated"""

    def __repr__(self) -> str:
        heads = ["metric", "aspect", "rated", "tpr", "tnr", "kappa", "auroc", "pearson", "effective"]
        cells = [[_cell(getattr(one, head)) for head in heads] for one in self]
        return "\n".join([*self.answers, *terminal([heads, *cells]), *self.notes])


def _cell(value: object) -> str:
    value = value.value if isinstance(value, Measured) else value
    return f"{value:.3g}" if isinstance(value, float) else str(value)
