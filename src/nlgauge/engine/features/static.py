"""Rows of the model's embedding table for a text's tokens, without a pass through the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.engine.features.request import Reader, TextRequest, tokens_about
from nlgauge.engine.features.vectors import TokenVectors
from nlgauge.engine.models.capabilities import ENCODER, Model
from nlgauge.engine.text_block import TextBlock


def read_static(requests: Sequence[StaticRequest], block: TextBlock) -> dict[StaticRequest, TokenVectors | None]:
    """Look up the tokens of each text."""
    encoder = block.model[ENCODER]
    out: dict[StaticRequest, TokenVectors | None] = dict.fromkeys(requests)
    for request in requests:
        if tokens := len(block.tokens(request.text)):
            size = min(tokens, block.used(request.text))
            ids, offsets = block.tokens(request.text).ids[:size], block.tokens(request.text).offsets[:size]
            vectors = encoder.static(ids)[None]
            out[request] = TokenVectors(request.text, vectors, ids, offsets, np.zeros(size, np.bool_))
    return out


@dataclass(frozen=True)
class StaticRequest(TextRequest[TokenVectors]):
    """Static vectors of a text's tokens, as one layer, without special tokens."""

    capability = ENCODER
    reader: ClassVar[Reader] = staticmethod(read_static)

    @property
    def work(self) -> int:
        return 0

    def size(self, model: Model) -> int:
        return 4 * tokens_about(self.text) * model[ENCODER].width
