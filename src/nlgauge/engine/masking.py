"""The masks: which words of a text are masked in which row, to be predicted with another text (MaskEval, section 3.2).

A row has at most 24 sub-words of the word's own text on either side, so that the prediction needs the other text.
`decoding` says how a word of k sub-words is predicted:

    joint      k masks, all sub-words predicted at once: the model sees the length
    stepwise   k masks and k passes; sub-word j is predicted with the true sub-words before it in place
    single     one mask: the model does not see the length, and never predicts a word of several sub-words
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.tokens import SubwordTokenizer

DECODINGS = ("joint", "stepwise", "single")
SIDE = 24
"""The largest number of sub-words that are shown on either side of a masked word"""
_LONGEST = 24
_APART = 8
_SPACING = 10


@dataclass(frozen=True)
class MaskingLimits:
    """The sizes of the parts of a masked text in a row, in sub-words."""

    side: int
    """The largest number of sub-words on either side of a masked word"""
    longest: int
    """The largest number of a word's sub-words that are predicted; of a longer word, only the first ones are"""
    core: int
    """The largest number of sub-words from the first masked word of a pass to the last one"""

    @classmethod
    def of(cls, room: int, stride: int) -> MaskingLimits:
        """Return the limits for a row.

        Args:
            room: how many sub-words both texts together may have in a row. The masked text takes up to half of them.
            stride: how many words one pass may mask.

        Returns:
            The limits.
        """
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
    """Return the passes that mask each of `words` once, at most `stride` of them in one pass.

    Words of one pass are at least eight sub-words apart: closer masks would hide words that the prediction depends on.

    Args:
        starts: the first token of each word of the text, then the number of tokens: [words + 1].
        words: the indexes of the words that are masked.
        stride: how many words one pass may mask.
        limits: the sizes of a pass.

    Returns:
        The passes.
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
    """Yield groups of neighbouring words with at most `core` sub-words; a longer word is a group of its own."""
    block: list[int] = []
    for word in words:
        if block and starts[word + 1] - starts[block[0]] > core:
            yield block
            block = []
        block.append(word)
    if block:
        yield block


@dataclass
class PassRow:
    """The part of the masked text in a row, and the positions that are predicted."""

    ids: list[int]
    asked: list[tuple[int, int, int]]
    """(word, index of the sub-word in the word, position in `ids`) of each prediction"""


def masked_rows(
    ids: NDArray[np.int32],
    starts: NDArray[np.intp],
    reading_pass: Pass,
    decoding: str,
    limits: MaskingLimits,
    mask: int,
) -> Iterator[PassRow]:
    """Yield the rows of a pass: one row, or with 'stepwise' as many as the pass's longest word has sub-words."""
    sizes = {word: min(limits.longest, int(starts[word + 1] - starts[word])) for word in reading_pass.words}
    steps = max(sizes.values()) if decoding == "stepwise" else 1
    for step in range(steps):
        row = PassRow([], [])
        at = reading_pass.begin
        for word, size in sizes.items():
            first = int(starts[word])
            row.ids += ids[at:first].tolist()
            place = len(row.ids)
            if decoding == "joint":
                row.asked += [(word, piece, place + piece) for piece in range(size)]
            elif step < size:
                row.asked.append((word, step, place + step))
            shown = step if decoding == "stepwise" and step < size else 0
            masks = 1 if decoding == "single" else size - shown
            row.ids += [*ids[first : first + shown].tolist(), *[mask] * masks]
            at = int(starts[word + 1])
        row.ids += ids[at : reading_pass.end].tolist()
        yield row


def gap_row(ids: NDArray[np.integer], starts: NDArray[np.intp], reading_pass: Pass, gap: int) -> PassRow:
    """Return the row of a pass with one masked word. The token `gap` replaces the word, whatever its length."""
    (word,) = reading_pass.words
    before = ids[reading_pass.begin : starts[word]].tolist()
    after = ids[starts[word + 1] : reading_pass.end].tolist()
    return PassRow([*before, gap, *after], [(word, 0, len(before))])


@dataclass
class WordScores:
    """The predictions for the chosen words of a text, as they are collected."""

    text: str
    ids: NDArray[np.int32]
    starts: NDArray[np.intp]
    spans: NDArray[np.int64]
    words: Sequence[int]
    decoding: str
    longest: int
    _logs: dict[int, float] = field(default_factory=dict)
    _likeliest: dict[int, float] = field(default_factory=dict)
    _pieces: dict[int, dict[int, int]] = field(default_factory=dict)

    def truth(self, word: int) -> list[int]:
        """Return the sub-words of a word that have to be predicted."""
        begin, end = int(self.starts[word]), int(self.starts[word + 1])
        size = 1 if self.decoding == "single" else self.longest
        return [int(token) for token in self.ids[begin : min(end, begin + size)]]

    def add(self, word: int, piece: int, log_probability: float, predicted: int, likeliest: float) -> None:
        """Add the prediction at one mask of a word. likeliest: the log-probability of the predicted token."""
        self._logs[word] = self._logs.get(word, 0.0) + log_probability
        self._likeliest[word] = self._likeliest.get(word, 0.0) + likeliest
        self._pieces.setdefault(word, {})[piece] = predicted

    def put(self, word: int, log_probability: float, predicted: Sequence[int], likeliest: float) -> None:
        """Set the prediction of a whole word. likeliest: the log-probability of the predicted sub-words."""
        self._logs[word], self._likeliest[word] = log_probability, likeliest
        self._pieces[word] = dict(enumerate(predicted))

    def per_piece(self, ends: int) -> list[tuple[float, float]]:
        """Return the mean log-probability of each word's true sub-words, and of the predicted sub-words.

        Args:
            ends: how many tokens, in addition to a word's sub-words, the log-probabilities include.

        Returns:
            Both means of each word, in natural logarithms.
        """
        sizes = [(len(self.truth(word)), len(self._pieces[word])) for word in self.words]
        logs = [(self._logs[word], self._likeliest[word]) for word in self.words]
        return [(a / max(1, n + ends), b / max(1, m + ends)) for (a, b), (n, m) in zip(logs, sizes, strict=True)]

    def answers(self, tokenizer: SubwordTokenizer) -> tuple[list[bool], list[float], list[str]]:
        """Return for each word whether it was predicted, its log-probability, and the predicted text."""
        pieces = [[self._pieces[word][piece] for piece in sorted(self._pieces[word])] for word in self.words]
        hits = [self._hit(word, predicted, tokenizer) for word, predicted in zip(self.words, pieces, strict=True)]
        return hits, [self._logs[word] for word in self.words], [tokenizer.decode(p).strip() for p in pieces]

    def _hit(self, word: int, predicted: Sequence[int], tokenizer: SubwordTokenizer) -> bool:
        """Return whether the whole word was predicted, ignoring case. A word with an unknown token never is."""
        whole = [int(token) for token in self.ids[self.starts[word] : self.starts[word + 1]]]
        if tokenizer.unknown_id in whole:
            return False
        return list(predicted) == whole or _folded(tokenizer, predicted) == _folded(tokenizer, whole) != ""


def _folded(tokenizer: SubwordTokenizer, ids: Sequence[int]) -> str:
    return tokenizer.decode(ids).strip().lower()
