"""The whole construction on texts of our own: determinism, resumption, labels, and every kind of corruption."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nlgauge.errors import InputError, SpecError
from nlgauge.lab.training.weak_labels import construct as construction
from nlgauge.lab.training.weak_labels.attempts import Source
from nlgauge.lab.training.weak_labels.construct import Tally, construct
from nlgauge.lab.training.weak_labels.lexicon import Lexicon
from nlgauge.lab.training.weak_labels.paraphrase import Rewriter
from nlgauge.lab.training.weak_labels.pseudo_targets import Targets
from nlgauge.lab.training.weak_labels.sources import Record
from tests.lab.training.weak_labels.pieces import RECORDS, SOURCES, only


def test_the_same_seed_gives_the_same_examples_wherever_it_is_taken_up(parts, monkeypatch):
    whole = list(construct(SOURCES, parts, seed=4, stop=40))
    assert {one.task for one in whole} == {source.task for source in SOURCES}
    later = list(construct(SOURCES, parts, seed=4, start=28, stop=38))
    assert later == [one for one in whole if 28 <= one.number < 38]
    assert list(construct(SOURCES, parts, seed=5, stop=8)) != whole[: len(later)]
    monkeypatch.setattr(construction, "BLOCK", 1)
    assert list(construct(SOURCES, parts, seed=4, start=28, stop=38)) == later


def test_examples_have_words_labels_and_a_context(parts):
    tally = Tally()
    made = list(construct(SOURCES, parts, seed=1, stop=40, tally=tally))
    assert tally.attempts == 40 == len(made) + sum(tally.dropped.values())
    for one in made:
        assert one.context and one.text == " ".join(one.text.split())
        assert len(one.words) == len(one.supported) > 0
        assert all(one.text[begin:end].strip() == one.text[begin:end] for begin, end in one.words)
        if one.made.endswith(("infilled", "exchanged")):
            assert not all(one.supported)


def test_a_paraphrase_that_changes_nothing_is_no_example(parts):
    tally = Tally()
    unchanged = replace(parts, paraphraser=Rewriter(Lexicon({}), rewritten=0.0, shortened=0.0))
    assert (
        list(construct(SOURCES[:1], unchanged, seed=3, settings=only("clean", verbatim=0.0), stop=10, tally=tally))
        == []
    )
    assert tally.dropped == {"nothing to paraphrase": 10}


def test_parallel_texts_stand_for_paraphrases(parts):
    always = replace(parts, targets=Targets(parallel=1.0))
    made = list(construct([SOURCES[2]], always, seed=3, settings=only("clean"), stop=8))
    assert {(one.made, one.text) for one in made} <= {("parallel+clean", record.text) for record in RECORDS}


def test_records_that_do_not_fit_are_passed_over_and_counted(parts):
    tally = Tally()
    mixed = [Source([Record(document="No end"), *RECORDS], "summarization")]  # each comes twice in 18
    assert len(list(construct(mixed, parts, seed=1, settings=only("clean"), stop=18, tally=tally))) == 18
    assert tally.passed.keys() == {"no sentence worth choosing"} and 2 <= tally.passed.total() <= 4
    nothing = [Source([Record(document="No end")], "summarization")]
    assert list(construct(nothing, parts, seed=1, stop=3, tally=(empty := Tally()))) == []
    assert sum(empty.dropped.values()) == 3


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
        next(construct(sources, parts, seed=1, stop=1))
