"""How well a scorer tells good from bad answers by their wording: the share of their longer words that the source has.

A scorer that compares words may be good for answers in the words of their source, and no better than chance for answers
in other words (`nlgauge.maths.wording`). The models of nlgauge have this measured on their cards; for a scorer that is
brought by name, the rated rows say it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from nlgauge.data.corpus import Corpus
from nlgauge.data.table import ScoreTable
from nlgauge.maths.inference import Measured
from nlgauge.maths.wording import EDGES, LEAST_AREA, Band, shared_wording
from nlgauge.ratings.join import Key
from nlgauge.ratings.matching import matched
from nlgauge.stats.arrays import Float, Integers, Mask
from nlgauge.stats.decisions import auroc

FEWEST = 15
"""Good rows, and bad ones, from which on something is said of a band"""


@dataclass(frozen=True, kw_only=True)
class WordingBand:
    """How well a scorer tells good from bad rows, of the rated rows of some wording."""

    begin: float
    end: float
    """Shares of wording [begin, end); the last band holds 1 too"""
    good: int
    bad: int
    auroc: Measured
    """The share of pairs of a good and a bad row of the band in which the good one has the better score"""

    @property
    def unread(self) -> bool:
        """Whether the scorer is not shown to tell good from bad rows of the band."""
        return not self.auroc.low >= LEAST_AREA

    @property
    def shares(self) -> str:
        """The shares in words."""
        if self.begin == 0:
            return f"under {self.end:.0%}"
        return f"{self.begin:.0%} and more" if self.end == 1 else f"{self.begin:.0%} to {self.end:.0%}"


def wording_of(table: ScoreTable, outputs: Corpus) -> Float:
    """Return the share of the longer words of each row's answer that its source has.

    Args:
        table: the scores.
        outputs: the outputs, joined by system and item; of several rows of a system and item, the mean.

    Returns:
        [rows]; NaN for a row without an output, a source or words.
    """
    shares: dict[Key, list[float]] = {}
    for row in matched(table, outputs):
        share = math.nan if row.source is None else shared_wording(row.candidate, [row.source])
        shares.setdefault((row.system, row.item), []).append(share)
    return np.array([np.mean(shares.get(key, [math.nan])) for key in table.rows])


def unread_below(scores: Float, bad: Mask, clusters: Integers, wording: Float) -> Band | None:
    """Return the widest band from no shared wording on in which scores tell good from bad rows too badly.

    Args:
        scores: of the rated rows, larger ones being better: [rated].
        bad: which of them are bad: [rated].
        clusters: what each shares with others: [rated].
        wording: the share of the longer words that the source has: [rated]; NaN where it is not known.

    Returns:
        The band; None where no band has enough good and bad rows and an area under `LEAST_AREA`.
    """
    for end in reversed(EDGES):
        of = wording < end
        wrong = int(bad[of].sum())
        if min(wrong, int(of.sum()) - wrong) < FEWEST:
            continue
        area = auroc(scores[of], bad[of], clusters[of])
        if area.value < LEAST_AREA:
            return Band(0.0, end, area.value, area.low if math.isfinite(area.low) else 0.0)
    return None


def bands(scores: Float, bad: Mask, clusters: Integers, wording: Float) -> tuple[WordingBand, ...]:
    """Return how well scores tell good from bad rows, by wording; no band that has too few good or bad rows.

    Args:
        scores: of the rated rows, larger ones being better: [rated].
        bad: which of them are bad: [rated].
        clusters: what each shares with others: [rated].
        wording: the share of the longer words that the source has: [rated].

    Returns:
        The bands, of the least shares first.
    """
    made = []
    for begin, end in pairwise((0.0, *EDGES, 1.0)):
        of = (wording >= begin) & ((wording < end) | ((end == 1) & (wording == 1)))
        wrong = int(bad[of].sum())
        if min(wrong, int(of.sum()) - wrong) >= FEWEST:
            area = auroc(scores[of], bad[of], clusters[of])
            made.append(WordingBand(begin=begin, end=end, good=int(of.sum()) - wrong, bad=wrong, auroc=area))
    return tuple(made)
