"""Texts written from left to right: how likely a model finds each token after those before it.

Two kinds of models write (`LanguageModel.writes`):

    alone               a causal model: the row is the text, after the token with which texts begin
    from another text   one with an encoder, which reads the other text, and a decoder. It was taught to write the
                        special tokens around a text too, and is asked for them

Of the other text as much is read as fits a row. A text that is longer than a row is read in windows, and each token
taken from the one that shows most of what stands before it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.batching import batches, padded
from nlgauge.engine.features import Likelihood, WrittenRequest
from nlgauge.engine.model import LanguageModel, no_writing
from nlgauge.engine.tokens import Tokens
from nlgauge.engine.windows import WindowPolicy, windows

_LOGITS = 32 << 20
"""Most numbers that a batch makes: its tokens times the vocabulary"""


class _Row(NamedTuple):
    need: int
    ids: list[int]
    given: list[int]
    used: slice
    """The tokens of `ids` whose probability is taken from this row"""
    offsets: NDArray[np.int32]
    """[used tokens, 2]"""


class Writer:
    """Asks a model how likely texts are, token by token."""

    def __init__(self, model: LanguageModel, tokens: Callable[[str], Tokens], window: WindowPolicy) -> None:
        self._model, self._tokens, self._window = model, tokens, window
        self._alone = model.writes == "alone"
        self.passes = 0

    def read(
        self, needs: Sequence[tuple[str, WrittenRequest]], done: Callable[[int], object]
    ) -> list[Likelihood | None]:
        """Answers in the order of the needs; None where the text or the other one has no tokens.

        done: told of so many tokens more. Raises SpecError for a model that does not write in the way that is asked.
        """
        rows = [row for number, need in enumerate(needs) for row in self._rows(number, *need)]
        logs: dict[int, NDArray[np.float64]] = {}
        budget, pad = max(1, _LOGITS // self._model.tokenizer.vocabulary), self._model.tokenizer.pad_id
        for index in batches([max(len(row.ids), len(row.given)) for row in rows], budget):
            batch = [rows[i] for i in index]
            ids, _ = padded([row.ids for row in batch], pad)
            given = None if self._alone else padded([row.given for row in batch], pad)
            found = self._model.written_logs(ids, given)
            self.passes += len(batch)
            logs.update((int(i), values[rows[i].used]) for i, values in zip(index, found, strict=True))
            done(sum(len(row.offsets) for row in batch))
        parts: dict[int, list[int]] = {}
        for number, row in enumerate(rows):
            parts.setdefault(row.need, []).append(number)
        return [self._answer(need[0], [(rows[i], logs[i]) for i in parts.get(n, ())]) for n, need in enumerate(needs)]

    def _rows(self, number: int, text: str, request: WrittenRequest) -> list[_Row]:
        if self._model.writes is None or self._alone != (request.given is None):
            raise no_writing(self._model.name)
        tokenizer, tokens, other = self._model.tokenizer, self._tokens(text), []
        prefix, suffix = ([], []) if self._alone else (tokenizer.prefix, tokenizer.suffix)
        if request.given is not None:
            shown = self._tokens(request.given).ids[: self._model.window - tokenizer.frame].tolist()
            if not shown:
                return []
            other = [*tokenizer.prefix, *shown, *tokenizer.suffix]
        room = self._model.window - len(prefix) - len(suffix) - 1  # a token stands before the first one
        rows = []
        for window in windows(len(tokens), room, self._window, backwards=True):
            ids = [*prefix, *tokens.ids[window.begin : window.end].tolist(), *suffix]
            before = len(prefix) if window.used_from == 0 else 0
            after = len(suffix) if window.used_to == len(tokens) else 0
            begin = len(prefix) + window.used_from - window.begin - before
            end = len(prefix) + window.used_to - window.begin + after
            offsets = [
                np.zeros((before, 2), np.int32),
                tokens.offsets[window.used_from : window.used_to],
                np.full((after, 2), len(text), np.int32),
            ]
            rows.append(_Row(number, ids, other, slice(begin, end), np.concatenate(offsets)))
        return rows

    def _answer(self, text: str, parts: Sequence[tuple[_Row, NDArray[np.float64]]]) -> Likelihood | None:
        if not parts:
            return None
        logs = np.concatenate([values for _, values in parts])
        return Likelihood(text, logs, np.concatenate([row.offsets for row, _ in parts]))
