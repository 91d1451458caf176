"""Spans of the same kind from elsewhere."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.lab.training.weak_labels.spans import SpanBank, entities, kind, other_number
from tests.lab.training.weak_labels.grammar import BRIDGE, sentence

ROAD = sentence(
    "A mayor closed the new road in June.",
    "A DT 2 det", "mayor NN 3 nsubj", "closed VBD 0 ROOT close", "the DT 6 det", "new JJ 6 amod", "road NN 3 dobj",
    "in IN 3 prep", "June NNP 7 pobj june DATE", ". . 3 punct",
)  # fmt: skip
RNG = np.random.default_rng


def test_kinds_are_of_grammar_and_of_entities():
    assert kind(BRIDGE, 7, 8) == kind(ROAD, 7, 8) == "entity DATE 1"
    assert kind(BRIDGE, 5, 6) == kind(ROAD, 5, 6)
    assert kind(BRIDGE, 2, 3) == kind(ROAD, 2, 3) != kind(BRIDGE, 5, 6)
    assert kind(BRIDGE, 3, 6) != kind(ROAD, 3, 6)  # an old bridge, the new road
    for first, last in ((0, 1), (8, 9), (5, 8)):  # a stop-word, a sign, two heads
        assert kind(BRIDGE, first, last) is None


def test_others_are_of_the_same_kind_and_never_the_same_words():
    bank = SpanBank.collect([BRIDGE, ROAD])
    assert bank.others(BRIDGE, (7, 8), RNG(0)) == ["June"]
    assert set(bank.others(BRIDGE, (5, 6), RNG(0))) == {"mayor", "road", "firm"}
    assert bank.others(BRIDGE, (7, 8), RNG(0), near=["May", "1990"]) == ["1990"]
    assert SpanBank({}, {}).others(BRIDGE, (5, 6), RNG(0)) == []


def test_a_number_without_another_gets_another_digit():
    dated = sentence("It opened in 1990.", "It PRP 2 nsubj", "opened VBD 0 ROOT open", "in IN 2 prep",
                     "1990 CD 3 pobj 1990 DATE", ". . 2 punct")  # fmt: skip
    (other,) = SpanBank({}, {}).others(dated, (3, 4), RNG(0))
    assert other != "1990" and len(other) == 4 and other.startswith("19")
    assert entities(dated) == [(3, 4)]


@given(st.integers(0, 99_999), st.integers(0, 1000))
def test_another_number_is_another(number: int, seed: int):
    other = other_number(f"{number} days", RNG(seed))
    assert other != f"{number} days"
    assert other.endswith(" days") and len(other) == len(f"{number} days")


def test_spellings_are_those_within_sentences():
    bank = SpanBank.collect([BRIDGE, ROAD])
    assert bank.spellings == {"may": "May", "june": "June"}
