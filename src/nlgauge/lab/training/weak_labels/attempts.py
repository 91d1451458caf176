"""Attempts at examples: which record of which source, what is chosen of it, and how it will be corrupted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from nlgauge.lab.training.weak_labels.pseudo_targets import Choice, Targets
from nlgauge.lab.training.weak_labels.settings import Settings
from nlgauge.lab.training.weak_labels.sources import Record
from nlgauge.lab.training.weak_labels.syntax import Sentence
from nlgauge.lab.training.weak_labels.withholding import can_lack

_TRIES = 12
_STRIDE = 1_000_003  # far from the records of other attempts


@dataclass(frozen=True)
class Source:
    """Records of one task, and their share of the attempts beside other sources'."""

    records: Sequence[Record]
    task: str
    share: float = 1.0


@dataclass
class Draft:
    """An attempt on its way."""

    number: int
    task: str
    record: Record
    choice: Choice
    how: str
    rng: np.random.Generator
    made: list[str] = field(default_factory=list)
    paraphrased: list[str] = field(default_factory=list)
    origins: list[int] = field(default_factory=list)
    """For each paraphrased sentence: which chosen one it comes from"""
    sentences: list[Sentence] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    originals: list[str] = field(default_factory=list)
    fillings: list[str] = field(default_factory=list)
    problem: str | None = None


def pick(sources: Sequence[Source], seed: int, number: int, again: int = 0) -> tuple[Source, Record]:
    """The source and record of an attempt, or another record of the same source where it is tried `again`."""
    shares = np.array([source.share for source in sources])
    source = sources[int(np.random.default_rng([seed, number, 0]).choice(len(sources), p=shares / shares.sum()))]
    # Which turn of its source an attempt is, is not known without the attempts before it: every source counts all.
    epoch, at = divmod(number + again * _STRIDE, len(source.records))
    order = _order(len(source.records), seed, epoch)
    return source, source.records[order[at]]


def _order(size: int, seed: int, epoch: int) -> np.ndarray:
    key = (size, seed, epoch)
    if key not in _ORDERS:
        if len(_ORDERS) > 64:
            _ORDERS.clear()
        _ORDERS[key] = np.random.default_rng([seed, 1, size, epoch]).permutation(size)
    return _ORDERS[key]


_ORDERS: dict[tuple[int, int, int], np.ndarray] = {}


def drafted(
    sources: Sequence[Source], targets: Targets, settings: Settings, seed: int, number: int, passed: list[str]
) -> Draft | str:
    """An attempt with its record and what is chosen of it, or why there is none; `passed` gets why others were not."""
    rng = np.random.default_rng([seed, number, 2])
    how = settings.draw(rng)
    for again in range(_TRIES):
        source, record = pick(sources, seed, number, again)
        choice = targets.choose(record, source.task, rng)
        if not isinstance(choice, str):
            break
        passed.append(choice)
    else:
        return f"no fitting record in {_TRIES}"
    if how == "withheld" and (source.task not in ("summarization", "knowledge") or not can_lack(choice)):
        how = "infilled"
    return Draft(number, source.task, record, choice, how, rng)
