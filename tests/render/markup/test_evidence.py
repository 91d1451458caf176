"""Evidence of every shape as HTML that parses, escapes, and holds the whole texts."""

from __future__ import annotations

from typing import Any

import pytest

from nlgauge.render.environment import shown
from nlgauge.render.evidence import drawn, item_table
from tests.outline import NASTY, outline

WORDS = [
    {"name": "river", "candidate": 0.02, "reference": 0.04, "share": 0.25},
    {"name": "bank", "candidate": 0.01, "reference": 0.0, "share": None},
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


def test_other_items_keep_all_that_is_known_of_them() -> None:
    table = item_table([{"name": "a", "points": 3}, {"name": "b", "facts": {"x": 0.5, "y": 2}}], 4)
    assert list(table.head) == ["item", "points", "facts"]
    assert table.rows == [["a", "3", ""], ["b", "", "0.5000 2"]]
    assert table.left_out == 4
