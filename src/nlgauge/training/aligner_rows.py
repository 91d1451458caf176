"""Weakly labelled examples as rows of sub-words, as an aligner reads them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.engine.words import is_word, words
from nlgauge.training.weak_labels.examples import Example

_UNLABELLED = -1


@dataclass
class Encoded:
    """One example in sub-words."""

    ids: NDArray[np.int64]
    side: NDArray[np.int64]
    word: NDArray[np.int64]
    """[length]: the number of the word that a sub-word belongs to, -1 for special tokens and the context"""
    labels: NDArray[np.int64]
    """[words]: 1 supported, 0 not, -1 no word"""


def encode(example: Example, tokenizer: SubwordTokenizer, window: int) -> Encoded | None:
    """An example as a row of at most `window` sub-words, its context cut to fit.

    None where the text takes more than half of it, or has no labelled word.
    """
    text, context = tokenizer.encode([example.text, example.context])
    room = window - len(tokenizer.prefix) - 2 * len(tokenizer.suffix)
    if not 0 < len(text) <= room // 2:
        return None
    numbers = words(example.text, text.offsets)
    labels = np.full(int(numbers[-1]) + 1, _UNLABELLED)
    given = dict(zip(example.words, example.supported, strict=True))
    for number in range(len(labels)):
        own = text.offsets[numbers == number]
        place = int(own[0, 0]), int(own[-1, 1])
        if place in given and is_word(example.text[slice(*place)]):
            labels[number] = given[place]
    if not (labels != _UNLABELLED).any():
        return None
    rest = context.ids[: room - len(text)]
    before, after = len(tokenizer.prefix), len(tokenizer.suffix)
    ids = [*tokenizer.prefix, *text.ids, *tokenizer.suffix, *rest, *tokenizer.suffix]
    side = [0] * (before + len(text) + after) + [1] * len(rest) + [0] * after
    word = [-1] * before + numbers.tolist() + [-1] * (2 * after + len(rest))
    return Encoded(np.array(ids), np.array(side), np.array(word), labels)
