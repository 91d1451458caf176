"""What the second computation has of nlgauge: the network and the tokenizer of a model, and English stop-words."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import ALIGNER, ENCODER, MASKED_LM, MASKED_PAIRS, TOKENIZER
from nlgauge.engine.tokens import Tokens

Array: TypeAlias = np.ndarray[Any, Any]
Weight: TypeAlias = Callable[[int], float]
MODEL = os.environ.get("NLGAUGE_NUMBERS_BY")
"""The model of both computations, such as base; None for the embedded model"""


class Network(NamedTuple):
    """What a model computes of a row of tokens."""

    model: Any

    def tokens(self, text: str) -> Tokens:
        """The sub-words of a text and their places in it, without special tokens."""
        return next(iter(self.model[TOKENIZER].encode([text])))  # type: ignore[no-any-return]

    def ids(self, text: str) -> list[int]:
        return [*map(int, self.tokens(text).ids)]

    def framed(self, text: str) -> list[int]:
        tokenizer = self.model[TOKENIZER]
        return [*tokenizer.prefix, *self.ids(text), *tokenizer.suffix]

    def layer(self, *names: str, rule: int = -1) -> int:
        """The layer that the card has for the first of some names that it has; else the last one, or so from it."""
        layers: dict[str, int] = self.model.card.layers
        return next((layers[name] for name in names if name in layers), int(self.model[ENCODER].layers) + 1 + rule)

    def states(self, text: str) -> Array:
        """[layers, tokens, width], with special tokens."""
        row, encoder = np.array([self.framed(text)]), self.model[ENCODER]
        states: Array = encoder.hidden(row, np.ones_like(row), range(encoder.layers + 1))[:, 0].astype(float)
        return states

    def aligned(self, text: str, other: str) -> tuple[Array, float]:
        """The log-odds that another text supports each sub-word of a text, and the share of it that is supported."""
        end, own = self.model[TOKENIZER].suffix, self.framed(text)
        theirs = self.ids(other)
        assert len(own) <= 128 and len(own) + len(theirs) + len(end) <= 320, "both texts must be read in one row"
        row = np.array([[*own, *theirs, *end]])
        side = np.array([[0] * len(own) + [1] * len(theirs) + [0] * len(end)])
        logits, shares, *_ = self.model[ALIGNER].align(row, np.ones_like(row), side)
        before = len(self.model[TOKENIZER].prefix)
        return logits[0, before : len(own) - len(end)].astype(float), float(shares[0])

    def guessed(self, ids: list[int], at: list[int], other: str) -> list[int]:
        """The likeliest sub-words at some places of a text, in which masks stand already, beside another text."""
        tokenizer = self.model[TOKENIZER]
        row = np.array([[*tokenizer.prefix, *ids, *tokenizer.suffix]])
        places = np.array(at) + len(tokenizer.prefix)
        logits = self.model[MASKED_PAIRS].pair_logits(row, np.ones_like(row), places, seen(other))
        return logits.argmax(axis=1).tolist()  # type: ignore[no-any-return]

    def beside(self, text: str, other: str) -> Array:
        """The last states of a text's sub-words, read beside another text: [tokens, width]."""
        row = np.array([self.framed(text)])
        states = self.model[MASKED_PAIRS].pair_states(row, np.ones_like(row), seen(other))[0]
        return states[len(self.model[TOKENIZER].prefix) : -len(self.model[TOKENIZER].suffix)].astype(float)  # type: ignore[no-any-return]


@cache
def network() -> Network:
    return Network(loading.load(MODEL or "pocket"))


@cache
def seen(other: str) -> Any:
    """Another text as the weights for pairs read it."""
    return network().model[MASKED_PAIRS].other_text(np.array(network().framed(other)))


@cache
def predicted(text: str, stride: int = 1) -> Array:
    """The logits at each token of a text, of which so many at a time are masked: [tokens, vocabulary].

    Tokens that are masked together are eight apart at least.
    """
    net = network()
    ids, before, size = net.framed(text), len(net.model[TOKENIZER].prefix), len(net.ids(text))
    rounds = size if stride == 1 else max(math.ceil(size / stride), min(size, 8))
    logits: dict[int, Array] = {}
    for first in range(rounds):
        row, at = np.array([ids]), before + np.arange(first, size, rounds)
        row[0, at] = net.model.mask_id
        read = net.model[MASKED_LM].masked_logits(row, np.ones_like(row), at)
        logits |= dict(zip(at.tolist(), read, strict=True))
    return np.stack([logits[before + place] for place in range(size)])


@cache
def counted(texts: tuple[str, ...]) -> Weight:
    """log((N + 1) / (n + 1)) of N distinct texts, of which n hold the token."""
    documents = [set(network().ids(text)) for text in dict.fromkeys(texts)]
    return cache(lambda token: math.log((len(documents) + 1) / (sum(token in one for one in documents) + 1)))


def weights(rows: list[dict[str, Any]]) -> Weight:
    """The weights that are counted on the references."""
    return counted(tuple(text for row in rows for text in row["references"]))


def general() -> Weight:
    """The weights that the model's card has."""
    frequencies = network().model.card.document_frequencies
    return lambda token: math.log((frequencies.documents + 1) / (frequencies.counts[token] + 1))


def unit(vectors: Array) -> Array:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)  # type: ignore[no-any-return]


def words(text: str) -> list[tuple[str, list[int]]]:
    """The words of a text, each with the places of its sub-words: letters and digits that touch are one word."""
    parts: list[tuple[str, list[int]]] = []
    end = -1
    for place, (begin, after) in enumerate(network().tokens(text).offsets.tolist()):
        piece = text[begin:after]
        if parts and begin == end and text[begin - 1].isalnum() and text[begin].isalnum():
            parts[-1] = (parts[-1][0] + piece, [*parts[-1][1], place])
        else:
            parts.append((piece, [place]))
        end = after
    return parts


def is_text(word: str) -> bool:
    return any(map(str.isalnum, word))
