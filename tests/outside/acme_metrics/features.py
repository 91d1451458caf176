"""How far a text's tokens stand from each other on average: a feature with a reader of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nlgauge.metrics import Reader, Request
from nlgauge.models import ENCODER, Model, TextBlock


@dataclass(frozen=True)
class Spread:
    """The mean distance of a text's token vectors from their centre."""

    distance: float


def read_spreads(requests: Sequence[SpreadRequest], block: TextBlock) -> dict[SpreadRequest, Spread | None]:
    """Read texts at the last layer."""
    encoder = block.model[ENCODER]
    spreads: dict[SpreadRequest, Spread | None] = dict.fromkeys(requests)
    known = [request for request in requests if len(block.tokens(request.text))]
    work = [(request, window) for request in known for window in block.windows(request.text)[:1]]
    for index in block.batches([window.end - window.begin for _, window in work]):
        part = [work[i] for i in index]
        ids, attend = block.rows([(request.text, window) for request, window in part])
        for (request, _), states, mask in zip(
            part, encoder.hidden(ids, attend, [encoder.layers])[0], attend, strict=True
        ):
            vectors = states[mask == 1]
            spreads[request] = Spread(float(np.linalg.norm(vectors - vectors.mean(axis=0), axis=1).mean()))
    return spreads


@dataclass(frozen=True)
class SpreadRequest(Request[Spread]):
    """The spread of a text."""

    capability = ENCODER
    reader: ClassVar[Reader] = staticmethod(read_spreads)

    text: str

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text,)

    def size(self, model: Model) -> int:
        return 8
