"""Rows of sub-words side by side, as an aligner's network reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from nlgauge.lab.training.aligner_rows import Encoded

_LENGTHS = (48, 64, 96, 128, 192, 256, 320, 384, 512)


@dataclass(frozen=True)
class Batch:
    """Rows as the network reads them, and what is known about them."""

    ids: Tensor
    attend: Tensor
    side: Tensor
    """[rows, length] all three"""
    pieces: NDArray[np.intp]
    """[sub-words of words]: flat positions of the sub-words that belong to words"""
    word: Tensor
    """[sub-words of words]: the number of the word in the batch"""
    row: Tensor
    """[words]: in which row a word stands"""
    labels: Tensor
    """[words]: 1, 0, or -1 for what is not known"""
    text: Tensor
    """[rows]: the same of the whole"""
    against: Tensor
    """[rows]: of what is not supported, 1 contradicted, 0 not mentioned, or -1 for what is not known"""
    weight: Tensor
    """[words]: how much a word's label counts"""


def side_by_side(
    rows: Sequence[Encoded], pad: int, told_weight: float, tensor: Callable[[NDArray[Any]], Tensor]
) -> Batch:
    """Rows filled up to one of a few lengths with the token `pad`.

    told_weight: what a word's label counts where somebody said one thing of the whole text. tensor: puts an array where
    the network computes.
    """
    length = padded(max(len(row.ids) for row in rows))
    ids = np.full((len(rows), length), pad, np.int64)
    attend, side = np.zeros((2, len(rows), length), np.int64)
    word = np.full((len(rows), length), -1, np.int64)
    first = 0
    for i, row in enumerate(rows):
        size = len(row.ids)
        ids[i, :size], side[i, :size], attend[i, :size] = row.ids, row.side, 1
        word[i, :size] = np.where(row.word >= 0, row.word + first, -1)
        first += len(row.labels)
    pieces = np.flatnonzero(word.ravel() >= 0)
    labels = np.concatenate([row.labels for row in rows]).astype(np.int64)
    of_row = np.repeat(np.arange(len(rows)), [len(row.labels) for row in rows])
    text, against = (np.array([getattr(row, name) for row in rows]) for name in ("text", "against"))
    weight = np.where([row.marked for row in rows], 1.0, told_weight).astype(np.float32)
    return Batch(
        ids=tensor(ids),
        attend=tensor(attend),
        side=tensor(side),
        pieces=pieces,
        word=tensor(word.ravel()[pieces]),
        row=tensor(of_row),
        labels=tensor(labels),
        text=tensor(text),
        against=tensor(against),
        weight=tensor(weight[of_row]),
    )


def padded(length: int) -> int:
    """The length that a row is filled up to: a backend prepares for every shape, so that there are few."""
    return next(size for size in _LENGTHS if length <= size)
