"""What stands in a mask's place: written by a model that has not seen the context.

Deng et al. 2021, appendix A: because the filling is made without the context, its words are not supported by it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.models.capabilities import TOKENIZER, Model
from nlgauge.errors import InputError
from nlgauge.lab.training.weak_labels.reading import MaskedRow, Template, mask_of, read_masks

_UNLIKELY = 2.0
_PIECE = re.compile(r"(##)?([a-z]+|[0-9]+)")


class Infiller(Protocol):
    """What an infiller of another kind has to offer."""

    @property
    def name(self) -> str:
        """For the data card"""
        ...

    def fill(self, templates: Sequence[Template], rngs: Sequence[np.random.Generator]) -> list[tuple[str, ...] | None]:
        """A filling for each hole of each template, without spaces at its ends; None where it could not be done."""
        ...


class _Row:
    """A template on its way through the masked LM; -1 stands for what is still masked."""

    def __init__(self, before: list[list[int]], sizes: list[int], rng: np.random.Generator) -> None:
        self.ids = list(before[0])
        self.holes: list[list[int]] = []
        for size, piece in zip(sizes, before[1:], strict=True):
            self.holes.append(list(range(len(self.ids), len(self.ids) + size)))
            self.ids += [-1] * size + piece
        self.rng = rng

    @property
    def next(self) -> list[int]:
        """The first place of each hole that is still masked."""
        return [found for hole in self.holes if (found := next((at for at in hole if self.ids[at] < 0), -1)) >= 0]


@dataclass(frozen=True)
class MaskedLMInfiller:
    """Fills holes piece by piece with an uncased masked LM, drawing each piece from its distribution.

    A hole has about as many pieces as what stood there: that number times exp(N(0, spread)). Within a hole pieces are
    drawn left to right, each seeing those before it; holes of one sentence are filled side by side.

    top_p: draw among the likeliest pieces that together have this probability. most: pieces a hole.
    spellings: of words that are not written in small letters, {"paris": "Paris"}, for such a model knows no others.
    """

    model: Model
    top_p: float = 0.9
    temperature: float = 0.9
    spread: float = 0.35
    most: int = 10
    spellings: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"masked LM {self.model.name} ({self.model.digest[:12]}), top_p={self.top_p}, spread={self.spread}"

    def fill(self, templates: Sequence[Template], rngs: Sequence[np.random.Generator]) -> list[tuple[str, ...] | None]:
        rows = [self._row(template, rng) for template, rng in zip(templates, rngs, strict=True)]
        active = [row for row in rows if row is not None and row.next]
        while active:
            self._step(active)
            active = [row for row in active if row.next]
        return [None if row is None else self._fillings(row) for row in rows]

    def _row(self, template: Template, rng: np.random.Generator) -> _Row | None:
        tokenizer = self.model[TOKENIZER]
        ids = [tokens.ids.tolist() for tokens in tokenizer.encode([*template.pieces, *template.originals])]
        around = len(template.pieces)
        sizes = [
            min(self.most, max(1, round(len(original) * math.exp(rng.normal(0, self.spread)))))
            for original in ids[around:]
        ]
        row = _Row([[*tokenizer.prefix, *ids[0]], *ids[1:around]], sizes, rng)
        row.ids += tokenizer.suffix
        return row if len(row.ids) <= self.model.window else None

    def _step(self, rows: list[_Row]) -> None:
        """One more piece of each hole."""
        mask = mask_of(self.model)
        masked = [MaskedRow([mask if piece < 0 else piece for piece in row.ids], row.next) for row in rows]
        whole, inner = self._vocabulary
        for index, logits in read_masks(self.model, masked):
            row = rows[index]
            for place, scores in zip(masked[index].at, logits / self.temperature, strict=True):
                hole = next(hole for hole in row.holes if place in hole)
                scores[~(whole if place == hole[0] else whole | inner)] = -np.inf
                before = row.ids[place - 1] if place > hole[0] else None
                if before is not None:
                    scores[before] = -np.inf
                    # An unlikely piece that goes on with a word makes none: "itwould".
                    scores[inner & (scores < scores.max() - _UNLIKELY)] = -np.inf
                row.ids[place] = _draw(scores, self.top_p, row.rng)

    @cached_property
    def _vocabulary(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which sub-words begin a word, and which go on with one: [vocabulary] each. Signs do neither."""
        pieces = [self.model[TOKENIZER].piece(number) for number in range(self.model[TOKENIZER].vocabulary)]
        inner = np.array([bool(_PIECE.fullmatch(piece)) and piece.startswith("##") for piece in pieces])
        whole = np.array([bool(_PIECE.fullmatch(piece)) for piece in pieces]) & ~inner
        if not whole.any():
            raise InputError("the model's vocabulary has no plain words", remedy="name an uncased WordPiece model")
        return whole, inner

    def _fillings(self, row: _Row) -> tuple[str, ...]:
        return tuple(self._written([self.model[TOKENIZER].piece(row.ids[at]) for at in hole]) for hole in row.holes)

    def _written(self, pieces: list[str]) -> str:
        text = pieces[0] + "".join(piece[2:] if piece.startswith("##") else f" {piece}" for piece in pieces[1:])
        return " ".join(self.spellings.get(word, word) for word in text.split(" "))


def _draw(scores: NDArray[np.float64], top_p: float, rng: np.random.Generator) -> int:
    """An index drawn by softmax(scores), among the likeliest that together reach `top_p`."""
    likeliest = np.argsort(-scores, kind="stable")[:1000]
    chances = np.exp(scores[likeliest] - scores[likeliest[0]])
    chances /= chances.sum()
    kept = int(np.searchsorted(np.cumsum(chances), top_p)) + 1
    reached = np.cumsum(chances[:kept])
    return int(likeliest[min(kept - 1, int(np.searchsorted(reached, rng.random() * reached[-1], side="right")))])
