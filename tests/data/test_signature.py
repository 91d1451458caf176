"""Signature: spec and facts as data, formatted in one place."""

from __future__ import annotations

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


def test_content_and_nothing_else_makes_two_equal() -> None:
    one, other = Signature("M", FACTS), Signature("M", dict(reversed(FACTS.items())))
    assert one == other and hash(one) == hash(other) and str(one) != str(other)
    assert {one: 1}[other] == 1
    for unlike in (Signature("N", FACTS), Signature("M", {**FACTS, "layers": 6}), Signature("M"), str(one)):
        assert one != unlike
    longer = {**FACTS, "model": {"name": "pocket", "digest": "1a2b3c4dffff"}}
    assert str(Signature("M", longer)) == str(one) and Signature("M", longer) != one, "the whole digest counts"
