"""Vectors of a text: its tokens' hidden states at chosen layers, their mean, and rows of the embedding table.

Rows of the embedding table need no pass through the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.features.request import ModelPasses, Reader, TextRequest, tokens_about
from nlgauge.engine.models.capabilities import ENCODER, TOKENIZER, Model
from nlgauge.engine.text_block import TextBlock
from nlgauge.errors import SpecError


def _mean(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(vectors.mean(axis=1, keepdims=True, dtype=np.float64), np.float32)


POOLINGS: Mapping[str, Callable[[NDArray[np.float32]], NDArray[np.float32]]] = {
    "mean": _mean,
    "max": lambda vectors: vectors.max(axis=1, keepdims=True),
}
"""Functions that turn the vectors of a text's tokens into one vector: [layers, tokens, width] to [layers, 1, width]"""


@dataclass(frozen=True, eq=False)
class TokenVectors:
    """The vectors of a text's tokens. They are compared by identity, so that metrics can cache results by them."""

    text: str
    vectors: NDArray[np.float32]
    """[layers, tokens, width]: the vector of each token at each layer"""
    ids: NDArray[np.int32]
    """[tokens]: the id of each token"""
    offsets: NDArray[np.int32]
    """[tokens, 2]: positions in the text; empty for special tokens"""
    special: NDArray[np.bool_]
    """[tokens]: whether it is a special token of the model"""


def read_vectors(requests: Sequence[LayersRequest], block: TextBlock) -> dict[LayersRequest, TokenVectors | None]:
    """Return the vectors of each request; None for a text without tokens.

    A text is read once for all requested layers, a long text in windows.
    """
    model = block.model
    encoder = model[ENCODER]
    out: dict[LayersRequest, TokenVectors | None] = dict.fromkeys(requests)
    texts = list(dict.fromkeys(request.text for request in requests if len(block.tokens(request.text))))
    layers = sorted({layer for request in requests for layer in request.layers})
    if layers and not -1 < layers[0] <= layers[-1] <= encoder.layers:
        raise SpecError(f"model {model.name!r} has layers 0 to {encoder.layers}; asked for {layers}")
    before, after = len(model[TOKENIZER].prefix), len(model[TOKENIZER].suffix)
    sizes = {text: block.used(text) + before + after for text in texts}
    states = {text: np.empty((len(layers), size, encoder.width), np.float32) for text, size in sizes.items()}
    work = [(text, window) for text in texts for window in block.windows(text)]
    for index in block.batches([window.end - window.begin for _, window in work]):
        part = [work[i] for i in index]
        hidden = encoder.hidden(*block.rows(part), layers)
        for row, (text, window) in enumerate(part):
            # Special tokens before the text come from its first window, those after it from its last.
            begin = window.used_from + (before if window.used_from else 0)
            end = window.used_to + before + (after if window.used_to + before + after == sizes[text] else 0)
            states[text][:, begin:end] = hidden[:, row, begin - window.begin : end - window.begin]
    for request in requests:
        if request.text in states:
            chosen = states[request.text][[layers.index(layer) for layer in request.layers]]
            if isinstance(request, SentenceVectors):
                out[request] = request.whole(POOLINGS[request.pooling](chosen))
            else:
                out[request] = TokenVectors(request.text, chosen, *block.framed(request.text))
    return out


@dataclass(frozen=True)
class LayersRequest(TextRequest[TokenVectors]):
    """A request for hidden states of a text at chosen layers (0: the embeddings), with special tokens.

    The encoder reads a text once for all its requests.
    """

    capability = ENCODER
    reader: ClassVar[Reader] = staticmethod(read_vectors)

    layers: tuple[int, ...]

    @property
    def passes(self) -> ModelPasses:
        return ModelPasses((read_vectors, self.text), len(self.text))


@dataclass(frozen=True)
class VectorsRequest(LayersRequest):
    """A request for the hidden states of a text's tokens."""

    def size(self, model: Model) -> int:
        width = model[ENCODER].width
        return 4 * len(self.layers) * (tokens_about(self.text) + model[TOKENIZER].frame) * width


@dataclass(frozen=True)
class SentenceVectors(LayersRequest):
    """A request for one vector of a whole text: in each dimension, the mean or the maximum over its tokens.

    Sentence encoders are pooled in this way (Reimers and Gurevych 2019). The feature is cached, because it is small and
    set metrics need it again for every new system.
    """

    pooling: str = "mean"

    def size(self, model: Model) -> int:
        return 4 * len(self.layers) * model[ENCODER].width

    @property
    def key(self) -> str:
        return f"sentence {self.pooling}|{self.layers}|{self.text}"

    def pack(self, feature: TokenVectors) -> bytes:
        return feature.vectors.astype("<f4").tobytes()

    def unpack(self, content: bytes, model: Model) -> TokenVectors:
        if len(content) != self.size(model):
            raise ValueError(f"{len(content)} bytes")
        return self.whole(np.frombuffer(content, "<f4").reshape(len(self.layers), 1, -1))

    def whole(self, vectors: NDArray[np.float32]) -> TokenVectors:
        """Return the feature that holds one pooled vector [layers, 1, width]."""
        offsets = np.array([[0, len(self.text)]], np.int32)
        return TokenVectors(
            text=self.text,
            vectors=vectors,
            ids=np.full(1, -1, np.int32),
            offsets=offsets,
            special=np.zeros(1, np.bool_),
        )


def read_static(requests: Sequence[StaticRequest], block: TextBlock) -> dict[StaticRequest, TokenVectors | None]:
    """Return the rows of the embedding table for the tokens of each text; None for a text without tokens."""
    encoder = block.model[ENCODER]
    out: dict[StaticRequest, TokenVectors | None] = dict.fromkeys(requests)
    for request in requests:
        if tokens := len(block.tokens(request.text)):
            size = min(tokens, block.used(request.text))
            ids, offsets = block.tokens(request.text).ids[:size], block.tokens(request.text).offsets[:size]
            vectors = encoder.static(ids)[None]
            out[request] = TokenVectors(
                text=request.text, vectors=vectors, ids=ids, offsets=offsets, special=np.zeros(size, np.bool_)
            )
    return out


@dataclass(frozen=True)
class StaticRequest(TextRequest[TokenVectors]):
    """A request for the static vectors of a text's tokens, as one layer, without special tokens."""

    capability = ENCODER
    reader: ClassVar[Reader] = staticmethod(read_static)

    @property
    def passes(self) -> ModelPasses:
        return ModelPasses(self, 0)

    def size(self, model: Model) -> int:
        return 4 * tokens_about(self.text) * model[ENCODER].width
