"""Shares of the kinds of examples."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from nlgauge.errors import SpecError
from nlgauge.lab.training.weak_labels.settings import Settings


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
