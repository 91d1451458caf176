"""Evidence of every shape as HTML that parses, escapes, and holds the whole texts."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

from nlgauge.show.markup.environment import shown
from nlgauge.show.markup.evidence import drawn
from tests.show.markup.test_environment import NASTY
from tests.show.markup.test_items import TEXTS, WORDS
from tests.show.markup.test_links import FLOWS, MATCHES


class Outline(HTMLParser):
    """Which elements there are, whether all are closed, and what texts stand in .text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self._in = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}
        self.open.append(tag)
        if tag == "p" and ("class", "text") in attributes:
            self._in = True
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if tag == "p":
            self._in = False

    def handle_data(self, found: str) -> None:
        if self._in:
            self.texts[-1] += found


def outline(html: str) -> Outline:
    parser = Outline()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return parser


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
