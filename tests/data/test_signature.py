"""Signature: spec and facts as data, formatted in one place."""

from __future__ import annotations

import json
import math
import pickle

import numpy as np
import pytest

from nlgauge.data.signature import Signature

FACTS = {
    "model": {"name": "pocket", "digest": "1a2b3c4d5e6f7a8b"},
    "tokenizer": "66854eac",
    "window": "slide@512,longer 0/3",
    "temperature": 2.0,
    "layers": 5,
    "nlgauge": "0.1.0",
}


def test_it_prints_in_sacrebleus_grammar() -> None:
    text = (
        "InfoLM(alpha=2)|model:pocket@1a2b3c4d|tokenizer:66854eac|window:slide@512,longer 0/3|temperature:2.0|layers:5"
    )
    assert str(Signature("InfoLM(alpha=2)", FACTS)) == text + "|nlgauge:0.1.0"
    assert f"{Signature('Length')}" == "Length"


def test_facts_that_are_named_things_only_print_their_digest() -> None:
    facts = {
        "name": "pocket",
        "made": {"name": "a"},
        "idf": {"name": "references", "digest": "abcdef0123"},
        "seen": None,
    }
    assert str(Signature("M", facts)) == "M|name:pocket|made:{'name': 'a'}|idf:references@abcdef01|seen:None"


def test_content_and_nothing_else_makes_two_equal() -> None:
    one, other = Signature("M", FACTS), Signature("M", dict(reversed(FACTS.items())))
    assert one == other and hash(one) == hash(other) and str(one) != str(other)
    assert {one: 1}[other] == 1
    for unlike in (Signature("N", FACTS), Signature("M", {**FACTS, "layers": 6}), Signature("M"), str(one)):
        assert one != unlike
    longer = {**FACTS, "model": {"name": "pocket", "digest": "1a2b3c4dffff"}}
    assert str(Signature("M", longer)) == str(one) and Signature("M", longer) != one, "the whole digest counts"


def test_it_comes_back_from_json_and_from_a_pickle() -> None:
    one = Signature("M", FACTS)
    record = json.loads(json.dumps(one.record()))
    assert record == {"spec": "M", "facts": FACTS}
    assert Signature(**record) == one and str(Signature(**record)) == str(one)
    assert pickle.loads(pickle.dumps(one)) == one
    assert Signature("M", {"layers": (1, 2)}) == Signature("M", {"layers": [1, 2]})


def test_later_changes_of_the_given_facts_do_not_show() -> None:
    facts = {"a": {"b": 1}}
    one = Signature("M", facts)
    facts["a"]["b"] = 2
    assert one == Signature("M", {"a": {"b": 1}})


@pytest.mark.parametrize("fact", [math.nan, {1, 2}, np.float32(1), object()])
def test_what_json_cannot_hold_is_no_fact(fact: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        Signature("M", {"fact": fact})
