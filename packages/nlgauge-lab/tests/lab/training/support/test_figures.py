"""Numbers: other ones, and two in each other's place."""

from __future__ import annotations

import random

from lab.training.support.places import CONTEXT, ELSEWHERE, TEXT
from nlgauge.maths.quantities import quantities, same
from nlgauge_lab.training.support import figures
from nlgauge_lab.training.support.edits import Place


def test_another_number_is_none_that_says_the_same():
    before = quantities(TEXT)
    made = (figures.number(Place(TEXT, CONTEXT, ELSEWHERE), random.Random(seed)) for seed in range(40))
    for edit in (edit for edit in made if edit is not None):
        after = quantities(edit.text)
        (begin, end) = edit.spans[0]
        (new,) = (one for one in after if one.begin < end and begin < one.end)
        old = next(one for one in before if one.begin == begin)
        assert not same(new, old) or new.kind == "weekday"
        assert edit.contradicts


def test_two_numbers_change_places():
    text = "Of 340 boats 12 were sold."
    edit = figures.exchanged(Place(text, text, ""), random.Random(0))
    assert edit.text == "Of 12 boats 340 were sold." and [edit.text[a:b] for a, b in edit.spans] == ["12", "340"]
    assert figures.exchanged(Place("Between 3 and 5.", "", ""), random.Random(0)) is None
    assert figures.exchanged(Place("In 3 towns, 3 fires.", "", ""), random.Random(0)) is None
