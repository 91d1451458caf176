"""Rows of labelled sets, prepared so that texts about the same source are compared with each other in training."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge_lab.training.aligner_rows import Encoded, Twins
from nlgauge_lab.training.alone import Judged, alone
from nlgauge_lab.training.labelled import Labelled
from nlgauge_lab.training.support.make import Among, among, part_of, together

_OWN = 0.5
"""How often the text around a source comes from other sources of the set"""


@dataclass(frozen=True)
class Compared:
    """The rows of a set, ordered by source.

    Each time that the set is read, all rows about one source get the same other passages, and are in one batch.

    bias: for each row, the log-odds that its text is supported, as `nlgauge_lab.training.alone` estimates them.
    """

    rows: Sequence[Labelled]
    bias: Sequence[float]
    group: Sequence[int]
    """For each row, the number of its source"""

    @classmethod
    def of(cls, rows: Sequence[Labelled], tokenizer: SubwordTokenizer) -> Compared:
        """Return the rows in the order of their sources, with the bias of each text."""
        numbers = {source: number for number, source in enumerate(dict.fromkeys(row.source for row in rows))}
        ordered = sorted(rows, key=lambda row: numbers[row.source])
        group = [numbers[row.source] for row in ordered]
        judged = [
            Judged(row.source, row.candidate, row.supported, fold) for row, fold in zip(ordered, group, strict=True)
        ]
        return cls(ordered, alone(judged, tokenizer).tolist(), group)

    def placed(self, wanted: Among, seed: int) -> tuple[list[Labelled], list[float], list[int]]:
        """Return the rows for reading the set once, with the bias of each row and the number of its source.

        For a share of the sources (`wanted.among`), other passages are put around the source. With `wanted.together`,
        two texts about one source are also read as one text.

        Args:
            wanted: the shares of the additional rows, and the other passages.
            seed: decides all that is random.
        """
        rng = random.Random(f"{seed}:compared")
        sources = list(dict.fromkeys(row.source for row in self.rows))
        around: dict[int, str] = {}
        rows: list[Labelled] = []
        bias: list[float] = []
        groups: list[int] = []
        before: int | None = None
        for number, (row, log_odds, group) in enumerate(zip(self.rows, self.bias, self.group, strict=True)):
            if group not in around:
                around[group] = _among(row, sources, wanted, rng)
            here = replace(row, source=around[group])
            rows.append(here)
            bias.append(log_odds)
            groups.append(group)
            if before is not None and self.group[before] == group and rng.random() < wanted.together:
                other = replace(self.rows[before], source="")
                both = together(here, other)
                rows.append(replace(both, source=here.source))
                bias.append((log_odds + self.bias[before]) / 2)
                groups.append(group)
            before = number
        return rows, bias, groups


def twins(rows: Sequence[list[Encoded]], bias: Sequence[float], groups: Sequence[int], first: int) -> list[Encoded]:
    """Return encoded rows with their biases, and with the numbers that tell which rows are compared.

    A text that was split into several stretches gets neither.

    Args:
        rows: for each text, its encoded rows.
        bias: for each text, the log-odds without the source.
        groups: for each text, the number of its source.
        first: a number that is added, so that no two sets have the same numbers.
    """
    encoded: list[Encoded] = []
    for number, (some, log_odds, group) in enumerate(zip(rows, bias, groups, strict=True)):
        if len(some) == 1:
            numbers = Twins(first + group, first + group, first + (1 << 24) + number)
            some = [replace(some[0], twins=numbers, bias=float(np.float32(log_odds)))]
        encoded += some
    return encoded


def _among(row: Labelled, sources: Sequence[str], wanted: Among, rng: random.Random) -> str:
    """Return the source of a row, or, for a share `wanted.among` of the rows, a text with the source among other texts.

    Args:
        row: the row.
        sources: the sources of the set. In half of the cases the other texts are beginnings of these.
        wanted: the share, and the passages that are the other texts in the other half of the cases.
        rng: draws the texts and the place of the source.
    """
    if rng.random() >= wanted.among:
        return row.source
    if rng.random() >= _OWN:
        return among(row, wanted.passages, rng).source
    others = [part_of(rng.choice(sources), rng) for _ in range(rng.choice((1, 2, 3, 4, 5, 6, 8)))]
    at = rng.randint(0, len(others))
    return rng.choice((" ", "\n")).join([*others[:at], row.source, *others[at:]])
