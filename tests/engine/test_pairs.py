"""Windows of two texts read together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.engine.pairs import pair_room, pair_windows, paired_row
from nlgauge.errors import InputError
from tests.engine.fake import FakeModel

sizes = st.integers(1, 120)


def test_the_room_is_the_window_less_three_special_tokens():
    assert pair_room(16, FakeModel()[TOKENIZER]) == 13


def test_texts_that_fit_are_read_at_once():
    ((own, rest),) = pair_windows(4, 9, 13, "slide")
    assert (own.begin, own.end, rest.begin, rest.end) == (0, 4, 0, 9)


@given(sizes, sizes, st.integers(4, 40))
@settings(deadline=None)  # small rooms make thousands of windows
def test_every_part_of_one_meets_every_part_of_the_other(text, other, room):
    found = pair_windows(text, other, room, "slide")
    used = {(own.used_from, own.used_to) for own, _ in found}
    assert sorted(place for begin, end in used for place in range(begin, end)) == list(range(text))
    for begin, end in used:
        rests = [rest for own, rest in found if (own.used_from, own.used_to) == (begin, end)]
        assert {place for rest in rests for place in range(rest.begin, rest.end)} == set(range(other))
    assert all(own.end - own.begin + rest.end - rest.begin <= room for own, rest in found)


def test_cut_reads_the_beginnings():
    ((own, rest),) = pair_windows(100, 100, 12, "cut")
    assert (own.begin, own.end, rest.begin, rest.end) == (0, 6, 0, 6)


def test_error_names_both_sizes():
    with pytest.raises(InputError, match="texts of 7 and 8 sub-words"):
        pair_windows(7, 8, 13, "error")
    assert pair_windows(5, 8, 13, "error")


@pytest.mark.parametrize(
    ("first", "row", "begin"),
    [(True, [2, 6, 7, 3, 10, 11, 12, 3], 1), (False, [2, 10, 11, 12, 3, 6, 7, 3], 5)],
)
def test_a_row_holds_a_text_and_the_beginning_of_the_other(first, row, begin):
    tokenizer = FakeModel()[TOKENIZER]
    assert paired_row([6, 7], [10, 11, 12, 13], first, 5, tokenizer) == (row, begin, 4 if first else 5)
    alone, place, _ = paired_row([6, 7], [10], first, 2, tokenizer)
    assert alone[place : place + 2] == [6, 7] and 10 not in alone
