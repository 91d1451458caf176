"""A value has its shape, or it is said where it has not."""

from __future__ import annotations

import copy
import json
import math
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
    "reasons": [{"begin": 0, "end": 4, "said": "5: the source has 4"}],
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
        (("reference",), -1, "the reference is below 0 - at `$.reference`"),
        (("reference",), 1.0, "Expected `int`, got `float` - at `$.reference`"),
        (("reference",), None, "Expected `int`, got `null` - at `$.reference`"),
        (("texts", 0, "words"), {}, "Expected `array`, got `object` - at `$.texts[0].words`"),
        (("texts", 0, "words", 0), 3, "Expected `object`, got `int` - at `$.texts[0].words[0]`"),
        (
            ("texts", 0, "words", 0, "alignment"),
            "1",
            "Expected `float`, got `str` - at `$.texts[0].words[0].alignment`",
        ),
        (("texts", 0, "words", 0, "alignment"), math.nan, "Expected `float` >= -1.79"),
        (("texts", 0, "words", 0, "alignment"), math.inf, "Expected `float` <= 1.79"),
        (("texts", 0, "words", 0, "alignment"), True, "got `bool` - at `$.texts[0].words[0].alignment`"),
        (("texts", 0, "words", 0, "alignment"), 10**400, "Number out of range - at `$.texts[0].words[0].alignment`"),
        (("texts", 0, "words", 0, "begin"), True, "Expected `int`, got `bool` - at `$.texts[0].words[0].begin`"),
        (("texts", 0, "words", 0, "quote"), 1, "a sentence is not among the quotes - at `$.texts[0]`"),
        (("texts", 0, "words", 0, "quote"), -1, "a sentence is not among the quotes - at `$.texts[0]`"),
        (("texts", 0, "unsupported"), [[0]], "length 2"),
        (("texts", 0, "unsupported"), [[0, 10**12]], "unsupported words stand nowhere - at `$.texts[0]`"),
        (("texts", 0, "unsupported"), None, "Expected `array`, got `null` - at `$.texts[0].unsupported`"),
        (("texts", 0, "stretches", 0, "quotes"), [4], "a sentence is not among the quotes - at `$.texts[0]`"),
        (("matches", 0, "side"), "source", "there is no such side"),
        (("matches", 0, "token"), None, "Expected `object`, got `null` - at `$.matches[0].token`"),
        (("flows", 0, "distance"), None, "Expected `float`, got `null` - at `$.flows[0].distance`"),
        (("items", 0), {}, "Object missing required field `name` - at `$.items[0]`"),
        (("left_out",), 0.5, "Expected `int`, got `float` - at `$.left_out`"),
    ],
)
def test_what_no_page_could_draw_is_refused(where: tuple[Any, ...], value: Any, wrong: str) -> None:
    evidence: Any = copy.deepcopy(EVIDENCE)
    holder = evidence
    for key in where[:-1]:
        holder = holder[key]
    holder[where[-1]] = value
    assert wrong in (wrong_evidence(evidence) or "")


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (("texts", 0, "words", 0), "texts[0].words[0]"),
        (("texts", 0, "quotes", 0), "texts[0].quotes[0]"),
        (("texts", 0, "stretches", 0), "texts[0].stretches[0]"),
        (("texts", 0, "reasons", 0), "texts[0].reasons[0]"),
        (("matches", 0, "token"), "matches[0]"),
        (("matches", 0, "match"), "matches[0]"),
        (("flows", 0, "candidate"), "flows[0]"),
        (("flows", 0, "reference"), "flows[0]"),
    ],
)
@pytest.mark.parametrize("place", [{"begin": -1, "end": 3}, {"begin": 5, "end": 4}, {"begin": 0, "end": LAST + 1}])
def test_what_stands_nowhere_is_refused(where: tuple[Any, ...], said: str, place: dict[str, int]) -> None:
    evidence: Any = json.loads(json.dumps(EVIDENCE))
    piece = evidence
    for key in where:
        piece = piece[key]
    piece.update(place)
    assert wrong_evidence(evidence) == f"evidence: a place in a text is not from 0 to 10,000,000 - at `$.{said}`"


def test_a_piece_has_both_ends_or_none() -> None:
    for piece in ({"text": "x", "begin": 3}, {"text": "x", "end": 3}):
        assert "a place in a text" in (wrong_evidence({"matches": [{**MATCH, "token": piece}]}) or "")
    assert wrong_evidence({"matches": [{**MATCH, "token": {}}]}) is None


def test_what_is_drawn_is_taken() -> None:
    assert wrong_evidence(EVIDENCE) is None
    assert wrong_evidence({}) is None
    assert wrong_evidence([]) == "evidence: Expected `object`, got `array`"
