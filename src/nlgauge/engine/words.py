"""Words of a text and the sub-words that they are made of."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_SCRIPTS_WITHOUT_SPACES = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")


def words(text: str, offsets: NDArray[np.int32] | Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """The number of the word that each sub-word belongs to, counted from 0: [tokens].

    offsets: [tokens, 2], in the order of the text. A sub-word goes on with the word before where the two touch and
    letters, digits or marks stand on both sides of the seam; so "can't" is three words and "Zürich" one whatever its
    pieces. Scripts that put no space between words have a word a sub-word.
    """
    numbers = np.zeros(len(offsets), np.int64)
    for i in range(1, len(offsets)):
        begin, before = int(offsets[i][0]), int(offsets[i - 1][1])
        # Pieces of one character (byte-level vocabularies) cover each other.
        same = begin < before or (begin == before and 0 < begin < len(text) and _inside(text[begin - 1], text[begin]))
        numbers[i] = numbers[i - 1] + (not same)
    return numbers


def is_word(text: str) -> bool:
    """Whether a piece of text holds a letter or a digit; else it is punctuation, a symbol or a space."""
    return any(character.isalnum() for character in text)


def _inside(left: str, right: str) -> bool:
    return _joins(left) and _joins(right)


def _joins(character: str) -> bool:
    if character.isascii():
        return character.isalnum()
    if not (character.isalnum() or unicodedata.category(character).startswith("M")):
        return False
    return not unicodedata.name(character, "").startswith(_SCRIPTS_WITHOUT_SPACES)
