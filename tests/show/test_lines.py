"""Lines of text output: styles, brackets without colours, indents, and nothing that steers a terminal."""

from __future__ import annotations

from dataclasses import replace

from nlgauge.show.answer import Answer, as_text
from nlgauge.show.evidence_lines import evidence_lines
from nlgauge.show.lines import WIDTH, TextLine


def test_a_word_that_nothing_supports_has_a_colour_or_brackets() -> None:
    line = TextLine((("In ", ""), ("May", "unsupported"), (" it ", ""), ("opens", "supported")))
    assert line.drawn() == "In [May] it opens"
    assert line.drawn(colour=True) == "In \x1b[31m\x1b[4mMay\x1b[0m it \x1b[32mopens\x1b[0m"


def test_a_style_of_no_text_is_not_drawn() -> None:
    line = TextLine((("", "unsupported"), ("May", "")))
    assert line.drawn() == line.drawn(colour=True) == "May"


def test_a_text_steers_no_terminal_and_its_further_lines_are_indented() -> None:
    assert TextLine("a\x1b[31m\nb\u202e", "  ", "    ").drawn() == "  a\ufffd[31m\n    b\ufffd"
    assert TextLine("a\nb", "  ").drawn() == "  a\n  b"


def test_a_wrapped_line_keeps_to_the_width() -> None:
    lines = TextLine("word " * 60, "  ", "    ", wrapped=True).drawn().splitlines()
    assert len(lines) == 4 and all(len(line) <= WIDTH for line in lines)
    assert lines[0].startswith("  word") and all(line.startswith("    word") for line in lines[1:])
    assert TextLine("word " * 60).drawn() == "word " * 60


def test_lines_stand_in_place_of_sentences_and_tables_and_the_ending_below_the_notes() -> None:
    cells = [["a", "b"], ["1", "2"]]
    answer = Answer(command="x", sentences=["Said."], tables=[cells], legend=["A legend."], notes=["A note."])
    assert as_text(answer) == "Said.\na  b\n1  2\nA legend.\nA note."
    whole = replace(answer, lines=["L", TextLine("M", "  ")], ending="E")
    assert as_text(whole) == "L\n  M\nA note.\nE"


def test_spans_that_are_not_supported_stand_beside_the_nearest_sentence() -> None:
    text = "The bridge fell, and five people sang."
    words = [
        {"text": text[begin:end], "begin": begin, "end": end, "alignment": alignment, "quote": quote}
        for begin, end, alignment, quote in ((4, 10, 0.9, 0), (21, 25, 0.1, 1), (26, 32, 0.2, 1), (33, 37, 0.1, 1))
    ]
    people = {"name": "context", "text": "People " + "who were there " * 9, "begin": 4, "end": 60}
    one = {
        "name": "candidate",
        "against": "source",
        "text": text,
        "words": words,
        "weak": 0.5,
        "unsupported": [[21, 37]],
        "stretches": [{"begin": 0, "end": 16, "supported": 0.75}, {"begin": 17, "end": 38, "supported": 0.25}],
        "quotes": [{"name": "source", "text": "The bridge\nfell.", "begin": 0, "end": 16}, people],
    }
    assert [line.drawn() for line in evidence_lines({"texts": [one]})] == [
        "candidate, against the source:",
        "  The bridge fell, and [five] [people] [sang].",
        "  characters  not supported     the nearest sentence",
        "  21-37       five people sang  context 4-60: People who were there who were there who were t…",
        "  least supported: characters 17-38, 0.2500",
    ]
