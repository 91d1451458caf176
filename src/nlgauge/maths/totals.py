"""Corpus-level scores of a system, from counts that are summed over its rows.

Such a corpus score is not the mean of the row scores. Each formula takes counts [..., k], of one row or summed over
many, and returns percentages [..., parts].

bleu: Papineni et al., "Bleu: a Method for Automatic Evaluation of Machine Translation", ACL 2002; smoothing after
Chen and Cherry, "A Systematic Comparison of Smoothing Techniques for Sentence-Level BLEU", WMT 2014.
chrf: Popović, "chrF: character n-gram F-score for automatic MT evaluation", WMT 2015, averaged as in sacrebleu:
precision and recall over the orders that both sides have, then F.
rate: edits over reference length.
sari: Xu et al., "Optimizing Statistical Machine Translation for Text Simplification", TACL 2016, on summed counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]


def total(formula: Mapping[str, Any], counts: Array) -> Array:
    """Return the corpus-level score that a formula computes from counts.

    Args:
        formula: ``{"name": ..., setting: ...}``, the name and the settings of the formula.
        counts: [..., k], the k counts that the formula takes.

    Returns:
        The score and its parts, in percent: [..., parts]; NaN if a count is NaN.

    Raises:
        KeyError: the formula is unknown.
    """
    settings = {key: value for key, value in formula.items() if key != "name"}
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = FORMULAS[formula["name"]](counts, **settings)
    return np.where(np.isnan(counts).any(axis=-1, keepdims=True), np.nan, scores)


def bleu(counts: Array, smooth: str = "exp", constant: float = 0.0, effective: bool = False) -> Array:
    """Return BLEU, computed from counts.

    Args:
        counts: [..., 2 + 2 orders]: words of the candidate, words of the reference, matches of each order, n-grams of
            each order.
        smooth: for orders without a match. 'exp' halves the precision for each further such order, 'floor' uses
            `constant` matches, 'add-k' adds `constant` to matches and n-grams of all orders except the first, 'none'
            leaves 0.
        constant: the constant of 'floor' and 'add-k'.
        effective: leave out orders for which the candidate is too short.

    Returns:
        [..., 1], from 0 to 100.
    """
    ours, theirs, orders = counts[..., 0], counts[..., 1], (counts.shape[-1] - 2) // 2
    matches, ngrams = counts[..., 2 : 2 + orders], counts[..., 2 + orders :]
    nothing = matches.sum(axis=-1) == 0
    if smooth == "add-k":
        later = np.where(np.arange(orders) > 0, constant, 0.0)
        matches, ngrams = matches + later, ngrams + later
    there = np.cumprod(ngrams > 0, axis=-1).astype(np.bool_)
    missed = there & (matches == 0)
    if smooth == "exp":
        matches = np.where(missed, 0.5 ** np.cumsum(missed, axis=-1), matches)
    elif smooth == "floor":
        matches = np.where(missed, constant, matches)
    logs = np.log(np.where(there, matches / ngrams, 1.0 if effective else 0.0))
    used = np.maximum(there.sum(axis=-1), 1) if effective else orders
    brevity = np.where(ours < theirs, np.exp(1 - theirs / ours), 1.0)
    return np.where(nothing, 0.0, 100 * brevity * np.exp(logs.sum(axis=-1) / used))[..., None]


def chrf(counts: Array, beta: float = 2.0, smooth: bool = False) -> Array:
    """Return ChrF, computed from counts.

    Args:
        counts: [..., 3 orders]: for each order, n-grams of the candidate, n-grams of the reference, and matches.
        beta: the weight of recall in comparison with precision.
        smooth: whether to take the mean of F over all orders, with 1e-16 for an undefined precision or recall.

    Returns:
        [..., 1], from 0 to 100.
    """
    ours, theirs, matches = (counts[..., at::3] for at in range(3))
    if smooth:
        precision, recall = (np.where(side > 0, matches / side, 1e-16) for side in (ours, theirs))
        below = beta**2 * precision + recall
        f = np.where(below > 0, (1 + beta**2) * precision * recall / below, 1e-16)
        mean: Array = 100 * f.cumsum(axis=-1)[..., -1:] / f.shape[-1]
        return mean
    both = (ours > 0) & (theirs > 0)
    orders = both.sum(axis=-1)
    # Summed one by one, as in sacrebleu: the last bit may decide which of two references is better.
    precision, recall = (
        np.where(both, matches / side, 0.0).cumsum(axis=-1)[..., -1] / orders for side in (ours, theirs)
    )
    f = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
    return np.where((orders > 0) & (precision + recall > 0), 100 * f, 0.0)[..., None]


def rate(counts: Array) -> Array:
    """Return edits per 100 words of the reference: [..., 1], from the counts of edits and of words: [..., 2]."""
    edits, words = counts[..., 0], counts[..., 1]
    return np.where(words > 0, 100 * edits / words, np.where(edits > 0, 100.0, 0.0))[..., None]


def sari(counts: Array) -> Array:
    """Return SARI, computed from counts.

    Precision and recall are means over orders. Deletion is scored by F, too.

    Args:
        counts: [..., 36]: for each of add, keep and delete, the correct n-grams of 4 orders, then those of the
            candidate, then those of the references.

    Returns:
        SARI, add, keep and delete: [..., 4], from 0 to 100.
    """
    scores = []
    for at in range(0, counts.shape[-1], 12):
        good, ours, theirs = (counts[..., at + 4 * side : at + 4 * side + 4] for side in range(3))
        precision, recall = (np.where(side > 0, good / side, 0.0).mean(axis=-1) for side in (ours, theirs))
        f = 2 * precision * recall / (precision + recall)
        scores.append(np.where(precision + recall > 0, 100 * f, 0.0))
    return np.stack([np.mean(scores, axis=0), *scores], axis=-1)


FORMULAS: Mapping[str, Callable[..., Array]] = {"bleu": bleu, "chrf": chrf, "rate": rate, "sari": sari}
MOST = {"rate": np.inf}
"""The greatest value of each formula; 100 for formulas that are not listed. The least is 0"""
