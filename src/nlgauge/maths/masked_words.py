"""From scores of masked words to one number, and which words are worth masking.

Liu, Bawden, Scialom, Sagot and Cheung, "MaskEval: Weighted MLM-Based Evaluation for Text Summarization and
Simplification", Eval4NLP 2022, section 3.3. A candidate's words have scores s and weights w that sum to one, its
source's t and v:

    MaskEval = w_c sum_i w_i s_i + (1 - w_c) sum_j v_j t_j

w_c, from 0 to 1, is the candidate's share. Where only some words were masked (section 6.2), sums run over these and are
divided by their weight.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_ROUNDING = 1e-9


def word_weights(logits: NDArray[np.floating], starts: NDArray[np.intp]) -> Array:
    """Softmax over a text's sub-words, summed over the pieces of each word (equation 6): [words], of sum one.

    logits: [tokens]; starts: the first token of each word, [words].
    """
    shares = np.exp(logits.astype(np.float64) - logits.max())
    sums: Array = np.add.reduceat(shares / shares.sum(), starts)
    return sums


def uniform(words: int) -> Array:
    """The same weight for every word: [words], of sum one."""
    return np.full(words, 1 / words)


def heaviest(weights: Array, keep: float) -> NDArray[np.intp]:
    """The fewest, heaviest words that together have the share `keep` of the weight: indices, heaviest first.

    keep: above 0, to 1; 1 keeps all, those without weight too. Where weights are equal, the first comes first.
    """
    order = np.argsort(-weights, kind="stable")
    if keep >= 1:
        return order
    reached = np.cumsum(weights[order]) >= keep * weights.sum() * (1 - _ROUNDING)
    return order[: int(np.argmax(reached)) + 1]


def kept_words(weights: tuple[Array, Array], share: float, keep: float, per_text: bool) -> tuple[list[int], list[int]]:
    """Which words of candidate and source are masked, in the order of the texts.

    per_text: the share `keep` of each text's own weight, not of both texts' together with their shares in the score.
    """
    if per_text:
        chosen = [heaviest(own, keep) for own in weights]
        return sorted(chosen[0].tolist()), sorted(chosen[1].tolist())
    both = np.concatenate(shared(weights, share))
    numbers = sorted(heaviest(both, keep).tolist())
    first = len(weights[0])
    return [n for n in numbers if n < first], [n - first for n in numbers if n >= first]


def shared(weights: tuple[Array, Array], share: float) -> tuple[Array, Array]:
    """Weights of candidate and source in the score: of sum one over both."""
    return share * weights[0], (1 - share) * weights[1]


def weighted_score(scores: Sequence[Array], weights: Sequence[Array], share: float, per_text: bool = False) -> float:
    """The score (equation 5) of the words that were masked: scores and weights of candidate and source, [masked] each.

    Divided by the weight of what was masked, of each text by itself with `per_text`. NaN where that weight is 0.
    """
    if per_text:
        sides = [_mean(s, w) if part else 0.0 for s, w, part in zip(scores, weights, (share, 1 - share), strict=True)]
        return share * sides[0] + (1 - share) * sides[1]
    both = shared((weights[0], weights[1]), share)
    return _mean(np.concatenate([*scores]), np.concatenate([*both]))


def _mean(scores: Array, weights: Array) -> float:
    total = float(weights.sum())
    return float(weights @ scores) / total if total > 0 else float("nan")
