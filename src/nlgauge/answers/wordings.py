"""How well a scorer tells good from bad answers, by the share of their longer words that the source contains.

This share is called the wording of an answer. A scorer that compares words may be good for answers in the words of
their source, and no better than chance for answers in other words (`nlgauge.maths.wording`). For the models of nlgauge
this was measured, and their cards have the result. For any other scorer it is measured on the rated rows.
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
"""The least number of good rows, and of bad rows, with which a band of wording is measured"""


@dataclass(frozen=True, kw_only=True)
class WordingBand:
    """How well a scorer tells good from bad rows, on the rated rows within a band of wording."""

    begin: float
    end: float
    """The band holds the shares of wording from `begin` to below `end`; the last band also holds 1"""
    good: int
    bad: int
    auroc: Measured
    """The share of pairs of a good and a bad row of the band in which the good row has the better score; ties count
    half"""

    @property
    def unread(self) -> bool:
        """Whether the scorer is not shown to tell good from bad rows, by the lower end of the AUROC's interval."""
        return not self.auroc.low >= LEAST_AREA

    @property
    def shares(self) -> str:
        """The shares of the band in words, such as 'under 20%'."""
        if self.begin == 0:
            return f"under {self.end:.0%}"
        return f"{self.begin:.0%} and more" if self.end == 1 else f"{self.begin:.0%} to {self.end:.0%}"


def wording_of(table: ScoreTable, outputs: Corpus) -> Float:
    """Return the wording of each row: the share of the answer's longer words that its source contains.

    Args:
        table: the scores.
        outputs: the outputs, joined to the rows by system and item. Several outputs of a system for one item give their
            mean.

    Returns:
        The wording, from 0 to 1: [rows]; NaN for a row without an output, a source or longer words.
    """
    shares: dict[Key, list[float]] = {}
    for row in matched(table, outputs):
        share = math.nan if row.source is None else shared_wording(row.candidate, [row.source])
        shares.setdefault((row.system, row.item), []).append(share)
    return np.array([np.mean(shares.get(key, [math.nan])) for key in table.rows])


def unread_below(scores: Float, bad: Mask, clusters: Integers, wording: Float) -> Band | None:
    """Return the widest band of wording from 0 on in which scores do not tell good from bad rows well enough.

    Args:
        scores: the scores of the rated rows, larger ones being better: [rated].
        bad: which of the rated rows are bad: [rated].
        clusters: the cluster of each row, such as its item: [rated].
        wording: the share of longer words that the source contains: [rated]; NaN where it is not known.

    Returns:
        The band; None if no band with enough good and enough bad rows has an AUROC below `LEAST_AREA`.
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
    """Return how well scores tell good from bad rows, for each band of wording with enough rows of both kinds.

    Args:
        scores: of the rated rows, larger ones being better: [rated].
        bad: which of them are bad: [rated].
        clusters: the cluster of each row, such as its item: [rated].
        wording: the share of longer words that the source contains: [rated].

    Returns:
        The bands, beginning with the smallest shares.
    """
    made = []
    for begin, end in pairwise((0.0, *EDGES, 1.0)):
        of = (wording >= begin) & ((wording < end) | ((end == 1) & (wording == 1)))
        wrong = int(bad[of].sum())
        if min(wrong, int(of.sum()) - wrong) >= FEWEST:
            area = auroc(scores[of], bad[of], clusters[of])
            made.append(WordingBand(begin=begin, end=end, good=int(of.sum()) - wrong, bad=wrong, auroc=area))
    return tuple(made)
