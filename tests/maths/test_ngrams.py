"""Shared n-grams: as counted one by one, whatever comes together."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.maths import ngrams
from nlgauge.maths.ngrams import shared_ngrams

texts = st.lists(st.lists(st.integers(0, 3), max_size=9), min_size=1, max_size=4)


def one_by_one(ours: list[int], theirs: list[int], n: int) -> tuple[int, int, int]:
    mine, other = (Counter(tuple(text[at : at + n]) for at in range(len(text) - n + 1)) for text in (ours, theirs))
    return mine.total(), other.total(), (mine & other).total()


def arrays(some: list[list[int]]) -> list[np.ndarray]:
    return [np.array(text, np.int64) for text in some]


@given(texts, texts, st.integers(1, 7))
def test_counts_are_those_of_each_pair_alone(ours: list[list[int]], theirs: list[list[int]], longest: int) -> None:
    found = shared_ngrams(arrays(ours), arrays(theirs), longest)
    wanted = [[[one_by_one(a, b, n) for n in range(1, longest + 1)] for b in theirs] for a in ours]
    np.testing.assert_array_equal(found, wanted)


@settings(max_examples=30)
@given(texts, texts)
def test_many_texts_are_taken_in_parts(ours: list[list[int]], theirs: list[list[int]]) -> None:
    whole = shared_ngrams(arrays(ours), arrays(theirs), 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngrams, "_CELLS", 8)
        np.testing.assert_array_equal(shared_ngrams(arrays(ours), arrays(theirs), 3), whole)
