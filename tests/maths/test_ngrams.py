"""Shared n-grams: as counted one by one, whatever comes together."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.maths import ngrams
from nlgauge.maths.ngrams import shared_ngrams

texts = st.lists(st.lists(st.integers(0, 3), max_size=9), min_size=1, max_size=4)


def one_by_one(ours: list[int], theirs: list[int], n: int) -> tuple[int, int, int]:
    mine, other = (Counter(tuple(text[at : at + n]) for at in range(len(text) - n + 1)) for text in (ours, theirs))
    return mine.total(), other.total(), (mine & other).total()


@given(texts, st.data(), st.integers(1, 7), st.sampled_from([1, 8, 1 << 20]))
def test_counts_are_those_of_each_pair_alone(
    some: list[list[int]], data: st.DataObject, longest: int, at_a_time: int
) -> None:
    number = st.integers(0, len(some) - 1)
    pairs = data.draw(st.lists(st.tuples(number, number), max_size=5))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngrams, "_SYMBOLS", at_a_time)
        found = shared_ngrams([np.array(text, np.int64) for text in some], pairs, longest)
    wanted = [[one_by_one(some[a], some[b], n) for n in range(1, longest + 1)] for a, b in pairs]
    np.testing.assert_array_equal(found, np.array(wanted, np.int64).reshape(len(pairs), longest, 3))
