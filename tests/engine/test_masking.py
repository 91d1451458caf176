"""Which words are masked in which pass, and the rows that come of it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.engine.masking import DECODINGS, MaskingLimits, Pass, masked_rows, passes

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


def test_an_exact_pass_keeps_24_sub_words_on_either_side():
    starts = starts_of([1] * 100)
    limits = MaskingLimits.of(509, 1)
    middle, edge = passes(starts, [50, 99], 1, limits)
    assert middle == Pass(26, 75, (50,)) and edge == Pass(75, 100, (99,))
    (row,) = masked_rows(np.arange(100), starts, middle, "joint", limits, -1)
    assert len(row.ids) == 49 and row.ids[24] == -1 and row.asked == [(50, 0, 24)]


def test_strided_passes_take_far_apart_words():
    starts = starts_of([1] * 64)
    strided = passes(starts, range(64), 8, MaskingLimits.of(509, 8))
    assert len(strided) == 9  # eight words between two masks: every ninth
    assert strided[0].words == (0, 9, 18, 27, 36, 45, 54, 63)


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


def test_of_a_longer_word_the_first_pieces_are_asked_for():
    (joint,) = rows("joint", longest=2)
    assert joint.ids == [10, 4, 4, 14] and joint.asked == [(1, 0, 1), (1, 1, 2)]


def test_other_words_of_a_pass_stay_hidden_while_a_longer_one_is_spelled_out():
    ids, starts = np.array([10, *range(20, 28), 30, 31]), np.array([0, 1, *range(2, 10), 11])
    limits = MaskingLimits(2, 24, 40)
    first, second = masked_rows(ids, starts, Pass(0, 11, (0, 9)), "stepwise", limits, MASK)
    assert first.ids == [4, *range(20, 28), 4, 4] and first.asked == [(0, 0, 0), (9, 0, 9)]
    assert second.ids == [4, *range(20, 28), 30, 4] and second.asked == [(9, 1, 10)]


@pytest.mark.parametrize("decoding", DECODINGS)
def test_every_piece_is_asked_for_once(decoding):
    asked = [(word, piece) for row in rows(decoding) for word, piece, _ in row.asked]
    assert asked == ([(1, 0)] if decoding == "single" else [(1, 0), (1, 1), (1, 2)])
