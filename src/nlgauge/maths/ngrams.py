"""N-grams of sequences: the list of them, and how many sequences have in common, many sequences at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

_CELLS = 1 << 22
"""Cells of a table of texts by n-grams, at most; where it would have more, texts are taken in parts"""


def ngrams(words: Sequence[str], n: int) -> Iterator[str]:
    """All runs of n words, in order; none of a text that is shorter. Words without spaces, which are put between them.

    As strings, which know their hash: sought in tables again and again they take half the time of tuples.
    """
    return map(" ".join, zip(*[words[start:] for start in range(n)], strict=False))


def numbered(sequences: Sequence[Sequence[str]]) -> list[NDArray[np.int64]]:
    """Sequences of symbols as numbers from 0 on, equal symbols alike in all of them."""
    numbers: dict[str, int] = {}
    return [np.array([numbers.setdefault(one, len(numbers)) for one in each], np.int64) for each in sequences]


def shared_ngrams(
    ours: Sequence[NDArray[np.int64]], theirs: Sequence[NDArray[np.int64]], longest: int
) -> NDArray[np.int64]:
    """For each of ours, each of theirs and each n up to `longest`: n-grams of ours, n-grams of theirs, shared ones.

    Shared is the sum over n-grams of the lesser of the two counts. Sequences of symbols, numbers from 0 on:
    [len(ours), len(theirs), longest, 3].
    """
    sequences = [*ours, *theirs]
    sizes = np.array([len(one) for one in sequences])
    if len(sequences) > 2 and len(sequences) * sizes.sum() > _CELLS:
        half = max(len(ours), len(theirs)) // 2
        if len(ours) >= len(theirs):
            return np.concatenate([shared_ngrams(part, theirs, longest) for part in (ours[:half], ours[half:])])
        parts = [shared_ngrams(ours, part, longest) for part in (theirs[:half], theirs[half:])]
        return np.concatenate(parts, axis=1)
    texts = np.repeat(np.arange(len(sequences)), sizes)
    symbols = np.concatenate(sequences) if len(texts) else np.empty(0, np.int64)
    ends = np.cumsum(sizes)
    room = np.repeat(ends, sizes) - np.arange(len(texts))  # symbols from here to the end of the text
    grams = np.zeros(len(texts), np.int64)
    out = np.zeros((len(ours), len(theirs), longest, 3), np.int64)
    starts = np.arange(len(texts))
    for n in range(1, longest + 1):
        # An n-gram is numbered by the (n-1)-gram that it begins with and its last symbol: no hash, no collision.
        kept = room[starts] >= n
        starts = starts[kept]
        _, grams = np.unique(grams[kept] * (symbols.max(initial=0) + 1) + symbols[starts + n - 1], return_inverse=True)
        width = int(grams.max(initial=-1)) + 1
        left = np.maximum(sizes - n + 1, 0)
        out[:, :, n - 1, 0], out[:, :, n - 1, 1] = left[: len(ours), None], left[len(ours) :]
        counts = np.bincount(texts[starts] * width + grams, minlength=len(sequences) * width)
        counts = counts.reshape(len(sequences), width).astype(np.int32)
        for place, own in enumerate(counts[: len(ours)]):
            out[place, :, n - 1, 2] = np.minimum(own, counts[len(ours) :]).sum(axis=-1)
    return out
