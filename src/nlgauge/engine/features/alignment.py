"""How far the model's aligner finds each token of a text supported by other texts (CTC, section 3.5).

A text is read stretch by stretch, each with what of another text may be its evidence: all of it where it fits into the
row, else the sentences that share most with the stretch (`nlgauge.engine.sentence_search`), or, where none is like it
or all is to be read, every part of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.batching import padded
from nlgauge.engine.features.request import Reader, Request, tokens_about
from nlgauge.engine.models.capabilities import ALIGNER, TOKENIZER, Ints, Model
from nlgauge.engine.models.general import general_frequencies
from nlgauge.engine.pairs import pair_room, pair_windows
from nlgauge.engine.sentence_search import Pairing, Search, SearchShape, Span, nearest, rarity
from nlgauge.engine.text_block import TextBlock
from nlgauge.engine.tokens import Tokens
from nlgauge.engine.windows import windows
from nlgauge.engine.words import words

Reading: TypeAlias = Literal["search", "windows"]
SHAPE = SearchShape()
_COVERED = 0.2
"""Under this share of what a stretch's words are worth, the sentences that were found are not taken for its evidence"""


class QuotedSentence(NamedTuple):
    """A sentence of another text."""

    other: int
    """Number of the text among those that the request is against"""
    begin: int
    end: int


class AlignedStretch(NamedTuple):
    """What of a text was read at once."""

    begin: int
    end: int
    """Characters of the text"""
    logit: float
    """Log-odds that all of it is supported, the greatest over what it was read with; NaN where the aligner has none"""
    quotes: tuple[int, ...]
    """Numbers of the sentences that it was read with"""
    against: float = float("nan")
    """Log-odds that it is contradicted, if not all of it is supported, where it was read with what supports it best;
    NaN where the aligner was not taught to say"""


@dataclass(frozen=True, eq=False)
class Alignment:
    """Which tokens of a text are supported; equal to itself alone."""

    text: str
    offsets: NDArray[np.int32]
    """[tokens, 2]: places in the text"""
    logits: NDArray[np.float32]
    """[tokens]: log-odds of being supported, the greatest over what they were read with"""
    aggregate: float
    """The share of the text that is supported, predicted as one number; by stretch the greatest"""
    stretches: tuple[AlignedStretch, ...]
    quotes: tuple[QuotedSentence, ...]
    """Sentences of the other texts, of each stretch those of the reading that supports it best"""
    nearest: NDArray[np.int32]
    """[tokens]: number of the quote that a token's word is likest to be from, -1 where nothing is shared"""


def read_alignments(requests: Sequence[AlignmentRequest], block: TextBlock) -> dict[AlignmentRequest, Alignment | None]:
    """Read each stretch of each text with what may be its evidence in each of the others."""
    model = block.model[ALIGNER]
    plan = _ReadingPlan(block)
    work = [row for request in requests for row in plan.rows(request)]
    rows = [plan.pairing.row(plan.asked(row), row.source, row.spans, plan.question(row.request)) for row in work]
    found: dict[AlignmentRequest, list[_Found]] = {request: [] for request in requests}
    before = len(block.model[TOKENIZER].prefix)
    for index in block.batches([len(ids) for ids, _ in rows]):
        logits, shares, whole, against = model.align(*_padded([rows[i] for i in index], block.model[TOKENIZER].pad_id))
        for at, i in enumerate(index):
            row = work[i]
            own = logits[at, before : before + row.end - row.begin]
            found[row.request].append(_Found(row, own, float(shares[at]), float(whole[at]), float(against[at])))
    return {request: plan.answer(request, some) for request, some in found.items()}


def _padded(rows: Sequence[tuple[NDArray[np.int32], NDArray[np.int8]]], pad: int) -> tuple[Ints, Ints, Ints]:
    ids, attend = padded([own.tolist() for own, _ in rows], pad)
    side = np.zeros_like(ids)
    for at, (_, marks) in enumerate(rows):
        side[at, : len(marks)] = marks
    return ids, attend, side


@dataclass(frozen=True)
class AlignmentRequest(Request[Alignment]):
    """A text aligned with others; None where it has no tokens."""

    capability = ALIGNER
    reader: ClassVar[Reader] = staticmethod(read_alignments)

    text: str
    against: tuple[str, ...]
    """Together they are what the text is aligned with; at least one has tokens"""
    reading: Reading = "search"
    """Whether what may be evidence is searched for, or all of the others is read"""
    question: str = ""
    """What the text answers, for a model whose aligner reads it"""

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text, *self.against, *([self.question] if self.question else []))

    def size(self, model: Model) -> int:
        return 64 * tokens_about(self.text)

    def check(self, block: TextBlock) -> None:
        _used(self, block)


def _used(request: AlignmentRequest, block: TextBlock) -> tuple[int, dict[int, int]]:
    """How many tokens of the text are read, and of which others how many.

    Raises InputError under window='error' where two do not fit the model's window together.
    """
    room, size = pair_room(block.model.window, block.model[TOKENIZER]), len(block.tokens(request.text))
    others = {number: len(block.tokens(other)) for number, other in enumerate(request.against)}
    last = {
        number: pair_windows(size, other, room, block.window)[-1] for number, other in others.items() if size and other
    }
    own = max((window.text.used_to for window in last.values()), default=0)
    return own, {number: window.other.used_to for number, window in last.items()}


class _StretchRow(NamedTuple):
    """A stretch with what it is read with."""

    request: AlignmentRequest
    begin: int
    end: int
    """Tokens of the request's text"""
    other: int
    source: Search
    spans: list[Span]

    @property
    def read(self) -> list[int]:
        """Numbers of the source's sentences that are in the row, wholly or in part."""
        return [number for span in self.spans for number in self.source.within(span)]


class _Found(NamedTuple):
    row: _StretchRow
    logits: NDArray[np.float32]
    share: float
    whole: float
    against: float


class _ReadingPlan:
    """What is read together with what, of the texts of one block."""

    def __init__(self, block: TextBlock) -> None:
        model = block.model
        frequencies = general_frequencies(model)
        self._view, self._rarity = block, rarity(frequencies.counts, frequencies.documents)
        shape = SearchShape(min(SHAPE.row, model.window), SHAPE.stretch, SHAPE.sentence)
        self.pairing = Pairing(model[TOKENIZER], shape, self._rarity)
        self._sources: dict[tuple[str, int], Search] = {}
        self._texts: dict[tuple[str, int], list[list[Span]]] = {}

    def rows(self, request: AlignmentRequest) -> Iterator[_StretchRow]:
        own, others = _used(request, self._view)
        for group in self._stretches(request.text, own):
            begin, end = group[0][0], group[-1][1]
            for number, size in others.items():
                source = self._source(request.against[number], size)
                for spans in self._readings(request, source, self._view.tokens(request.text).ids[begin:end]):
                    yield _StretchRow(request, begin, end, number, source, spans)

    def asked(self, row: _StretchRow) -> NDArray[np.int32]:
        """The tokens of a row's stretch."""
        return self._view.tokens(row.request.text).ids[row.begin : row.end]

    def question(self, request: AlignmentRequest) -> NDArray[np.int32] | None:
        """The tokens of a request's question that are read; None of one without."""
        return self.pairing.asking(self._view.tokens(request.question)) if request.question else None

    def _readings(self, request: AlignmentRequest, source: Search, asked: NDArray[np.int32]) -> list[list[Span]]:
        question = self.question(request)
        size, room = len(source.tokens), self.pairing.room_beside(asked, question)
        if request.reading == "search" or size <= room:
            spans = self.pairing.evidence(source, asked, question)
            if size <= room or source.covered(asked, spans) >= _COVERED:
                return [spans]
        return [[(window.begin, window.end)] for window in windows(size, room, "slide")]

    def _source(self, text: str, size: int) -> Search:
        if (text, size) not in self._sources:
            self._sources[text, size] = self.pairing.search(text, _first(self._view.tokens(text), size))
        return self._sources[text, size]

    def _stretches(self, text: str, size: int) -> list[list[Span]]:
        """The sentences of each stretch of a text's first tokens."""
        if (text, size) not in self._texts:
            spans = self.pairing.sentences(text, _first(self._view.tokens(text), size))
            self._texts[text, size] = self.pairing.stretches(spans)
        return self._texts[text, size]

    def answer(self, request: AlignmentRequest, found: Sequence[_Found]) -> Alignment | None:
        """What was found of the tokens that were read: under window='cut' the rest has no alignment."""
        if not found:
            return None
        by_stretch: dict[int, list[_Found]] = {}
        for one in found:
            by_stretch.setdefault(one.row.begin, []).append(one)
        own, tokens = max(one.row.end for one in found), self._view.tokens(request.text)
        numbers = words(request.text, tokens.offsets[:own])
        logits, likest = np.empty(own, np.float32), np.empty(own, np.int32)
        quotes: dict[QuotedSentence, int] = {}
        stretches, shares = [], []
        for group in self._stretches(request.text, own):
            begin, end = group[0][0], group[-1][1]
            some = by_stretch[begin]
            logits[begin:end] = np.max([one.logits for one in some], axis=0)
            shares.append((end - begin) * max(one.share for one in some))
            read = [
                (QuotedSentence(row.other, *row.source.place(i)), row.source.ids(i))
                for row in _best(some)
                for i in row.read
            ]
            mine = [quotes.setdefault(quote, len(quotes)) for quote, _ in read]
            inside = [first - begin for first, _ in group]
            which = nearest(tokens.ids[begin:end], inside, numbers[begin:end], [ids for _, ids in read], self._rarity)
            likest[begin:end] = np.append(mine, -1)[which]
            places = int(tokens.offsets[begin, 0]), int(tokens.offsets[end - 1, 1])
            likeliest = max(some, key=lambda one: one.whole)
            stretches.append(AlignedStretch(*places, likeliest.whole, tuple(mine), likeliest.against))
        # The mean over the stretches, each as often as it has tokens.
        share = float(sum(shares) / own)
        return Alignment(
            request.text, tokens.offsets[:own], logits, share, tuple(stretches), tuple(quotes), likest
        )  # fmt: skip


def _best(found: Sequence[_Found]) -> list[_StretchRow]:
    """For a stretch, with each of the other texts, what it was read with where it was supported best."""
    best: dict[int, _Found] = {}
    for one in found:
        before = best.get(one.row.other)
        if before is None or one.logits.mean() > before.logits.mean():
            best[one.row.other] = one
    return [best[other].row for other in sorted(best)]


def _first(tokens: Tokens, size: int) -> Tokens:
    return tokens if size == len(tokens) else Tokens(tokens.ids[:size], tokens.offsets[:size])
