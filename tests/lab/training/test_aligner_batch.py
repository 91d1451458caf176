"""Rows side by side: filled up to few lengths, words counted through."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs nlgauge[train]")

from nlgauge.lab.training.aligner_batch import padded, side_by_side  # noqa: E402
from nlgauge.lab.training.aligner_rows import Encoded  # noqa: E402


def row(size: int, words: int, **changes) -> Encoded:
    word = np.full(size, -1, np.int32)
    word[1 : 1 + words] = np.arange(words)
    ids, side = np.arange(size, dtype=np.int32), np.zeros(size, np.int8)
    return Encoded(ids, side, word, np.ones(words, np.int8), 1, **changes)


def test_rows_stand_side_by_side():
    batch = side_by_side([row(6, 2), row(9, 3, marked=False, against=1)], 7, 0.25, torch.from_numpy)
    assert batch.ids.shape == batch.side.shape == (2, 48)
    assert batch.ids[0, 6:].unique().tolist() == [7] and batch.attend.sum(1).tolist() == [6, 9]
    assert batch.word.tolist() == [0, 1, 2, 3, 4] and batch.row.tolist() == [0, 0, 1, 1, 1]
    assert batch.pieces.tolist() == [1, 2, 49, 50, 51]
    assert batch.weight.tolist() == [1, 1, 0.25, 0.25, 0.25]
    assert batch.against.tolist() == [-1, 1]


def test_lengths_are_few():
    assert [padded(length) for length in (1, 48, 49, 320, 321)] == [48, 48, 64, 320, 384]
