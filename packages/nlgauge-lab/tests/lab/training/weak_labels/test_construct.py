"""The whole construction on texts of our own: determinism, labels, and what comes to nothing."""

from __future__ import annotations

import pytest

from lab.training.weak_labels.pieces import RECORDS, SOURCES, only
from nlgauge.errors import InputError, SpecError
from nlgauge_lab.training.weak_labels import construct as construction
from nlgauge_lab.training.weak_labels.attempts import Source
from nlgauge_lab.training.weak_labels.construct import Tally, construct
from nlgauge_lab.training.weak_labels.sources import Record


def test_examples_follow_from_the_seed_and_their_number(parts, monkeypatch):
    tally = Tally()
    whole = list(construct(SOURCES, parts, seed=4, attempts=40, tally=tally))
    assert {one.task for one in whole} == {source.task for source in SOURCES}
    assert len(whole) + tally.dropped.total() == 40
    for one in whole:
        assert one.row.source and one.row.candidate == " ".join(one.row.candidate.split())
        assert one.row.supported == (one.row.spans == ())
        if one.made.endswith(("infilled", "exchanged")):
            assert not one.row.supported
    monkeypatch.setattr(construction, "BLOCK", 1)
    assert list(construct(SOURCES, parts, seed=4, attempts=10)) == [one for one in whole if one.number < 10]
    assert list(construct(SOURCES, parts, seed=5, attempts=8)) != [one for one in whole if one.number < 8]


def test_records_that_do_not_fit_are_passed_over_and_counted(parts):
    tally, empty = Tally(), Tally()
    mixed = [Source([Record(document="No end"), *RECORDS], "summarization")]  # each comes twice in 18
    assert len(list(construct(mixed, parts, seed=1, settings=only("clean"), attempts=18, tally=tally))) == 18
    assert tally.passed.keys() == {"no sentence worth choosing"} and 2 <= tally.passed.total() <= 4
    nothing = [Source([Record(document="No end")], "summarization")]
    assert list(construct(nothing, parts, seed=1, attempts=3, tally=empty)) == []
    assert empty.dropped == {"no fitting record in 12": 3}


@pytest.mark.parametrize(
    ("sources", "error", "problem"),
    [
        ([], InputError, "no records"),
        ([Source([], "style")], InputError, "no records for style"),
        ([Source(RECORDS, "poetry")], SpecError, "no task 'poetry'; there are summarization"),
        ([Source(RECORDS, "style", 0.0)], SpecError, "not above 0"),
    ],
)
def test_what_nothing_can_be_made_of(parts, sources, error, problem: str):
    with pytest.raises(error, match=problem):
        next(construct(sources, parts, seed=1, attempts=1))
