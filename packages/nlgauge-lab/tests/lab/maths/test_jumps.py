"""Distances with jumps, against the plain algorithm, one pair at a time."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nlgauge_lab.maths.jumps import Costs, jump_distances


def plain(candidate: list[int], reference: list[int], costs: Costs, after: int | None) -> tuple[float, list[int]]:
    row = [0.0] + [1.0] * len(candidate)
    visits = [0] * len(row)
    for symbol in reference:
        now = [row[0] + costs.over_reference]
        for i, own in enumerate(candidate, start=1):
            other = row[i - 1] + (0 if own == symbol else costs.other)
            now.append(min(now[-1] + costs.over_candidate, other, row[i] + costs.over_reference))
        best = now.index(min(now))
        visits[best] += 1
        jump = now[best] + (costs.jump if after is None or symbol == after else math.inf)
        row = [min(cost, jump) for cost in now]
    return row[-1], visits


SYMBOLS = st.lists(st.integers(0, 3), min_size=1, max_size=12)


@given(st.lists(st.tuples(SYMBOLS, SYMBOLS), min_size=1, max_size=8), st.sampled_from([None, 0]), st.booleans())
def test_a_batch_gives_what_the_plain_algorithm_gives(
    pairs: list[tuple[list[int], list[int]]], after: int | None, words: bool
) -> None:
    costs = Costs(1, 1, 1, 1) if words else Costs(0.2, 1, 1, 2)
    arrays = [(np.array(one, np.int32), np.array(other, np.int32)) for one, other in pairs]
    found = list(jump_distances(arrays, costs, after))
    assert [(cost, visits.tolist()) for cost, visits in found] == [plain(*pair, costs, after) for pair in pairs]
    assert list(jump_distances([], costs)) == []
