"""Pairs of texts as rows in which words of a stretch of one text are masked and the other text is in sight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from nlgauge.lab.training.pair_texts import Pairs
from nlgauge.lab.training.recipe import PairsConfig, Stage


@dataclass(frozen=True)
class Frame:
    """Ids of the tokens that a row needs besides its texts'."""

    cls: int
    sep: int
    pad: int
    mask: int


@dataclass
class Rows:
    """Rows of a batch: int64 [rows, length] each.

    Every row is two framed texts, [CLS] stretch [SEP] and [CLS] other [SEP], each with positions of its own.
    """

    masked: np.ndarray
    whole: np.ndarray
    """Differs from `masked` where a mask is"""
    positions: np.ndarray
    part: np.ndarray
    """0 in the stretch, 1 in the other text, -1 in padding"""

    @classmethod
    def of(cls, rows: Sequence[Rows]) -> Rows:
        names = ("masked", "whole", "positions", "part")
        return cls(*(np.concatenate([getattr(row, name) for row in rows]) for name in names))


Text: TypeAlias = tuple[np.ndarray, np.ndarray]
"""Token ids and word numbers of a text: [tokens] each"""
_AS_THEY_ARE = Stage(1.0, ())


def make_row(
    pairs: Pairs, example: np.ndarray, length: int, frame: Frame, config: PairsConfig, rng: np.random.Generator,
    stage: Stage = _AS_THEY_ARE,
) -> Rows:  # fmt: skip
    """One reading of a pair, or, by the stage's chance, of its other text and excerpts of what is seen of it."""
    pair, side = map(int, example)
    text, other = pairs.sides[side][pair], pairs.sides[1 - side][pair]
    if stage.copied and rng.random() < stage.copied:
        seen = max(1, length - 4 - min(config.stretch, len(other[0])))
        text = excerpts((other[0][:seen], other[1][:seen]), config.stretch, stage.runs, rng)
    return _row(text, other[0], length, frame, config, rng)


def excerpts(text: Text, size: int, runs: int, rng: np.random.Generator) -> Text:
    """Up to so many runs of a text's whole words, in their order, `size` sub-words together at most.

    An extractive summary is such a text: at its joints the words on one side alone tell where to look.
    """
    ids, words = text
    zones = np.array_split(np.arange(len(ids)), min(size, int(rng.integers(1, runs + 1))))
    run = max(1, size // len(zones))
    kept = []
    for zone in zones:
        begin = int(rng.integers(max(1, len(zone) - run + 1)))
        kept.append(zone[begin : begin + run])
    places = np.concatenate(kept)
    split = ~np.isin(np.arange(len(ids)), places)
    whole = places[~np.isin(words[places], words[split])]
    places = whole if len(whole) else places
    return ids[places], words[places]


def _row(
    text: Text, other: np.ndarray, length: int, frame: Frame, config: PairsConfig, rng: np.random.Generator
) -> Rows:
    """One row: a stretch of a text with masks in it, and as much of the other text's beginning as fits."""
    ids, words = text
    begin = int(rng.integers(len(ids) - config.stretch + 1)) if len(ids) > config.stretch else 0
    own = slice(begin, begin + min(config.stretch, len(ids), length - 5))
    size = own.stop - own.start
    rest = other[: length - 4 - size]
    used = np.concatenate([[frame.cls], ids[own], [frame.sep, frame.cls], rest, [frame.sep]]).astype(np.int64)
    whole = np.full(length, frame.pad, np.int64)
    whole[: len(used)] = used
    masked = whole.copy()
    masked[1 + _chosen(ids, words, own, config.words, rng)] = frame.mask
    positions = np.zeros(length, np.int64)
    positions[: len(used)] = [*range(size + 2), *range(len(rest) + 2)]
    part = np.repeat([0, 1, -1], [size + 2, len(rest) + 2, length - len(used)])
    return Rows(masked[None], whole[None], positions[None], part[None])


def _chosen(ids: np.ndarray, words: np.ndarray, own: slice, share: float, rng: np.random.Generator) -> np.ndarray:
    """Where in the stretch the masks go: some of the words that it holds whole, or of all where it holds none."""
    inside = words[own]
    present = np.unique(inside)
    cut = {int(words[at]) for at in (own.start - 1, own.stop) if 0 <= at < len(ids)}
    whole = np.array([word for word in present if int(word) not in cut], dtype=words.dtype)
    if not len(whole):
        whole = present
    number = max(1, round(len(whole) * share))
    return np.flatnonzero(np.isin(inside, rng.choice(whole, size=number, replace=False)))
