"""A value has its shape, or it is said where it has not."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from nlgauge.data.corpus.row import LONGEST_TEXT
from nlgauge.data.evidence import LAST, wrong_evidence

WORD = {"text": "Five", "begin": 0, "end": 4, "alignment": 0.1, "quote": 0}
QUOTE = {"name": "source", "text": "Source", "begin": 0, "end": 6}
TEXT = {
    "name": "candidate",
    "against": "source",
    "text": "Five",
    "words": [WORD],
    "weak": 0.5,
    "unsupported": [[0, 4]],
    "quotes": [QUOTE],
    "stretches": [{"begin": 0, "end": 4, "quotes": [0], "supported": 0.2}],
}
PIECE = {"text": "Five", "begin": 0, "end": 4}
MATCH = {"side": "candidate", "token": PIECE, "match": {"text": None}, "similarity": 0.5, "weight": 1}
EVIDENCE = {
    "reference": 0,
    "texts": [TEXT],
    "matches": [MATCH],
    "items": [{"name": "x", "y": [{}]}],
    "left_out": 1,
    "flows": [{"candidate": PIECE, "reference": PIECE, "share": 1.0, "distance": 0}],
}


def test_a_place_is_in_a_text_as_long_as_texts_may_be() -> None:
    assert LAST == LONGEST_TEXT


@pytest.mark.parametrize(
    ("where", "value", "wrong"),
    [
        (("reference",), -1, "reference is below 0"),
        (("texts", 0, "words"), {}, "texts[0].words is not a list"),
        (("texts", 0, "words", 0), 3, "texts[0].words[0] is not an object"),
        (("texts", 0, "words", 0, "alignment"), "1", "alignment is not"),
        (("texts", 0, "words", 0, "quote"), 1, "a sentence that is not among its quotes"),
        (("texts", 0, "words", 0, "quote"), -1, "a sentence that is not among its quotes"),
        (("texts", 0, "words", 0, "end"), 10**12, "a place in a text"),
        (("texts", 0, "words", 0, "begin"), 5, "a place in a text"),
        (("texts", 0, "quotes", 0, "begin"), -1, "a place in a text"),
        (("texts", 0, "unsupported"), [[0]], "stand nowhere"),
        (("texts", 0, "unsupported"), [[0, 10**12]], "stand nowhere"),
        (("texts", 0, "unsupported"), None, "is not a list"),
        (("texts", 0, "stretches", 0, "quotes"), [4], "a sentence that is not among its quotes"),
        (("matches", 0, "side"), "source", "names a side that there is not"),
        (("matches", 0, "token"), None, "token is not an object"),
        (("flows", 0, "candidate"), {"text": "x", "begin": 3}, "a place in a text"),
        (("flows", 0, "distance"), None, "distance is not"),
        (("items", 0), {}, "items[0].name is missing"),
        (("left_out",), 0.5, "left_out is not a whole number"),
    ],
)
def test_what_no_page_could_draw_is_refused(where: tuple[Any, ...], value: Any, wrong: str) -> None:
    evidence: Any = copy.deepcopy(EVIDENCE)
    holder = evidence
    for key in where[:-1]:
        holder = holder[key]
    holder[where[-1]] = value
    assert wrong in (wrong_evidence(evidence) or "")
