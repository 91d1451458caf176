"""Words with static vectors, and the base class of metrics that compare such words.

The vector of a word is the mean over its sub-words' rows in the embedding table. Punctuation is left out. Words that
differ only in case are the same, whatever the model's vocabulary does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import Cost, Prepared
from nlgauge.engine.features.vectors import StaticRequest, TokenVectors
from nlgauge.engine.words import is_word, words
from nlgauge.maths.vectors import run_means, runs, unit
from nlgauge.metrics.references import ReferenceMetric

Array = NDArray[np.float64]

NO_DIRECTION = "the sum of a text's vectors is zero, which has no direction"


@dataclass(frozen=True)
class WordVectorMetric(ReferenceMetric[TokenVectors]):
    """The base class of metrics that compare static vectors of the words of candidate and reference."""

    cost: ClassVar[Cost] = "static"
    model: str | None = None

    def request(self, text: str, prepared: Prepared, reference: bool) -> StaticRequest:
        return StaticRequest(text)

    def unusable(self, side: TokenVectors) -> str | None:
        return too_short(side)


class WordTable(NamedTuple):
    """The words of a text, without punctuation."""

    names: NDArray[np.str_]
    """The words, case-folded: [words]"""
    vectors: Array
    """The vectors of the words: [words, width]"""
    spans: NDArray[np.int32]
    """The positions of the words in the text, in characters: [words, 2]"""


def words_of(feature: TokenVectors) -> WordTable:
    """Return the words of a text, from its sub-words."""
    starts, spans, names = _all_words(feature)
    kept = [i for i, name in enumerate(names) if is_word(name)]
    return WordTable(np.array([names[i] for i in kept]), run_means(feature.vectors[0], starts)[kept], spans[kept])


def too_short(feature: TokenVectors, least: int = 1) -> str | None:
    """Return the reason if a text has fewer than `least` words without punctuation, else None."""
    number = sum(map(is_word, _all_words(feature)[2]))
    if not number:
        return "nothing but punctuation"
    return None if number >= least else f"fewer than {least} words"


def similarity(first: WordTable, second: WordTable) -> Array:
    """Return the cosines of the words of two texts: [n, m]; exactly 1 between the same words."""
    same = first.names[:, None] == second.names
    return np.where(same, 1.0, unit(first.vectors) @ unit(second.vectors).T)


def _all_words(feature: TokenVectors) -> tuple[NDArray[np.intp], NDArray[np.int32], list[str]]:
    """Return the first sub-word, the position and the case-folded text of each word and each punctuation mark."""
    starts, spans = runs(words(feature.text, feature.offsets), feature.offsets)
    return starts, spans, [feature.text[begin:end].casefold() for begin, end in spans.tolist()]
