"""Texts as points: what metrics of sets compare, taken from the vectors of a text's sub-words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

UNITS = ("sentence", "token")


def layers_of(unit: str, layers: int, top: int) -> tuple[int, ...]:
    """The hidden layers that the points of a unit are taken from: the last for a sentence, the last few for tokens.

    Raises ValueError where the model has fewer than `layers` (layer 0 holds its embeddings, which know no context).
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
    'token': the vector of each word at each layer, a word standing for its first sub-word; punctuation and special
        tokens left out (the filter of MoverScore, Zhao et al. 2019, from whose models the paper's vectors come): layers
        times words.

    vectors [layers, tokens, width]; special, words (the number of each token's word) and wordlike (whether the token
    holds a letter or a digit) [tokens]. normalize: to unit length; a zero vector stays one.
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
