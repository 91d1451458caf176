"""Edit distance in which the candidate may be read in any order: CDER's, and EED's of characters.

Leusch, Ueffing and Ney, "CDer: Efficient MT Evaluation Using Block Movements", EACL 2006. Stanchev, Wang and Ney, "EED:
Extended Edit Distance Measure for Machine Translation", WMT 2019.

The reference is covered from its first to its last symbol; of the candidate any part may be passed over, read again or
jumped to. Pairs are gone through in step, a pair a lane; every sum is that of the plain algorithm, so that of nearly
equal costs the same one is the least.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Symbols: TypeAlias = NDArray[np.int32]
Pairs: TypeAlias = Sequence[tuple[Symbols, Symbols]]
_ROW_BYTES, _CELLS = 11200, 1 << 22


@dataclass(frozen=True)
class Costs:
    """Of passing over a symbol of the candidate, over one of the reference, of a substitution, and of a jump."""

    over_candidate: float
    over_reference: float
    other: float
    jump: float


def jump_distances(
    pairs: Pairs, costs: Costs, jumps_after: int | None = None
) -> Iterator[tuple[float, NDArray[np.int32]]]:
    """Of each (candidate, reference) the cost of the cheapest path, and how often each place of the candidate was best.

    Places are those between symbols, [len(candidate) + 1]; the best place is counted after each symbol of the
    reference, the first one of several. jumps_after: the symbol of the reference after which one may jump; None: after
    each. A path starts before the candidate's first symbol, or elsewhere for 1. No text is empty.
    """
    results: dict[int, tuple[float, NDArray[np.int32]]] = {}
    order = sorted(range(len(pairs)), key=lambda number: -len(pairs[number][0]))
    while order:
        lanes = _Lanes([pairs[number] for number in order], costs, jumps_after)
        results.update((order[number], result) for number, result in lanes.results())
        order = order[lanes.taken :]
    return (results[number] for number in range(len(pairs)))


class _Lanes:
    """Pairs from the longest candidate to the shortest, side by side; a lane that is done takes the next pair.

    So few lanes are much wider than their candidate, and none waits for the longest reference. taken: how many of the
    pairs are gone through; not all where the longest candidates leave room for few lanes only.
    """

    def __init__(self, pairs: Pairs, costs: Costs, jumps_after: int | None) -> None:
        # Whole numbers are exact as integers, which are narrower.
        kind = np.int32 if all(float(cost).is_integer() for cost in vars(costs).values()) else np.float64
        places, self.taken = len(pairs[0][0]) + 1, len(pairs)
        lanes = min(_ROW_BYTES // np.dtype(kind).itemsize, len(pairs))
        if lanes * places > _CELLS:
            self.taken = sum(2 * len(candidate) >= places - 1 for candidate, _ in pairs)
            lanes = max(1, min(lanes, self.taken, _CELLS // places))
        self._pairs, self._costs, self._jumps_after = pairs[: self.taken], costs, jumps_after
        self._symbols = np.concatenate([reference for _, reference in self._pairs])
        self._starts = np.cumsum([0, *(len(reference) for _, reference in self._pairs)])
        # [places, lanes]
        self._candidates, self._visits = (np.empty((places, lanes), np.int32) for _ in range(2))
        self._cost, self._now, self._other = (np.empty((places, lanes), kind) for _ in range(3))
        self._is_least = np.empty((places, lanes), np.bool_)
        self._never = np.inf if kind is np.float64 else np.iinfo(kind).max // 2
        # [lanes]: the pair, the place in all references, and how many places the candidate has, 0 for a free lane
        self._pair, self._at, self._size = (np.zeros(lanes, np.intp) for _ in range(3))
        self._free = list(range(lanes))
        self._due: dict[int, list[int]] = {}  # the lanes that are done after so many steps
        self._following = 0

    def results(self) -> Iterator[tuple[int, tuple[float, NDArray[np.int32]]]]:
        """The number of each pair with its cost and how often each place was best, as they are done."""
        steps = 0
        while self._due or self._following < self.taken:
            more = min(len(self._free), self.taken - self._following)
            if more and len(self._free) * 32 >= len(self._at):
                self._take(more, steps)
            elif not more and len(self._free) * 2 >= len(self._at):
                self._close_up()
            self._step()
            steps += 1
            if steps in self._due:
                yield from self._done(self._due.pop(steps))

    def _take(self, more: int, steps: int) -> None:
        """Put the next pairs into free lanes."""
        lanes, numbers = np.array(self._free[:more]), np.arange(self._following, self._following + more)
        self._free, self._following = self._free[more:], self._following + more
        pairs = [self._pairs[number] for number in numbers]
        for lane, (_, reference) in zip(lanes.tolist(), pairs, strict=True):
            self._due.setdefault(steps + len(reference), []).append(lane)
        self._pair[lanes], self._at[lanes] = numbers, self._starts[numbers]
        self._size[lanes] = [len(candidate) + 1 for candidate, _ in pairs]
        width = int(self._size.max())
        candidates = np.full((width - 1, more), -1, np.int32)
        for column, (candidate, _) in enumerate(pairs):
            candidates[: len(candidate), column] = candidate
        self._candidates[: width - 1, lanes] = candidates
        self._visits[:width, lanes] = 0
        self._cost[:width, lanes] = 1
        self._cost[0, lanes] = 0

    def _close_up(self) -> None:
        """Leave the lanes out that nothing follows in."""
        kept = np.flatnonzero(self._size)
        new = dict(zip(kept.tolist(), range(len(kept)), strict=True))
        self._due = {steps: [new[lane] for lane in lanes] for steps, lanes in self._due.items()}
        self._free = []
        self._pair, self._at, self._size = self._pair[kept], self._at[kept], self._size[kept]
        width = int(self._size.max())
        self._candidates, self._visits = self._candidates[:width, kept], self._visits[:width, kept]
        self._cost, self._now, self._other = (each[:width, kept] for each in (self._cost, self._now, self._other))
        self._is_least = self._is_least[:width, kept]

    def _step(self) -> None:
        """Go over the next symbol of each reference."""
        width, costs = int(self._size.max()), self._costs
        symbols = self._symbols[self._at]
        self._at += 1
        cost, now, other = self._cost[:width], self._now[:width], self._other[: width - 1]
        # 1 where symbols differ, written as a number at once, which takes half of what np.where does.
        np.not_equal(self._candidates[: width - 1], symbols, out=other, casting="unsafe")
        if costs.other != 1:
            other *= costs.other
        other += cost[:-1]
        np.add(cost, costs.over_reference, out=now, casting="unsafe")
        np.minimum(now[1:], other, out=now[1:])
        before, passed = now[0], self._other[0]
        for here in now[1:]:
            np.add(before, costs.over_candidate, out=passed, casting="unsafe")
            np.minimum(here, passed, out=here)
            before = here
        least = now.min(axis=0)
        # Places beyond a candidate's end are never cheaper than its end, and of equals the first is taken. An argmin
        # over columns would take ten times as long.
        best = np.equal(now, least, out=self._is_least[:width]).argmax(axis=0)
        self._visits[best, np.arange(len(best))] += 1
        lands = least + costs.jump
        if self._jumps_after is not None:
            lands[symbols != self._jumps_after] = self._never
        np.minimum(now, lands, out=cost, casting="unsafe")

    def _done(self, lanes: list[int]) -> Iterator[tuple[int, tuple[float, NDArray[np.int32]]]]:
        """The results of lanes at their references' ends, which become free."""
        pairs, sizes = self._pair[lanes].tolist(), self._size[lanes]
        costs = self._cost[sizes - 1, lanes].tolist()
        visits = self._visits[: sizes.max(), lanes].T
        self._free += lanes
        self._size[lanes] = self._at[lanes] = 0
        for pair, cost, size, counts in zip(pairs, costs, sizes.tolist(), visits, strict=True):
            yield pair, (float(cost), counts[:size])
