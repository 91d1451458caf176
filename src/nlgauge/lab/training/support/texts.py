"""The texts that rows are constructed from, read from a folder by a recipe."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError
from nlgauge.lab.training.passages import read_lines
from nlgauge.lab.training.support.make import Texts
from nlgauge.lab.training.weak_labels.sources import read_records

_SHORTEST, _MOST = 12, 600
_PARALLEL = 60
"""Words that one side of a pair has at most"""
_ALIKE = (0.4, 2.0)
"""How many words the second text of a pair has for each of the first: where it has more it tells something new"""


@dataclass(frozen=True)
class Kept:
    """Texts to train on, and to measure on."""

    train: Texts
    held: Texts


def read_texts(folder: Path, recipe: Mapping[str, Any], seed: int) -> Kept:
    """The texts that the recipe's tables [[support.passages]] and [[support.parallel]] name.

    Each has `files`, a pattern below the folder, and `most`, how many are drawn of each file; tables of pairs may have
    `leave_out`, data sets that are not read. `held_out` is the share of the texts that is kept apart.
    Raises InputError for a pattern without a file.
    """
    passages: list[str] = []
    parallel: list[tuple[str, str]] = []
    for entry in recipe.get("passages", ()):
        for path in _files(folder, entry["files"]):
            lines = [line for line in read_lines(path) if _SHORTEST <= len(line.split()) <= _MOST]
            passages += _drawn(lines, entry, seed)
    for entry in recipe.get("parallel", ()):
        for path in _files(folder, entry["files"]):
            records = [one for one in read_records(path) if one.origin not in entry.get("leave_out", ())]
            pairs = [(one.document, one.text) for one in records if _says_the_same(one.document, one.text)]
            parallel += _drawn(pairs, entry, seed)
    if not passages:
        raise InputError("no passages to construct rows from", file=folder, remedy="give [[support.passages]]")
    random.Random(f"{seed}:passages").shuffle(passages)
    random.Random(f"{seed}:pairs").shuffle(parallel)
    share = float(recipe.get("held_out", 0.02))
    cut, apart = max(1, round(share * len(passages))), round(share * len(parallel))
    held = Texts(passages[:cut], parallel[:apart])
    return Kept(Texts(passages[cut:], parallel[apart:]), held)


def _files(folder: Path, pattern: str) -> list[Path]:
    found = sorted(folder.glob(pattern))
    if not found:
        raise InputError(f"no file {pattern}", file=folder, remedy="give the folder that the recipe's patterns fit")
    return found


def _drawn(some: Sequence[Any], entry: Mapping[str, Any], seed: int) -> list[Any]:
    most = int(entry.get("most", 0))
    return random.Random(f"{seed}:{entry['files']}").sample(some, most) if 0 < most < len(some) else list(some)


def _says_the_same(one: str, other: str) -> bool:
    sizes = len(one.split()), len(other.split())
    return 4 <= sizes[0] <= _PARALLEL and 4 <= sizes[1] <= _PARALLEL and _ALIKE[0] <= sizes[1] / sizes[0] <= _ALIKE[1]
