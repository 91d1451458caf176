"""Scores of a text from alignment vectors, which say how far each of its words is supported by another text.

Deng, Tan, Liu, Xing and Hu, "Compression, Transduction, and Creation: A Unified Framework for Evaluating Natural
Language Generation", EMNLP 2021. align(a -> b) is a vector [words of a] of confidences from 0 to 1 that b contains the
information of the word (definition 3.1). y is the output, x its source (in a dialogue, the history), c its context (the
knowledge), r a reference.

The mean or sum over no words is NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Numbers = TypeVar("Numbers", float, Array)

_CELLS = 1 << 22
TOGETHER = 0.5
"""How far the claims of one answer are right or wrong together: 0 for independent claims, 1 for claims that share one
fate. Of 0, .25, .5, .75 and 1, it ranks the answers of two held-out sets best, by both embedded models
(docs/check-evidence.md)"""


def greedy_alignment(a: Array, b: Array) -> Array:
    """Return the cosine of each vector of a with the most similar vector of b (section 3.5, embedding matching).

    Memory does not grow with n times m.

    Args:
        a: [n, width], all vectors of length 1.
        b: [m, width], m at least 1, all vectors of length 1.

    Returns:
        The cosines: [n].
    """
    step = max(1, _CELLS // len(b))
    return np.concatenate([np.empty(0), *((a[i : i + step] @ b.T).max(axis=1) for i in range(0, len(a), step))])


def word_alignment(logits: NDArray[np.floating], starts: NDArray[np.intp]) -> Array:
    """Return the confidence that each word is supported, from the log-odds of its sub-words.

    The logits of a word are averaged. (The published code sums the hidden states, so that words of more sub-words get
    more confidence.)

    Args:
        logits: the log-odds of each sub-word: [tokens].
        starts: the first sub-word of each word: [words].

    Returns:
        A probability for each word: [words].
    """
    sums: Array = np.add.reduceat(logits.astype(np.float64), starts)
    return logistic(sums / np.diff(starts, append=len(logits)))


def logistic(logits: Numbers) -> Numbers:
    """Return the probabilities that belong to log-odds, of any shape."""
    chances: Numbers = (1 + np.tanh(logits / 2)) / 2
    return chances


def rescaled(value: Numbers, baseline: float) -> Numbers:
    """Return (value - baseline) / (1 - baseline): 0 for a value equal to the baseline, 1 for 1 (BERTScore, section 3).

    Args:
        value: a score, or an array of scores.
        baseline: the score of unrelated texts.

    Returns:
        The rescaled score or scores.
    """
    return (value - baseline) / (1 - baseline)


def mean_alignment(alignment: Array) -> float:
    """Return the mean alignment: [words] -> number; NaN without words. The paper's table F.6 has it for y -> [x, c]."""
    return float(alignment.mean()) if len(alignment) else np.nan


def least_mean(alignment: Array, spans: NDArray[np.integer], parts: Sequence[tuple[int, int]]) -> float:
    """Return the lowest mean alignment among parts of a text.

    A word belongs to the part in which it begins. Parts without words do not count.

    Args:
        alignment: the alignment of each word: [words].
        spans: where each word begins and ends, in characters: [words, 2].
        parts: where each part begins and ends, in characters.

    Returns:
        The lowest of the parts' mean alignments; NaN without words.
    """
    begins = np.array([begin for begin, _ in parts])
    part = np.searchsorted(begins, spans[:, 0], side="right") - 1
    return min((mean_alignment(alignment[part == number]) for number in np.unique(part)), default=np.nan)


def all_supported(probabilities: Sequence[float]) -> float:
    """Return the probability that all of an answer is supported, from the probabilities of its claims.

    The odds against n claims are the sum of the odds against each claim, divided by n to the power of `TOGETHER`. The
    sum alone would be right for independent claims (to the first order of small odds). But a model doubts each claim a
    little, and doubts the claims of one answer together, so that by the sum no long answer could pass. The sum divided
    by n would be the mean of the odds, in which one wrong claim has little weight beside many right ones.

    Args:
        probabilities: for each claim, the probability that it is supported.

    Returns:
        The probability. It is NaN without claims, and if the probability of a claim is NaN. It is 0 if the probability
        of a claim is 0.
    """
    chances = np.array(probabilities, np.float64)
    if len(chances) == 1:
        return float(chances[0])
    if not len(chances) or np.isnan(chances).any():
        return np.nan
    with np.errstate(divide="ignore", over="ignore"):
        against = np.sort(1 / chances - 1)  # a sum in one order for all orders of the claims
        return float(1 / (1 + against.sum() / len(chances) ** TOGETHER))


def unsupported_spans(alignment: Array, spans: NDArray[np.integer], threshold: float) -> list[tuple[int, int]]:
    """Return the positions of runs of words whose alignment is below a threshold.

    Args:
        alignment: the alignment of each word: [words].
        spans: where each word begins and ends, in characters: [words, 2].
        threshold: the threshold.

    Returns:
        Begin and end of each run, in characters.
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[False], alignment < threshold, [False]])))
    return [(int(spans[first, 0]), int(spans[after - 1, 1])) for first, after in edges.reshape(-1, 2).tolist()]


def consistency(output_to_source: Array) -> float:
    """Return mean align(y -> x), the mean alignment of the output's words with the source (equation 2)."""
    return mean_alignment(output_to_source)


def relevance(references_to_output: Sequence[Array], output_to_source: Array) -> float:
    """Return mean align(r -> y) times mean align(y -> x) (equation 3); with several references, their mean.

    The paper's formula has one reference and its tables use eleven; the authors' code takes the mean.

    Args:
        references_to_output: the alignment of each reference's words with the output: [words] each.
        output_to_source: the alignment of the output's words with the source: [words].

    Returns:
        The relevance; NaN without a reference.
    """
    covered = np.array([mean_alignment(alignment) for alignment in references_to_output])
    return mean_alignment(covered) * mean_alignment(output_to_source)


def preservation(output_to_source: Array, source_to_output: Array, factor: int = 2) -> float:
    """Return the harmonic mean of P = mean align(y -> x) and R = mean align(x -> y) (equation 4, corrected).

    Args:
        output_to_source: the alignment of the output's words with the source: [words].
        source_to_output: the alignment of the source's words with the output: [words].
        factor: the factor of factor * PR / (P + R). It is 2 in the authors' package, and 1 in the printed equation.

    Returns:
        The preservation. If P and R are both 0, it is 0, the limit: nothing of the source is preserved. If P = -R with
        other values, it is NaN.
    """
    precision, recall = mean_alignment(output_to_source), mean_alignment(source_to_output)
    if precision == recall == 0:
        return 0.0
    total = precision + recall
    return factor * precision * recall / total if total != 0 else np.nan


def groundedness(output_to_context: Array) -> float:
    """Return sum align(y -> c), the amount of the context's information in the output, and not a share (equation 6)."""
    return float(output_to_context.sum()) if len(output_to_context) else np.nan


def engagingness(output_to_both: Array) -> float:
    """Return sum align(y -> [x, c]), the amount of information of source and context in the output (equation 5)."""
    return groundedness(output_to_both)
