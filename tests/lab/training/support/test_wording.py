"""Negations, opposites."""

from __future__ import annotations

import random

from nlgauge.lab.training.support import wording
from nlgauge.lab.training.support.edit import Place, replaced


def test_negations_are_taken_out_and_put_in():
    some = [wording.negation(Place("They were not insured.", "", ""), random.Random(seed)) for seed in range(9)]
    assert {edit.text for edit in some if edit is not None} == {"They were insured."}
    found = {wording.negation(Place("It was open.", "", ""), random.Random(seed)).text for seed in range(20)}
    assert found == {"It was not open.", "It was never open.", "It wasn't open."}
    assert wording.negation(Place("Rain fell.", "", ""), random.Random(0)) is None


def test_a_capital_stays_one():
    assert replaced("Most left.", (0, 4), "few").text == "Few left."
    found = {wording.antonym(Place("Early trains ran.", "", ""), random.Random(seed)).text for seed in range(5)}
    assert found == {"Late trains ran."}
