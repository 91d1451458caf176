"""Panes and tables of words that are supported or not."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from nlgauge.render.markup.words import (
    flow_panes,
    flow_table,
    legend,
    match_panes,
    match_tables,
    pieces,
    word_panes,
    word_tables,
)

TEXT = "The bridge fell, and five sang."


def record(*words: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": "candidate", "against": "source", "text": TEXT, "words": list(words), "weak": 0.5, **more}


def word(begin: int, end: int, alignment: float, **more: Any) -> dict[str, Any]:
    return {"text": TEXT[begin:end], "begin": begin, "end": end, "alignment": alignment, **more}


def test_words_have_their_colour_and_point_at_their_sentence() -> None:
    quotes = [{"name": "source", "text": "A bridge fell.", "begin": 3, "end": 17}]
    text = record(word(4, 10, 0.9, quote=0), word(11, 15, 0.6), word(21, 25, 0.1), quotes=quotes)
    candidate, source = word_panes([text], {"source": "So a bridge fell."})
    assert candidate.title == "candidate, against the source"
    marks = {piece.text: piece.mark for piece in candidate.pieces if piece.mark}
    assert {text: mark["shade"] for text, mark in marks.items()} == {"bridge": "yes", "fell": "half", "five": "no"}
    assert marks["bridge"]["to"] == "q0" and "to" not in marks["five"]
    assert marks["five"]["note"] == "supported: 0.10"
    assert source.pieces == [("So ", None), ("a bridge fell.", {"key": "q0"})]


def test_a_text_that_is_not_at_hand_has_no_pane() -> None:
    assert len(word_panes([record(word(4, 10, 0.9))], {})) == 1


def test_what_is_not_borne_out_is_listed_with_the_nearest_sentence() -> None:
    quotes = [{"name": "source", "text": "Nobody sang.", "begin": 0, "end": 12}]
    (table,) = word_tables([record(word(21, 25, 0.1, quote=0), unsupported=[[21, 30]], quotes=quotes)])
    assert table.rows == [("five sang", "21–30", "source: Nobody sang.")]


def test_what_was_checked_without_a_model_is_listed_with_its_reason() -> None:
    text = {"name": "candidate", "against": "source", "text": "In 1978.", "words": [], "weak": 0.5}
    (table,) = word_tables([{**text, "reasons": [{"begin": 3, "end": 7, "said": "1978: the source has 1987"}]}])
    assert table.rows == [("1978: the source has 1987", "3–7")] and "checked without a model" in table.caption


def test_misses_are_listed_with_their_guess_the_least_likely_first() -> None:
    hit = word(4, 10, 1.0, predicted="bridge", log_probability=-0.1)
    first = word(11, 15, 0.0, predicted="fall", log_probability=-2.0)
    second = word(21, 25, 0.0, predicted="six", log_probability=-5.0)
    (table,) = word_tables([record(hit, first, second)])
    assert [row[:2] for row in table.rows] == [("five", "six"), ("fell", "fall")]
    (pane,) = word_panes([record(first)], {})
    assert "guessed “fall” instead" in str(pane.pieces)


def test_more_than_a_table_holds_is_counted() -> None:
    (table,) = word_tables([record(word(0, 3, 0.0), unsupported=[[0, 3]] * 15, quotes=[])])
    assert (len(table.rows), table.left_out) == (12, 3)


def test_legends_say_what_the_colours_mean() -> None:
    assert legend([record(word(0, 3, 0.3))]) == ("supported", "partly supported", "not supported")
    assert legend([record(word(0, 3, 1.0), word(4, 10, 0.0))]) == ("shared", "not shared", "")
    assert legend([record(word(0, 3, 1.0, predicted="the"))])[0] == "guessed right"
    assert legend([record(word(0, 3, 0.5, log_probability=-0.7))])[0] == "likely"


def test_words_that_were_looked_up_are_there_or_not() -> None:
    (pane,) = word_panes([record(word(4, 10, 1.0), word(11, 15, 0.0))], {})
    marks = [piece.mark for piece in pane.pieces if piece.mark]
    assert [(mark["shade"], mark["note"]) for mark in marks] == [
        ("yes", "stands in the source"),
        ("half", "does not stand in the source"),
    ]


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


def place(text: str, begin: int) -> dict[str, Any]:
    return {"text": text, "begin": begin, "end": begin + len(text)}


CAT, DOG, SAT = place("cat", 2), place("dog", 2), place("sat", 6)
MATCHES = [
    {"side": "candidate", "token": CAT, "match": DOG, "similarity": 0.3, "weight": 0.5},
    {"side": "candidate", "token": SAT, "match": SAT, "similarity": 1.0, "weight": 0.5},
    {"side": "reference", "token": SAT, "match": SAT, "similarity": 1.0, "weight": 1.0},
]
FLOWS = [
    {"candidate": CAT, "reference": DOG, "share": 0.5, "distance": 4.0},
    {"candidate": CAT, "reference": SAT, "share": 0.1, "distance": 1.0},
    {"candidate": {}, "reference": SAT, "share": 0.1, "distance": 0.1},
]


def test_matches_point_at_each_other() -> None:
    candidate, reference = match_panes(MATCHES, {"candidate": "A cat sat.", "reference": "A dog sat."})
    marks = {piece.text: piece.mark for piece in candidate.pieces if piece.mark}
    assert (marks["cat"]["to"], marks["cat"]["shade"]) == ("r2", "m1")
    assert "matched with “dog”, similarity 0.3" in marks["cat"]["note"]
    other = {piece.text: piece.mark for piece in reference.pieces if piece.mark}
    assert other["dog"]["key"] == "r2" and "note" not in other["dog"]
    assert other["sat"]["to"] == "c6"


def test_a_text_that_is_not_at_hand_is_made_of_its_words() -> None:
    candidate, reference = match_panes(MATCHES, {})
    assert "".join(piece.text for piece in candidate.pieces) == "  cat sat"
    assert "".join(piece.text for piece in reference.pieces) == "  dog sat"


def test_flows_go_to_several_words_and_the_dearest_is_darkest() -> None:
    candidate, reference = flow_panes(FLOWS, {"candidate": "A cat.", "reference": "A dog sat."})
    (cat,) = [piece.mark for piece in candidate.pieces if piece.mark]
    assert cat["to"] == "r2 r6" and cat["shade"] == "m0"
    sat = next(piece.mark for piece in reference.pieces if piece.text == "sat")
    assert sat["shade"] == "m4" and "(special token)" in sat["note"]


def test_tables_begin_with_what_matters_most() -> None:
    table = flow_table(FLOWS, 7)
    assert [row[:2] for row in table.rows] == [("cat", "dog"), ("cat", "sat"), ("(special token)", "sat")]
    assert table.left_out == 7
    tables = list(match_tables(MATCHES))
    assert [table.rows[0][0] for table in tables] == ["cat", "sat"]
