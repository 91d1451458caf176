"""Attempts: every record in its turn, sources and kinds by their shares, and another record where one does not fit."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from lab.training.weak_labels.grammar import PlainParser
from nlgauge.engine.models.loading import load
from nlgauge.errors import SpecError
from nlgauge_lab.training.weak_labels import attempts
from nlgauge_lab.training.weak_labels.attempts import Parts, Settings, Source, can_lack, drafted, lacking, pick
from nlgauge_lab.training.weak_labels.sources import Record
from nlgauge_lab.training.weak_labels.targets import Choice, Targets

RECORDS = [Record(document=f"The bridge {n} was closed.", text=f"Bridge {n}.", groups=(f"{n}",)) for n in range(8)]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [({"clean": 1.5}, "clean=1.5 is no share"), ({"clean": 0.9, "exchanged": 0.9}, "more than 1")],
)
def test_settings_that_are_none(settings, problem: str):
    with pytest.raises(SpecError, match=problem):
        Settings(**settings)


def test_kinds_are_drawn_by_their_shares() -> None:
    settings, rng = Settings(clean=0.5, foreign=0.0, withheld=0.1, exchanged=0.2), np.random.default_rng(1)
    drawn = Counter(settings.draw(rng) for _ in range(4000))
    wanted = {"clean": 0.5, "withheld": 0.1, "exchanged": 0.2, "infilled": 0.2}
    assert {kind: count / 4000 for kind, count in drawn.items()} == pytest.approx(wanted, abs=0.03)


def test_all_records_are_seen_before_one_comes_again():
    source = [Source(RECORDS, "style")]
    for epoch in range(3):
        seen = [pick(source, 7, 8 * epoch + i)[1].groups for i in range(8)]
        assert len(set(seen)) == 8


def test_the_shares_of_sources_are_kept():
    sources = [Source(RECORDS, "style", 3.0), Source(RECORDS, "reference", 1.0)]
    drawn = [pick(sources, 1, i)[0].task for i in range(2000)]
    assert np.mean([task == "style" for task in drawn]) == pytest.approx(0.75, abs=0.03)


def test_a_record_that_does_not_fit_is_passed_over_for_another() -> None:
    never = Settings(clean=1.0, foreign=0, withheld=0, exchanged=0)
    passed: Counter[str] = Counter()
    assert drafted([Source([Record(document="No end")], "summarization")], Targets(), never, 1, 0, passed) is None
    assert passed == {"no sentence worth choosing": 12}
    draft = drafted([Source(RECORDS, "style")], Targets(), never, 1, 5, passed)
    assert draft is not None and (draft.number, draft.how, draft.task) == (5, "clean", "style")


def test_sentences_are_taken_out_of_a_context_and_its_lines_kept() -> None:
    chosen = ("The bridge was closed for a week.", "Nobody knew why.")
    rest = "It had been built by a firm from the coast, and twenty people who lived near it liked to walk over it."
    given = Choice(f"{chosen[0]} {rest}\n{chosen[1]}", chosen)
    assert lacking(given, [0]) == f"{rest}\n{chosen[1]}" and lacking(given, [0, 1]) == rest
    assert can_lack(given) and not can_lack(Choice(" ".join(chosen), chosen))


pytestmark = pytest.mark.usefixtures("one_model")


def test_how_words_are_spelt_is_read_from_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    source = Source([Record(knowledge="They saw Leeds and more."), Record(text="He met Ann.")], "reference")
    monkeypatch.setattr(attempts, "SpacyParser", PlainParser)
    parts = Parts.usual([source], load("pocket"), 1)
    assert isinstance(parts.parser, PlainParser) and parts.infiller.spellings == {"leeds": "Leeds", "ann": "Ann"}
    assert len(parts.paraphraser.lexicon.entries) > 1500
