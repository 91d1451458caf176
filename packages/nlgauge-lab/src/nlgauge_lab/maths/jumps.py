"""Edit distance in which the candidate may be read in any order: of words for CDER, of characters for EED.

Leusch, Ueffing and Ney, "CDer: Efficient MT Evaluation Using Block Movements", EACL 2006. Stanchev, Wang and Ney, "EED:
Extended Edit Distance Measure for Machine Translation", WMT 2019.

The reference is read from its first to its last symbol. Any part of the candidate may be skipped, read again or jumped
to. Thousands of pairs are computed in parallel, position by position. Costs are added in the same order as in an
algorithm that computes one pair at a time. So both round costs equally, and choose the same one of two nearly equal
costs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Symbols: TypeAlias = NDArray[np.int32]
Pairs: TypeAlias = Sequence[tuple[Symbols, Symbols]]
MOST_CELLS = 100_000_000
"""The largest number of symbols of a candidate times symbols of its reference (10,000 each take minutes). Time grows
with this product, and the longest possible texts would take years
"""
_BATCH, _ALIKE, _CELLS = 1400, 5600, 1 << 22


@dataclass(frozen=True)
class Costs:
    """The costs to skip a symbol of the candidate, skip one of the reference, substitute a symbol, and jump."""

    over_candidate: float
    over_reference: float
    other: float
    jump: float


def jump_distances(
    pairs: Pairs, costs: Costs, jumps_after: int | None = None
) -> Iterator[tuple[float, NDArray[np.int32]]]:
    """Yield the cost of the best path for each pair, and how often each position of the candidate had the lowest cost.

    A path starts before the candidate's first symbol, or elsewhere at cost 1. A position lies between two symbols, or
    at an end. After each symbol of the reference, the position with the lowest cost is counted. If several positions
    have this cost, the first of them is counted.

    Args:
        pairs: (candidate, reference), each as numbers of symbols. Neither may be empty.
        costs: the costs of the operations.
        jumps_after: the symbol of the reference after which a jump is allowed. None allows a jump after each symbol.

    Returns:
        For each pair, the cost and the counts [len(candidate) + 1]. A pair with more than MOST_CELLS cells gets NaN and
        no counts.
    """
    # The longest texts of a batch determine its size, so pairs of a batch have similar lengths.
    near = (at for at, (candidate, reference) in enumerate(pairs) if len(candidate) * len(reference) <= MOST_CELLS)
    order = sorted(near, key=lambda at: len(pairs[at][0]))
    for begin in range(0, len(order), _ALIKE):
        order[begin : begin + _ALIKE] = sorted(order[begin : begin + _ALIKE], key=lambda at: len(pairs[at][1]))
    found: dict[int, tuple[float, NDArray[np.int32]]] = {}
    begin = 0
    while begin < len(order):
        end = min(begin + _BATCH, len(order))
        longest = max(len(pairs[at][0]) for at in order[begin:end]) + 1
        while end > begin + 1 and (end - begin) * longest > _CELLS:
            end = begin + (end - begin) // 2
        batch = sorted(order[begin:end], key=lambda at: -len(pairs[at][1]))
        found.update(zip(batch, _batch([pairs[at] for at in batch], costs, jumps_after), strict=True))
        begin = end
    too_long = math.nan, np.zeros(0, np.int32)
    return (found.get(at, too_long) for at in range(len(pairs)))


def _batch(pairs: Pairs, costs: Costs, jumps_after: int | None) -> Iterator[tuple[float, NDArray[np.int32]]]:
    """Yield the results of `jump_distances` for one batch of pairs.

    The pairs are sorted by the length of the reference, longest first. Arrays are [positions, pairs].
    """
    lengths = np.array([[len(side) for side in pair] for pair in pairs])
    width, depth = (int(side) for side in lengths.max(axis=0))
    ours = np.full((width, len(pairs)), -1, np.int32)
    theirs = np.full((depth, len(pairs)), -2, np.int32)
    for number, (candidate, reference) in enumerate(pairs):
        ours[: len(candidate), number] = candidate
        theirs[: len(reference), number] = reference
    cost, now = np.ones((width + 1, len(pairs))), np.empty((width + 1, len(pairs)))
    cost[0] = 0
    visits = np.zeros((width + 1, len(pairs)), np.int32)
    unlike, leasts = np.empty((width, len(pairs))), np.empty((width + 1, len(pairs)), np.bool_)
    over = np.empty(len(pairs))
    ends = np.searchsorted(-lengths[:, 1], -np.arange(depth), side="left")  # how many references have this symbol
    for step, active in enumerate(ends.tolist()):
        symbol, numbers = theirs[step, :active], np.arange(active)
        # 1 where symbols differ, written directly as floats: twice as fast as np.where.
        other = np.not_equal(ours[:, :active], symbol, out=unlike[:, :active], casting="unsafe")
        if costs.other != 1:
            other *= costs.other
        other += cost[:-1, :active]
        np.add(cost[:, :active], costs.over_reference, out=now[:, :active])
        np.minimum(now[1:, :active], other, out=now[1:, :active])
        before, passed = now[0, :active], over[:active]
        for here in now[1:, :active]:
            np.add(before, costs.over_candidate, out=passed)
            np.minimum(here, passed, out=here)
            before = here
        least = now[:, :active].min(axis=0)
        # Positions after a candidate's end are never cheaper than its end, and the first of equal ones is used. An
        # argmin over columns of floats would take ten times as long.
        best = np.equal(now[:, :active], least, out=leasts[:, :active]).argmax(axis=0)
        visits[best, numbers] += 1
        lands = least + costs.jump
        if jumps_after is not None:
            lands[symbol != jumps_after] = np.inf
        np.minimum(now[:, :active], lands, out=cost[:, :active])
    last = cost[lengths[:, 0], np.arange(len(pairs))].tolist()
    return ((last[at], visits[: lengths[at, 0] + 1, at]) for at in range(len(pairs)))
