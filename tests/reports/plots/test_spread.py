"""Distributions by system: every finite row is in one bin, and what is left out is said."""

from __future__ import annotations

import pytest

from nlgauge import InputError, ScoreTable
from nlgauge.reports.plots.spread import spread
from tests.reports.plots.conftest import N


def test_what_has_no_place_is_noted(table: ScoreTable) -> None:
    found = spread(table)
    assert found.notes == (
        "Parts f ↑: 2 rows without a finite value left out", "Set has one number a system, and no distribution"
    )  # fmt: skip
    (parts,) = (one for one in found.records if (one.name, one.system) == ("Parts f ↑", "Top"))
    assert (parts.n, parts.left_out) == (N - 2, 2)


def test_refusals(table: ScoreTable) -> None:
    with pytest.raises(InputError, match="no metric of rows"):
        spread(table, metrics=["Set"])
    with pytest.raises(InputError, match="1 bins"):
        spread(table, bins=1)
