"""Operations on token vectors that several metrics use: lengths, distances, runs of tokens, matches."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_NEAR = 1e-6


def unit(vectors: NDArray[np.floating]) -> Array:
    """Return vectors [..., width] scaled to length 1, as float64. Zero vectors stay zero."""
    vectors = vectors.astype(np.float64)
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(length > 0, length, 1.0)


def cosine(x: Array, y: Array) -> float:
    """Return the cosine of the angle between two vectors [width]; NaN if one of them is zero."""
    lengths = float(np.linalg.norm(x) * np.linalg.norm(y))
    return float(x @ y) / lengths if lengths > 0 else np.nan


def squared_distances(x: Array, y: Array) -> Array:
    """Return the squared Euclidean distances: [n, width], [m, width] -> [n, m]; exactly 0 between equal vectors."""
    lengths = (x * x).sum(axis=1)[:, None] + (y * y).sum(axis=1)
    squared: Array = lengths - 2 * (x @ y.T)
    # The expanded square is inexact for distances that are small compared with the lengths.
    i, j = np.nonzero(squared <= _NEAR * lengths)
    squared[i, j] = ((x[i] - y[j]) ** 2).sum(axis=1)
    return squared


def distances(x: Array, y: Array) -> Array:
    """Return the Euclidean distances: [n, width], [m, width] -> [n, m]; exactly 0 between equal vectors."""
    out: Array = np.sqrt(squared_distances(x, y))
    return out


def shares(weights: Array) -> Array:
    """Return weights >= 0, of any shape, scaled to sum 1; uniform weights if all are 0."""
    total = float(weights.sum())
    return weights / total if total > 0 else np.full(len(weights), 1 / len(weights))


def runs(numbers: NDArray[np.int64], offsets: NDArray[np.int32]) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Return the runs of tokens that have the same number, such as the tokens of one word or sentence.

    Args:
        numbers: the number of each token's word or sentence: [tokens], non-decreasing.
        offsets: the position of each token in the text, in characters: [tokens, 2].

    Returns:
        The first token of each run: [runs]; and its position in the text: [runs, 2].
    """
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    ends = np.append(starts[1:], len(numbers)) - 1
    return starts, np.stack([offsets[starts, 0], offsets[ends, 1]], axis=1)


def run_means(vectors: NDArray[np.floating], starts: NDArray[np.intp]) -> Array:
    """Return the mean vector of each run: [tokens, width], first tokens [runs] -> [runs, width]."""
    sums: Array = np.add.reduceat(vectors, starts, axis=0, dtype=np.float64)
    return sums / np.diff(starts, append=len(vectors))[:, None]


def greedy_match(similarity: Array, a: Array, b: Array) -> tuple[float, float, float]:
    """Return precision, recall and F1 of matching each item with the most similar one of the other side.

    This is equation 1 of BERTScore, and its section 3.

    Args:
        similarity: [candidate, reference].
        a: weights of the candidate's items, with sum 1.
        b: weights of the reference's items, with sum 1.

    Returns:
        Precision, recall and F1. F1 is NaN where the harmonic mean is undefined: if precision or recall is below 0, or
        both are 0.
    """
    precision, recall = float(similarity.max(axis=1) @ a), float(similarity.max(axis=0) @ b)
    total = precision + recall
    f1 = 2 * precision * recall / total if min(precision, recall) >= 0 and total > 0 else np.nan
    return precision, recall, f1


def flows(cost: Array, plan: Array) -> list[tuple[int, int, float, float]]:
    """Return the flows of a transport plan [n, m], largest first: row, column, share of the mass, and cost."""
    moved = [(int(i), int(j), float(plan[i, j]), float(cost[i, j])) for i, j in np.argwhere(plan > 0)]
    return sorted(moved, key=lambda flow: -flow[2])
