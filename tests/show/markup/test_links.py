"""Words that point at words of the other text."""

from __future__ import annotations

from typing import Any

from nlgauge.show.markup.links import flow_panes, flow_table, match_panes, match_tables


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
