"""How far the model's aligner finds each token of a text supported by other texts (CTC, section 3.5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.batching import padded
from nlgauge.engine.features.request import Reader, Request, tokens_about
from nlgauge.engine.models.capabilities import Ints, Model, capability
from nlgauge.engine.pairs import PairWindow, pair_room, pair_windows
from nlgauge.engine.view import View
from nlgauge.engine.windows import Window


@dataclass(frozen=True, eq=False)
class Alignment:
    """Which tokens of a text are supported; equal to itself alone."""

    text: str
    offsets: NDArray[np.int32]
    """[tokens, 2]: places in the text"""
    logits: NDArray[np.float32]
    """[tokens]: log-odds of being supported, the greatest over the windows of the other texts"""
    aggregate: float
    """The share of the text that is supported, predicted as one number; the greatest over the windows"""


def read_alignments(requests: Sequence[AlignmentRequest], view: View) -> dict[AlignmentRequest, Alignment | None]:
    """Read each text with each of the others, in windows where two do not fit together."""
    model = capability(view.model, view.model.aligner, "aligner")
    before = len(view.model.tokenizer.prefix)
    work = [(request, other, window) for request in requests for other, window in _windows(request, view)]
    sums = {request: _Supports(len(view.tokens(request.text))) for request in requests}
    for index in view.batches([_length(window) for _, _, window in work]):
        part = [work[i] for i in index]
        rows = _rows([(request.text, other, window) for request, other, window in part], view)
        logits, shares = model.align(*rows)
        for row, (request, _, (own, _)) in enumerate(part):
            begin = before + own.used_from - own.begin
            sums[request].add(own, logits[row, begin : begin + own.used_to - own.used_from], float(shares[row]))
    return {request: supports.answer(request.text, view) for request, supports in sums.items()}


def _windows(request: AlignmentRequest, view: View) -> list[tuple[str, PairWindow]]:
    """The other texts that a text is read with, and in which windows."""
    room, size = pair_room(view.model.window, view.model.tokenizer), len(view.tokens(request.text))
    others = [other for other in request.against if size and len(view.tokens(other))]
    return [(o, w) for o in others for w in pair_windows(size, len(view.tokens(o)), room, view.window)]


def _length(window: PairWindow) -> int:
    return window.text.end - window.text.begin + window.other.end - window.other.begin


def _rows(part: Sequence[tuple[str, str, PairWindow]], view: View) -> tuple[Ints, Ints, Ints]:
    """Framed and padded ids of pairs, where they are not padding, and where the other text is."""
    tokenizer = view.model.tokenizer
    rows, others = [], []
    for text, other, (own, rest) in part:
        first = [*tokenizer.prefix, *view.tokens(text).ids[own.begin : own.end], *tokenizer.suffix]
        second = view.tokens(other).ids[rest.begin : rest.end]
        rows.append([*first, *second, *tokenizer.suffix])
        others.append(slice(len(first), len(first) + len(second)))
    ids, attend = padded(rows, tokenizer.pad_id)
    side = np.zeros_like(ids)
    for row, place in enumerate(others):
        side[row, place] = 1
    return ids, attend, side


@dataclass(frozen=True)
class AlignmentRequest(Request[Alignment]):
    """A text aligned with others; None where it has no tokens."""

    capability: ClassVar[str] = "aligner"
    reader: ClassVar[Reader] = staticmethod(read_alignments)

    text: str
    against: tuple[str, ...]
    """Together they are what the text is aligned with; at least one has tokens"""

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text, *self.against)

    def size(self, model: Model) -> int:
        return 64 * tokens_about(self.text)

    def check(self, view: View) -> None:
        _windows(self, view)


class _Supports:
    """One text's alignments as the windows of the other texts come by: what any of them supports is supported."""

    def __init__(self, tokens: int) -> None:
        self._logits = np.full(tokens, -np.inf, np.float32)
        self._shares: dict[tuple[int, int], float] = {}

    def add(self, own: Window, logits: NDArray[np.float32], share: float) -> None:
        """logits [used tokens], share: of one window of the text with one of another."""
        used = (own.used_from, own.used_to)
        part = self._logits[slice(*used)]
        np.maximum(part, logits, out=part)
        self._shares[used] = max(self._shares.get(used, -np.inf), share)

    def answer(self, text: str, view: View) -> Alignment | None:
        """What was found of the tokens that were read: under window='cut' the rest has no alignment."""
        read = np.isfinite(self._logits)
        if not read.any():
            return None
        sizes = [end - begin for begin, end in self._shares]
        # The mean over the windows of the text, each as often as it has tokens.
        aggregate = float(np.average(list(self._shares.values()), weights=sizes))
        return Alignment(text, view.tokens(text).offsets[read], self._logits[read], aggregate)
