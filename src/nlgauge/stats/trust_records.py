"""What `nlgauge.trust` says: of each scorer and aspect, of the rows that are disputed, and of all together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from nlgauge.data.table.frame import Records
from nlgauge.render.tables import terminal
from nlgauge.stats.arrays import Float, Mask
from nlgauge.stats.certified import Bin
from nlgauge.stats.interrater import RaterAgreement

CHOSEN = "chosen on these ratings"
"""Where a threshold comes from that the ratings chose"""


@dataclass(frozen=True)
class Trust:
    """What ratings say of one scorer and one aspect. A bad row is stopped where its score is below the threshold."""

    metric: str
    """With its sub-score; for a combination, several that are joined by " + \""""
    aspect: str
    rated: int = 0
    """Rated rows that the numbers are of"""
    unscored: int = 0
    """Rated rows without a score: a threshold stops them, and Brier and ECE are of the others"""
    bad: int | None = None
    """Rated rows that are bad; None where the ratings are a scale and nothing says which are"""
    threshold: float = math.nan
    """In the scorer's own direction; NaN where every row passes"""
    threshold_from: str = ""
    """'given'; 'its own'; 'chosen on these ratings', for the best balanced accuracy: the shares are then cross-fitted,
    and their intervals hold for any threshold that ratings choose"""
    tpr: float = math.nan
    """The share of the bad rows that is stopped"""
    tpr_low: float = math.nan
    tpr_high: float = math.nan
    tnr: float = math.nan
    """The share of the good rows that passes"""
    tnr_low: float = math.nan
    tnr_high: float = math.nan
    kappa: float = math.nan
    """Cohen's, of decisions and ratings"""
    auroc: float = math.nan
    auroc_low: float = math.nan
    auroc_high: float = math.nan
    brier: float = math.nan
    """The mean squared distance of a probability from the rating; NaN where the score is no probability"""
    ece: float = math.nan
    """The expected calibration error over the fifths of the rated rows; NaN where the score is no probability"""
    ece_low: float = math.nan
    ece_high: float = math.nan
    pearson: float = math.nan
    """Over all rated rows; positive is agreement, also where lower is better"""
    pearson_low: float = math.nan
    pearson_high: float = math.nan
    spearman: float = math.nan
    kendall: float = math.nan
    pdp: float = math.nan
    """Pearson of the differences between two outputs for one item; NaN where no item has two"""
    pdp_low: float = math.nan
    pdp_high: float = math.nan
    effective: float = math.nan
    """How many ratings would say as much without the scorer (`nlgauge.estimate`, all systems together)"""
    mean: float = math.nan
    """The corrected mean rating of all rows: for yes or no, the share of bad rows"""
    mean_low: float = math.nan
    mean_high: float = math.nan
    certified: float = math.nan
    """The threshold that is certified at the asked risk (`nlgauge.calibrate`)"""
    certified_passing: float = math.nan
    """The share of all rows that passes it"""
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
    flips: float = math.nan
    """The share of these scores that does not decide as most of their row do"""
    flips_low: float = math.nan
    flips_high: float = math.nan
    anchors: int = 0
    """Rows that both runs have a score for"""
    moved: float = math.nan
    """Their mean score now, less the one before, in the scorer's own direction"""
    moved_low: float = math.nan
    moved_high: float = math.nan
    moved_p: float = math.nan
    """That it did not move, corrected by Holm for all scorers"""
    changed: float = math.nan
    """The share of them that is decided otherwise than before"""
    changed_low: float = math.nan
    changed_high: float = math.nan
    reason: str | None = None
    """Why there are no numbers of ratings, and what to do"""
    reliability: tuple[Bin, ...] = ()
    """For yes or no: the share of good rows by score"""

    def passes(self, scores: Float, higher_is_better: bool) -> Mask:
        """Return whether scores of this scorer reach its threshold."""
        sign = 1 if higher_is_better else -1
        limit = -math.inf if math.isnan(self.threshold) else sign * self.threshold
        return np.asarray(sign * scores >= limit)

    @property
    def answer(self) -> str:
        """One sentence."""
        if self.reason:
            return f"{self.metric}: {self.reason}."
        if self.bad is not None and not math.isnan(self.tpr) and not math.isnan(self.tnr):
            said = f"finds {self.tpr:.0%} of the bad rows and stops {1 - self.tnr:.0%} of the good ones"
        elif self.bad is not None:
            said = f"cannot be judged, as all {self.rated} rated rows are {'bad' if self.bad else 'good'}"
        else:
            said = f"agrees with people by a correlation of {self.pearson:.2f}"
        if not math.isnan(self.effective):
            much = f"raises the effective number of ratings from {self.rated:,} to {self.effective:,.0f}"
            said += f"; it {much}" if self.effective > 1.05 * self.rated else "; it saves no ratings"
        if self.unbeaten:
            said += f"; it is not shown to agree better than {' and '.join(self.unbeaten)}"
        if self.moved_p < 0.05:
            said += "; it moved since the earlier run"
        return f"{self.metric} {said}."


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
        cells = [
            [f"{v:.3g}" if isinstance(v := getattr(one, head), float) else str(v) for head in heads] for one in self
        ]
        return "\n".join([*self.answers, *terminal([heads, *cells]), *self.notes])
