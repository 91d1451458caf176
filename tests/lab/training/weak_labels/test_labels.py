"""Which words of a filled text are new, worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.lab.training.weak_labels.labels import Filled, absent, assembled, changed


def equal(one: str, other: str) -> bool:
    return one == other


@pytest.mark.parametrize(
    ("original", "filling", "new"),
    [
        ("an old bridge", "a small boat", "a small boat"),
        ("an old bridge", "an old boat", "boat"),
        ("in May 2012", "in June 2012", "June"),
        ("bridge", "Bridge", ""),
        ("the bridge", "the bridge the bridge", "the bridge"),
        ("", "old", "old"),
        ("red", "red and blue", "and blue"),
        ("big cats", "big", ""),
        ("John's car", "Ann's car", "Ann's"),
    ],
)
def test_what_both_begin_or_end_with_is_the_original(original: str, filling: str, new: str):
    spans = changed(original, filling, equal)
    assert [filling[begin:end] for begin, end in spans] == ([new] if new else [])


def test_words_that_say_the_same_are_the_same():
    assert changed("a large house", "a big house", lambda one, other: {one, other} == {"large", "big"}) == []


def test_a_text_put_together():
    pieces = ["", " opened the ", " bridge. ", "."]
    fills = [Filled("The mayor", "a king"), Filled("", "old"), Filled("It fell", "she left")]
    text, spans = assembled(pieces, fills)
    assert text == "A king opened the old bridge. She left."
    assert [text[begin:end] for begin, end in spans] == ["A king", "old", "She left"]


def test_what_was_not_put_in_leaves_one_space():
    assert assembled(["Open the ", " bridge."], [Filled("", "")]) == ("Open the bridge.", [])


@given(st.lists(st.tuples(st.sampled_from(["a b", "c", "d e f", ""]), st.sampled_from(["a", "c d", "e f", "x y z"]))))
def test_spans_are_in_order_and_within_the_text(pairs):
    pieces = ["Begin ", *(" and " for _ in pairs)]
    text, spans = assembled(pieces, [Filled(*pair) for pair in pairs])
    ends = [place for span in spans for place in span]
    assert ends == sorted(ends) and all(0 <= place <= len(text) for place in ends)


def test_words_of_another_text_are_supported_where_the_context_has_them():
    text = "The mayor opened the old bridge ."
    words = [(0, 3), (4, 9), (10, 16), (17, 20), (21, 24), (25, 31)]
    # 'The' goes with 'mayor', the second 'the' with 'old'.
    assert absent(text, words, "Bridges were opened") == [False, False, True, False, False, True]
    assert absent("of the", [(0, 2), (3, 6)], "of the") == [False, False]
    assert absent("bridge of the", [(0, 6), (7, 9), (10, 13)], "a bridge") == [True, True, True]
    assert absent("", [], "x") == []
