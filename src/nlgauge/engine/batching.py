"""Batches of rows of similar length, with little padding and bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
_NEAR = 0.8
"""A row shorter than this share of the longest starts a new batch, so that little of a batch is padding"""
_WORTH = 16
"""A batch smaller than the budget divided by this is not worth its own pass (benchmarks/padding.py)"""


def batches(lengths: Sequence[int], budget: int, most: int = 256) -> Iterator[NDArray[np.intp]]:
    """Yield batches of indexes into `lengths`, longest rows first.

    A row longer than the budget is a batch of its own. The longest rows come first, so that a batch too large for the
    machine fails at once and not after an hour. The number of rows is bounded because each masked row also needs a row
    of logits as long as the vocabulary. Rows much shorter than the longest go into the next batch, unless this one
    would be small.

    Args:
        lengths: the number of tokens in each row.
        budget: the largest number of tokens in a batch, with padding.
        most: the largest number of rows in a batch.

    Returns:
        An iterator over the indexes of each batch: [rows].
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


def padded(rows: Sequence[Sequence[int] | NDArray[np.integer]], pad: int) -> tuple[Ints, Ints]:
    """Return the ids of rows, padded at the end, and the attention mask (0 for padding): both [rows, length]."""
    ids = np.full((len(rows), max(map(len, rows))), pad, dtype=np.int64)
    attend = np.zeros_like(ids)
    for row, numbers in enumerate(rows):
        ids[row, : len(numbers)] = numbers
        attend[row, : len(numbers)] = 1
    return ids, attend


def spread(places: Sequence[Sequence[int] | NDArray[np.intp]]) -> tuple[Ints, list[NDArray[np.intp]]]:
    """Return the positions of each row as a table, as wide as the row with the most positions.

    Args:
        places: the positions of each row.

    Returns:
        The table [rows, most positions], and for each row the indexes of its own positions in the flattened table. A
        row with fewer positions is filled up with its first position; these entries are not among its indexes.
    """
    most = max(map(len, places))
    table = np.array([[*positions, *[positions[0]] * (most - len(positions))] for positions in places], np.int64)
    return table, [np.arange(len(positions)) + row * most for row, positions in enumerate(places)]


def blocks(
    texts: Mapping[int, Sequence[str]], weigh: Callable[[Sequence[int]], int], most: int, most_rows: int
) -> Iterator[list[int]]:
    """Yield blocks of row numbers.

    Rows that share a text go into one block if they fit; if not, they are halved until they do. Blocks depend only on
    the rows, so that a run that is started again has the same blocks.

    Args:
        texts: the texts of each row, by its number.
        weigh: returns the weight of the features of some rows together.
        most: the largest weight of a block. Only a single row that is heavier exceeds it.
        most_rows: the largest number of rows in a block.

    Returns:
        An iterator over the row numbers of each block.
    """
    block: list[int] = []
    weight = 0
    for group in _together(texts):
        parts = [group]
        while parts:
            part = parts.pop()
            more = weigh(part) if len(part) <= most_rows else most + 1
            if more > most and len(part) > 1:
                parts += part[len(part) // 2 :], part[: len(part) // 2]
                continue
            if block and (weight + more > most or len(block) + len(part) > most_rows):
                yield block
                block, weight = [], 0
            block.extend(part)
            weight += more
    if block:
        yield block


def _together(texts: Mapping[int, Sequence[str]]) -> Iterator[list[int]]:
    """Yield groups of row numbers. The rows of a group share the text that is most frequent among their texts."""
    shared = Counter(text for row in texts.values() for text in set(row))
    groups: dict[object, list[int]] = {}
    for number, row in texts.items():
        groups.setdefault(max(row, key=shared.__getitem__) if row else number, []).append(number)
    yield from groups.values()
