"""Words of a text and their sub-words."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_SCRIPTS_WITHOUT_SPACES = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")


def words(text: str, offsets: NDArray[np.int32] | Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """Return the index of the word that each sub-word belongs to.

    A sub-word continues the word before it if the two touch and both characters at the boundary are letters, digits or
    marks. So "can't" is three words, and "Zürich" is one, whatever its sub-words. In scripts without spaces between
    words, each sub-word is a word.

    Args:
        text: the text.
        offsets: the position of each sub-word in characters, in text order: [tokens, 2].

    Returns:
        Indexes from 0: [tokens].
    """
    numbers = np.zeros(len(offsets), np.int64)
    for i in range(1, len(offsets)):
        begin, before = int(offsets[i][0]), int(offsets[i - 1][1])
        # Sub-words of the same character (byte-level vocabularies) overlap.
        touch = begin == before and 0 < begin < len(text)
        same = begin < before or (touch and _joins(text[begin - 1]) and _joins(text[begin]))
        numbers[i] = numbers[i - 1] + (not same)
    return numbers


def is_word(text: str) -> bool:
    """Return whether a text contains a letter or a digit, and not only punctuation, symbols or spaces."""
    return any(character.isalnum() for character in text)


def _joins(character: str) -> bool:
    if character.isascii():
        return character.isalnum()
    if not (character.isalnum() or unicodedata.category(character).startswith("M")):
        return False
    return not unicodedata.name(character, "").startswith(_SCRIPTS_WITHOUT_SPACES)
