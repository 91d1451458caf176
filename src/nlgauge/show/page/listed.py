"""Which rows stand in a page: all while there is room, else the worst, the best, the most disputed and a sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from nlgauge.meta.arrays import Float

MOST_ROWS = 10_000
MOST_BYTES = 9_000_000
"""Room for texts, each counted once, and for numbers; with evidence and tables a page stays below 15 MB"""
MOST_EVIDENCE = 4_000_000
"""Bytes of drawn evidence"""
_A_NUMBER = 8


@dataclass(frozen=True)
class Listed:
    """The rows of a page, in the order of the table."""

    rows: list[int]
    total: int
    kinds: dict[str, int]
    """How many were chosen as the worst, the best, the most disputed, and as a sample; empty where all stand there"""


def by_turns(mean: Float, spread: Float) -> Iterator[tuple[int, str]]:
    """Every row once, and what it is taken as: by turns the worst, the best, the most disputed, one of a sample."""
    n = len(mean)
    up = np.argsort(np.where(np.isnan(mean), np.inf, mean), kind="stable")
    down = np.argsort(np.where(np.isnan(mean), np.inf, -mean), kind="stable")
    disputed = np.argsort(np.where(np.isnan(spread), np.inf, -spread), kind="stable")
    # Rows far apart first: every prefix of this order is spread over the whole table.
    sample = np.argsort((np.arange(n) * 0.6180339887498949) % 1.0, kind="stable")
    seen = np.zeros(n, bool)
    queues = [(name, iter(order.tolist())) for name, order in
              (("worst", up), ("best", down), ("most disputed", disputed), ("sample", sample))]  # fmt: skip
    left = n
    while left:
        for name, queue in queues:
            row = next((row for row in queue if not seen[row]), None)
            if row is not None:
                seen[row] = True
                left -= 1
                yield row, name


def listed(order: Iterable[tuple[int, str]], texts: list[list[str]], most: int, columns: int) -> Listed:
    """As many rows as have room.

    texts: those of each row; one that several rows have counts once. columns: how many numbers a row has.
    """
    chosen: list[int] = []
    kinds: dict[str, int] = {}
    known: set[str] = set()
    size = 0
    for row, kind in order:
        new = set(texts[row]) - known
        size += _A_NUMBER * columns + sum(len(text.encode("utf-8", "surrogatepass")) for text in new)
        if chosen and (len(chosen) >= most or size > MOST_BYTES):
            break
        known |= new
        chosen.append(row)
        kinds[kind] = kinds.get(kind, 0) + 1
    return Listed(sorted(chosen), len(texts), kinds if len(chosen) < len(texts) else {})
