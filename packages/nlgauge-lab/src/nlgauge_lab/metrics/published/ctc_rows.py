"""How CTC's released package reads a pair of texts with its trained aligners D and R.

D reads cleaned texts, in lower case, with straight quotes, and with one space between words. It encodes the text, takes
the first 255 sub-words without the end token, decodes them, and encodes the result again. Its unit is the word between
white space, with its punctuation, and the outputs for a word's sub-words are summed. R reads the context before the
text in every aspect. Both cut a pair that does not fit into 512 sub-words: D cuts the end of the context, and R cuts
the end of the longer text.

In some texts, such as one with a line break, the number of D's words differs from the number of its groups of
sub-words. For these the package gives nothing, and here the row has no value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.data.corpus import Row
from nlgauge.engine.aligners import Aligned, Direction
from nlgauge.engine.batching import padded
from nlgauge.engine.english import is_stopword
from nlgauge.engine.features.request import Features, Reader, Request, tokens_about
from nlgauge.engine.models.capabilities import ALIGNER, TOKENIZER, Model
from nlgauge.engine.models.packing import Packer, packer_of
from nlgauge.engine.text_block import TextBlock
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.maths.alignment import Array, logistic

ROW, OWN_TEXT = 512, 255
"""The largest number of sub-words in a row, and in the part of a text that D reads"""
_SPACES = re.compile(r"[^\S\n]+")
_QUOTES = str.maketrans("“”‘’", "\"\"''")
_TIDY = (" .", " ?", " !", " ,", " ' ", " n't", " 'm", " 's", " 've", " 're")
"""A decoded text loses the space before these, as the library of the time did by default"""
_MARKS = ("Ġ", "▁")
"""Characters that stand for a space at the beginning of a sub-word"""
BROKEN = "its words are not those of its sub-words, where the published code gives nothing"


def cleaned(text: str) -> str:
    """Return a text as D reads it: in lower case, with straight quotes and one space between words."""
    return _SPACES.sub(" ", text.translate(_QUOTES)).lower().strip()


def kept(text: str, tokenizer: SubwordTokenizer) -> str:
    """Return the part of a text from `cleaned` that CTC's aligner D reads: its first 255 sub-words, decoded to text."""
    (tokens,) = tokenizer.encode([text])
    decoded = tokenizer.decode(tokens.ids[:OWN_TEXT].tolist())
    for signs in _TIDY:
        decoded = decoded.replace(signs, signs.strip())
    unknown = tokenizer.unknown_id
    if unknown is not None:
        decoded = decoded.replace(tokenizer.piece(unknown), "")
    return decoded.replace("  ", " ").strip(" ")


def groups(ids: Sequence[int], tokenizer: SubwordTokenizer) -> list[list[int]]:
    """Return the positions of the sub-words of each word. A sub-word that begins with a space begins a word."""
    found: list[list[int]] = []
    for at, token in enumerate(ids):
        if not found or tokenizer.piece(token).startswith(_MARKS):
            found.append([])
        found[-1].append(at)
    return found


def word_probabilities(logits: NDArray[np.floating], places: Sequence[Sequence[int]], bias: float) -> Array:
    """Return the probability that each word is supported, computed from the sum over its sub-words.

    Args:
        logits: log-odds of each sub-word, by a linear layer with bias: [tokens].
        places: positions of the sub-words of each word.
        bias: the layer's bias in the log-odds of support. It is counted once for each word.

    Returns:
        Probabilities: [words].
    """
    states = logits.astype(np.float64) - bias
    return logistic(np.array([states[list(own)].sum() + bias for own in places], np.float64))


def longest_first(first: int, second: int, room: int) -> tuple[int, int]:
    """Return how many sub-words of each of two texts are read. The longer text is cut first.

    Args:
        first: the number of sub-words of the first text.
        second: the number of sub-words of the second text.
        room: the largest number of sub-words of both texts together.
    """
    short, long = sorted((first, second))
    long = short if short > room else max(short, min(long, room - short))
    if short + long > room:
        short, long = room // 2, room // 2 + room % 2
    return (long, short) if first > second else (short, long)


class Judged(NamedTuple):
    """The output of an aligner for a text."""

    words: tuple[str, ...]
    """Words that D judged; empty for R"""
    values: NDArray[np.float64]
    """With D the probability that each word is supported [words], with R its one number [1]"""


def read_pairs(requests: Sequence[PublishedPair], block: TextBlock) -> dict[PublishedPair, Judged | None]:
    """Return the output of the aligner for each pair, which is read in a row of its own.

    The output is None in three cases, which occur with D alone: the number of words differs from the number of groups
    of sub-words, there are no words, or the text does not fit into a row.
    """
    packer, model, tokenizer = packer_of(block.model), block.model[ALIGNER], block.model[TOKENIZER]
    assert packer is not None  # `prepare` refuses other models
    found: dict[PublishedPair, Judged | None] = dict.fromkeys(requests)
    rows = [_row_of_r(one, packer) if packer.packing.regression else _row_of_d(one, packer) for one in requests]
    usable = [at for at, row in enumerate(rows) if row is not None]
    for index in block.batches([len(row.ids) for row in rows if row is not None]):
        some = [(usable[n], row) for n in index if (row := rows[usable[n]]) is not None]
        ids, attend = padded([row.ids.tolist() for _, row in some], tokenizer.pad_id)
        side = np.zeros_like(ids)
        for n, (_, row) in enumerate(some):
            side[n, : len(row.side)] = row.side
        logits, shares, _, _ = model.align(ids, attend, side)
        for n, (at, row) in enumerate(some):
            if packer.packing.regression:
                found[requests[at]] = Judged((), np.array([shares[n]], np.float64))
            else:
                own = logits[n, row.begin : row.begin + sum(map(len, row.places))]
                found[requests[at]] = Judged(row.words, word_probabilities(own, row.places, packer.bias))
    return found


class _PairRow(NamedTuple):
    ids: NDArray[np.int32]
    side: NDArray[np.int8]
    begin: int
    """Position of the text's first sub-word in the row"""
    words: tuple[str, ...]
    places: list[list[int]]


def _row_of_d(pair: PublishedPair, packer: Packer) -> _PairRow | None:
    tokenizer = packer.tokenizer
    text = kept(cleaned(pair.text), tokenizer)
    own, other = tokenizer.encode([text, cleaned(pair.context)])
    words, places = tuple(text.split()), groups(own.ids.tolist(), tokenizer)
    before, between, after = tokenizer.pair_frame
    room = ROW - len(before) - len(between) - len(after) - len(own)
    if not words or len(words) != len(places) or room < 0:
        return None
    ids, side = packer.tokens_row(own.ids, other.ids[:room])
    return _PairRow(ids=ids, side=side, begin=len(before), words=words, places=places)


def _row_of_r(pair: PublishedPair, packer: Packer) -> _PairRow:
    context, text = packer.tokenizer.encode([pair.context, pair.text])
    before, between, after = packer.tokenizer.pair_frame
    first, second = longest_first(len(context), len(text), ROW - len(before) - len(between) - len(after))
    # The context stands first, whichever text the aligner learned to read first.
    one, two = context.ids[:first], text.ids[:second]
    own, other = (one, two) if packer.packing.text_first else (two, one)
    ids, side = packer.tokens_row(own, other)
    return _PairRow(ids=ids, side=side, begin=0, words=(), places=[])


@dataclass(frozen=True)
class PublishedPair(Request[Judged]):
    """A text with its context, for a trained aligner as published. The feature is None where D gives no result."""

    capability = ALIGNER
    reader: ClassVar[Reader] = staticmethod(read_pairs)

    text: str
    context: str

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text, self.context)

    def size(self, model: Model) -> int:
        return 8 * tokens_about(self.text)

    def check(self, block: TextBlock) -> None:
        return None


@dataclass(frozen=True)
class PublishedAligner:
    """The aligners D and R of the published code.

    aggregate: whether the aligner is R, whose one number is the score of every aspect. stopwords: whether D counts
    stop-words.
    """

    weak: ClassVar[float] = 0.5
    shows_words: ClassVar[bool] = False

    aggregate: bool
    stopwords: bool

    def requests(self, direction: Direction) -> list[PublishedPair]:
        """Return a list with one request: a direction's text and the only text that it is aligned with."""
        (other,) = direction.others
        return [PublishedPair(direction.text, other)]

    def align(self, direction: Direction, features: Features) -> Aligned | str:
        """Return the values of the words that count, or the reason why there are none.

        If no word counts, the value is 0, as published.
        """
        (request,) = self.requests(direction)
        judged = features[request]
        if judged is None:
            return f"the {direction.name}: {BROKEN}"
        values = judged.values
        if not self.aggregate and not self.stopwords:
            values = values[[not is_stopword(word) for word in judged.words]]
        values = values if len(values) else np.zeros(1)
        return Aligned(np.zeros((len(values), 2), np.int32), values)


def joined(row: Row) -> str:
    """Return knowledge and history of a reply as one context, with three line breaks between them."""
    return "\n\n\n".join(((row.context or "").strip(), (row.source or "").strip()))
