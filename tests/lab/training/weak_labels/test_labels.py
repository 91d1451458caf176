"""Which words of a filled text are new, worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.lab.training.weak_labels.labels import absent, assembled, changed


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
    pieces = ["", " opened a ", " bridge. ", "."]
    text, spans = assembled(pieces, ["The mayor", "new", "It fell"], ["some king", "old", "ships left"], equal)
    assert text == "Some king opened an old bridge. Ships left."
    assert [text[begin:end] for begin, end in spans] == ["Some king", "old", "Ships left"]


@pytest.mark.parametrize(("original", "filling"), [("The bridges", "The bridge"), ("Ann Hall", "She")])
def test_a_filling_that_nobody_could_call_wrong_is_not_taken(original: str, filling: str):
    assert assembled(["", " fell."], [original], [filling], equal) == (f"{original} fell.", ())


@given(st.lists(st.tuples(st.sampled_from(["a b", "c", "d e f"]), st.sampled_from(["a", "c d", "e f", "x y z"]))))
def test_spans_are_in_order_and_within_the_text(pairs):
    pieces = ["Begin ", *(" and " for _ in pairs)]
    text, spans = assembled(pieces, [one for one, _ in pairs], [other for _, other in pairs], equal)
    ends = [place for span in spans for place in span]
    assert ends == sorted(ends) and all(0 <= place <= len(text) for place in ends)


def test_words_of_another_text_are_supported_where_the_context_has_them():
    text = "The mayor opened the old bridge ."
    # 'The' goes with 'mayor', the second 'the' with 'old'.
    assert [text[begin:end] for begin, end in absent(text, "Bridges were opened")] == ["The", "mayor", "the", "old"]
    assert len(absent("of the", "of the")) == 2
    assert absent("bridge of the", "a bridge") == absent("", "x") == ()
