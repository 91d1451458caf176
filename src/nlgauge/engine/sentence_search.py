"""Where in a long text the words of another one may have come from: the sentences worth reading for each stretch.

An aligner that reads every stretch of a text with every stretch of its source spends nearly all of its time on
sentences that have nothing to do with each other. A sentence of the source is worth reading for a stretch in so far as
it holds the stretch's rare words that no sentence chosen before it holds.

`Pairing` makes rows of both texts so, for training and for use alike.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.pairs import pair_room
from nlgauge.engine.tokens import SubwordTokenizer, Tokens

Span: TypeAlias = "tuple[int, int]"
"""Tokens [begin, end) of a text"""

_END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+|(?<=[。！？])|\n+")
_SEEN_AGAIN = 0.5
"""What a word is worth that a chosen sentence holds already"""
_LENGTH = 12.0
"""Tokens: of two sentences that hold the same words the shorter one is chosen, but not ones of a word or two first"""
_QUESTION = 48
"""Tokens of a question that are read at most"""
OWN, OTHER, QUESTION = 0, 1, 2
"""What a row's `side` says of a token: of the text that is judged, of the one that may support it, of the question"""


def sentences(text: str, tokens: Tokens, most: int) -> list[Span]:
    """The sentences of a text; one of more than `most` tokens is cut into parts of equal size."""
    if not len(tokens):
        return []
    ends = [match.end() for match in _END.finditer(text)]
    cuts = np.unique([0, *np.searchsorted(tokens.offsets[:, 0], ends, side="left").tolist(), len(tokens)])
    found: list[Span] = []
    for begin, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        parts = -(-(end - begin) // most)
        edges = np.linspace(begin, end, parts + 1).round().astype(int).tolist()
        found += pairwise(edges)
    return found


def stretches(spans: Sequence[Span], most: int) -> list[list[Span]]:
    """Sentences that follow each other, grouped so that a group has at most `most` tokens and groups are even."""
    groups: list[list[Span]] = []
    if not spans:
        return groups
    total = spans[-1][1] - spans[0][0]
    if total <= most:
        return [list(spans)]
    wanted = total / -(-total // most)
    for span in spans:
        begun = groups and span[1] - groups[-1][0][0] <= most
        if begun and (groups[-1][-1][1] - groups[-1][0][0]) < wanted * 0.9:
            groups[-1].append(span)
        else:
            groups.append([span])
    return groups


class Search:
    """One text, ready to be searched for what others may have from it.

    rarity: [vocabulary], what it is worth to share a token. A token that is in many sentences of this text is worth
    less, by the logarithm of their share.
    """

    def __init__(self, tokens: Tokens, spans: Sequence[Span], rarity: NDArray[np.float64]) -> None:
        self.tokens, self.spans = tokens, list(spans)
        self._ends = [end for _, end in spans]
        self._sizes = np.array([end - begin for begin, end in spans], np.float64)
        self._of = np.repeat(np.arange(len(spans)), self._sizes.astype(np.int64))
        self._rarity = rarity

    def choose(self, asked: NDArray[np.int32], room: int) -> list[int]:
        """Which sentences to read for the tokens `asked`, in the order of the text, at most `room` tokens of them.

        The best sentence is taken whatever its size, so that something is always read where anything is shared; none
        where nothing is.
        """
        wanted = np.unique(asked)
        holds = self._holds(wanted)
        common = holds.sum(0)
        worth = self._rarity[wanted] * np.log1p(len(self.spans) / np.maximum(common, 1))
        chosen: list[int] = []
        left, open_ = room, np.ones(len(self.spans), bool)
        while True:
            gains = (holds @ worth) / np.sqrt(self._sizes + _LENGTH)
            gains[~open_ | ((self._sizes > left) & bool(chosen))] = 0.0
            best = int(gains.argmax()) if len(gains) else 0
            if not len(gains) or gains[best] <= 0:
                return sorted(chosen)
            chosen.append(best)
            open_[best] = False
            left -= int(self._sizes[best])
            worth = np.where(holds[best] > 0, worth * _SEEN_AGAIN, worth)

    def covered(self, asked: NDArray[np.int32], spans: Sequence[Span]) -> float:
        """The share of what the tokens `asked` are worth that some tokens of the text hold."""
        wanted = np.unique(asked)
        read = [self.tokens.ids[begin:end] for begin, end in spans]
        there = np.isin(wanted, np.concatenate([np.empty(0, np.int32), *read]))
        total = self._rarity[wanted].sum()
        return float(self._rarity[wanted[there]].sum() / total) if total > 0 else 0.0

    def within(self, span: Span) -> range:
        """Numbers of the sentences that some tokens of the text are in."""
        return range(bisect_right(self._ends, span[0]), bisect_right(self._ends, span[1] - 1) + 1)

    def ids(self, number: int) -> NDArray[np.int32]:
        """The tokens of a sentence."""
        return self.tokens.ids[slice(*self.spans[number])]

    def place(self, number: int) -> Span:
        """Characters [begin, end) of a sentence."""
        begin, end = self.spans[number]
        return int(self.tokens.offsets[begin, 0]), int(self.tokens.offsets[end - 1, 1])

    def _holds(self, wanted: NDArray[np.int32]) -> NDArray[np.float64]:
        """1 where a sentence holds a token, else 0: [sentences, tokens]."""
        places = np.full(len(self._rarity), -1)
        places[wanted] = np.arange(len(wanted))
        place = places[self.tokens.ids]
        holds = np.zeros((len(self.spans), len(wanted)))
        holds[self._of[place >= 0], place[place >= 0]] = 1.0
        return holds


def nearest(
    own: NDArray[np.int32], begins: Sequence[int], numbers: NDArray[np.int64], quotes: Sequence[NDArray[np.int32]],
    rarity: NDArray[np.float64],
) -> NDArray[np.int64]:  # fmt: skip
    """Which of some sentences of a source each token's word is likest to be from: [tokens], -1 where there is none.

    It is the sentence that shares most with the word's own sentence, of those that hold the word, if any does.
    own: tokens of a stretch. begins: the first token of each of its sentences. numbers: of the word of each token
    [tokens]. quotes: the tokens of each sentence of the source.
    """
    if not quotes:
        return np.full(len(own), -1)
    holds = np.stack([np.isin(own, quote) for quote in quotes], axis=1)
    starts = np.flatnonzero(np.diff(numbers, prepend=numbers[0] - 1))
    sentence = np.searchsorted(begins, starts, side="right") - 1
    shared = np.add.reduceat(holds * rarity[own][:, None], begins)[sentence]
    held = np.logical_and.reduceat(holds, starts)
    best = np.where(held.any(1, keepdims=True) & ~held, -1.0, shared)
    chosen = np.where(shared.max(1) > 0, best.argmax(1), -1)
    return chosen.repeat(np.diff(starts, append=len(own)))


def rarity(counts: NDArray[np.int64], documents: int) -> NDArray[np.float64]:
    """What it is worth to share each token, by in how many documents of general text it occurs: [vocabulary].

    Tokens that no document has are taken to be names: as rare as what one document has.
    """
    found: NDArray[np.float64] = np.log((documents + 1) / (np.maximum(counts, 1) + 1))
    return found


@dataclass(frozen=True)
class SearchShape:
    """How much a row holds, in sub-words."""

    row: int = 320
    """At most, special tokens counted"""
    stretch: int = 128
    """What of the judged text is read at once, at most; where less than half the row"""
    sentence: int = 60
    """What of the source is read: a longer sentence is cut"""


class Pairing:
    """How a text and a source become rows that a model reads together."""

    def __init__(self, tokenizer: SubwordTokenizer, shape: SearchShape, rarity: NDArray[np.float64]) -> None:
        self._tokenizer, self._rarity = tokenizer, rarity
        self.room = pair_room(shape.row, tokenizer)
        """Sub-words of both texts in a row"""
        self._stretch = max(1, min(shape.stretch, self.room // 2))
        self._sentence = max(1, min(shape.sentence, self.room - self._stretch))

    def sentences(self, text: str, tokens: Tokens) -> list[Span]:
        """Those of a text that is judged; none is longer than a stretch."""
        return sentences(text, tokens, self._stretch)

    def stretches(self, spans: Sequence[Span]) -> list[list[Span]]:
        """What of a text that is judged is read at once: its sentences in groups."""
        return stretches(spans, self._stretch)

    def search(self, text: str, tokens: Tokens) -> Search:
        """A source; made once, whatever is judged by it."""
        return Search(tokens, sentences(text, tokens, self._sentence), self._rarity)

    def asking(self, tokens: Tokens) -> NDArray[np.int32]:
        """What of a question is read: its first sub-words."""
        return tokens.ids[: min(_QUESTION, self.room // 4)]

    def evidence(
        self, search: Search, asked: NDArray[np.int32], question: NDArray[np.int32] | None = None
    ) -> list[Span]:
        """What of a source to read with a stretch: all of it where it fits, none where nothing is shared.

        It is searched for the words of the question too: what is shared with an answer "No." says nothing.
        """
        room = self.room_beside(asked, question)
        if len(search.tokens) <= room:
            return [(0, len(search.tokens))]
        wanted = asked if question is None else np.concatenate([asked, question])
        return [search.spans[i] for i in search.choose(wanted, room)]

    def row(
        self, own: NDArray[np.int32], search: Search, spans: Sequence[Span], question: NDArray[np.int32] | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """Ids of a row, special tokens among them, and which text each is of: [length] both.

        The judged text stands first, then the question, if there is one, then the source, of which what does not fit
        is left out.
        """
        before, after = self._tokenizer.prefix, self._tokenizer.suffix
        read = [search.tokens.ids[begin:end] for begin, end in spans]
        asked = np.empty(0, np.int32) if question is None or not len(question) else np.concatenate([question, after])
        other = np.concatenate([np.empty(0, np.int32), *read])[: self.room - len(own) - len(asked)]
        ids = np.concatenate([before, own, after, asked, other, after]).astype(np.int32)
        side = np.full(len(ids), OWN, np.int8)
        begin = len(before) + len(own) + len(after)
        side[begin : begin + len(asked)] = QUESTION
        side[begin + len(asked) : len(ids) - len(after)] = OTHER
        return ids, side

    def room_beside(self, own: NDArray[np.int32], question: NDArray[np.int32] | None = None) -> int:
        """Sub-words of a source for which there is room beside a stretch and a question."""
        asked = 0 if question is None or not len(question) else len(question) + len(self._tokenizer.suffix)
        return self.room - len(own) - asked
