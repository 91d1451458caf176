"""What metrics ask the engine for, and what they get.

A request is a small frozen value: two metrics that ask for equal features of a text share one computation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class TokenWeights:
    """A weight for every token of the vocabulary, equal to another where the digests are."""

    digest: str
    values: NDArray[np.float64] = field(compare=False, repr=False)
    """[vocabulary], >= 0"""


@dataclass(frozen=True)
class BagRequest:
    """The bag of masked distributions of a text (InfoLM, section 3; equation 1 of its paper).

    Each token in turn is masked and predicted from the rest; the bag is the weighted mean of these distributions.
    """

    temperature: float
    weights: TokenWeights | None = None
    """None: every token counts the same"""
    stride: int = 1
    """How many tokens, far apart, are masked in one pass; 1 is exact"""


@dataclass(frozen=True)
class LikelihoodRequest:
    """How likely each token of a text is where it is masked and the rest is seen (Salazar et al. 2020, equation 1)."""

    stride: int = 1
    """How many tokens, far apart, are masked in one pass; 1 is exact"""


@dataclass(frozen=True)
class WrittenRequest:
    """How likely each token of a text is where those before it are seen, by a model that writes from left to right."""

    given: str | None = None
    """The text that it is written from, of a model that has an encoder; None of one that has none"""


@dataclass(frozen=True)
class VectorsRequest:
    """The hidden states of a text's tokens, special tokens included, at chosen layers (0: the embeddings)."""

    layers: tuple[int, ...]


@dataclass(frozen=True)
class StaticRequest:
    """The rows of the model's vocabulary table for a text's tokens: no pass through the model."""


@dataclass(frozen=True)
class AlignmentRequest:
    """How far the model's aligner finds each word of a text supported by other texts (CTC, section 3.5)."""

    against: tuple[str, ...]
    """Together they are what the text is aligned with; at least one has tokens"""


@dataclass(frozen=True)
class MaskedWordsRequest:
    """Words of a text, each predicted from the rest of the text and another text (MaskEval, section 3.2)."""

    against: str
    """The other text"""
    first: bool = True
    """Whether the text stands before the other one, for a model that reads the two in one row"""
    segmentation: str = "plain"
    """What a word is: see engine.segmentation"""
    decoding: str = "joint"
    """How a word of several pieces is predicted: see engine.masking"""
    stride: int = 1
    """How many words, far apart, are masked in one pass; 1 is exact"""
    words: tuple[int, ...] | None = None
    """Which words, counted from 0, in order; None: all of them"""


@dataclass(frozen=True)
class PairStatesRequest:
    """The last hidden states of a text's tokens when it is read with another text."""

    against: str
    first: bool = True
    """Whether the text stands before the other one, for a model that reads the two in one row"""


Request: TypeAlias = (
    BagRequest
    | LikelihoodRequest
    | WrittenRequest
    | VectorsRequest
    | StaticRequest
    | AlignmentRequest
    | MaskedWordsRequest
    | PairStatesRequest
)


@dataclass(frozen=True, eq=False)
class Bag:
    """Answer to a BagRequest; equal to itself alone."""

    log_probabilities: NDArray[np.float64]
    """[vocabulary]"""
    unweighted: bool
    """True where all weights of the text's tokens were 0, and every token was counted the same instead"""


@dataclass(frozen=True, eq=False)
class Likelihood:
    """Answer to a LikelihoodRequest, or to a WrittenRequest; equal to itself alone."""

    text: str
    log_probabilities: NDArray[np.float64]
    """[tokens], natural logarithm"""
    offsets: NDArray[np.int32]
    """[tokens, 2]: places in the text; empty ones for the special tokens that a text is written with"""

    def evidence(self) -> list[dict[str, Any]]:
        """Each token with its place and log-probability."""
        return [
            {"text": self.text[begin:end], "begin": begin, "end": end, "log_probability": value}
            for (begin, end), value in zip(self.offsets.tolist(), self.log_probabilities.tolist(), strict=True)
        ]


@dataclass(frozen=True, eq=False)
class TokenVectors:
    """Answer to a VectorsRequest (special tokens around the text included) or a StaticRequest (without them).

    Equal to itself alone, so that a metric can remember what it made of one for as long as the engine holds it.
    """

    text: str
    vectors: NDArray[np.float32]
    """[layers, tokens, width]"""
    ids: NDArray[np.int32]
    """[tokens]"""
    offsets: NDArray[np.int32]
    """[tokens, 2]: places in the text; empty ones for special tokens"""
    special: NDArray[np.bool_]
    """[tokens]: the model's own tokens, which stand for no word of the text"""


@dataclass(frozen=True, eq=False)
class Alignment:
    """Answer to an AlignmentRequest; equal to itself alone."""

    text: str
    offsets: NDArray[np.int32]
    """[tokens, 2]: places in the text"""
    logits: NDArray[np.float32]
    """[tokens]: log-odds of being supported, the greatest over the windows of the other texts"""
    aggregate: float
    """The share of the text that is supported, predicted as one number; the greatest over the windows"""


@dataclass(frozen=True, eq=False)
class MaskedWords:
    """Answer to a MaskedWordsRequest; equal to itself alone. All of it runs over the words that were asked for."""

    text: str
    words: NDArray[np.intp]
    """[words]: their numbers in the text"""
    spans: NDArray[np.int64]
    """[words, 2]: first character and the one after the last"""
    hits: NDArray[np.bool_]
    """[words]: whether the word itself was predicted, capitals aside"""
    log_probabilities: NDArray[np.float64]
    """[words]: of the word itself, sum over its pieces"""
    predicted: tuple[str, ...]


Feature: TypeAlias = Bag | Likelihood | TokenVectors | Alignment | MaskedWords
