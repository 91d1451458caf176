"""Pairs of texts: read from JSON Lines, encoded as sub-words, and made into rows with masked words in one text."""

from __future__ import annotations

import fnmatch
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from nlgauge.engine.segmentation import Segmenter, segmenter
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import InputError
from nlgauge_lab.training.passages import Frame, read_lines
from nlgauge_lab.training.recipe import PairsConfig, Stage

SIDES = (("candidate", "source"), ("summary", "doc"), ("target", "source"), ("response", "knowledge"), ("a", "b"))
"""Names that a record may use for the two texts of its pair"""
_CANDIDATE, _OTHER = 0, 1
_JSON_LINES = re.compile(r"\.jsonl(\.xz|\.gz)?$")
Pair: TypeAlias = tuple[str, str]
"""(candidate, other text)"""


@dataclass
class Side:
    """Token ids and word numbers of one side of many pairs, one text after another.

    ids: uint16, or int32 for a large vocabulary, [tokens]; words: uint16 [tokens], counted from 0 in each text; starts:
    int64 [texts + 1].
    """

    ids: np.ndarray
    words: np.ndarray
    starts: np.ndarray

    def __getitem__(self, text: int) -> tuple[np.ndarray, np.ndarray]:
        own = slice(self.starts[text], self.starts[text + 1])
        return self.ids[own], self.words[own]

    @property
    def sizes(self) -> np.ndarray:
        return np.diff(self.starts)

    @classmethod
    def of(cls, texts: Sequence[str], tokenizer: SubwordTokenizer, words: Segmenter) -> Side:
        kind = np.uint16 if tokenizer.largest_id < 1 << 16 else np.int32
        ids: list[np.ndarray] = []
        numbers: list[np.ndarray] = []
        for at in range(0, len(texts), 1000):
            part = list(texts[at : at + 1000])
            for text, tokens in zip(part, tokenizer.encode(part), strict=True):
                ids.append(tokens.ids.astype(kind))
                numbers.append(words(text, tokens.offsets).astype(np.uint16))
        sizes = [len(one) for one in ids]
        empty = [np.empty(0, kind)]
        return cls(np.concatenate(ids or empty), np.concatenate(numbers or empty), np.cumsum([0, *sizes]))


@dataclass
class Pairs:
    """Pairs of texts, with the rows that can be made of them."""

    sides: tuple[Side, Side]
    rows: dict[int, np.ndarray]
    """By length of the rows, the number of the pair and the side that is masked: int64 [rows, 2]"""

    @classmethod
    def of(cls, pairs: Sequence[Pair], config: PairsConfig, tokenizer: SubwordTokenizer) -> Pairs:
        words = segmenter(config.segmentation)
        candidates, others = zip(*pairs, strict=True) if pairs else ((), ())
        sides = Side.of(candidates, tokenizer, words), Side.of(others, tokenizer, words)
        return cls(sides, _rows_by_length(sides, config))

    @property
    def numbers(self) -> np.ndarray:
        """Numbers of the pairs that rows can be made of, in order: [pairs]."""
        return np.unique(np.concatenate([rows[:, 0] for rows in self.rows.values()]))


def _rows_by_length(sides: tuple[Side, Side], config: PairsConfig) -> dict[int, np.ndarray]:
    """Return the rows of every pair that has words on both sides, by length.

    A row has the shortest length that holds it.

    Each pair has two rows, one for each side that is masked. Pairs with less overlap than the recipe asks for are left
    out.
    """
    sizes = np.stack([side.sizes for side in sides], axis=1)
    pairs = np.flatnonzero((sizes > 0).all(axis=1))
    if config.least_overlap > 0:
        texts = ((sides[_CANDIDATE][pair][0], sides[_OTHER][pair][0]) for pair in pairs.tolist())
        overlaps = [np.isin(np.unique(candidate), other).mean() for candidate, other in texts]
        pairs = pairs[np.array(overlaps) >= config.least_overlap]
    examples = np.array([(pair, side) for pair in pairs for side in (_CANDIDATE, _OTHER)], np.int64).reshape(-1, 2)
    masked = sizes[examples[:, 0], examples[:, 1]]
    needed = 3 + np.minimum(masked, config.stretch) + sizes[examples[:, 0], 1 - examples[:, 1]]
    lengths = np.array([length for length, _ in config.sizes])
    place = np.minimum(np.searchsorted(lengths, needed), len(lengths) - 1)
    return {int(length): examples[place == i] for i, length in enumerate(lengths)}


def read_pairs(path: Path, config: PairsConfig) -> tuple[list[Pair], dict[str, list[Pair]]]:
    """Return training pairs, and held-out pairs by file, from a file of JSON Lines or a folder of them.

    Files are plain, .gz or .xz. A record has its pair under names of `SIDES`, and may have an `origin`. The recipe's
    groups say which share of the records is read. A record that fits no group is read if `path` is a file, and left out
    if `path` is a folder. Pairs with the same other text are held out together.

    Args:
        path: the file or folder.
        config: the recipe.

    Raises:
        InputError: a record is no pair, or nothing is left to train on.
    """
    files = sorted(p for p in path.iterdir() if _JSON_LINES.search(p.name)) if path.is_dir() else [path]
    otherwise = 0.0 if path.is_dir() else 1.0
    train: list[Pair] = []
    held: dict[str, list[Pair]] = {}
    for file in files:
        kind = file.name.split(".")[0]
        for pair in _shared_out(file, kind, config, otherwise):
            if zlib.crc32(pair[_OTHER].encode()) % config.held_out_every == 0:
                held.setdefault(kind, []).append(pair)
            else:
                train.append(pair)
    if not train:
        remedy = "give JSON Lines with candidate and source, plain, .gz or .xz"
        if files and path.is_dir():
            names = ", ".join(config.groups)
            remedy = f"the recipe reads files of a folder by their names, {names}; give one file, or change its groups"
        raise InputError("no pairs to train on", file=path, remedy=remedy)
    return train, held


def _shared_out(path: Path, kind: str, config: PairsConfig, otherwise: float) -> Iterator[Pair]:
    """Yield the pairs of a file that the recipe's groups ask for, with texts cut to the recipe's longest.

    Args:
        path: the file.
        kind: the file's name up to the first dot, which groups name.
        config: the recipe.
        otherwise: the share that is read of records that no group fits.
    """
    for number, line in enumerate(read_lines(path), start=1):
        try:
            record = json.loads(line)
            name = f"{kind}:{record.get('origin', '')}"
            fits = (share for pattern, share in config.groups.items() if fnmatch.fnmatch(name, pattern))
            share = next(fits, otherwise)
            if not number * share % 1 < share:
                continue
            names = next(names for names in SIDES if all(isinstance(record.get(name), str) for name in names))
        except (ValueError, AttributeError, StopIteration):
            wanted = ", or ".join(" and ".join(names) for names in SIDES)
            raise InputError("is no pair", file=path, row=number, remedy=f"give JSON records with {wanted}") from None
        candidate, other = (record[name][: config.longest] for name in names)
        if candidate.strip() and other.strip():
            yield candidate, other


@dataclass
class Rows:
    """The rows of a batch: int64 [rows, length] each.

    Every row is two framed texts, [CLS] stretch [SEP] and [CLS] other [SEP]. Positions begin anew in the second one.
    """

    masked: np.ndarray
    whole: np.ndarray
    """The tokens without masks"""
    positions: np.ndarray
    part: np.ndarray
    """0 in the stretch, 1 in the other text, -1 in padding"""

    @classmethod
    def of(cls, rows: Sequence[Rows]) -> Rows:
        names = ("masked", "whole", "positions", "part")
        return cls(*(np.concatenate([getattr(row, name) for row in rows]) for name in names))


Text: TypeAlias = tuple[np.ndarray, np.ndarray]
"""Token ids [tokens] and word numbers [tokens] of a text"""
_AS_THEY_ARE = Stage(1.0, ())


def make_row(
    pairs: Pairs,
    example: np.ndarray,
    length: int,
    frame: Frame,
    config: PairsConfig,
    rng: np.random.Generator,
    stage: Stage = _AS_THEY_ARE,
) -> Rows:
    """Return one row of a pair.

    With the probability that the stage gives, the masked text is made of excerpts of the other text instead.

    Args:
        pairs: the pairs.
        example: the number of the pair, and the side that is masked (0 or 1): [2].
        length: the length of the row.
        frame: the ids of the special tokens.
        config: the recipe.
        rng: draws the stretch, the masks and the excerpts.
        stage: the stage of the run.
    """
    pair, side = map(int, example)
    text, other = pairs.sides[side][pair], pairs.sides[1 - side][pair]
    if stage.copied and rng.random() < stage.copied:
        seen = max(1, length - 4 - min(config.stretch, len(other[0])))
        text = excerpts((other[0][:seen], other[1][:seen]), config.stretch, stage.runs, rng)
    return _row(text, other[0], length=length, frame=frame, config=config, rng=rng)


def excerpts(text: Text, size: int, runs: int, rng: np.random.Generator) -> Text:
    """Return groups of consecutive whole words of a text, in order, as one text.

    An extractive summary is such a text. Where two groups meet, only the words on one side tell where to look in the
    source.

    Args:
        text: the text.
        size: the largest number of sub-words in total.
        runs: the largest number of groups.
        rng: draws the groups.
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
    """Return one row: a stretch of a text with masks in it, and as much of the other text's beginning as fits.

    Args:
        text: the text that is masked.
        other: the token ids of the other text: [tokens].
        length: the length of the row.
        frame: the ids of the special tokens.
        config: the recipe.
        rng: draws the stretch and the masks.
    """
    ids, words = text
    begin = int(rng.integers(len(ids) - config.stretch + 1)) if len(ids) > config.stretch else 0
    own = slice(begin, begin + min(config.stretch, len(ids), length - 5))
    size = own.stop - own.start
    rest = other[: length - 4 - size]
    used = np.concatenate([[frame.cls], ids[own], [frame.sep, frame.cls], rest, [frame.sep]]).astype(np.int64)
    whole = np.full(length, frame.pad, np.int64)
    whole[: len(used)] = used
    masked = whole.copy()
    masked[1 + _chosen(ids, words, own=own, share=config.words, rng=rng)] = frame.mask
    positions = np.zeros(length, np.int64)
    positions[: len(used)] = [*range(size + 2), *range(len(rest) + 2)]
    part = np.repeat([0, 1, -1], [size + 2, len(rest) + 2, length - len(used)])
    return Rows(masked[None], whole[None], positions[None], part[None])


def _chosen(ids: np.ndarray, words: np.ndarray, own: slice, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return the positions of the masks in a stretch of a text, counted from its beginning: [masks].

    A share of the words that are whole in the stretch is masked. If it has no whole word, the masked words are drawn
    from all of its words.

    Args:
        ids: the token ids of the text: [tokens].
        words: the number of the word that each token belongs to: [tokens].
        own: the tokens of the stretch.
        share: the share of the words, from 0 to 1. At least one word is masked.
        rng: draws the words.
    """
    inside = words[own]
    present = np.unique(inside)
    cut = {int(words[at]) for at in (own.start - 1, own.stop) if 0 <= at < len(ids)}
    whole = np.array([word for word in present if int(word) not in cut], dtype=words.dtype)
    if not len(whole):
        whole = present
    number = max(1, round(len(whole) * share))
    return np.flatnonzero(np.isin(inside, rng.choice(whole, size=number, replace=False)))
