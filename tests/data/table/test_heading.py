"""The first line of a scores file is believed only where all that it says can be used."""

from __future__ import annotations

from typing import Any

import pytest

from nlgauge.data.table.heading import checked
from nlgauge.errors import InputError


def header(**values: Any) -> dict[str, Any]:
    about = {"parts": ["f1", "n"], "higher_is_better": True, "level": "item", "details": ["n"]}
    first = {"nlgauge": "1.0", "signatures": {"M": "M"}, "facts": {}, "metrics": {"M": about}, "run": {}}
    return {**first, **values}


def test_what_is_right_is_given_back() -> None:
    whole = header(run={"rows": 3, "corpus": "1a", "asked": {"m": "M"}, "notes": {"M": {"a note": 2}}, "more": [1]})
    assert checked(whole, "x") is whole


def test_old_headers_had_no_facts() -> None:
    old = header()
    del old["facts"]
    assert checked(old, "x")["facts"] == {}


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"run": []}, "has no nlgauge header"),
        ({"nlgauge": 1}, "the header.nlgauge is not a text"),
        ({"facts": {"M": 1}}, "the header.facts.M is not an object"),
        ({"run": {"notes": {"M": {"a": "b"}}}}, "the header.run.notes.M.a is not a whole number"),
        ({"rows": [["a", "1"], ["b"]]}, "not of a system and an item each"),
        ({"metrics": {"M": {"parts": ["a"]}}}, "the header.metrics.M.higher_is_better is missing"),
        ({"metrics": {"M": {"parts": [], "higher_is_better": True}}}, "M has no parts"),
        ({"metrics": {"M": {"parts": ["a"], "higher_is_better": True, "level": ""}}}, "the level '' of M"),
    ],
)
def test_what_is_wrong_is_named(values: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=r"scores\.jsonl: row 1: ") as caught:
        checked(header(**values), "scores.jsonl")
    assert problem in str(caught.value)
