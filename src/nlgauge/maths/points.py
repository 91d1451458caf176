"""The points that set metrics compare, from the vectors of a text's sub-words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

UNITS = ("sentence", "token")


def layers_of(unit: str, layers: int, top: int) -> tuple[int, ...]:
    """The hidden layers of a unit's points: the last one for sentences, the last `layers` ones for tokens.

    Raises ValueError if the model has fewer than `layers` layers. Layer 0 (embeddings) has no context and is not used.
    """
    if unit == "sentence":
        return (top,)
    if layers > top:
        raise ValueError(f"layers={layers} are asked for, the model has {top}")
    return tuple(range(top - layers + 1, top + 1))


def text_points(
    unit: str,
    vectors: NDArray[np.float32],
    special: NDArray[np.bool_],
    words: NDArray[np.int64],
    wordlike: NDArray[np.bool_],
    normalize: bool,
) -> NDArray[np.float32]:
    """The points of one text: [points, width].

    'sentence': the mean of the last layer's vectors, special tokens included, as sentence encoders are pooled
        (Reimers and Gurevych 2019): one point.
    'token': the vector of each word's first sub-word at each layer, without punctuation and special tokens (as in
    MoverScore, Zhao et al. 2019, whose models the paper uses): layers times words.

    vectors [layers, tokens, width]; special, words (the number of each token's word) and wordlike (whether the token
    holds a letter or a digit) [tokens]. normalize: scale points to unit length; a zero vector stays zero.
    """
    points: NDArray[np.float64]
    if unit == "sentence":
        points = vectors[-1].mean(axis=0, dtype=np.float64)[None]
    else:
        text = np.flatnonzero(~special)
        first = text[np.diff(words[text], prepend=-1) != 0]
        points = vectors[:, first[wordlike[first]]].reshape(-1, vectors.shape[2]).astype(np.float64)
    if normalize:
        lengths = np.sqrt(np.square(points).sum(axis=1, keepdims=True))
        points = points / np.where(lengths > 0, lengths, 1)
    return points.astype(np.float32)
