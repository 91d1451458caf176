"""How much of an answer's wording its source has: what decides how far the number of a reader can be trusted.

An answer in the words of its source can be compared with it word by word. An answer in quite other words has to be
understood, which a small model can do for short texts alone: there its probabilities tell right from wrong answers no
better than chance. How well a model reads answers of each wording is measured (`nlgauge train thresholds`), and stands
on its card.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from nlgauge.maths.text import words

LONGER = 5
"""Letters of a word from which on it is one of the longer words, and of its beginning"""


LEAST_AREA = 0.65
"""A model cannot read answers of a band if the lower limit of its area there is below this"""
EDGES = (0.2, 0.35, 0.5, 0.65, 0.8)
"""The shares between which bands lie"""


class Band(NamedTuple):
    """How well a model reads answers of some wording."""

    begin: float
    end: float
    """Shares of wording [begin, end); the last band holds 1 too"""
    area: float
    """The chance that a right answer has the higher probability of two of which one is right; 0.5 says nothing"""
    low: float
    """Its lower limit"""


Bands: TypeAlias = Sequence[Band]


def readable(wording: float, bands: Bands) -> bool:
    """Return whether a model can read an answer by its wording; True where it was not measured."""
    return not any(
        band.begin <= wording and (wording < band.end or band.end >= 1) and band.low < LEAST_AREA for band in bands
    )


def shared_wording(text: str, others: Iterable[str]) -> float:
    """Return the share of the longer words of a text with which a word of another text begins alike.

    A longer word has five letters or digits at least, and its beginning is the first five of them, case-folded:
    "returning" begins as "returned" does. A word that stands several times counts as often. Of a text without longer
    words, all words count whole.

    Args:
        text: what an answer claims.
        others: the texts of its source.

    Returns:
        From 0 to 1; NaN for a text without words.
    """
    beginnings = {word[:LONGER] for other in others for word in words(other)}
    said = words(text)
    counted = [word for word in said if len(word) >= LONGER] or said
    return sum(word[:LONGER] in beginnings for word in counted) / len(counted) if counted else math.nan
