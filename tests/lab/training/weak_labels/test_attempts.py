"""Attempts: every record in its turn, sources by their shares, and another record where one does not fit."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge.lab.training.weak_labels.attempts import Draft, Source, drafted, pick
from nlgauge.lab.training.weak_labels.pseudo_targets import Targets
from nlgauge.lab.training.weak_labels.settings import Settings
from nlgauge.lab.training.weak_labels.sources import Record

RECORDS = [Record(document=f"The bridge {n} was closed.", text=f"Bridge {n}.", groups=(f"{n}",)) for n in range(8)]


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
    passed: list[str] = []
    assert drafted([Source([Record(document="No end")], "summarization")], Targets(), never, 1, 0, passed) == (
        "no fitting record in 12"
    )
    assert passed == ["no sentence worth choosing"] * 12
    draft = drafted([Source(RECORDS, "style")], Targets(), never, 1, 5, passed)
    assert isinstance(draft, Draft) and (draft.number, draft.how, draft.task) == (5, "clean", "style")
