"""Evidence of every shape as HTML that parses, escapes, and holds the whole texts."""

from __future__ import annotations

from typing import Any

import pytest

from nlgauge.render.markup.environment import shown
from nlgauge.render.markup.evidence import covering, curve, drawn, drivers, item_table
from tests.outline import NASTY, outline
from tests.render.markup.test_words import FLOWS, MATCHES

WORDS = [
    {"name": "river", "candidate": 0.02, "reference": 0.04, "share": 0.25},
    {"name": "bank", "candidate": 0.01, "reference": 0.0, "share": None},
]
TEXTS = [
    {
        "name": "Bare.",
        "side": "output",
        "item": "1",
        "covered": 0.0,
        "distance": 2.0,
        "nearest": "N.",
        "nearest_item": "4",
    },
    {
        "name": "Held.",
        "side": "reference",
        "item": "2",
        "covered": 1.0,
        "distance": 0.1,
        "nearest": "M.",
        "nearest_item": "5",
    },
]


def words(text: str) -> dict[str, Any]:
    one = {"text": text[:4], "begin": 0, "end": 4, "alignment": 0.1, "predicted": text}
    return {"texts": [{"name": "candidate", "against": "source", "text": text, "words": [one], "weak": 0.5}]}


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_texts_are_inert_and_whole(text: str) -> None:
    found = outline(drawn(words(text), {"source": text}))
    assert found.texts == [shown(text)] * 2
    assert found.tags <= {
        "div",
        "p",
        "h4",
        "span",
        "details",
        "summary",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    }
    assert not any(name.startswith("on") for name in found.attributes)


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        ({"matches": MATCHES, "reference": 1}, ["Rests on reference 2 of 2.", 'data-to="r2"', "unlike"]),
        ({"flows": FLOWS}, ["dearest", "The dearest flows"]),
        ({"items": WORDS, "left_out": 30510}, ["30,510", "river", "--w:100.0%"]),
        ({"items": TEXTS, "left_out": 18}, ['class="bare"', "18 more texts"]),
        ({"items": [{"name": "curve", "precision": [0.0, 1.0], "recall": [1.0, 0.0]}]}, ["polyline"]),
        ({"items": [{"name": "outputs", "points": 3}]}, ["What the score is based on", "outputs"]),
    ],
)
def test_every_shape_is_drawn(evidence: dict[str, Any], said: list[str]) -> None:
    made = drawn(evidence, {"candidate": "A cat sat.", "references": ["None.", "A dog sat."]})
    outline(made)
    for one in said:
        assert one in made


def test_without_a_script_what_is_said_of_a_word_is_its_title() -> None:
    assert "data-n=" in drawn(words("Five sang.")) and "title=" not in drawn(words("Five sang."))
    assert "title=" in drawn(words("Five sang."), titles=True) and "data-n=" not in drawn(
        words("Five sang."), titles=True
    )


def test_drivers_are_as_wide_as_they_are_likely() -> None:
    made = drawn({"items": WORDS})
    cells = ["--w:50.0%", "0.02000", "--w:100.0%", "0.04000", "25.0 %", "--w:25.0%", "0.01000", "--w:0.0%", "–"]
    places = [made.index(cell) for cell in cells]
    assert places == sorted(places) and drivers(TEXTS) == []


def test_texts_of_sets_are_told_apart_by_side() -> None:
    sides = covering(TEXTS)
    assert sides == {"output": [TEXTS[0]], "reference": [TEXTS[1]]}
    assert covering(WORDS) == {}


def test_a_curve_goes_up_where_numbers_rise() -> None:
    assert curve([{"name": "curve", "precision": [0.0, 1.0], "recall": [0.5, 0.0]}]) == "50.0,100.0 0.0,0.0"
    assert curve(WORDS) == ""


def test_other_items_keep_all_that_is_known_of_them() -> None:
    table = item_table([{"name": "a", "points": 3}, {"name": "b", "facts": {"x": 0.5, "y": 2}}], 4)
    assert list(table.head) == ["item", "points", "facts"]
    assert table.rows == [["a", "3", ""], ["b", "", "0.5000 2"]]
    assert table.left_out == 4
