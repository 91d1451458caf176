"""N-grams of sequences, and the number of shared n-grams for many pairs at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

_SYMBOLS = 1 << 20
"""Minimum number of symbols in the pairs that are counted at a time"""


def ngrams(words: Sequence[str], n: int) -> Iterator[str]:
    """All n-grams of words, in order, joined by spaces; words must not contain spaces.

    Strings cache their hash, so that lookups take half the time of tuples.
    """
    return map(" ".join, zip(*[words[start:] for start in range(n)], strict=False))


def code_points(text: str) -> NDArray[np.int64]:
    """The characters of a text as numbers."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<i4").astype(np.int64)


def numbered(sequences: Sequence[Sequence[str]]) -> list[NDArray[np.int64]]:
    """Sequences of symbols as numbers from 0, with the same number for equal symbols in all of them."""
    numbers: dict[str, int] = {}
    return [np.array([numbers.setdefault(one, len(numbers)) for one in each], np.int64) for each in sequences]


def shared_ngrams(
    texts: Sequence[NDArray[np.int64]], pairs: Sequence[tuple[int, int]], longest: int
) -> NDArray[np.int64]:
    """For each pair of texts and each n up to `longest`: the number of n-grams of each text, and of shared ones.

    The last is the sum over n-grams of the smaller count. texts: sequences of symbols as numbers from 0. pairs: indexes
    of texts. [pairs, longest, 3].
    """
    chosen = np.array(pairs, np.int64).reshape(-1, 2)
    sizes = np.array([len(text) for text in texts], np.int64)
    parts = np.cumsum(sizes[chosen].sum(axis=1)) // _SYMBOLS
    ends = np.flatnonzero(np.diff(parts)) + 1
    return np.concatenate([_shared(texts, part, longest) for part in np.split(chosen, ends)])


def _shared(texts: Sequence[NDArray[np.int64]], pairs: NDArray[np.int64], longest: int) -> NDArray[np.int64]:
    used, pairs = np.unique(pairs, return_inverse=True)
    pairs = pairs.reshape(-1, 2)
    some = [texts[number] for number in used.tolist()]
    symbols = np.concatenate(some) if some else np.empty(0, np.int64)
    sizes = np.array([len(text) for text in some], np.int64)
    starts = np.cumsum(sizes) - sizes
    grams, step = np.zeros(len(symbols), np.int64), int(symbols.max(initial=0)) + 1
    out = np.zeros((len(pairs), longest, 3), np.int64)
    for n in range(1, longest + 1):
        left = np.maximum(sizes - n + 1, 0)
        # The number of an n-gram comes from its first (n-1)-gram and its last symbol, without hash collisions.
        at = _places(starts, left)
        known, grams[at] = np.unique(grams[at] * step + symbols[at + n - 1], return_inverse=True)
        keys = []
        for side in (0, 1):
            own = pairs[:, side]
            out[:, n - 1, side] = left[own]
            number = np.repeat(np.arange(len(pairs)), left[own])
            keys.append(2 * (number * len(known) + grams[_places(starts[own], left[own])]) + side)
        key, count = np.unique(np.concatenate(keys), return_counts=True)
        both = np.flatnonzero(key[1:] >> 1 == key[:-1] >> 1)
        least = np.minimum(count[both], count[both + 1])
        out[:, n - 1, 2] = np.bincount((key[both] >> 1) // max(1, len(known)), least, len(pairs))
    return out


def _places(starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The indexes of several runs, one after the other."""
    before = np.cumsum(sizes) - sizes
    places: NDArray[np.int64] = np.repeat(starts - before, sizes) + np.arange(sizes.sum())
    return places
