"""Small edits: what they change, and where."""

from __future__ import annotations

import random

from lab.training.support.places import CONTEXT, ELSEWHERE
from nlgauge_lab.training.support import edits
from nlgauge_lab.training.support.edits import Place, names, replaced, sentences


def test_names_are_no_months_and_no_first_words():
    found = names("Trains left Leeds on Monday. They met Anna Berg in May.")
    assert [match.group() for match in found] == ["Leeds", "Anna Berg"]
    assert sentences(" One. Two two.  Three? ") == ["One.", "Two two.", "Three?"]


def test_names_change_places_or_are_replaced_by_others():
    text = "A boat was sold by Anna Berg to Peter Lund."
    edit = edits.roles(Place(text, text, ""), random.Random(0))
    assert edit.text == "A boat was sold by Peter Lund to Anna Berg."
    assert edits.roles(Place("Anna Berg and Peter Lund met.", "", ""), random.Random(0)) is None
    others = {edits.name(Place(text, CONTEXT + text, ELSEWHERE), random.Random(seed)).text for seed in range(60)}
    assert any("Karla Weiss" in one for one in others) and any("Leeds" in one for one in others)
    assert edits.name(Place("It rained in May.", "It rained in May.", ELSEWHERE), random.Random(0)) is None


def test_what_is_added_comes_from_elsewhere():
    for kind in (edits.addition, edits.tail, edits.cause):
        for seed in range(20):
            edit = kind(Place("The yard closed.", CONTEXT, ELSEWHERE), random.Random(seed))
            if edit is not None:
                begin, end = edit.spans[0]
                new = edit.text[begin:end].rstrip(".").lower()
                assert any(part in f"{ELSEWHERE} {CONTEXT}".lower() for part in (new, new.partition(" ")[2]))
                assert edit.contradicts is False


def test_negations_are_taken_out_and_put_in():
    some = [edits.negation(Place("They were not insured.", "", ""), random.Random(seed)) for seed in range(9)]
    assert {edit.text for edit in some if edit is not None} == {"They were insured."}
    found = {edits.negation(Place("It was open.", "", ""), random.Random(seed)).text for seed in range(20)}
    assert found == {"It was not open.", "It was never open.", "It wasn't open."}
    assert edits.negation(Place("Rain fell.", "", ""), random.Random(0)) is None


def test_a_capital_stays_one():
    assert replaced("Most left.", (0, 4), "few").text == "Few left."
    found = {edits.antonym(Place("Early trains ran.", "", ""), random.Random(seed)).text for seed in range(5)}
    assert found == {"Late trains ran."}
