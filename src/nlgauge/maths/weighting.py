"""Weights of tokens."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


def document_frequencies(documents: Iterable[NDArray[np.integer]], vocabulary: int) -> tuple[NDArray[np.int64], int]:
    """In how many documents each token occurs, and the number of documents.

    documents: ids of each document, any length -> [vocabulary], N.
    """
    counts = np.zeros(vocabulary, dtype=np.int64)
    number = 0
    for ids in documents:
        counts[np.unique(ids)] += 1
        number += 1
    return counts, number


def inverse_document_frequencies(counts: NDArray[np.int64], documents: int) -> NDArray[np.float64]:
    """ln((N + 1) / (df + 1)): [vocabulary], >= 0, as in InfoLM, BERTScore and MoverScore.

    A token of every document has weight 0, and a token of no document ln(N + 1). With one document all its tokens have
    weight 0, so callers need a rule for texts whose weights are all 0.
    """
    return np.log((documents + 1) / (counts + 1.0))
