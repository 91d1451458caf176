"""The engine: texts to features, each distinct text once, in bounded memory, whatever the order of the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from nlgauge.engine.batching import batches, padded
from nlgauge.engine.features import (
    Alignment,
    AlignmentRequest,
    Bag,
    BagRequest,
    Feature,
    Likelihood,
    LikelihoodRequest,
    MaskedWordsRequest,
    PairStatesRequest,
    Request,
    StaticRequest,
    TokenVectors,
    VectorsRequest,
    WrittenRequest,
)
from nlgauge.engine.gaps import PairReader
from nlgauge.engine.model import LanguageModel
from nlgauge.engine.pairs import PairWindow, pair_room, pair_windows
from nlgauge.engine.segmentation import segmenter, spans
from nlgauge.engine.tokens import Tokens
from nlgauge.engine.windows import Window, WindowPolicy, windows
from nlgauge.engine.writing import Writer
from nlgauge.errors import InputError, SpecError

Need: TypeAlias = tuple[str, Request]
"""A text and what is wanted of it"""
Features: TypeAlias = Mapping[Need, Feature | None]
"""None for a text without tokens"""

_Kind: TypeAlias = tuple[str, int]

_STATIC: _Kind = ("static", 0)
_BATCH_TOKENS = 4096
_HELD_BYTES = 64 << 20
_MASKS_APART = 8
_FLOAT32_EXPONENT = 80.0


@dataclass
class Ledger:
    """What the engine did in a run."""

    texts: int = 0
    """Distinct texts that were asked for"""
    encoded: int = 0
    """(text, kind of pass) pairs that were computed; more than asked for would mean work done twice"""
    passes: int = 0
    """Rows that went through the model"""
    longer: int = 0
    """Distinct texts longer than the model's window"""
    kinds: dict[str, int] = field(default_factory=dict)
    """Distinct (text, kind of pass) pairs that were asked for, by kind"""


class Engine:
    """Computes features of texts with one model.

    window: what is done with texts longer than the model's window ('slide', 'cut' or 'error').
    """

    def __init__(self, model: LanguageModel, window: WindowPolicy = "slide", progress: bool = False) -> None:
        self.model, self.window, self.progress = model, window, progress
        self.ledger = Ledger()
        self._tokens: dict[str, Tokens] = {}
        self._word_starts: dict[tuple[str, str], tuple[NDArray[np.intp], NDArray[np.int64]]] = {}
        self._long: set[str] = set()

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Sub-words of each text, in order."""
        new = [text for text in dict.fromkeys(texts) if text not in self._tokens]
        for text, tokens in zip(new, self.model.tokenizer.encode(new), strict=True):
            self._tokens[text] = tokens
            if len(tokens) > self._room:
                self._long.add(text)
        self.ledger.texts, self.ledger.longer = len(self._tokens), len(self._long)
        return [self._tokens[text] for text in texts]

    def word_starts(self, text: str, segmentation: str) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """The first token of each word of a text, then the number of its tokens: [words + 1]; and the words' places.

        The places are characters, the first and the one after the last: [words, 2].
        """
        if (text, segmentation) not in self._word_starts:
            (tokens,) = self.tokens([text])
            numbers = segmenter(segmentation)(text, tokens.offsets)
            starts = np.concatenate([np.flatnonzero(np.diff(numbers, prepend=-1)), [len(tokens)]]).astype(np.intp)
            self._word_starts[text, segmentation] = starts, spans(text, tokens.offsets, numbers)
        return self._word_starts[text, segmentation]

    def _words(self, text: str, request: Request) -> int:
        """How many words a request has masked."""
        if not isinstance(request, MaskedWordsRequest) or not len(self._tokens[text]):
            return 0
        if request.words is not None:
            return len(request.words)
        return len(self.word_starts(text, request.segmentation)[0]) - 1

    def features(self, needs: Sequence[Need]) -> list[Feature | None]:
        """The features of a few needs at once, in order; `stream` is the door for many."""
        ((_, found),) = self.stream([list(needs)])
        return [found[need] for need in needs]

    def stream(self, rows: Sequence[Sequence[Need]]) -> Iterator[tuple[list[int], Features]]:
        """Yield (rows, features of their needs), a group of rows at a time, until every row came once.

        Rows that share texts come together. A feature is computed when its first row comes and dropped after its last,
        so each is computed once and memory does not grow with the number of rows. Raises InputError when a text does
        not fit under window='error'.
        """
        uses = Counter(need for row in rows for need in set(row))
        self.tokens([text for need in uses for text in _texts(need)])
        self._check(rows)
        same_pass: dict[tuple[str, _Kind], list[Need]] = {}
        for need in uses:
            same_pass.setdefault((need[0], _kind(need[1])), []).append(need)
        held: dict[Need, Feature | None] = {}
        with self._bar(uses) as bar:
            for group in self._groups(rows):
                reached = dict.fromkeys((text, _kind(request)) for row in group for text, request in rows[row])
                wanted = [need for key in reached for need in same_pass[key] if need not in held and uses[need]]
                held.update(self._compute(wanted, bar))
                yield group, {need: held[need] for row in group for need in rows[row]}
                for row in group:
                    for need in set(rows[row]):
                        uses[need] -= 1
                        if not uses[need]:
                            del held[need]

    def _check(self, rows: Sequence[Sequence[Need]]) -> None:
        """Refuse a text that the window policy refuses before anything is computed, and name its row."""
        for number, row in enumerate(rows, start=1):
            for need in row:
                try:
                    self._read_all(need)
                except InputError as error:
                    raise InputError(error.problem, row=number, remedy=error.remedy) from None

    @property
    def _room(self) -> int:
        return self.model.window - self.model.tokenizer.frame

    def _read(self, text: str) -> list[Window]:
        return windows(len(self._tokens[text]), self._room, self.window)

    def _read_all(self, need: Need) -> None:
        """Ask for the windows that a need is computed from. Raises InputError where the policy refuses a text."""
        text, request = need
        if isinstance(request, MaskedWordsRequest | PairStatesRequest):
            self._read(request.against)
        if isinstance(request, WrittenRequest) and request.given is not None:
            self._read(request.given)
        if isinstance(request, AlignmentRequest):
            self._read_pairs(text, request)
        else:
            self._read(text)

    def _read_pairs(self, text: str, request: AlignmentRequest) -> list[tuple[str, PairWindow]]:
        """The other texts that a text is read with, and in which windows."""
        room, size = pair_room(self.model.window, self.model.tokenizer), len(self._tokens[text])
        others = [other for other in request.against if size and len(self._tokens[other])]
        return [(o, w) for o in others for w in pair_windows(size, len(self._tokens[o]), room, self.window)]

    def _groups(self, rows: Sequence[Sequence[Need]]) -> Iterator[list[int]]:
        """Rows in groups whose features fit the memory set aside, rows with a widely shared text next to each other."""
        shared = Counter(text for row in rows for text in {text for text, _ in row})
        first: dict[str, int] = {}
        for number, row in enumerate(rows):
            for text, _ in row:
                first.setdefault(text, number)
        leader = [
            first[max(row, key=lambda need: shared[need[0]])[0]] if row else number for number, row in enumerate(rows)
        ]
        group: list[int] = []
        new: set[Need] = set()
        size = 0
        for number in sorted(range(len(rows)), key=lambda number: (leader[number], number)):
            group.append(number)
            for need in rows[number]:
                if need not in new:
                    new.add(need)
                    size += self._bytes(need)
            if size >= _HELD_BYTES:
                yield group
                group, new, size = [], set(), 0
        if group:
            yield group

    def _bytes(self, need: Need) -> int:
        text, request = need
        if isinstance(request, BagRequest):
            return 8 * self.model.tokenizer.vocabulary
        if isinstance(request, LikelihoodRequest | WrittenRequest):
            return 16 * len(self._tokens[text])
        if isinstance(request, AlignmentRequest | MaskedWordsRequest):
            return 64 * len(self._tokens[text])
        layers = len(request.layers) if isinstance(request, VectorsRequest) else 1
        return 4 * layers * (len(self._tokens[text]) + self.model.tokenizer.frame) * self.model.width

    def _bar(self, uses: Mapping[Need, int]) -> tqdm:
        passes = {(text, _kind(request)) for text, request in uses}
        total = sum(len(self._tokens[text]) for text, kind in passes if kind[0] not in ("static", "aligned", "pairs"))
        total += sum(self._words(*need) for need in uses)
        aligned = [(text, request) for text, request in uses if isinstance(request, AlignmentRequest)]
        total += sum(_size(window) for need in aligned for _, window in self._read_pairs(*need))
        return tqdm(total=total, unit="token", unit_scale=True, disable=None if self.progress else True, leave=False)

    def _compute(self, needs: Sequence[Need], bar: tqdm) -> dict[Need, Feature | None]:
        """Features of distinct needs; needs that the same pass answers are answered together."""
        out: dict[Need, Feature | None] = {need: None for need in needs if not len(self._tokens[need[0]])}
        by_kind: dict[_Kind, dict[str, list[Request]]] = {}
        for text, request in needs:
            if len(self._tokens[text]):
                by_kind.setdefault(_kind(request), {}).setdefault(text, []).append(request)
        for (kind, stride), texts in by_kind.items():
            if kind == "static":
                out.update(((text, StaticRequest()), self._static(text)) for text in texts)
                continue
            self.ledger.encoded += len(texts)
            self.ledger.kinds[kind] = self.ledger.kinds.get(kind, 0) + len(texts)
            if kind == "pairs":
                out.update(self._read_in_pairs(texts, bar))
            elif kind == "aligned":
                out.update(self._alignments(texts, bar))
            elif kind == "written":
                out.update(self._written(texts, bar))
            else:
                out.update(self._masked(texts, stride, bar) if kind == "masked" else self._vectors(texts, bar))
        return out

    def _static(self, text: str) -> TokenVectors:
        tokens = self._tokens[text]
        size = self._used(text)
        ids = tokens.ids[:size]
        return TokenVectors(text, self.model.static(ids)[None], ids, tokens.offsets[:size], np.zeros(size, np.bool_))

    def _used(self, text: str) -> int:
        """How many of a text's tokens are read."""
        return self._read(text)[-1].used_to

    def _masked(self, texts: Mapping[str, list[Request]], stride: int, bar: tqdm) -> dict[Need, Feature | None]:
        if self.model.tokenizer.mask_id is None:
            raise SpecError(f"model {self.model.name!r} has no mask token; choose a masked language model")
        sums = {text: _MaskedSums(self._tokens[text], requests) for text, requests in texts.items()}
        work = [(t, w, at) for t in texts for w in self._read(t) for at in _passes(w, stride)]
        for index in batches([work[i][1].end - work[i][1].begin for i in range(len(work))], self._budget):
            part = [work[i] for i in index]
            ids, attend = self._rows([(text, window) for text, window, _ in part])
            most = max(len(at) for _, _, at in part)
            # Every row masks as many places as the fullest one; the surplus repeats its first and is not read.
            places = np.array([[*at, *[at[0]] * (most - len(at))] for _, _, at in part])
            begins = np.array([window.begin for _, window, _ in part])
            columns = places - begins[:, None] + len(self.model.tokenizer.prefix)
            flat = (np.arange(len(part))[:, None] * ids.shape[1] + columns).ravel()
            ids.reshape(-1)[flat] = self.model.tokenizer.mask_id
            logits = self.model.masked_logits(ids, attend, flat)
            self.ledger.passes += len(part)
            start = 0
            while start < len(part):
                text = part[start][0]
                stop = next((i for i in range(start, len(part)) if part[i][0] != text), len(part))
                rows = np.concatenate([np.arange(len(part[i][2])) + i * most for i in range(start, stop)])
                at = np.concatenate([part[i][2] for i in range(start, stop)])
                sums[text].add(logits[rows], at)
                start = stop
            bar.update(sum(len(at) for _, _, at in part))
        out: dict[Need, Feature | None] = {}
        for text, total in sums.items():
            out.update(((text, request), bag) for request, bag in total.bags())
            if total.likelihood is not None:
                used = self._used(text)
                found = Likelihood(text, total.likelihood[:used], self._tokens[text].offsets[:used])
                out[text, LikelihoodRequest(stride)] = found
        return out

    def _vectors(self, texts: Mapping[str, list[Request]], bar: tqdm) -> dict[Need, Feature | None]:
        layers = sorted(
            {layer for rs in texts.values() for r in rs if isinstance(r, VectorsRequest) for layer in r.layers}
        )
        if layers and not -1 < layers[0] <= layers[-1] <= self.model.layers:
            raise SpecError(f"model {self.model.name!r} has layers 0 to {self.model.layers}; asked for {layers}")
        before, after = len(self.model.tokenizer.prefix), len(self.model.tokenizer.suffix)
        sizes = {text: self._used(text) + before + after for text in texts}
        states = {t: np.empty((len(layers), size, self.model.width), np.float32) for t, size in sizes.items()}
        work = [(text, window) for text in texts for window in self._read(text)]
        for index in batches([window.end - window.begin for _, window in work], self._budget):
            part = [work[i] for i in index]
            ids, attend = self._rows(part)
            hidden = self.model.hidden(ids, attend, layers)
            self.ledger.passes += len(part)
            for row, (text, window) in enumerate(part):
                # The special tokens before a text are taken from its first window, those after it from its last.
                begin = window.used_from + (before if window.used_from else 0)
                end = window.used_to + before + (after if window.used_to + before + after == sizes[text] else 0)
                states[text][:, begin:end] = hidden[:, row, begin - window.begin : end - window.begin]
            bar.update(sum(window.used_to - window.used_from for _, window in part))
        out: dict[Need, Feature | None] = {}
        for text, requests in texts.items():
            facts = self._framed(text)
            for request in requests:
                if isinstance(request, VectorsRequest):
                    chosen = [layers.index(layer) for layer in request.layers]
                    out[text, request] = TokenVectors(text, states[text][chosen], *facts)
        return out

    def _alignments(self, texts: Mapping[str, list[Request]], bar: tqdm) -> dict[Need, Feature | None]:
        needs = [(text, r) for text, requests in texts.items() for r in requests if isinstance(r, AlignmentRequest)]
        work = [(need, other, window) for need in needs for other, window in self._read_pairs(*need)]
        sums = {need: _AlignmentSums(len(self._tokens[need[0]])) for need in needs}
        before = len(self.model.tokenizer.prefix)
        for index in batches([_size(window) for _, _, window in work], self._budget):
            part = [work[i] for i in index]
            logits, shares = self.model.align(*self._pair_rows([(text, o, w) for (text, _), o, w in part]))
            self.ledger.passes += len(part)
            for row, (need, _, (own, _)) in enumerate(part):
                begin = before + own.used_from - own.begin
                used = logits[row, begin : begin + own.used_to - own.used_from]
                sums[need].add(own, used, float(shares[row]))
            bar.update(sum(_size(window) for _, _, window in part))
        out: dict[Need, Feature | None] = {}
        for need, total in sums.items():
            read = total.read
            offsets = self._tokens[need[0]].offsets[read]
            found = Alignment(need[0], offsets, total.logits[read], total.aggregate())
            out[need] = found if len(offsets) else None
        return out

    def _written(self, texts: Mapping[str, list[Request]], bar: tqdm) -> dict[Need, Feature | None]:
        writer = Writer(self.model, self._tokens.__getitem__, self.window)
        needs = [(text, r) for text, requests in texts.items() for r in requests if isinstance(r, WrittenRequest)]
        answers = writer.read(needs, bar.update)
        self.ledger.passes += writer.passes
        return dict(zip(needs, answers, strict=True))

    def _read_in_pairs(self, texts: Mapping[str, list[Request]], bar: tqdm) -> dict[Need, Feature | None]:
        reader = PairReader(self.model, self._tokens.__getitem__, self.word_starts, self._budget)
        needs = [
            (text, request)
            for text, requests in texts.items()
            for request in requests
            if isinstance(request, MaskedWordsRequest | PairStatesRequest)
        ]
        answers = reader.read(needs, bar.update)
        self.ledger.passes += reader.passes
        return dict(zip(needs, answers, strict=True))

    def _pair_rows(
        self, part: Sequence[tuple[str, str, PairWindow]]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Framed and padded ids of pairs, where they are not padding, and where the other text is."""
        tokenizer = self.model.tokenizer
        rows, others = [], []
        for text, other, (own, rest) in part:
            first = [*tokenizer.prefix, *self._tokens[text].ids[own.begin : own.end], *tokenizer.suffix]
            second = self._tokens[other].ids[rest.begin : rest.end]
            rows.append([*first, *second, *tokenizer.suffix])
            others.append(slice(len(first), len(first) + len(second)))
        ids, attend = padded(rows, tokenizer.pad_id)
        side = np.zeros_like(ids)
        for row, place in enumerate(others):
            side[row, place] = 1
        return ids, attend, side

    def _framed(self, text: str) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
        """Ids, offsets and marks of a text's tokens with the special ones around it."""
        size, tokenizer, tokens = self._used(text), self.model.tokenizer, self._tokens[text]
        before, after = len(tokenizer.prefix), len(tokenizer.suffix)
        ids = np.array([*tokenizer.prefix, *tokens.ids[:size], *tokenizer.suffix], np.int32)
        ends = np.zeros((before, 2), np.int32), np.full((after, 2), len(text), np.int32)
        offsets = np.concatenate([ends[0], tokens.offsets[:size], ends[1]])
        special = np.ones(len(ids), np.bool_)
        special[before : before + size] = False
        return ids, offsets, special

    @property
    def _budget(self) -> int:
        return max(_BATCH_TOKENS, self.model.window)

    def _rows(self, part: Sequence[tuple[str, Window]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Framed and padded ids of windows, and where they are not padding: both [rows, length]."""
        tokenizer = self.model.tokenizer
        rows = [
            [*tokenizer.prefix, *self._tokens[text].ids[window.begin : window.end], *tokenizer.suffix]
            for text, window in part
        ]
        return padded(rows, tokenizer.pad_id)


class _MaskedSums:
    """What is asked of one text's masked distributions, as they come: their weighted means, the true tokens' share."""

    def __init__(self, tokens: Tokens, requests: Sequence[Request]) -> None:
        asked = any(isinstance(request, LikelihoodRequest) for request in requests)
        self._ids = tokens.ids
        self.likelihood = np.full(len(tokens), np.nan) if asked else None
        self._sums = {
            temperature: _Sums(
                tokens, [r for r in requests if isinstance(r, BagRequest) and r.temperature == temperature]
            )
            for temperature in dict.fromkeys(r.temperature for r in requests if isinstance(r, BagRequest))
        }

    def add(self, logits: NDArray[np.float32], at: NDArray[np.intp]) -> None:
        """logits [places, vocabulary] at the places `at` of the text."""
        top = logits.max(axis=1, keepdims=True)
        if self.likelihood is not None:
            mass = np.exp(logits - top).sum(axis=1, dtype=np.float64)
            self.likelihood[at] = (logits[np.arange(len(at)), self._ids[at]] - top[:, 0]) - np.log(mass)
        widest = float((top[:, 0] - logits.min(axis=1)).max())
        for temperature, sums in self._sums.items():
            # Exponentials of single precision are six times as fast, and right as long as none of them underflows.
            exact = widest / temperature > _FLOAT32_EXPONENT
            shares = (logits - top).astype(np.float64 if exact else np.float32, copy=False)
            shares *= shares.dtype.type(1 / temperature)
            sums.add(np.exp(shares, out=shares), at)

    def bags(self) -> Iterator[tuple[BagRequest, Bag]]:
        for sums in self._sums.values():
            yield from sums.bags()


class _Sums:
    """Of requests of one temperature."""

    def __init__(self, tokens: Tokens, requests: Sequence[BagRequest]) -> None:
        self._requests = requests
        self._weights = np.ones((len(requests), len(tokens)))
        self._unweighted = [False] * len(requests)
        for row, request in enumerate(requests):
            if request.weights is not None:
                weights = request.weights.values[tokens.ids]
                self._unweighted[row] = not weights.sum() > 0
                if not self._unweighted[row]:
                    self._weights[row] = weights
        self._mass = np.zeros(len(requests))
        self._sum: NDArray[np.float64] | float = 0.0

    def add(self, shares: NDArray[Any], at: NDArray[np.intp]) -> None:
        weights = self._weights[:, at]
        scaled = (weights / shares.sum(axis=1, dtype=np.float64)).astype(shares.dtype)
        # Not a matrix product: a few rows by a vocabulary gain nothing from threads and lose much by waking them.
        self._sum = self._sum + np.einsum("kr,rv->kv", scaled, shares, optimize=False)
        self._mass += weights.sum(axis=1)

    def bags(self) -> Iterator[tuple[BagRequest, Bag]]:
        with np.errstate(divide="ignore"):
            logs = np.log(self._sum / self._mass[:, None])
        for request, log_probabilities, unweighted in zip(self._requests, logs, self._unweighted, strict=True):
            yield request, Bag(log_probabilities, unweighted)


class _AlignmentSums:
    """One text's alignments as the windows of the other texts come by: what any of them supports is supported."""

    def __init__(self, tokens: int) -> None:
        self.logits = np.full(tokens, -np.inf, np.float32)
        self._shares: dict[tuple[int, int], float] = {}

    def add(self, own: Window, logits: NDArray[np.float32], share: float) -> None:
        """logits [used tokens], share: of one window of the text with one of another."""
        used = (own.used_from, own.used_to)
        part = self.logits[slice(*used)]
        np.maximum(part, logits, out=part)
        self._shares[used] = max(self._shares.get(used, -np.inf), share)

    @property
    def read(self) -> NDArray[np.bool_]:
        """Which tokens were read: under window='cut' the rest has no alignment."""
        return np.isfinite(self.logits)

    def aggregate(self) -> float:
        """Mean over the windows of the text, each as often as it has tokens."""
        sizes = [end - begin for begin, end in self._shares]
        return float(np.average(list(self._shares.values()), weights=sizes)) if sizes else np.nan


def _texts(need: Need) -> tuple[str, ...]:
    """All texts that a need is computed from."""
    text, request = need
    if isinstance(request, MaskedWordsRequest | PairStatesRequest):
        return text, request.against
    if isinstance(request, WrittenRequest):
        return (text,) if request.given is None else (text, request.given)
    return (text, *request.against) if isinstance(request, AlignmentRequest) else (text,)


def _size(window: PairWindow) -> int:
    return window.text.end - window.text.begin + window.other.end - window.other.begin


def _kind(request: Request) -> _Kind:
    """Requests of one kind are answered by the same pass over a text."""
    if isinstance(request, BagRequest | LikelihoodRequest):
        return "masked", request.stride
    if isinstance(request, AlignmentRequest):
        return "aligned", 0
    if isinstance(request, MaskedWordsRequest | PairStatesRequest):
        return "pairs", 0
    if isinstance(request, WrittenRequest):
        return "written", 0
    return ("vectors", 0) if isinstance(request, VectorsRequest) else _STATIC


def _passes(window: Window, stride: int) -> list[NDArray[np.intp]]:
    """The places masked in each pass over a window: every used place once, `stride` of them a pass.

    Places of one pass stand at least eight sub-words apart where the window is long enough: nearer masks hide from
    each other the very words that the prediction rests on.
    """
    used = window.used_to - window.used_from
    count = used if stride == 1 else max(-(-used // stride), min(used, _MASKS_APART))
    return [np.arange(window.used_from + first, window.used_to, count) for first in range(count)]
