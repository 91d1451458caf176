"""What stands in a page is inert, whole, and says what it is; evidence of every shape as HTML that parses."""

from __future__ import annotations

import html
import json
from typing import Any

import pytest

from nlgauge.show.environment import data, environment, shown, small
from nlgauge.show.evidence import drawn, item_table
from tests.outline import NASTY, outline


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_json_stays_inside_its_element_and_is_what_it_was(text: str) -> None:
    held = str(data({"text": [text, {"more": text}]}))
    assert "<" not in held
    assert json.loads(held) == {"text": [text, {"more": text}]}


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_a_text_in_a_template_is_escaped_and_whole(text: str) -> None:
    made = environment().from_string('<p title="{{ text }}">{{ text }}</p>').render(text=text)
    inner = made.removeprefix("<p ").removesuffix("</p>")
    assert "<" not in inner and inner.count('"') == 2
    _, _, content = inner.partition(">")
    assert html.unescape(content) == shown(text)
    assert len(shown(text)) == len(text)
    made.encode("utf-8")


def test_a_small_table_is_escaped_and_has_heads() -> None:
    made = small("<b>", ["system", "A & B"], [["<i>", "0.5"]], ["a <note>"])
    found = outline(made)
    assert {"b", "i", "note"} & found.tags == set()
    assert "&lt;b&gt;" in made and "A &amp; B" in made and 'scope="row"' in made and "a &lt;note&gt;" in made


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


def test_other_items_keep_all_that_is_known_of_them() -> None:
    table = item_table([{"name": "a", "points": 3}, {"name": "b", "facts": {"x": 0.5, "y": 2}}], 4)
    assert list(table.head) == ["item", "points", "facts"]
    assert table.rows == [["a", "3", ""], ["b", "", "0.5000 2"]]
    assert table.left_out == 4
