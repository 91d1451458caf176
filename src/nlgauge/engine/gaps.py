"""Masked words of texts read with another text: rows through the model, answers word by word.

Three ways to ask a model, the first that it offers:

    pairs       weights for pairs: the other text is read once by itself, and every masked row sees it
    sentinels   a gap of any length, filled by generation (T5): no length is told
    masks       an ordinary masked LM: both texts in one row, [first] text [between] other [last]

The masked text keeps its neighbourhood (`engine.masking`) and the other text its beginning: as much of it as fits
beside that neighbourhood, counted for every row from the whole of it; by itself, as much as fits the model's window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.batching import batches, padded
from nlgauge.engine.features import MaskedWords, MaskedWordsRequest, PairStatesRequest, TokenVectors
from nlgauge.engine.masking import Limits, MaskedRow, Reading, WordScores, masked_rows, readings
from nlgauge.engine.model import LanguageModel
from nlgauge.engine.tokens import Tokens
from nlgauge.engine.windows import windows
from nlgauge.errors import SpecError

_PAIR_BATCH_TOKENS = 2048  # attention to a long other text outgrows the processor's caches beyond


_Need: TypeAlias = tuple[str, MaskedWordsRequest | PairStatesRequest]


def predictor(model: LanguageModel) -> str:
    """How a model is asked for masked words. Raises SpecError for one that cannot be."""
    if model.pairs_digest is not None:
        return "pairs"
    if model.sentinels is not None:
        return "sentinels"
    if model.tokenizer.mask_id is None:
        raise SpecError(f"model {model.name!r} has no mask token: MaskEval needs a masked language model or a T5")
    return "masks"


@dataclass
class _Row:
    """One row to be run, and whose it is."""

    scores: WordScores
    part: MaskedRow
    ids: list[int]
    """Framed; with the other text where both stand in one row"""
    shift: int
    """Where the masked text begins in `ids`"""


class PairReader:
    """Reads texts together with another text each, with one model.

    tokens: of a text. starts: `Engine.word_starts`. budget: tokens of a batch.
    """

    def __init__(
        self,
        model: LanguageModel,
        tokens: Callable[[str], Tokens],
        starts: Callable[[str, str], tuple[NDArray[np.intp], NDArray[np.int64]]],
        budget: int,
    ) -> None:
        self._model, self._tokens, self._starts, self._budget = model, tokens, starts, budget
        self._way = predictor(model)
        tokenizer = model.tokenizer
        self._room = model.window - len(tokenizer.prefix) - 2 * len(tokenizer.suffix)
        self.passes = 0

    def read(self, needs: Sequence[_Need], done: Callable[[int], object]) -> list[MaskedWords | TokenVectors | None]:
        """Answers in the order of the needs, None where a text has no tokens. done: told of so many words more."""
        found: list[MaskedWords | TokenVectors | None] = [None] * len(needs)
        by_other: dict[str, list[int]] = {}
        for number, (text, request) in enumerate(needs):
            if len(self._tokens(text)) and len(self._tokens(request.against)):
                by_other.setdefault(request.against if self._way == "pairs" else "", []).append(number)
        for other, numbers in by_other.items():
            seen = self._seen(other) if self._way == "pairs" else None
            scores: dict[int, WordScores] = {}
            rows: list[_Row] = []
            for i in numbers:
                text, request = needs[i]
                if isinstance(request, PairStatesRequest):
                    found[i] = self._states(text, request, seen)
                else:
                    scores[i] = self._scores(text, request)
                    rows += self._rows(scores[i], request)
            if self._way == "sentinels":
                self._fill(rows, done)
            else:
                self._ask(rows, seen, done)
            for i, one in scores.items():
                found[i] = one.answer(self._model.tokenizer)
        return found

    def _states(self, text: str, request: PairStatesRequest, seen: Any) -> TokenVectors:
        """Last hidden states of a text's tokens, long ones in overlapping windows.

        seen: the other text, where it is read by itself.
        """
        tokens = self._tokens(text)
        if self._way == "pairs":
            room = self._model.window - self._model.tokenizer.frame
        else:
            room = max(self._room // 2, self._room - len(self._tokens(request.against)))
        states = np.empty((len(tokens), self._model.width), np.float32)
        for window in windows(len(tokens), room, "slide"):
            row, shift = self._framed(tokens.ids[window.begin : window.end].tolist(), request)
            ids = np.array([row], np.int64)
            attend = np.ones_like(ids)
            if seen is not None:
                found = self._model.pair_states(ids, attend, seen)[0]
            else:
                found = self._model.hidden(ids, attend, [self._model.layers])[0, 0]
            self.passes += 1
            first, last = (window.used_from - window.begin + shift, window.used_to - window.begin + shift)
            states[window.used_from : window.used_to] = found[first:last]
        return TokenVectors(text, states[None], tokens.ids, tokens.offsets, np.zeros(len(tokens), np.bool_))

    def _scores(self, text: str, request: MaskedWordsRequest) -> WordScores:
        tokens = self._tokens(text)
        starts, places = self._starts(text, request.segmentation)
        words = range(len(starts) - 1) if request.words is None else request.words
        decoding = "joint" if self._way == "sentinels" else request.decoding
        longest = Limits.of(self._room, request.stride).longest
        return WordScores(text, tokens.ids, starts, places, words, decoding, longest)

    def _rows(self, scores: WordScores, request: MaskedWordsRequest) -> Iterator[_Row]:
        limits = Limits.of(self._room, request.stride)
        if self._way == "sentinels" and request.stride > 1:
            raise SpecError(f"model {self._model.name!r} fills one gap a pass: leave stride at 1")
        for reading in readings(scores.starts, scores.words, request.stride, limits):
            for part in self._parts(scores, reading, limits):
                yield _Row(scores, part, *self._framed(part.ids, request))

    def _parts(self, scores: WordScores, reading: Reading, limits: Limits) -> Iterator[MaskedRow]:
        if self._model.sentinels is None or self._way != "sentinels":
            mask = self._model.tokenizer.mask_id
            assert mask is not None
            yield from masked_rows(scores.ids, scores.starts, reading, scores.decoding, limits, mask)
            return
        (word,) = reading.words
        before = scores.ids[reading.begin : scores.starts[word]].tolist()
        after = scores.ids[scores.starts[word + 1] : reading.end].tolist()
        yield MaskedRow([*before, self._model.sentinels[0], *after], [(word, 0, len(before))])

    def _framed(self, own: list[int], request: MaskedWordsRequest | PairStatesRequest) -> tuple[list[int], int]:
        """The row that holds part of a text, special tokens included, and where that part begins in it."""
        tokenizer = self._model.tokenizer
        prefix, suffix = tokenizer.prefix, tokenizer.suffix
        if self._way == "pairs":
            return [*prefix, *own, *suffix], len(prefix)
        other = self._tokens(request.against).ids[: max(0, self._room - len(own))].tolist()
        if request.first:
            return [*prefix, *own, *suffix, *other, *suffix], len(prefix)
        return [*prefix, *other, *suffix, *own, *suffix], len(prefix) + len(other) + len(suffix)

    def _seen(self, other: str) -> Any:
        tokenizer = self._model.tokenizer
        shown = self._tokens(other).ids[: self._model.window - tokenizer.frame]
        self.passes += 1
        return self._model.other_text(np.array([*tokenizer.prefix, *shown, *tokenizer.suffix], np.int64))

    def _ask(self, rows: Sequence[_Row], seen: Any, done: Callable[[int], object]) -> None:
        """Run rows with masks; with weights for pairs all rows see the same other text, `seen`."""
        budget = self._budget if seen is None else min(self._budget, _PAIR_BATCH_TOKENS)
        for batch, ids, attend in self._batches(rows, budget):
            most = max(len(row.part.asked) for row in batch)
            # Every row asks at as many places as the fullest one; the surplus repeats its first and is not read.
            columns = [[place + row.shift for _, _, place in row.part.asked] for row in batch]
            table = np.array([[*some, *[some[0]] * (most - len(some))] for some in columns], np.int64)
            at = (table + np.arange(len(batch))[:, None] * ids.shape[1]).ravel()
            if seen is None:
                logits = self._model.masked_logits(ids, attend, at)
            else:
                logits = self._model.pair_logits(ids, attend, at, seen)
            read = np.concatenate([np.arange(len(some)) + i * most for i, some in enumerate(columns)])
            asked = [(row.scores, word, piece) for row in batch for word, piece, _ in row.part.asked]
            truths = np.array([scores.truth(word)[piece] for scores, word, piece in asked])
            logs, said = _read_off(logits[read], truths)
            for (scores, word, piece), log, token in zip(asked, logs.tolist(), said.tolist(), strict=True):
                scores.add(word, piece, log, token)
            done(sum(piece == 0 for _, _, piece in asked))

    def _fill(self, rows: Sequence[_Row], done: Callable[[int], object]) -> None:
        """Run rows with a gap each."""
        for batch, ids, attend in self._batches(rows, self._budget):
            words = [row.part.asked[0][0] for row in batch]
            truths = [row.scores.truth(word) for row, word in zip(batch, words, strict=True)]
            logs, said = self._model.fill(ids, attend, truths)
            for row, word, log, pieces in zip(batch, words, logs, said, strict=True):
                row.scores.put(word, float(log), pieces)
            done(len(batch))

    def _batches(
        self, rows: Sequence[_Row], budget: int
    ) -> Iterator[tuple[list[_Row], NDArray[np.int64], NDArray[np.int64]]]:
        for index in batches([len(row.ids) for row in rows], budget):
            batch = [rows[i] for i in index]
            self.passes += len(batch)
            yield batch, *padded([row.ids for row in batch], self._model.tokenizer.pad_id)


def _read_off(logits: NDArray[np.float32], truths: NDArray[np.intp]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Log-probability of the true token and the likeliest one at each place: logits [places, vocabulary]."""
    top = logits.max(axis=1, keepdims=True)
    mass = np.log(np.exp(logits - top).sum(axis=1, dtype=np.float64))
    true = np.take_along_axis(logits, truths[:, None], axis=1)[:, 0]
    return true.astype(np.float64) - top[:, 0] - mass, logits.argmax(axis=1)
