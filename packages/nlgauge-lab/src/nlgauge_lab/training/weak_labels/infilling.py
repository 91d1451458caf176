"""A masked LM on sentences with holes: how well words fit a hole, and which words it writes into it.

Deng et al. 2021, appendix A: a filling is written without the context, so the context does not support its words.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.models.capabilities import MASKED_LM, TOKENIZER, Model
from nlgauge.errors import InputError
from nlgauge_lab.training.weak_labels.syntax import Template

_AT_ONCE = 32
_UNLIKELY = 2.0
_TOP, _TEMPERATURE, _SPREAD = 0.9, 0.9, 0.35
_PIECE = re.compile(r"(##)?([a-z]+|[0-9]+)")
_WITHIN = re.compile(r"(?<=[a-z,;] )[A-Za-z][\w'’-]*")


class MaskedRow(NamedTuple):
    """Sub-words of a sentence with special tokens and masks, and the positions whose distributions are wanted."""

    ids: Sequence[int]
    at: Sequence[int]


def read_masks(model: Model, rows: Sequence[MaskedRow]) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield the index of each row and its logits [len(at), vocabulary], in any order.

    Rows of one length are read together without padding. So the result of a row does not depend on the other rows,
    except for the last bits of a float. Rows without `at`, or longer than the model's window, are left out.
    """
    head = model[MASKED_LM]
    groups: dict[int, list[int]] = {}
    for index, row in enumerate(rows):
        if row.at and len(row.ids) <= model.window:
            groups.setdefault(len(row.ids), []).append(index)
    for length, members in groups.items():
        for begin in range(0, len(members), _AT_ONCE):
            group = members[begin : begin + _AT_ONCE]
            # The model wants as many places in every row: the first stands again for those that are missing.
            most = max(len(rows[index].at) for index in group)
            places = [[*rows[index].at, *[rows[index].at[0]] * (most - len(rows[index].at))] for index in group]
            ids = np.array([rows[index].ids for index in group], np.int64)
            at = np.array(places, np.int64) + np.arange(len(group))[:, None] * length
            logits = head.masked_logits(ids, np.ones_like(ids), at.reshape(-1)).reshape(len(group), most, -1)
            for index, found in zip(group, logits, strict=True):
                yield index, found[: len(rows[index].at)].astype(np.float64)


def mask_of(model: Model) -> int:
    """Return the id of the model's mask token. Raises InputError if it has none."""
    mask = model[TOKENIZER].mask_id
    if mask is None:
        raise InputError(f"model {model.name!r} has no mask token", remedy="name a masked LM")
    return mask


def fits(
    model: Model, templates: Sequence[Template], wordings: Sequence[Sequence[Sequence[str]]]
) -> list[list[NDArray[np.float64]]]:
    """Return how well each wording fits the gap of a sentence that it is meant for.

    This is the log-probability of the wording's first sub-word, if all gaps are masked. So each sentence is read once,
    however many wordings are tried.

    Args:
        model: a masked language model.
        templates: the sentences with gaps.
        wordings: the wordings to try, by sentence and gap.

    Returns:
        The log-probabilities [wordings], by sentence and gap. They are -inf if the sentence does not fit the window.

    Raises:
        InputError: the model has no mask token.
    """
    mask = mask_of(model)
    rows: list[MaskedRow] = []
    firsts: list[list[list[int]]] = []
    for template, some in zip(templates, wordings, strict=True):
        encoded = model[TOKENIZER].encode([*template.pieces, *(one for choices in some for one in choices)])
        pieces = iter([tokens.ids.tolist() for tokens in encoded])
        ids, at = [*model[TOKENIZER].prefix, *next(pieces)], []
        for _ in template.originals:
            at.append(len(ids))
            ids += [mask, *next(pieces)]
        rows.append(MaskedRow([*ids, *model[TOKENIZER].suffix], at))
        firsts.append([[(next(pieces) or [mask])[0] for _ in choices] for choices in some])
    found = [[np.full(len(choices), -np.inf) for choices in some] for some in wordings]
    for index, logits in read_masks(model, rows):
        chances = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
        found[index] = [chances[hole, some] for hole, some in enumerate(firsts[index])]
    return found


def spellings(texts: Iterable[str]) -> dict[str, str]:
    """Return the usual spelling of words that are rarely in lower case within a sentence: {"paris": "Paris"}."""
    forms: dict[str, Counter[str]] = {}
    for word in (word for text in texts for word in _WITHIN.findall(text)):
        forms.setdefault(word.lower(), Counter())[word] += 1
    best = {lower: max(same, key=lambda word: (same[word], word)) for lower, same in forms.items()}
    return {lower: word for lower, word in best.items() if word != lower}


class _Row:
    """A sentence with holes that are being filled. -1 stands for a piece that is still masked."""

    def __init__(self, before: list[list[int]], sizes: list[int], rng: np.random.Generator) -> None:
        self.ids = list(before[0])
        self.holes: list[list[int]] = []
        for size, piece in zip(sizes, before[1:], strict=True):
            self.holes.append(list(range(len(self.ids), len(self.ids) + size)))
            self.ids += [-1] * size + piece
        self.rng = rng

    @property
    def next(self) -> list[int]:
        """The first masked position of each hole that is not full."""
        return [found for hole in self.holes if (found := next((at for at in hole if self.ids[at] < 0), -1)) >= 0]


@dataclass(frozen=True)
class Infiller:
    """Fills holes piece by piece with an uncased masked LM, and draws each piece from its distribution.

    A hole gets about as many pieces as its original has, and at most `most`. Within a hole, pieces are drawn from left
    to right, and each sees the pieces before it. All holes of a sentence are filled at the same time. spellings: the
    usual spelling of words with capitals, because such a model writes lower case only.
    """

    model: Model
    spellings: Mapping[str, str] = field(default_factory=dict)
    most: int = 10

    def fill(self, templates: Sequence[Template], rngs: Sequence[np.random.Generator]) -> list[tuple[str, ...] | None]:
        """Return a filling for each hole of each template.

        It is None for a sentence that does not fit the model's window.
        """
        rows = [self._row(template, rng) for template, rng in zip(templates, rngs, strict=True)]
        active = [row for row in rows if row is not None and row.next]
        while active:
            self._step(active)
            active = [row for row in active if row.next]
        return [None if row is None else tuple(self._written(row, hole) for hole in row.holes) for row in rows]

    def _row(self, template: Template, rng: np.random.Generator) -> _Row | None:
        tokenizer, around = self.model[TOKENIZER], len(template.pieces)
        ids = [tokens.ids.tolist() for tokens in tokenizer.encode([*template.pieces, *template.originals])]
        drawn = [round(len(original) * math.exp(rng.normal(0, _SPREAD))) for original in ids[around:]]
        row = _Row([[*tokenizer.prefix, *ids[0]], *ids[1:around]], [min(self.most, max(1, one)) for one in drawn], rng)
        row.ids += tokenizer.suffix
        return row if len(row.ids) <= self.model.window else None

    def _step(self, rows: list[_Row]) -> None:
        """Write one more piece into each hole."""
        mask = mask_of(self.model)
        masked = [MaskedRow([mask if piece < 0 else piece for piece in row.ids], row.next) for row in rows]
        whole, inner = self._vocabulary
        for index, logits in read_masks(self.model, masked):
            row = rows[index]
            for place, scores in zip(masked[index].at, logits / _TEMPERATURE, strict=True):
                hole = next(hole for hole in row.holes if place in hole)
                scores[~(whole if place == hole[0] else whole | inner)] = -np.inf
                if place > hole[0]:
                    scores[row.ids[place - 1]] = -np.inf
                    # An unlikely piece that goes on with a word makes none: "itwould".
                    scores[inner & (scores < scores.max() - _UNLIKELY)] = -np.inf
                row.ids[place] = _draw(scores, _TOP, row.rng)

    @cached_property
    def _vocabulary(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which sub-words begin a word, and which continue one: [vocabulary] each. Punctuation does neither."""
        pieces = [self.model[TOKENIZER].piece(number) for number in range(self.model[TOKENIZER].vocabulary)]
        inner = np.array([bool(_PIECE.fullmatch(piece)) and piece.startswith("##") for piece in pieces])
        whole = np.array([bool(_PIECE.fullmatch(piece)) for piece in pieces]) & ~inner
        if not whole.any():
            raise InputError("the model's vocabulary has no plain words", remedy="name an uncased WordPiece model")
        return whole, inner

    def _written(self, row: _Row, hole: list[int]) -> str:
        pieces = [self.model[TOKENIZER].piece(row.ids[at]) for at in hole]
        text = pieces[0] + "".join(piece[2:] if piece.startswith("##") else f" {piece}" for piece in pieces[1:])
        return " ".join(self.spellings.get(word, word) for word in text.split(" "))


def _draw(scores: NDArray[np.float64], top_p: float, rng: np.random.Generator) -> int:
    """Return an index drawn by softmax(scores) among the likeliest ones, whose probabilities together reach `top_p`."""
    likeliest = np.argsort(-scores, kind="stable")[:1000]
    chances = np.exp(scores[likeliest] - scores[likeliest[0]])
    chances /= chances.sum()
    kept = int(np.searchsorted(np.cumsum(chances), top_p)) + 1
    reached = np.cumsum(chances[:kept])
    return int(likeliest[min(kept - 1, int(np.searchsorted(reached, rng.random() * reached[-1], side="right")))])
