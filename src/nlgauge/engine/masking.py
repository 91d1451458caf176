"""Words of a text masked and predicted from the rest of it and another text (MaskEval, section 3.2): which, and where.

A word is masked with at most 24 sub-words of its own text on either side, so that the other text is asked for what is
missing. A word of k pieces has as many masks as `decoding` says:

    joint      k masks, all pieces predicted at once: the model is told the length
    stepwise   k masks; piece j is predicted with the true pieces before it in place: k passes
    single     one mask whatever the length: nothing is told, and a word of several pieces is never hit
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.tokens import SubwordTokenizer

DECODINGS = ("joint", "stepwise", "single")
SIDE = 24
"""Sub-words kept on either side of a masked word"""
_LONGEST = 24
_APART = 8
_SPACING = 10


@dataclass(frozen=True)
class MaskingLimits:
    """What of the masked text a row of limited room holds, in sub-words."""

    side: int
    """On either side of a masked word"""
    longest: int
    """Pieces of a word that are predicted; of a longer word the first so many"""
    core: int
    """From the first word of a pass to the last one"""

    @classmethod
    def of(cls, room: int, stride: int) -> MaskingLimits:
        """room: sub-words of both texts together. The masked one takes up to half of it."""
        longest = max(1, min(_LONGEST, room // 4))
        side = min(SIDE, max(0, room // 2 - longest) // 2)
        core = 0 if stride == 1 else max(0, min(_SPACING * stride, room // 2 - 2 * side))
        return cls(side, longest, core)


@dataclass(frozen=True)
class Pass:
    """One pass over tokens [begin, end) of a text, with some of its words masked."""

    begin: int
    end: int
    words: tuple[int, ...]


def passes(starts: NDArray[np.intp], words: Sequence[int], stride: int, limits: MaskingLimits) -> list[Pass]:
    """The passes that mask each of `words` once, at most `stride` of them together.

    starts: the first token of each word of the text, and the number of its tokens: [words + 1]. Words of one pass stand
    at least eight sub-words apart: nearer masks hide from each other what the prediction rests on.
    """
    out: list[Pass] = []
    for block in _blocks(starts, words, limits.core):
        begin = max(0, int(starts[block[0]]) - limits.side)
        end = min(int(starts[-1]), int(starts[block[-1] + 1]) + limits.side)
        count = -(-len(block) // stride)
        while count < len(block) and any(
            starts[after] - starts[before + 1] < _APART for before, after in zip(block, block[count:], strict=False)
        ):
            count += 1
        out += [Pass(begin, end, tuple(block[first::count])) for first in range(count)]
    return out


def _blocks(starts: NDArray[np.intp], words: Sequence[int], core: int) -> Iterator[list[int]]:
    """Neighbouring words together while they fit `core` sub-words; by itself the word that does not."""
    block: list[int] = []
    for word in words:
        if block and starts[word + 1] - starts[block[0]] > core:
            yield block
            block = []
        block.append(word)
    if block:
        yield block


@dataclass
class MaskedRow:
    """A row's part of the masked text, and what is asked there."""

    ids: list[int]
    asked: list[tuple[int, int, int]]
    """(word, its piece, place in `ids`)"""


def masked_rows(
    ids: NDArray[np.int32], starts: NDArray[np.intp], one: Pass, decoding: str, limits: MaskingLimits, mask: int
) -> Iterator[MaskedRow]:
    """The rows of one pass: one, or with 'stepwise' as many as its longest word has pieces."""
    sizes = {word: min(limits.longest, int(starts[word + 1] - starts[word])) for word in one.words}
    steps = max(sizes.values()) if decoding == "stepwise" else 1
    for step in range(steps):
        row = MaskedRow([], [])
        at = one.begin
        for word, size in sizes.items():
            first = int(starts[word])
            row.ids += ids[at:first].tolist()
            place = len(row.ids)
            if decoding == "joint":
                row.asked += [(word, piece, place + piece) for piece in range(size)]
            elif step < size:
                row.asked.append((word, step, place + step))
            known = step if decoding == "stepwise" and step < size else 0
            masks = 1 if decoding == "single" else size - known
            row.ids += [*ids[first : first + known].tolist(), *[mask] * masks]
            at = int(starts[word + 1])
        row.ids += ids[at : one.end].tolist()
        yield row


@dataclass
class WordScores:
    """What was found out about a text's chosen words as the rows come by."""

    text: str
    ids: NDArray[np.int32]
    starts: NDArray[np.intp]
    spans: NDArray[np.int64]
    words: Sequence[int]
    decoding: str
    longest: int
    _logs: dict[int, float] = field(default_factory=dict)
    _pieces: dict[int, dict[int, int]] = field(default_factory=dict)

    def truth(self, word: int) -> list[int]:
        """The pieces of a word that are predicted."""
        begin, end = int(self.starts[word]), int(self.starts[word + 1])
        size = 1 if self.decoding == "single" else self.longest
        return [int(token) for token in self.ids[begin : min(end, begin + size)]]

    def add(self, word: int, piece: int, log_probability: float, predicted: int) -> None:
        """What was said at one mask of a word."""
        self._logs[word] = self._logs.get(word, 0.0) + log_probability
        self._pieces.setdefault(word, {})[piece] = predicted

    def put(self, word: int, log_probability: float, predicted: Sequence[int]) -> None:
        """What was said of a whole word."""
        self._logs[word], self._pieces[word] = log_probability, dict(enumerate(predicted))

    def answers(self, tokenizer: SubwordTokenizer) -> tuple[list[bool], list[float], list[str]]:
        """Whether each word was predicted, its log-probability, and what was predicted, in the order of the words."""
        pieces = [[self._pieces[word][piece] for piece in sorted(self._pieces[word])] for word in self.words]
        hits = [self._hit(word, predicted, tokenizer) for word, predicted in zip(self.words, pieces, strict=True)]
        return hits, [self._logs[word] for word in self.words], [tokenizer.decode(p).strip() for p in pieces]

    def _hit(self, word: int, predicted: Sequence[int], tokenizer: SubwordTokenizer) -> bool:
        """Whether the word as a whole was predicted, capitals aside. What the vocabulary lacks cannot be."""
        whole = [int(token) for token in self.ids[self.starts[word] : self.starts[word + 1]]]
        if tokenizer.unknown_id in whole:
            return False
        return list(predicted) == whole or _folded(tokenizer, predicted) == _folded(tokenizer, whole) != ""


def _folded(tokenizer: SubwordTokenizer, ids: Sequence[int]) -> str:
    return tokenizer.decode(ids).strip().lower()
