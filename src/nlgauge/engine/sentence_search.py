"""The search for sentences of a long source that may support a stretch (a group of sentences) of another text.

Reading every stretch of a text with every part of its source would spend most of the time on unrelated sentences. A
sentence of the source is worth reading for a stretch if it contains rare words of the stretch that no sentence chosen
before it contains.

`Pairing` makes rows of both texts in this way, for training and for scoring.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.tokens import SubwordTokenizer, Tokens
from nlgauge.engine.windows import pair_room, windows

Span: TypeAlias = "tuple[int, int]"
"""The tokens [begin, end) of a text"""

_END = re.compile(r"(?<=[.!?])[\"'”’)\]]*\s+|(?<=[。！？])|\n+")
_SEEN_AGAIN = 0.5
"""The factor of the worth of a word that a sentence chosen before already contains"""
_LENGTH = 12.0
"""A number of tokens that is added to each sentence's length. Shorter sentences with the same words are preferred, and
very short ones are not favoured too much"""
_QUESTION = 48
"""The largest number of a question's tokens that are read"""
OWN, OTHER, QUESTION = 0, 1, 2
"""Values of a row's `side`: a token of the judged text, of the text that may support it, or of the question"""


def sentences(text: str, tokens: Tokens, most: int) -> list[Span]:
    """Return the sentences of a text. A sentence of more than `most` tokens is split into parts of equal length."""
    return cut(tokens, [match.end() for match in _END.finditer(text)], most)


def cut(tokens: Tokens, ends: Sequence[int], most: int) -> list[Span]:
    """Return the parts of a text that end at given characters. A part of more than `most` tokens is split equally."""
    if not len(tokens):
        return []
    cuts = np.unique([0, *np.searchsorted(tokens.offsets[:, 0], ends, side="left").tolist(), len(tokens)])
    parts_of_text: list[Span] = []
    for begin, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        parts = -(-(end - begin) // most)
        edges = np.linspace(begin, end, parts + 1).round().astype(int).tolist()
        parts_of_text += pairwise(edges)
    return parts_of_text


def stretches(spans: Sequence[Span], most: int) -> list[list[Span]]:
    """Return groups of neighbouring sentences, of similar size and with at most `most` tokens each."""
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
    """A source that is prepared for searching.

    Args:
        tokens: the tokens of the source.
        spans: the sentences of the source.
        rarity: how much sharing each token counts, by its rarity: [vocabulary]. A token in many sentences of this
            source counts less, by the logarithm of their share.
    """

    def __init__(self, tokens: Tokens, spans: Sequence[Span], rarity: NDArray[np.float64]) -> None:
        self.tokens, self.spans = tokens, list(spans)
        self._ends = [end for _, end in spans]
        self._sizes = np.array([end - begin for begin, end in spans], np.float64)
        self._of = np.repeat(np.arange(len(spans)), self._sizes.astype(np.int64))
        self._rarity = rarity

    def choose(self, asked: NDArray[np.int32], room: int) -> list[int]:
        """Return the sentences to read for the tokens `asked`, in text order.

        The best sentence is always chosen, even if it is too long, so that something is read if any token is shared.

        Args:
            asked: the tokens of the stretch: [tokens].
            room: how many tokens the sentences may have in total.

        Returns:
            The numbers of the sentences; none if no token is shared.
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
        """Return the share (0 to 1, weighted by rarity) of the tokens `asked` that the given parts contain."""
        wanted = np.unique(asked)
        read = [self.tokens.ids[begin:end] for begin, end in spans]
        there = np.isin(wanted, np.concatenate([np.empty(0, np.int32), *read]))
        total = self._rarity[wanted].sum()
        return float(self._rarity[wanted[there]].sum() / total) if total > 0 else 0.0

    def read(self, spans: Sequence[Span]) -> Iterator[tuple[Span, NDArray[np.int32]]]:
        """Yield the sentences that overlap some spans of tokens.

        Args:
            spans: the parts of the source that are read.

        Returns:
            An iterator over the characters [begin, end) of each sentence, and its tokens.
        """
        offsets = self.tokens.offsets
        for first, last in spans:
            for begin, end in self.spans[bisect_right(self._ends, first) : bisect_right(self._ends, last - 1) + 1]:
                yield (int(offsets[begin, 0]), int(offsets[end - 1, 1])), self.tokens.ids[begin:end]

    def _holds(self, wanted: NDArray[np.int32]) -> NDArray[np.float64]:
        """Return 1 where a sentence contains a token, else 0: [sentences, tokens]."""
        places = np.full(len(self._rarity), -1)
        places[wanted] = np.arange(len(wanted))
        place = places[self.tokens.ids]
        holds = np.zeros((len(self.spans), len(wanted)))
        holds[self._of[place >= 0], place[place >= 0]] = 1.0
        return holds


def nearest(
    judged: NDArray[np.int32],
    begins: Sequence[int],
    numbers: NDArray[np.int64],
    quotes: Sequence[NDArray[np.int32]],
    rarity: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Return the sentence of the source from which each token's word most likely comes.

    It is the sentence that shares most with the word's own sentence. Sentences that contain the word itself are
    preferred.

    Args:
        judged: the tokens of a stretch: [tokens].
        begins: the index of the first token of each of the stretch's sentences.
        numbers: the word index of each token: [tokens].
        quotes: the tokens of each source sentence.
        rarity: how much sharing each token counts, by its rarity: [vocabulary].

    Returns:
        The index of a source sentence for each token: [tokens], -1 if there is none.
    """
    if not quotes:
        return np.full(len(judged), -1)
    holds = np.stack([np.isin(judged, quote) for quote in quotes], axis=1)
    starts = np.flatnonzero(np.diff(numbers, prepend=numbers[0] - 1))
    sentence = np.searchsorted(begins, starts, side="right") - 1
    shared = np.add.reduceat(holds * rarity[judged][:, None], begins)[sentence]
    held = np.logical_and.reduceat(holds, starts)
    best = np.where(held.any(1, keepdims=True) & ~held, -1.0, shared)
    chosen = np.where(shared.max(1) > 0, best.argmax(1), -1)
    return chosen.repeat(np.diff(starts, append=len(judged)))


def rarity(counts: NDArray[np.int64], documents: int) -> NDArray[np.float64]:
    """Return how much sharing each token counts, from its document frequency in general text.

    Tokens that occur in no document are assumed to be names, and as rare as tokens that occur in one.

    Args:
        counts: the number of documents in which each token occurs: [vocabulary].
        documents: the number of documents.

    Returns:
        [vocabulary], in natural logarithms.
    """
    worth: NDArray[np.float64] = np.log((documents + 1) / (np.maximum(counts, 1) + 1))
    return worth


@dataclass(frozen=True)
class SearchShape:
    """The sizes of the parts of a row, in sub-words."""

    row: int = 320
    """The largest number of sub-words in a row, with special tokens"""
    stretch: int = 128
    """The largest number of sub-words of the judged text in a row; at most half the row"""
    sentence: int = 60
    """The largest number of sub-words in a sentence of the source; a longer sentence is split"""
    evidence: int = 0
    """The largest number of the source's sub-words that are read for each sub-word of the judged text, but at least
    `least` in all. 0 if only the row limits it. A lower number leaves out unrelated text, which would change the
    verdict"""
    least: int = 64
    """The number of the source's sub-words that are always read, whatever `evidence` says"""


class Pairing:
    """A maker of rows with a text and a source, for a model that reads both together."""

    def __init__(self, tokenizer: SubwordTokenizer, shape: SearchShape, rarity: NDArray[np.float64]) -> None:
        self._tokenizer, self._rarity = tokenizer, rarity
        self.room = pair_room(shape.row, tokenizer)
        """The largest number of sub-words of both texts in a row"""
        self.stretch = max(1, min(shape.stretch, self.room // 2))
        """The largest number of sub-words of the judged text in a row"""
        self._sentence = max(1, min(shape.sentence, self.room - self.stretch))
        self._evidence, self._least = shape.evidence, shape.least

    def sentences(self, text: str, tokens: Tokens) -> list[Span]:
        """Return the sentences of a judged text, none longer than a stretch."""
        return sentences(text, tokens, self.stretch)

    def stretches(self, spans: Sequence[Span]) -> list[list[Span]]:
        """Return the sentences of a judged text in groups, each of which is read at once."""
        return stretches(spans, self.stretch)

    def search(self, text: str, tokens: Tokens) -> Search:
        """Return a source, prepared for searching."""
        return Search(tokens, sentences(text, tokens, self._sentence), self._rarity)

    def asking(self, tokens: Tokens) -> NDArray[np.int32]:
        """Return the first sub-words of a question, as many as a row has room for."""
        return tokens.ids[: min(_QUESTION, self.room // 4)]

    def evidence(
        self,
        search: Search,
        asked: NDArray[np.int32],
        question: NDArray[np.int32] | None,
        room: int,
    ) -> list[Span]:
        """Return the parts of a source to read with a stretch: all of it if it fits, none if no token is shared.

        The search uses the words of the question too, because an answer like "No." has no words to search for.

        Args:
            search: the source.
            asked: the tokens of the stretch: [tokens].
            question: the tokens of the question: [tokens]; None without one.
            room: the largest number of tokens of all parts together.

        Returns:
            The parts, in text order.
        """
        if len(search.tokens) <= room:
            return [(0, len(search.tokens))]
        wanted = asked if question is None else np.concatenate([asked, question])
        return [search.spans[i] for i in search.choose(wanted, room)]

    def parts(self, search: Search, room: int) -> list[list[Span]]:
        """Return all of a source in parts, which are read one after the other."""
        return [[(window.begin, window.end)] for window in windows(len(search.tokens), room, "slide")]

    def row(
        self,
        judged: NDArray[np.int32],
        search: Search,
        spans: Sequence[Span],
        question: NDArray[np.int32] | None = None,
    ) -> tuple[NDArray[np.int32], NDArray[np.int8]]:
        """Return a row of ids with special tokens, in the order judged text, question (if any), source.

        Args:
            judged: tokens of the judged text: [tokens].
            search: the source.
            spans: the parts of the source that are read. What does not fit at their end is left out.
            question: the tokens of the question: [tokens]; None without one.

        Returns:
            The ids, and for each the text that it belongs to (OWN, OTHER or QUESTION): both [length].
        """
        before, after = self._tokenizer.prefix, self._tokenizer.suffix
        read = [search.tokens.ids[begin:end] for begin, end in spans]
        asked = np.empty(0, np.int32) if question is None or not len(question) else np.concatenate([question, after])
        other = np.concatenate([np.empty(0, np.int32), *read])[: self.room - len(judged) - len(asked)]
        ids = np.concatenate([before, judged, after, asked, other, after]).astype(np.int32)
        side = np.full(len(ids), OWN, np.int8)
        begin = len(before) + len(judged) + len(after)
        side[begin : begin + len(asked)] = QUESTION
        side[begin + len(asked) : len(ids) - len(after)] = OTHER
        return ids, side

    def room_beside(self, judged: NDArray[np.int32], question: NDArray[np.int32] | None = None) -> int:
        """Return how many sub-words of a source are read at most in a row with a stretch and a question."""
        room = self.left_beside(judged, question)
        return min(room, max(self._least, self._evidence * len(judged))) if self._evidence else room

    def left_beside(self, judged: NDArray[np.int32], question: NDArray[np.int32] | None = None) -> int:
        """Return how many sub-words of a source fit a row with a stretch and a question."""
        asked = 0 if question is None or not len(question) else len(question) + len(self._tokenizer.suffix)
        return self.room - len(judged) - asked
