"""Panes and tables of words that are supported or not."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from nlgauge.show.words import legend, match_panes, pieces, word_panes

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


def test_legends_say_what_the_colours_mean() -> None:
    assert legend([record(word(0, 3, 0.3))]) == ("supported", "partly supported", "not supported")
    assert legend([record(word(0, 3, 1.0), word(4, 10, 0.0))]) == ("shared", "not shared", "")
    assert legend([record(word(0, 3, 1.0, predicted="the"))])[0] == "guessed right"
    assert legend([record(word(0, 3, 0.5, log_probability=-0.7))])[0] == "likely"


@given(st.text("ab é🙂\n", max_size=25), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30))))
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


def test_a_text_that_is_not_at_hand_is_made_of_its_words() -> None:
    candidate, reference = match_panes(MATCHES, {})
    assert "".join(piece.text for piece in candidate.pieces) == "  cat sat"
    assert "".join(piece.text for piece in reference.pieces) == "  dog sat"
