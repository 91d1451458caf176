"""The words of a text, whose ends a word tokenizer and the model's sub-words agree on (MaskEval, section 3.1).

Training and scoring both use these words. A word ends only where both a sub-word and a word of the word tokenizer end,
so neither of them is ever split. For example, "don't sleepwalk!" becomes "don't", "sleepwalk", "!" if the sub-words are
"don ' t sleep walk !" and the word tokenizer gives "do n't sleepwalk !".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.words import words
from nlgauge.errors import MissingExtraError, SpecError

Segmenter: TypeAlias = Callable[[str, NDArray[np.int32]], NDArray[np.int64]]
"""A function from a text and its offsets [tokens, 2] to the index of each sub-word's word, from 0: [tokens]"""

PLAIN = "plain"
_SPACY = "spacy"


@cache
def segmenter(name: str) -> Segmenter:
    """Return a segmenter by name.

    spaCy's segmenters are the rules of its blank pipelines, without a model.

    Args:
        name: 'plain' (that of `engine.words`), 'spacy' (English) or 'spacy-de', 'spacy-ja', ...

    Returns:
        The segmenter.

    Raises:
        SpecError: the name is unknown.
        MissingExtraError: spaCy or a library for the language is missing.
    """
    if name == PLAIN:
        return lambda text, offsets: whole_words(text, offsets, words(text, offsets))
    library, _, language = name.partition("-")
    if library != _SPACY:
        raise SpecError(f"segmentation {name!r} is not 'plain', 'spacy' or 'spacy-' and the code of a language")
    tokenizer = _spacy_tokenizer(language or "en")

    def by_spacy(text: str, offsets: NDArray[np.int32]) -> NDArray[np.int64]:
        return common_words(text, offsets, [token.idx + len(token) for token in tokenizer(text)])

    return by_spacy


def _spacy_tokenizer(language: str) -> Any:
    try:
        import spacy
    except ImportError:
        raise MissingExtraError("segmentation='spacy'", "maskeval") from None
    try:
        return spacy.blank(language).tokenizer
    except ImportError as error:
        # spaCy's message names the library that the language needs, or says that there is no such language.
        reason = str(error).strip().splitlines()[0]
        raise SpecError(f"segmentation 'spacy-{language}': {reason}") from None


def common_words(text: str, offsets: NDArray[np.int32], ends: Sequence[int]) -> NDArray[np.int64]:
    """Return the word index of each sub-word, from the ends of the language's words.

    Sub-words that end at the same character or share one (the bytes of a letter, a lone word-start mark) stay together.

    Args:
        text: the text.
        offsets: the position of each sub-word in characters, in text order: [tokens, 2].
        ends: where each word of the language ends.

    Returns:
        The index of the word of each sub-word: [tokens].
    """
    word_ends = frozenset(ends)
    numbers = np.zeros(len(offsets), np.int64)
    last = 0
    for i in range(1, len(offsets)):
        last = max(last, int(offsets[i - 1, 1]))
        apart = int(offsets[i, 0]) >= last < int(offsets[i, 1])
        numbers[i] = numbers[i - 1] + (apart and last in word_ends)
    return whole_words(text, offsets, numbers)


def whole_words(text: str, offsets: NDArray[np.int32], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return word indexes in which a word of white space alone is joined to the next word, or to the last word."""
    out = np.zeros(len(numbers), np.int64)
    blank, word = True, 0
    for i in range(len(numbers)):
        if i and numbers[i] != numbers[i - 1] and not blank:
            word, blank = word + 1, True
        out[i] = word
        blank = blank and not text[offsets[i, 0] : offsets[i, 1]].strip()
    if blank and word:
        out[out == word] = word - 1
    return out


def spans(text: str, offsets: NDArray[np.int32], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first character of each word and the one after its last, without white space around it: [words, 2]."""
    count = int(numbers[-1]) + 1 if len(numbers) else 0
    out = np.zeros((count, 2), np.int64)
    for word in range(count):
        places = offsets[numbers == word]
        begin, end = int(places[:, 0].min()), int(places[:, 1].max())
        piece = text[begin:end]
        begin += len(piece) - len(piece.lstrip())
        out[word] = begin, begin + len(piece.strip())
    return out
