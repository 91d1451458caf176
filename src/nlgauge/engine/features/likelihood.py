"""Log-probability of each token of a text given the tokens before it, by models that read from left to right.

A causal model reads the text alone, with a token before it so that the first token has a probability too. A model with
an encoder and a decoder reads another text first, as much of it as fits a row. It was trained to write the special
tokens around a text, so these count too. A text longer than a row is read in windows. Each token takes its value from
the window with the most tokens before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.batching import padded
from nlgauge.engine.features.request import Reader, Request, TextRequest, tokens_about
from nlgauge.engine.models.capabilities import CAUSAL_LM, SEQ2SEQ_LM, TOKENIZER, Model
from nlgauge.engine.text_block import TextBlock
from nlgauge.engine.windows import windows

_LOGITS = 32 << 20
"""Maximum number of logits in a batch: its tokens times the vocabulary"""


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The log-probabilities of a text's tokens. Likelihoods are compared by identity."""

    text: str
    log_probabilities: NDArray[np.float64]
    """[tokens], natural logarithm"""
    offsets: NDArray[np.int32]
    """[tokens, 2]: positions in the text; empty for special tokens"""
    cut: bool = False
    """Whether only the beginning of the other text was read, because it does not fit a row"""


class _TextRow(NamedTuple):
    request: Request[Likelihood]
    ids: list[int]
    other_ids: list[int]
    used: slice
    """The places in `ids` of the tokens whose probability comes from this row"""
    offsets: NDArray[np.int32]
    """[used tokens, 2]: positions in the text"""


def read_causal(requests: Sequence[CausalRequest], block: TextBlock) -> dict[CausalRequest, Likelihood | None]:
    """Return the log-probabilities of texts, each by itself."""
    model = block.model[CAUSAL_LM]
    rows = [
        row
        for request in requests
        if len(block.tokens(request.text))
        for row in _rows(request, block, other_ids=[], prefix=[], suffix=[])
    ]
    logs: dict[int, NDArray[np.float64]] = {}
    for index in block.batches([len(row.ids) for row in rows], _budget(block)):
        ids, _ = padded([rows[i].ids for i in index], block.model[TOKENIZER].pad_id)
        logs.update(zip(index.tolist(), model.causal_logs(ids), strict=True))
    return dict.fromkeys(requests) | _joined(rows, logs, block)


def read_seq2seq(requests: Sequence[Seq2SeqRequest], block: TextBlock) -> dict[Seq2SeqRequest, Likelihood | None]:
    """Return the log-probabilities of texts, each given another text."""
    model = block.model[SEQ2SEQ_LM]
    tokenizer, rows = block.model[TOKENIZER], []
    for request in requests:
        shown = block.tokens(request.other).ids[: block.model.room].tolist()
        if shown and len(block.tokens(request.text)):
            other_ids = [*tokenizer.prefix, *shown, *tokenizer.suffix]
            rows += _rows(request, block, other_ids=other_ids, prefix=tokenizer.prefix, suffix=tokenizer.suffix)
    logs: dict[int, NDArray[np.float64]] = {}
    for index in block.batches([max(len(row.ids), len(row.other_ids)) for row in rows], _budget(block)):
        ids, _ = padded([rows[i].ids for i in index], tokenizer.pad_id)
        token_logs = model.seq2seq_logs(ids, *padded([rows[i].other_ids for i in index], tokenizer.pad_id))
        logs.update(zip(index.tolist(), token_logs, strict=True))
    return dict.fromkeys(requests) | _joined(rows, logs, block)


def _budget(block: TextBlock) -> int:
    return max(1, _LOGITS // block.model[TOKENIZER].vocabulary)


def _rows(
    request: Any, block: TextBlock, other_ids: list[int], prefix: Sequence[int], suffix: Sequence[int]
) -> list[_TextRow]:
    tokens = block.tokens(request.text)
    room = block.model.window - len(prefix) - len(suffix) - 1  # one token comes before the first
    rows = []
    for window in windows(len(tokens), room, block.window, backwards=True):
        ids = [*prefix, *tokens.ids[window.begin : window.end].tolist(), *suffix]
        before = len(prefix) if window.used_from == 0 else 0
        after = len(suffix) if window.used_to == len(tokens) else 0
        begin = len(prefix) + window.used_from - window.begin - before
        end = len(prefix) + window.used_to - window.begin + after
        offsets = [
            np.zeros((before, 2), np.int32),
            tokens.offsets[window.used_from : window.used_to],
            np.full((after, 2), len(request.text), np.int32),
        ]
        rows.append(
            _TextRow(
                request=request, ids=ids, other_ids=other_ids, used=slice(begin, end), offsets=np.concatenate(offsets)
            )
        )
    return rows


def _joined(
    rows: Sequence[_TextRow], logs: Mapping[int, NDArray[np.float64]], block: TextBlock
) -> dict[Any, Likelihood]:
    """Return the result of each request, joined from its rows."""
    parts: dict[Request[Likelihood], list[int]] = {}
    for number, row in enumerate(rows):
        parts.setdefault(row.request, []).append(number)
    return {
        request: Likelihood(
            request.texts[0],
            np.concatenate([logs[i][rows[i].used] for i in numbers]),
            np.concatenate([rows[i].offsets for i in numbers]),
            any(map(block.longer, request.texts[1:])),
        )
        for request, numbers in parts.items()
    }


@dataclass(frozen=True)
class CausalRequest(TextRequest[Likelihood]):
    """A request for the log-probability of each token of a text given the tokens before it."""

    capability = CAUSAL_LM
    reader: ClassVar[Reader] = staticmethod(read_causal)

    def check(self, block: TextBlock) -> None:
        windows(len(block.tokens(self.text)), block.model.window - 1, block.window)

    def size(self, model: Model) -> int:
        return 16 * tokens_about(self.text)


@dataclass(frozen=True)
class Seq2SeqRequest(Request[Likelihood]):
    """A request for the log-probability of each token, given another text and the tokens before it.

    The feature is None if either text has no tokens.
    """

    capability = SEQ2SEQ_LM
    reader: ClassVar[Reader] = staticmethod(read_seq2seq)

    text: str
    other: str

    def check(self, block: TextBlock) -> None:
        block.windows(self.other)
        windows(len(block.tokens(self.text)), block.model.room - 1, block.window)

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text, self.other)

    def size(self, model: Model) -> int:
        return 16 * tokens_about(self.text)
