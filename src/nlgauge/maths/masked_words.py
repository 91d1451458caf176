"""The score of a text from its masked words, and which words to mask.

Liu, Bawden, Scialom, Sagot and Cheung, "MaskEval: Weighted MLM-Based Evaluation for Text Summarization and
Simplification", Eval4NLP 2022, section 3.3. A candidate's words have scores s and weights w with sum one; its source's
words have scores t and weights v:

    MaskEval = w_c sum_i w_i s_i + (1 - w_c) sum_j v_j t_j

w_c, from 0 to 1, is the candidate's share. If only some words were masked (section 6.2), sums are over these words and
divided by their weight.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_ROUNDING = 1e-9


def word_weights(logits: NDArray[np.floating], starts: NDArray[np.intp]) -> Array:
    """Softmax over a text's sub-words, summed over the sub-words of each word (equation 6): [words], with sum one.

    logits: [tokens]; starts: the first token of each word, [words].
    """
    shares = np.exp(logits.astype(np.float64) - logits.max())
    sums: Array = np.add.reduceat(shares / shares.sum(), starts)
    return sums


def uniform(words: int) -> Array:
    """The same weight for every word: [words], with sum one."""
    return np.full(words, 1 / words)


def heaviest(weights: Array, keep: float) -> NDArray[np.intp]:
    """The smallest set of words, heaviest first, with at least the share `keep` of the weight: indices.

    keep: above 0, up to 1; 1 keeps all words, also without weight. Words of equal weight are in text order.
    """
    order = np.argsort(-weights, kind="stable")
    if keep >= 1:
        return order
    reached = np.cumsum(weights[order]) >= keep * weights.sum() * (1 - _ROUNDING)
    return order[: int(np.argmax(reached)) + 1]


def kept_words(weights: tuple[Array, Array], share: float, keep: float, per_text: bool) -> tuple[list[int], list[int]]:
    """The words of candidate and source that are masked, in text order.

    per_text: apply `keep` to each text's weight separately, not to the weight of both texts in the score.
    """
    if per_text:
        chosen = [heaviest(own, keep) for own in weights]
        return sorted(chosen[0].tolist()), sorted(chosen[1].tolist())
    both = np.concatenate(shared(weights, share))
    numbers = sorted(heaviest(both, keep).tolist())
    first = len(weights[0])
    return [n for n in numbers if n < first], [n - first for n in numbers if n >= first]


def shared(weights: tuple[Array, Array], share: float) -> tuple[Array, Array]:
    """Weights of candidate and source in the score, with sum one over both."""
    return share * weights[0], (1 - share) * weights[1]


def weighted_score(scores: Sequence[Array], weights: Sequence[Array], share: float, per_text: bool = False) -> float:
    """The score (equation 5), from scores and weights of the masked words of candidate and source, [masked] each.

    It is divided by the weight of the masked words, with `per_text` for each text separately. NaN if that weight is 0.
    """
    if per_text:
        sides = [_mean(s, w) if part else 0.0 for s, w, part in zip(scores, weights, (share, 1 - share), strict=True)]
        return share * sides[0] + (1 - share) * sides[1]
    both = shared((weights[0], weights[1]), share)
    return _mean(np.concatenate([*scores]), np.concatenate([*both]))


def _mean(scores: Array, weights: Array) -> float:
    total = float(weights.sum())
    return float(weights @ scores) / total if total > 0 else float("nan")
