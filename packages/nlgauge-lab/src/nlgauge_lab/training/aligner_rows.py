"""Encoding of labelled texts as rows of sub-words, and of rows as batches, in the form that an aligner reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine import sentence_search
from nlgauge.engine.english import is_stopword
from nlgauge.engine.sentence_search import OWN, Pairing, Search
from nlgauge.engine.tokens import SubwordTokenizer, Tokens
from nlgauge.engine.words import is_word, words
from nlgauge_lab.training.labelled import Labelled

if TYPE_CHECKING:
    from torch import Tensor

UNKNOWN = -1
_LENGTHS = (48, 64, 96, 128, 192, 256, 320, 384, 512)
_LEAST = 8
"""The least number of sub-words of a source that a row has room for, where a text is read in one row"""


@dataclass(frozen=True)
class Shape(sentence_search.SearchShape):
    """The largest sizes of a row and its parts, in sub-words."""

    whole: int = 160
    """The longest text that is read in one row if its unsupported words are unknown. A longer one is not read at all"""


class Twins(NamedTuple):
    """Numbers that tell which rows are compared with each other: rows of the same source, and rows of the same text."""

    group: int
    """Number of the group. Rows of one group are read in one batch"""
    source: int
    text: int


@dataclass(frozen=True)
class Encoded:
    """One stretch of a text with its evidence from the source, in sub-words."""

    ids: NDArray[np.int32]
    side: NDArray[np.int8]
    word: NDArray[np.int32]
    """For each sub-word the number of its word, or -1 for special tokens and the source: [length]"""
    labels: NDArray[np.int8]
    """For each word 1 if supported, 0 if not, -1 if unknown: [words]"""
    text: int
    """1 if the whole stretch is supported, 0 if something in it is not, -1 if unknown"""
    marked: bool = True
    """Whether each word was judged; False if only the whole text was labelled"""
    against: int = UNKNOWN
    """For an unsupported stretch, 1 if the source contradicts it, 0 if the source does not mention it, -1 if unknown"""
    twins: Twins | None = None
    """Tells which other rows this row is compared with; None if it is compared with none"""
    bias: float = 0.0
    """Log-odds that the text is supported, estimated from its words and from how many of them its source has (`alone`)
    """


def encode(
    rows: Sequence[Labelled],
    tokenizer: SubwordTokenizer,
    rarity: NDArray[np.float64],
    shape: Shape,
    pairing: Pairing | None = None,
    stopwords: bool = True,
) -> list[list[Encoded]]:
    """Return the rows of each labelled text: [texts], each a list of rows.

    The list of a text is empty if the text has no words. It is also empty if its unsupported words are not known and it
    is too long to be read in one row.

    Args:
        rows: the labelled texts.
        tokenizer: splits texts into sub-words.
        rarity: weight of each sub-word for the search of evidence: [vocabulary].
        shape: the largest sizes.
        pairing: makes the rows; by default in the form of our own aligners.
        stopwords: whether stop-words have labels.
    """
    pairing = pairing or Pairing(tokenizer, shape, rarity)
    texts = tokenizer.encode([row.candidate for row in rows])
    unseen = list(dict.fromkeys(row.source for row in rows))
    sources = {
        source: pairing.search(source, tokens) for source, tokens in zip(unseen, tokenizer.encode(unseen), strict=True)
    }
    asked = tokenizer.encode([row.question or "" for row in rows])
    before = len(tokenizer.prefix)
    return [
        _encode(
            row,
            text,
            source=sources[row.source],
            question=pairing.asking(question),
            pairing=pairing,
            whole=shape.whole,
            before=before,
            stopwords=stopwords,
        )
        for row, text, question in zip(rows, texts, asked, strict=True)
    ]


def _encode(
    row: Labelled,
    text: Tokens,
    source: Search,
    question: NDArray[np.int32],
    pairing: Pairing,
    whole: int,
    before: int,
    stopwords: bool,
) -> list[Encoded]:
    """Return the rows of one labelled text.

    Args:
        row: the labelled text.
        text: its sub-words.
        source: its source, prepared for the search of evidence.
        question: the sub-words of its question; empty without one.
        pairing: makes the rows.
        whole: the longest text, in sub-words, that is read in one row if its unsupported words are unknown.
        before: the number of special tokens at the beginning of a row.
        stopwords: whether stop-words have labels.
    """
    if not len(text):
        return []
    groups = pairing.stretches(pairing.sentences(row.candidate, text))
    parts = [(group[0][0], group[-1][1]) for group in groups]
    if row.spans is None and not row.supported and len(parts) > 1:
        if len(text) > min(whole, pairing.room - _LEAST):
            return []
        parts = [(0, len(text))]
    numbers = words(row.candidate, text.offsets)
    labels = _labels(row, text, numbers, stopwords)
    out = []
    for begin, end in parts:
        here = labels[numbers[begin] : numbers[end - 1] + 1]
        if (here != UNKNOWN).any() or row.spans is None:
            asked = text.ids[begin:end]
            room = pairing.room_beside(asked, question)
            read = pairing.evidence(source, asked, question, room) or [(0, room)]
            ids, side = pairing.row(asked, source, read, question)
            word = np.full(len(ids), -1, np.int32)
            at = int(np.argmax(side == OWN)) or before
            word[at : at + len(asked)] = numbers[begin:end] - numbers[begin]
            text_label = int(row.supported) if row.spans is None else int((here != 0).all())
            against = UNKNOWN if text_label or row.contradicted is None else int(row.contradicted)
            out.append(
                Encoded(
                    ids=ids,
                    side=side,
                    word=word,
                    labels=here,
                    text=text_label,
                    marked=row.spans is not None,
                    against=against,
                )
            )
    return out


def _labels(row: Labelled, text: Tokens, numbers: NDArray[np.int64], stopwords: bool) -> NDArray[np.int8]:
    """Return the label of each word, 1 if supported, 0 if not, -1 if unknown: [words].

    Args:
        row: the labelled text.
        text: its sub-words.
        numbers: the number of the word that each sub-word belongs to: [sub-words].
        stopwords: whether stop-words have labels.
    """
    labels = np.full(int(numbers[-1]) + 1, UNKNOWN, np.int8)
    if row.spans is None and not row.supported:
        return labels
    judged = None if row.words is None else set(row.words)
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    ends = np.append(starts[1:], len(numbers)) - 1
    for number, (begin, end) in enumerate(
        zip(text.offsets[starts, 0].tolist(), text.offsets[ends, 1].tolist(), strict=True)
    ):
        name = row.candidate[begin:end]
        counted = is_word(name) and (stopwords or not is_stopword(name))
        if counted and (judged is None or (begin, end) in judged):
            labels[number] = not any(begin < last and first < end for first, last in row.spans or ())
    return labels


@dataclass(frozen=True)
class Batch:
    """A batch of rows in the form that the network reads, with their labels."""

    ids: Tensor
    attend: Tensor
    side: Tensor
    """For each token, whether it is of the judged text, of its source or of its question. `ids`, `attend` and `side`
    are each [rows, length]
    """
    pieces: NDArray[np.intp]
    """Flat positions of the sub-words that belong to words: [sub-words of words]"""
    word: Tensor
    """Number of the word in the batch: [sub-words of words]"""
    row: Tensor
    """Number of the row that has the word: [words]"""
    labels: Tensor
    """1 supported, 0 not, -1 unknown: [words]"""
    text: Tensor
    """1 if the whole stretch is supported, 0 if not, -1 unknown: [rows]"""
    against: Tensor
    """For unsupported stretches, 1 contradicted, 0 not mentioned, or -1 unknown: [rows]"""
    weight: Tensor
    """Weight of each word's label: [words]"""
    bias: Tensor
    """Number that is added to the log-odds of the whole text before they are compared with the label: [rows]"""
    pairs: NDArray[np.intp]
    """Numbers of a supported row and of an unsupported row of the same source or text: [pairs, 2]"""


def side_by_side(
    rows: Sequence[Encoded], pad: int, told_weight: float, tensor: Callable[[NDArray[Any]], Tensor]
) -> Batch:
    """Return rows as one batch, filled up to one of a few lengths.

    Args:
        rows: the rows.
        pad: the token that fills rows up.
        told_weight: weight of a word's label where only the whole text was labelled.
        tensor: moves an array to the device of the network.
    """
    length = padded(max(len(row.ids) for row in rows))
    ids = np.full((len(rows), length), pad, np.int64)
    attend, side = np.zeros((2, len(rows), length), np.int64)
    word = np.full((len(rows), length), -1, np.int64)
    first = 0
    for i, row in enumerate(rows):
        size = len(row.ids)
        ids[i, :size], side[i, :size], attend[i, :size] = row.ids, row.side, 1
        word[i, :size] = np.where(row.word >= 0, row.word + first, -1)
        first += len(row.labels)
    pieces = np.flatnonzero(word.ravel() >= 0)
    labels = np.concatenate([row.labels for row in rows]).astype(np.int64)
    of_row = np.repeat(np.arange(len(rows)), [len(row.labels) for row in rows])
    text, against = (np.array([getattr(row, name) for row in rows]) for name in ("text", "against"))
    weight = np.where([row.marked for row in rows], 1.0, told_weight).astype(np.float32)
    return Batch(
        ids=tensor(ids),
        attend=tensor(attend),
        side=tensor(side),
        pieces=pieces,
        word=tensor(word.ravel()[pieces]),
        row=tensor(of_row),
        labels=tensor(labels),
        text=tensor(text),
        against=tensor(against),
        weight=tensor(weight[of_row]),
        bias=tensor(np.array([row.bias for row in rows], np.float32)),
        pairs=twin_pairs(rows),
    )


def twin_pairs(rows: Sequence[Encoded]) -> NDArray[np.intp]:
    """Return all pairs of a supported row and an unsupported row of the same source or the same text: [pairs, 2]."""
    numbers = np.array([row.twins or Twins(-1, -1 - 2 * i, -2 - 2 * i) for i, row in enumerate(rows)]).reshape(-1, 3)
    text = np.array([row.text for row in rows])
    good, bad = np.flatnonzero(text == 1), np.flatnonzero(text == 0)
    same = (numbers[good][:, None, 1:] == numbers[bad][None, :, 1:]).any(-1)
    first, second = same.nonzero()
    return np.stack([good[first], bad[second]], axis=1)


def padded(length: int) -> int:
    """Return the length that a row is filled up to. There are few, because a backend prepares for every shape."""
    return next(size for size in _LENGTHS if length <= size)
