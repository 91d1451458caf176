"""Texts cut at their marks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nlgauge.show.markup.pieces import pieces


def test_a_text_is_cut_at_its_marks() -> None:
    cut = list(pieces("one two three", [(8, 13, {"n": 2}), (0, 3, {"n": 1})]))
    assert cut == [("one", {"n": 1}), (" two ", None), ("three", {"n": 2})]


def test_of_marks_that_overlap_the_first_is_kept_whole() -> None:
    assert list(pieces("abcdef", [(0, 3, {"n": 1}), (2, 5, {"n": 2}), (1, 3, {"n": 3})])) == [
        ("abc", {"n": 1}),
        ("de", {"n": 2}),
        ("f", None),
    ]


@given(st.text(), st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20))))
def test_nothing_of_a_text_is_lost_or_said_twice(text: str, places: list[tuple[int, int]]) -> None:
    cut = pieces(text, [(begin, end, {}) for begin, end in places])
    assert "".join(piece.text for piece in cut) == text
