"""Rows of like length together, few tokens of padding, bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
_NEAR = 0.8
"""Rows of less than this share of the longest begin a new group, so that little of a group is padding"""
_WORTH = 16
"""A group of less than this part of the budget is not worth its own pass (benchmarks/padding.py)"""


def batches(lengths: Sequence[int], budget: int, most: int = 256) -> Iterator[NDArray[np.intp]]:
    """Indexes of `lengths`, longest first, in groups of at most `most` whose padded size stays within `budget` tokens.

    A row longer than the budget is a group of its own. The longest come first so that a batch too large for the
    machine fails at once and not after an hour. The number of rows is bounded too, for short rows ask for as many rows
    of the vocabulary, which are far larger than themselves. Rows that are much shorter than the longest wait for the
    next group, unless this one would be small.
    """
    sizes = np.asarray(lengths, dtype=np.int64)
    order = np.argsort(-sizes, kind="stable")
    shorter = -sizes[order]
    at = 0
    while at < len(order):
        longest = max(1, int(sizes[order[at]]))
        near = int(np.searchsorted(shorter, -_NEAR * longest, "right")) - at
        rows = min(most, max(1, budget // longest), max(1, near, budget // _WORTH // longest))
        yield order[at : at + rows]
        at += rows


def padded(rows: Sequence[Sequence[int]], pad: int) -> tuple[Ints, Ints]:
    """Ids of rows, filled up at the end to the longest, and 1 where they are no padding: both [rows, length]."""
    ids = np.full((len(rows), max(map(len, rows))), pad, dtype=np.int64)
    attend = np.zeros_like(ids)
    for row, own in enumerate(rows):
        ids[row, : len(own)] = own
        attend[row, : len(own)] = 1
    return ids, attend


def spread(places: Sequence[Sequence[int] | NDArray[np.intp]]) -> tuple[Ints, list[NDArray[np.intp]]]:
    """A row's places as a row of a table, every row as wide as the fullest one: [rows, most].

    The surplus repeats a row's first place and is not read: the second answer is, for each row, which entries of the
    flattened table are its own.
    """
    most = max(map(len, places))
    table = np.array([[*own, *[own[0]] * (most - len(own))] for own in places], np.int64)
    return table, [np.arange(len(own)) + row * most for row, own in enumerate(places)]


def blocks(
    texts: Sequence[Sequence[str]], weigh: Callable[[Sequence[int]], int], most: int, most_rows: int
) -> Iterator[list[int]]:
    """Numbers of rows in blocks of at most `most_rows` rows and a weight of `most`, where rows allow it.

    texts: of each row. Rows that share a text stand in one block as far as they fit. weigh: what the features of some
    rows weigh together. The blocks depend on the rows alone, so that a run that is started again has the same ones.
    """
    block: list[int] = []
    weight = 0
    for group in _together(texts):
        whole = weigh(group) if len(group) <= most_rows else most + 1
        for part, more in [(group, whole)] if whole <= most else [([row], weigh([row])) for row in group]:
            if block and (weight + more > most or len(block) + len(part) > most_rows):
                yield block
                block, weight = [], 0
            block.extend(part)
            weight += more
    if block:
        yield block


def _together(texts: Sequence[Sequence[str]]) -> Iterator[list[int]]:
    """Numbers of the rows whose most widely shared text is the same, groups in the order of their first rows."""
    shared = Counter(text for row in texts for text in set(row))
    groups: dict[object, list[int]] = {}
    for number, row in enumerate(texts):
        groups.setdefault(max(row, key=shared.__getitem__) if row else number, []).append(number)
    yield from groups.values()
