"""What stands in a page is inert, whole, and says what it is."""

from __future__ import annotations

import html
import json

import pytest

from nlgauge.render.environment import data, environment, shown, small
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
