"""One vector for a whole text: the mean of its tokens' hidden states."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.features.request import Derived, Features
from nlgauge.engine.features.vectors import TokenVectors, VectorsRequest
from nlgauge.engine.models.capabilities import ENCODER, Model


@dataclass(frozen=True)
class SentenceVectors(Derived[TokenVectors]):
    """The mean over all tokens of a text (Reimers and Gurevych 2019), as the vector of one token that covers the text.

    It is small and costs a pass, so it is kept: metrics of sets ask for it again with every new system.
    """

    text: str
    layers: tuple[int, ...]

    @property
    def sources(self) -> tuple[VectorsRequest]:
        return (VectorsRequest(self.text, self.layers),)

    def derive(self, features: Features) -> TokenVectors | None:
        read = features[self.sources[0]]
        return (
            None
            if read is None
            else self._one(read.vectors.mean(axis=1, keepdims=True, dtype=np.float64).astype(np.float32))
        )

    def size(self, model: Model) -> int:
        return 4 * len(self.layers) * model[ENCODER].width

    @property
    def key(self) -> str:
        return f"sentence|{self.layers}|{self.text}"

    def pack(self, feature: TokenVectors) -> bytes:
        return feature.vectors.astype("<f4").tobytes()

    def unpack(self, content: bytes, model: Model) -> TokenVectors:
        if len(content) != self.size(model):
            raise ValueError(f"{len(content)} bytes")
        return self._one(np.frombuffer(content, "<f4").reshape(len(self.layers), 1, -1))

    def _one(self, vectors: NDArray[np.float32]) -> TokenVectors:
        offsets = np.array([[0, len(self.text)]], np.int32)
        return TokenVectors(self.text, vectors, np.full(1, -1, np.int32), offsets, np.zeros(1, np.bool_))
