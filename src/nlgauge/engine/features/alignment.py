"""How far other texts support each token of a text, according to the model's aligner (CTC, section 3.5).

The aligner reads a text in stretches (groups of sentences). It reads each stretch together with the other text as
possible evidence. The whole other text is read if both fit into one row, and if it is within the limit of the aligner
(`aligner_evidence` of the card). Otherwise, the sentences that share most with the stretch are read
(`nlgauge.engine.sentence_search`). If no sentence is similar, or if reading="windows", every part of the other text is
read.

A request may say where the claims of a text end. Each claim is then read by itself, in a shorter row with less
evidence, so that its judgement depends neither on the other claims nor on their number.

A published detector (`nlgauge.engine.models.packing`) is read in the same way, except for three things that its packing
says: which part of the text is judged at a time, how the rows are made, and how much of the other text a row holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.batching import padded
from nlgauge.engine.features.request import Reader, Request, RequestError, tokens_about
from nlgauge.engine.models.capabilities import ALIGNER, TOKENIZER, Model
from nlgauge.engine.models.general import general_frequencies
from nlgauge.engine.models.packing import PackedPairing, Packer, packer_of
from nlgauge.engine.sentence_search import OWN, Pairing, Search, SearchShape, Span, cut, nearest, rarity
from nlgauge.engine.text_block import TextBlock
from nlgauge.engine.tokens import Tokens
from nlgauge.engine.windows import pair_room, pair_windows
from nlgauge.engine.words import is_word, words
from nlgauge.errors import InputError

LongSource: TypeAlias = Literal["search", "windows"]
"""How a long source is read: the sentences that share most with a stretch, or all of it, part by part"""
SHAPE = SearchShape()
CLAIM = SearchShape(row=256, evidence=3, least=96)
"""The sizes of rows for single claims. An answer of eight sentences then costs about twice as much as in stretches"""
_COVERED = 0.2
"""If the chosen sentences cover less than this share of a stretch's words, weighted by rarity, they are not used as
evidence"""


class QuotedSentence(NamedTuple):
    """A sentence of another text."""

    other: int
    """Index of the text in the request's `against`"""
    begin: int
    end: int


class AlignedStretch(NamedTuple):
    """A part of a text that the aligner read at once."""

    begin: int
    end: int
    """The stretch is the characters [begin, end) of the text"""
    logit: float
    """Log-odds that the whole stretch is supported, the maximum over its readings; NaN if the aligner does not predict
    them"""
    quotes: tuple[int, ...]
    """Indexes, in `Alignment.quotes`, of the sentences with which it was read"""
    against: float = float("nan")
    """Log-odds that the stretch is contradicted, if it is not fully supported. They come from the reading that supports
    it best; NaN if the aligner does not predict them"""


@dataclass(frozen=True, eq=False)
class Alignment:
    """The support of each token of a text. Alignments are compared by identity."""

    text: str
    offsets: NDArray[np.int32]
    """[tokens, 2]: first character of each token and the one after its last"""
    logits: NDArray[np.float32]
    """[tokens]: log-odds of being supported, the maximum over the readings"""
    aggregate: float
    """The predicted share of the text that is supported, or for the head 'number' the number of supported words. Each
    stretch contributes the maximum over its readings"""
    stretches: tuple[AlignedStretch, ...]
    quotes: tuple[QuotedSentence, ...]
    """Sentences of the other texts that were read, for each stretch from the reading that supports it best"""
    nearest: NDArray[np.int32]
    """[tokens]: index of the quote that a token's word most likely comes from, -1 if the word shares nothing with any
    quote"""


def read_alignments(requests: Sequence[AlignmentRequest], block: TextBlock) -> dict[AlignmentRequest, Alignment | None]:
    """Return the alignment of each request, from reading its stretches with possible evidence in the other texts."""
    model = block.model[ALIGNER]
    packer = packer_of(block.model)
    plans: dict[AlignmentRequest, _ReadingPlan]
    if packer is None:
        shapes = {request: CLAIM if request.claims else SHAPE for request in requests}
        of_shape = {shape: _ReadingPlan(block, shape) for shape in set(shapes.values())}
        plans = {request: of_shape[shape] for request, shape in shapes.items()}
    else:
        plans = dict.fromkeys(requests, _PackedPlan(block, packer))
    work = [row for request, of in plans.items() for row in of.rows(request)]
    rows = [plans[row.request].row(row) for row in work]
    readings: dict[AlignmentRequest, list[_Found]] = {request: [] for request in requests}
    for index in block.batches([len(row.ids) for row in rows]):
        ids, attend = padded([rows[i].ids for i in index], block.model[TOKENIZER].pad_id)
        side, _ = padded([rows[i].side for i in index], OWN)
        logits, shares, whole, against = model.align(ids, attend, side)
        for at, i in enumerate(index):
            row = work[i]
            stretch_logits = plans[row.request].token_logits(row, logits[at, rows[i].places])
            readings[row.request].append(
                _Found(
                    row=row,
                    logits=stretch_logits,
                    share=float(shares[at]),
                    whole=float(whole[at]),
                    against=float(against[at]),
                )
            )
    return {request: plans[request].answer(request, of_request) for request, of_request in readings.items()}


class _Row(NamedTuple):
    """A row of tokens as the aligner reads it."""

    ids: NDArray[np.int32]
    side: NDArray[np.int8]
    """[length], as `ids`: the text that each token belongs to"""
    places: NDArray[np.intp]
    """[tokens]: the position of each token of the stretch in the row"""


@dataclass(frozen=True)
class AlignmentRequest(Request[Alignment]):
    """A request for the alignment of a text with other texts. The feature is None if the text has no tokens."""

    capability = ALIGNER
    reader: ClassVar[Reader] = staticmethod(read_alignments)

    text: str
    against: tuple[str, ...]
    """The texts with which it is aligned; at least one has tokens"""
    reading: LongSource = "search"
    """'search' reads only possible evidence, 'windows' reads the other texts completely"""
    question: str = ""
    """The question that the text answers, for a model whose aligner reads it"""
    claims: tuple[int, ...] = ()
    """Where each claim of the text ends, in characters, if each claim is read by itself in a row of the shape `CLAIM`;
    empty if the text is read in stretches"""

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text, *self.against, *([self.question] if self.question else []))

    def size(self, model: Model) -> int:
        return 64 * tokens_about(self.text)

    def check(self, block: TextBlock) -> None:
        _used(self, block)


def _used(request: AlignmentRequest, block: TextBlock) -> tuple[int, dict[int, int]]:
    """Return how many tokens of the text are read, and how many of each other text (by index).

    Raises InputError under window='error' if two texts do not fit the model's window together.
    """
    packer, size = packer_of(block.model), len(block.tokens(request.text))
    try:
        room = (
            pair_room(block.model.window, block.model[TOKENIZER]) if packer is None else packer.room(request.question)
        )
    except InputError as error:
        raise RequestError(request, error.problem, error.remedy) from None
    others = {number: len(block.tokens(other)) for number, other in enumerate(request.against)}
    last = {
        number: pair_windows(size, other, room, block.window)[-1] for number, other in others.items() if size and other
    }
    size_read = max((window.text.used_to for window in last.values()), default=0)
    return size_read, {number: window.other.used_to for number, window in last.items()}


class _StretchRow(NamedTuple):
    """A stretch of a text, and the parts of another text with which it is read."""

    request: AlignmentRequest
    begin: int
    end: int
    """The stretch is the tokens [begin, end) of the request's text"""
    asked: NDArray[np.int32]
    """The tokens of the stretch: [tokens]"""
    other: int
    source: Search
    spans: list[Span]


class _Found(NamedTuple):
    row: _StretchRow
    logits: NDArray[np.float32]
    share: float
    whole: float
    against: float


class _ReadingPlan:
    """A plan of which parts of a block's texts are read together."""

    def __init__(self, block: TextBlock, shape: SearchShape = SHAPE) -> None:
        model, frequencies = block.model, general_frequencies(block.model)
        self._view, self._rarity = block, rarity(frequencies.counts, frequencies.documents)
        evidence = model.card.aligner_evidence or shape.evidence
        shape = replace(shape, row=min(shape.row, model.window), evidence=evidence)
        self.pairing = Pairing(model[TOKENIZER], shape, self._rarity)
        self._sources: dict[tuple[str, int], Search] = {}
        self._texts: dict[tuple[str, int, tuple[int, ...]], list[list[Span]]] = {}

    def row(self, row: _StretchRow) -> _Row:
        """Return a row as the aligner reads it."""
        ids, side = self.pairing.row(row.asked, row.source, row.spans, self.question(row.request))
        return _Row(ids, side, np.arange(len(row.asked)) + len(self._view.model[TOKENIZER].prefix))

    def rows(self, request: AlignmentRequest) -> Iterator[_StretchRow]:
        size_read, others = _used(request, self._view)
        for group in self._stretches(request, size_read):
            begin, end = group[0][0], group[-1][1]
            asked = self._view.tokens(request.text).ids[begin:end]
            for number, size in others.items():
                source = self._source(request.against[number], size)
                for spans in self._readings(request, source, asked):
                    yield _StretchRow(
                        request=request, begin=begin, end=end, asked=asked, other=number, source=source, spans=spans
                    )

    def question(self, request: AlignmentRequest) -> NDArray[np.int32] | None:
        """Return the tokens of a request's question that are read; None without a question."""
        return self.pairing.asking(self._view.tokens(request.question)) if request.question else None

    def _readings(self, request: AlignmentRequest, source: Search, asked: NDArray[np.int32]) -> list[list[Span]]:
        question = self.question(request)
        size, room = len(source.tokens), self.pairing.room_beside(asked, question)
        if request.reading == "search" or size <= room:
            spans = self.pairing.evidence(source, asked, question, room)
            if size <= room or source.covered(asked, spans) >= _COVERED:
                return [spans]
        if request.claims and request.reading == "search":
            # A claim in other words than the source shares little with any sentence: read as many as its row holds.
            room = self.pairing.left_beside(asked, question)
            return [self.pairing.evidence(source, asked, question, room) or self.pairing.parts(source, room)[0]]
        return self.pairing.parts(source, room)

    def _source(self, text: str, size: int) -> Search:
        if (text, size) not in self._sources:
            self._sources[text, size] = self.pairing.search(text, _first(self._view.tokens(text), size))
        return self._sources[text, size]

    def _stretches(self, request: AlignmentRequest, size: int) -> list[list[Span]]:
        """Return the stretches of a text's first `size` tokens, each a list of sentences. A claim is a stretch."""
        text, claims = request.text, request.claims
        if (text, size, claims) not in self._texts:
            tokens = _first(self._view.tokens(text), size)
            if claims:
                made = [[span] for span in cut(tokens, claims, self.pairing.stretch)]
            else:
                made = self.pairing.stretches(self.pairing.sentences(text, tokens))
            self._texts[text, size, claims] = made
        return self._texts[text, size, claims]

    def token_logits(self, row: _StretchRow, logits: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the log-odds of each token of a row's stretch [tokens], from what the aligner gave at these tokens."""
        return logits

    def share(self, shares: Sequence[float], sizes: Sequence[int]) -> float:
        """Return the supported share of a text: the mean over its stretches, weighted by their numbers of tokens."""
        return float(sum(size * share for share, size in zip(shares, sizes, strict=True)) / sum(sizes))

    def whole(self, reading: _Found, logits: NDArray[np.float32]) -> float:
        """Return the log-odds that a whole stretch is supported. reading: the likeliest. logits: of its tokens."""
        return reading.whole

    def answer(self, request: AlignmentRequest, readings: Sequence[_Found]) -> Alignment | None:
        """Return the alignment of the tokens that were read; None without any. window='cut' leaves out the rest."""
        if not readings:
            return None
        by_stretch: dict[int, list[_Found]] = {}
        for reading in readings:
            by_stretch.setdefault(reading.row.begin, []).append(reading)
        size_read, tokens = max(reading.row.end for reading in readings), self._view.tokens(request.text)
        numbers = words(request.text, tokens.offsets[:size_read])
        logits, likest = np.empty(size_read, np.float32), np.empty(size_read, np.int32)
        quotes: dict[QuotedSentence, int] = {}
        stretches, shares, sizes = [], [], []
        for group in self._stretches(request, size_read):
            begin, end = group[0][0], group[-1][1]
            of_stretch = by_stretch[begin]
            logits[begin:end] = np.max([reading.logits for reading in of_stretch], axis=0)
            shares.append(max(reading.share for reading in of_stretch))
            sizes.append(end - begin)
            read = [
                (QuotedSentence(row.other, *place), ids)
                for row in _best(of_stretch)
                for place, ids in row.source.read(row.spans)
            ]
            mine = [quotes.setdefault(quote, len(quotes)) for quote, _ in read]
            inside = [first - begin for first, _ in group]
            which = nearest(
                tokens.ids[begin:end],
                inside,
                numbers=numbers[begin:end],
                quotes=[ids for _, ids in read],
                rarity=self._rarity,
            )
            likest[begin:end] = np.append(mine, -1)[which]
            places = int(tokens.offsets[begin, 0]), int(tokens.offsets[end - 1, 1])
            likeliest = max(of_stretch, key=lambda reading: reading.whole)
            whole = self.whole(likeliest, logits[begin:end])
            stretches.append(AlignedStretch(*places, whole, tuple(mine), likeliest.against))
        share = self.share(shares, sizes)
        return Alignment(
            text=request.text,
            offsets=tokens.offsets[:size_read],
            logits=logits,
            aggregate=share,
            stretches=tuple(stretches),
            quotes=tuple(quotes),
            nearest=likest,
        )


class _PackedPlan(_ReadingPlan):
    """A `_ReadingPlan` for a detector that reads two texts in the form that its authors gave it."""

    def __init__(self, block: TextBlock, packer: Packer) -> None:
        super().__init__(block)
        self._packer = packer
        self.pairing = PackedPairing(packer, self._rarity)

    def question(self, request: AlignmentRequest) -> NDArray[np.int32] | None:
        return self._view.tokens(request.question).ids if request.question else None

    def row(self, row: _StretchRow) -> _Row:
        if self._packer.packing.by_tokens:
            return super().row(row)
        request, tokens = row.request, self._view.tokens(row.request.text)
        places = tokens.offsets[row.begin : row.end]
        begin, end = int(places[0, 0]), int(places[-1, 1])
        if row.begin == 0 and row.end == len(tokens):
            begin, end = 0, len(request.text)
        made = self._packer.row(self._read(row), request.text[begin:end], request.question)
        while len(made.ids) > self._packer.longest and len(row.spans) > 1:  # joined, sentences may have more sub-words
            row = row._replace(spans=row.spans[:-1])
            made = self._packer.row(self._read(row), request.text[begin:end], request.question)
        if len(made.ids) > self._packer.longest:
            longest = f"{len(made.ids)} sub-words, and the model reads {self._packer.longest}"
            raise RequestError(request, f"a text and its question have {longest}", "shorten the question")
        at_row = np.zeros(len(places), np.intp)
        if self._packer.packing.words:
            theirs = made.candidate.offsets[:, 0] + begin
            same = len(theirs) == len(places)
            at = np.arange(len(places)) if same else np.searchsorted(theirs, places[:, 0], side="right") - 1
            at_row = at.clip(0) + len(made.ids) - len(made.candidate) - len(self._packer.tokenizer.suffix)
        return _Row(made.ids, made.side, at_row)

    def _read(self, row: _StretchRow) -> str:
        """Return the part of the other text that is in the row: the whole text, or parts joined by a space."""
        text, offsets = row.request.against[row.other], row.source.tokens.offsets
        if row.spans == [(0, len(self._view.tokens(text)))]:
            return text
        joined: list[Span] = []
        for begin, end in row.spans:
            if joined and joined[-1][1] == begin:
                joined[-1] = (joined[-1][0], end)
            else:
                joined.append((begin, end))
        return " ".join(text[offsets[begin, 0] : offsets[end - 1, 1]] for begin, end in joined)

    def token_logits(self, row: _StretchRow, logits: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the log-odds of each token. For the head 'words', each token has the log-odds of its whole word."""
        if self._packer.packing.head != "words":
            return logits
        places = self._view.tokens(row.request.text).offsets[row.begin : row.end]
        numbers = words(row.request.text, places)
        sums = np.bincount(numbers, logits - self._packer.bias) + self._packer.bias
        return sums[numbers].astype(np.float32)

    def share(self, shares: Sequence[float], sizes: Sequence[int]) -> float:
        """Return the supported share of a text, or for the head 'number' the number of its supported words."""
        return float(sum(shares)) if self._packer.packing.head == "number" else super().share(shares, sizes)

    def whole(self, reading: _Found, logits: NDArray[np.float32]) -> float:
        if not self._packer.packing.words:
            return reading.whole
        if self._packer.packing.head == "words":  # punctuation is not trained
            row = reading.row
            places = self._view.tokens(row.request.text).offsets[row.begin : row.end].tolist()
            counted = [is_word(row.request.text[begin:end]) for begin, end in places]
            logits = logits[counted] if any(counted) else logits
        return float(logits.min())


def _best(readings: Sequence[_Found]) -> list[_StretchRow]:
    """Return, for each of the other texts, the reading of a stretch that supports the stretch best."""
    best: dict[int, _Found] = {}
    for reading in readings:
        before = best.get(reading.row.other)
        if before is None or reading.logits.mean() > before.logits.mean():
            best[reading.row.other] = reading
    return [best[other].row for other in sorted(best)]


def _first(tokens: Tokens, size: int) -> Tokens:
    return tokens if size == len(tokens) else Tokens(tokens.ids[:size], tokens.offsets[:size])
