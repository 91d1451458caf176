"""A model that gives every character a vector, and does nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, models, pre_tokenizers

from nlgauge.models import ENCODER, TOKENIZER, Floats, Ints, Model, SubwordTokenizer

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class LetterEncoder:
    """A letter's vector is its place in the alphabet, and its square."""

    layers, width = 1, 2

    def hidden(self, ids: Ints, attend: Ints, layers: Sequence[int]) -> Floats:
        return np.stack([self.static(ids) for _ in layers])

    def static(self, ids: NDArray[np.int32] | Ints) -> Floats:
        return np.stack([ids, ids**2], axis=-1).astype(np.float32)


def letters(precision: str) -> Model:
    """The model. precision: makes no difference to whole numbers."""
    tokenizer = Tokenizer(models.WordLevel({letter: n for n, letter in enumerate("?" + _LETTERS)}, unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(""), "isolated")
    return Model(
        "acme-metrics/letters",
        "ac" * 32,
        "numpy",
        precision,
        {TOKENIZER: SubwordTokenizer(tokenizer, None, None), ENCODER: LetterEncoder()},
        window=64,
    )
