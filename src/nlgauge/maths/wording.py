"""The share of an answer's wording that its source has, which decides how far a model's probability can be trusted.

An answer in the words of its source can be compared with the source word by word. An answer in quite other words has to
be understood. A small model can do this only for short texts: for others, its probabilities separate right from wrong
answers no better than chance. How well a model reads answers of each wording is measured (`nlgauge train thresholds`),
and noted on the card of the model.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from nlgauge.maths.text import words

LONGER = 5
"""The fewest letters of a longer word, and the number of letters of its beginning"""


LEAST_AREA = 0.65
"""The least lower limit of the area (`Band.low`) with which a model can read answers of a band"""
EDGES = (0.2, 0.35, 0.5, 0.65, 0.8)
"""The shares of wording at which one band ends and the next begins"""


class Band(NamedTuple):
    """How well a model reads answers whose share of wording (`shared_wording`) is in a range."""

    begin: float
    end: float
    """The range of shares, [begin, end); the last band holds 1, too"""
    area: float
    """The area under the ROC curve: the probability that a right answer gets a higher probability of the model than a
    wrong one. 0.5 is chance"""
    low: float
    """The lower end of the interval of the area"""


Bands: TypeAlias = Sequence[Band]


def readable(wording: float, bands: Bands) -> bool:
    """Return whether a model with these bands can read an answer, by its share of wording; True if no band has it."""
    return not any(
        band.begin <= wording and (wording < band.end or band.end >= 1) and band.low < LEAST_AREA for band in bands
    )


def shared_wording(text: str, others: Iterable[str]) -> float:
    """Return the share of a text's longer words whose beginning a word of the source has, too.

    A longer word has at least five letters or digits. Its beginning is the first five of them, case-folded: "returning"
    begins like "returned". A word that the text has several times counts as often. In a text without longer words, all
    words are compared as a whole.

    Args:
        text: the claims of an answer.
        others: the texts of its source.

    Returns:
        The share, from 0 to 1; NaN for a text without words.
    """
    beginnings = {word[:LONGER] for other in others for word in words(other)}
    said = words(text)
    counted = [word for word in said if len(word) >= LONGER] or said
    return sum(word[:LONGER] in beginnings for word in counted) / len(counted) if counted else math.nan
