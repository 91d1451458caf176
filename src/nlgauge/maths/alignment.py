"""Aspects of a text from alignment vectors: how far each of its words is grounded in another text.

Deng, Tan, Liu, Xing and Hu, "Compression, Transduction, and Creation: A Unified Framework for Evaluating Natural
Language Generation", EMNLP 2021. align(a -> b) is a vector [words of a] of confidences from 0 to 1 that what the word
says is found in b (definition 3.1). y is the output, x its source (in a dialogue, the history), c its context (the
knowledge), r a reference.

The mean or sum of no word says nothing and is NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Numbers = TypeVar("Numbers", float, Array)

_CELLS = 1 << 22


def greedy_alignment(a: Array, b: Array) -> Array:
    """Cosine of each vector of a with the most similar one of b (section 3.5, embedding matching): [n].

    a: [n, width], b: [m, width], both at length 1, m at least 1. Memory does not grow with n times m.
    """
    step = max(1, _CELLS // len(b))
    return np.concatenate([np.empty(0), *((a[i : i + step] @ b.T).max(axis=1) for i in range(0, len(a), step))])


def word_alignment(logits: NDArray[np.floating], starts: NDArray[np.intp]) -> Array:
    """Confidence that each word is supported, from the log-odds of its pieces.

    logits: [tokens]; starts: the first piece of each word, [words] -> [words]. The mean over the pieces is what a
    linear layer says of the mean of their states. (The published code sums the states: more pieces, surer words.)
    """
    sums: Array = np.add.reduceat(logits.astype(np.float64), starts)
    return (1 + np.tanh(sums / np.diff(starts, append=len(logits)) / 2)) / 2


def rescaled(value: Numbers, baseline: float) -> Numbers:
    """(value - b) / (1 - b): 0 for what unrelated texts score, 1 stays 1 (BERTScore, section 3)."""
    return (value - baseline) / (1 - baseline)


def mean_alignment(alignment: Array) -> float:
    """Mean over the words: [words] -> number. Other qualities of a reply take it of y -> [x, c] (table F.6)."""
    return float(alignment.mean()) if len(alignment) else np.nan


def consistency(output_to_source: Array) -> float:
    """mean align(y -> x) (equation 2)."""
    return mean_alignment(output_to_source)


def relevance(references_to_output: Sequence[Array], output_to_source: Array) -> float:
    """mean align(r -> y) times mean align(y -> x) (equation 3); of several references the first factor is their mean.

    NaN without a reference. The paper has one reference in the formula and eleven in its tables: the mean over them is
    the authors' code.
    """
    covered = np.array([mean_alignment(alignment) for alignment in references_to_output])
    return mean_alignment(covered) * mean_alignment(output_to_source)


def preservation(output_to_source: Array, source_to_output: Array, factor: int = 2) -> float:
    """Harmonic mean 2PR / (P + R) of P = mean align(y -> x) and R = mean align(x -> y) (equation 4, corrected).

    The equation is printed without the 2, which is factor 1; the authors' package has it. 0 where P and R are both 0,
    its limit: nothing of the source was kept, which is known and is the worst. NaN where they are opposite numbers.
    """
    precision, recall = mean_alignment(output_to_source), mean_alignment(source_to_output)
    if precision == recall == 0:
        return 0.0
    total = precision + recall
    return factor * precision * recall / total if total != 0 else np.nan


def groundedness(output_to_context: Array) -> float:
    """sum align(y -> c): how much the output says of the context, its volume and not its share (equation 6)."""
    return float(output_to_context.sum()) if len(output_to_context) else np.nan


def engagingness(output_to_both: Array) -> float:
    """sum align(y -> [x, c]) (equation 5)."""
    return groundedness(output_to_both)
