"""Attempts: every record in its turn, sources and kinds by their shares, and another record where one does not fit."""

from __future__ import annotations

import pytest

from nlgauge.errors import SpecError
from nlgauge_lab.training.weak_labels.attempts import Settings
from nlgauge_lab.training.weak_labels.sources import Record

RECORDS = [Record(document=f"The bridge {n} was closed.", text=f"Bridge {n}.", groups=(f"{n}",)) for n in range(8)]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [({"clean": 1.5}, "clean=1.5 is no share"), ({"clean": 0.9, "exchanged": 0.9}, "more than 1")],
)
def test_settings_that_are_none(settings, problem: str):
    with pytest.raises(SpecError, match=problem):
        Settings(**settings)


pytestmark = pytest.mark.usefixtures("one_model")
