"""Names: others, and two in each other's place."""

from __future__ import annotations

import random

from nlgauge.lab.training.support import entities
from nlgauge.lab.training.support.edit import Place
from tests.lab.training.support.places import CONTEXT, ELSEWHERE


def test_names_change_places_or_are_replaced_by_others():
    text = "A boat was sold by Anna Berg to Peter Lund."
    edit = entities.roles(Place(text, text, ""), random.Random(0))
    assert edit.text == "A boat was sold by Peter Lund to Anna Berg."
    assert entities.roles(Place("Anna Berg and Peter Lund met.", "", ""), random.Random(0)) is None
    others = {entities.name(Place(text, CONTEXT + text, ELSEWHERE), random.Random(seed)).text for seed in range(60)}
    assert any("Karla Weiss" in one for one in others) and any("Leeds" in one for one in others)
    assert entities.name(Place("It rained in May.", "It rained in May.", ELSEWHERE), random.Random(0)) is None
