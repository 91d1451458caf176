"""The last hidden states of a text's tokens, read together with another text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.features.request import PairRequest, Reader, tokens_about
from nlgauge.engine.models.capabilities import ENCODER, MASKED_PAIRS, TOKENIZER, Ints, Model
from nlgauge.engine.text_block import TextBlock
from nlgauge.engine.windows import pair_room, pair_types, paired_row, windows


@dataclass(frozen=True, eq=False)
class PairStates:
    """The states and words of a text. They are compared by identity."""

    states: NDArray[np.float32]
    """[tokens, width]: the last hidden state of each token"""
    starts: NDArray[np.intp]
    """[words]: the index of each word's first token"""
    cut: bool = False
    """Whether only the beginning of the other text was read, because it is longer than the window"""


def states_digest(model: Model) -> str:
    """Return the SHA-256 of the weights that read two texts together."""
    return model.digest if MASKED_PAIRS not in model else model[MASKED_PAIRS].digest


def read_pair_states(
    requests: Sequence[PairStatesRequest], block: TextBlock
) -> dict[PairStatesRequest, PairStates | None]:
    """Return the states of each request, by the weights for pairs if there are any, else from both texts in one row."""
    encoder = block.model[ENCODER]
    nothing = PairStates(np.empty((0, encoder.width), np.float32), np.empty(0, np.intp))
    out: dict[PairStatesRequest, PairStates | None] = {}
    by_other: dict[str, list[PairStatesRequest]] = {}
    for request in requests:
        has_tokens = len(block.tokens(request.text)) > 0
        out[request] = nothing if has_tokens else None
        if has_tokens and len(block.tokens(request.against)):
            by_other.setdefault(request.against, []).append(request)
    finished = 0
    for other, together in by_other.items():
        seen = None if MASKED_PAIRS not in block.model else other_text(other, block)
        for request in together:
            starts, _ = block.words(request.text, request.segmentation)
            out[request] = PairStates(_states(request, seen, block), starts[:-1], block.longer(other))
            finished += 1
            block.done(finished / len(requests))
    return out


def other_text(other: str, block: TextBlock) -> Any:
    """Return another text in the form that weights for pairs read: as much of its beginning as fits the window."""
    model = block.model[MASKED_PAIRS]
    tokenizer = block.model[TOKENIZER]
    shown = block.tokens(other).ids[: block.model.room]
    block.ledger.passes += 1
    return model.other_text(np.array([*tokenizer.prefix, *shown, *tokenizer.suffix], np.int64))


def _states(request: PairStatesRequest, seen: Any, block: TextBlock) -> NDArray[np.float32]:
    """Return the states of a text [tokens, width]. seen: the other text for weights for pairs; None without them."""
    model, tokens = block.model, block.tokens(request.text)
    encoder = model[ENCODER]
    room, other = model.room, block.tokens(request.against)
    if seen is None:
        both = pair_room(model.window, model[TOKENIZER])
        room = max(both // 2, both - len(other))
    states = np.empty((len(tokens), encoder.width), np.float32)
    for window in windows(len(tokens), room, "slide"):
        ids = tokens.ids[window.begin : window.end].tolist()
        if seen is None:
            row, shift, second = paired_row(
                ids, other.ids.tolist(), first=request.first, room=both, tokenizer=model[TOKENIZER]
            )
            framed = np.array([row], np.int64)
            types = pair_types([second], len(row), model)
            read = encoder.hidden(framed, np.ones_like(framed), [encoder.layers], **types)[0, 0]
        else:
            shift = len(model[TOKENIZER].prefix)
            framed = np.array([[*model[TOKENIZER].prefix, *ids, *model[TOKENIZER].suffix]], np.int64)
            read = _by_pairs(framed, seen, model)
        block.ledger.passes += 1
        first, last = window.used_from - window.begin + shift, window.used_to - window.begin + shift
        states[window.used_from : window.used_to] = read[first:last]
    return states


def _by_pairs(framed: Ints, seen: Any, model: Model) -> NDArray[np.float32]:
    states: NDArray[np.float32] = model[MASKED_PAIRS].pair_states(framed, np.ones_like(framed), seen)[0]
    return states


@dataclass(frozen=True)
class PairStatesRequest(PairRequest[PairStates]):
    """A request for the states of a text that is read together with another text.

    The feature is None if the text has no tokens. If the other text has none, the feature is empty.
    """

    capability = ENCODER
    reader: ClassVar[Reader] = staticmethod(read_pair_states)

    def size(self, model: Model) -> int:
        return 4 * tokens_about(self.text) * model[ENCODER].width
