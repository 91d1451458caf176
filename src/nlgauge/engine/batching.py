"""Rows of like length together, few tokens of padding, bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray


def batches(lengths: Sequence[int], budget: int, most: int = 256) -> Iterator[NDArray[np.intp]]:
    """Indexes of `lengths`, longest first, in groups of at most `most` whose padded size stays within `budget` tokens.

    A row longer than the budget is a group of its own. The longest come first so that a batch too large for the
    machine fails at once and not after an hour. The number of rows is bounded too, for short rows ask for as many rows
    of the vocabulary, which are far larger than themselves.
    """
    sizes = np.asarray(lengths, dtype=np.int64)
    order = np.argsort(-sizes, kind="stable")
    at = 0
    while at < len(order):
        rows = min(most, max(1, int(budget // max(1, sizes[order[at]]))))
        yield order[at : at + rows]
        at += rows


def padded(rows: Sequence[Sequence[int]], pad: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ids of rows, filled up at the end to the longest, and 1 where they are no padding: both [rows, length]."""
    ids = np.full((len(rows), max(map(len, rows))), pad, dtype=np.int64)
    attend = np.zeros_like(ids)
    for row, own in enumerate(rows):
        ids[row, : len(own)] = own
        attend[row, : len(own)] = 1
    return ids, attend
