"""What stands in a page is inert, whole, and says what it is."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from nlgauge.render.markup.environment import HERE, data, digest, environment, inlined, number, p_value, shown, small
from tests.outline import NASTY, outline


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_json_stays_inside_its_element_and_is_what_it_was(text: str) -> None:
    held = str(data({"text": [text, {"more": text}]}))
    assert "<" not in held
    assert json.loads(held) == {"text": [text, {"more": text}]}


@given(st.text())
def test_any_text_as_json(text: str) -> None:
    held = str(data([text]))
    assert "<" not in held and json.loads(held) == [text]


def test_what_json_cannot_hold_is_an_error_and_no_nan_in_a_page() -> None:
    with pytest.raises(ValueError, match="JSON"):
        data([math.nan])


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_a_text_in_a_template_is_escaped_and_whole(text: str) -> None:
    made = environment().from_string('<p title="{{ text }}">{{ text }}</p>').render(text=text)
    inner = made.removeprefix("<p ").removesuffix("</p>")
    assert "<" not in inner and inner.count('"') == 2
    _, _, content = inner.partition(">")
    assert html.unescape(content) == shown(text)
    assert len(shown(text)) == len(text)
    made.encode("utf-8")


def test_control_characters_are_seen() -> None:
    assert shown("a\x00\x1b\x7f\x9f\n\tb") == "a␀␛␡\ufffd\n\tb"


def test_what_turns_a_line_round_is_seen_and_not_written_raw() -> None:
    assert shown("a\u202eb\u2066c\u200f") == "a\ufffdb\ufffdc\u200f"
    held = str(data({"a\u202e": "\u2069"}))
    assert not {"\u202e", "\u2069"} & set(held) and json.loads(held) == {"a\u202e": "\u2069"}


def test_a_name_without_a_value_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        environment().from_string("{{ nothing }}").render()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.12345, "0.1235"),
        (-0.5, "−0.5000"),
        (12.345, "12.35"),
        (123.456, "123.5"),
        (1234567.0, "1,234,567"),
        (math.nan, "–"),
        (None, "–"),
        (-math.inf, "−∞"),
    ],
)
def test_numbers(value: float | None, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(("value", "text"), [(0.0004, "< 0.001"), (0.04567, "0.046"), (math.nan, "–"), (None, "–")])
def test_p_values(value: float | None, text: str) -> None:
    assert p_value(value) == text


def test_a_script_is_called_by_what_it_is() -> None:
    script = str(inlined(HERE / "evidence.js"))
    assert digest(script) == "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "</" not in script


def test_a_small_table_is_escaped_and_has_heads() -> None:
    made = small("<b>", ["system", "A & B"], [["<i>", "0.5"]], ["a <note>"])
    found = outline(made)
    assert {"b", "i", "note"} & found.tags == set()
    assert "&lt;b&gt;" in made and "A &amp; B" in made and 'scope="row"' in made and "a &lt;note&gt;" in made
