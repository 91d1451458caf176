"""N-grams of words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def ngrams(words: Sequence[str], n: int) -> Iterator[str]:
    """Return all n-grams of words, in order, joined by spaces; words must not contain spaces.

    Strings cache their hash, so that lookups take half the time of tuples.
    """
    return map(" ".join, zip(*[words[start:] for start in range(n)], strict=False))
