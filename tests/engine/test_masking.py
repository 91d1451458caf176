"""Which words are masked in which pass, and the rows that come of it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.engine.masking import MaskingLimits, masked_rows, passes

MASK = 4
sizes = st.lists(st.integers(1, 30), min_size=1, max_size=60)


def starts_of(pieces):
    return np.cumsum([0, *pieces])


def test_limits_of_the_published_window():
    exact = MaskingLimits.of(509, 1)
    assert (exact.side, exact.longest, exact.core) == (24, 24, 0)
    strided = MaskingLimits.of(509, 8)
    assert (strided.side, strided.core) == (24, 80)
    assert MaskingLimits.of(509, 100).core + 2 * 24 <= 509 // 2


@given(sizes, st.integers(1, 16), st.integers(4, 600), st.data())
@settings(deadline=None)
def test_every_word_is_masked_once_within_its_window(pieces, stride, room, data):
    starts = starts_of(pieces)
    words = sorted(data.draw(st.sets(st.integers(0, len(pieces) - 1), min_size=1)))
    limits = MaskingLimits.of(room, stride)
    all_passes = passes(starts, words, stride, limits)
    assert sorted(word for one in all_passes for word in one.words) == words
    for one in all_passes:
        assert len(one.words) <= stride and list(one.words) == sorted(one.words)
        first, last = one.words[0], one.words[-1]
        assert 0 <= one.begin <= starts[first] and starts[last + 1] <= one.end <= starts[-1]
        assert one.end - starts[last + 1] <= limits.side + limits.core
        gaps = [starts[b] - starts[a + 1] for a, b in zip(one.words, one.words[1:], strict=False)]
        assert all(gap >= 8 for gap in gaps)
        for row in masked_rows(np.arange(5, 5 + starts[-1]), starts, one, "joint", limits, MASK):
            assert len(row.ids) <= max(room // 2, 2 * limits.side + limits.longest)
            if stride == 1:
                assert len(row.ids) <= 24 + limits.longest + 24


def rows(decoding, longest=24):
    ids, starts = np.array([10, 11, 12, 13, 14]), np.array([0, 1, 4, 5])
    limits = MaskingLimits(2, longest, 0)
    (only,) = passes(starts, [1], 1, limits)
    return list(masked_rows(ids, starts, only, decoding, limits, MASK))


def test_a_word_of_three_pieces_in_each_decoding():
    (joint,) = rows("joint")
    assert joint.ids == [10, 4, 4, 4, 14] and joint.asked == [(1, 0, 1), (1, 1, 2), (1, 2, 3)]
    (single,) = rows("single")
    assert single.ids == [10, 4, 14] and single.asked == [(1, 0, 1)]
    steps = rows("stepwise")
    assert [row.ids for row in steps] == [[10, 4, 4, 4, 14], [10, 11, 4, 4, 14], [10, 11, 12, 4, 14]]
    assert [row.asked for row in steps] == [[(1, 0, 1)], [(1, 1, 2)], [(1, 2, 3)]]
