"""Distributions by system: every finite row is in one bin, and what is left out is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nlgauge import InputError, ScoreTable
from nlgauge.reports.plots.spread import spread
from tests.printed import printed
from tests.reports.plots.conftest import N


def test_bins_and_quantiles(table: ScoreTable) -> None:
    found = spread(table, bins=5)
    top = found.records[0]
    values = table.values("Score")[:N]
    assert (top.name, top.system, top.n, top.left_out) == ("Score ↑", "Top", N, 0)
    assert top.quantiles[2] == np.median(values) and sum(top.shares) == pytest.approx(1)
    edges = found.edges["Score ↑"]
    assert (edges[0], edges[-1]) == (table.values("Score").min(), table.values("Score").max())
    assert top.shares[-1] == np.mean(values >= edges[-2])


def test_what_has_no_place_is_noted(table: ScoreTable) -> None:
    found = spread(table)
    assert found.notes == (
        "Parts f ↑: 2 rows without a finite value left out", "Set has one number a system, and no distribution"
    )  # fmt: skip
    (parts,) = (one for one in found.records if (one.name, one.system) == ("Parts f ↑", "Top"))
    assert (parts.n, parts.left_out) == (N - 2, 2)


def test_what_it_shows(table: ScoreTable, tmp_path: Path) -> None:
    table.columns["Score"].values[:N] = np.nan
    found = spread(table, metrics=["Score"])
    ((head, *rows),) = printed(found)
    assert head[:3] == ["metric", "system", "n"] and rows[0] == ["Score ↑", "Top", "0", *"-----"]
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    found.draw(tmp_path / "spread.svg")
    assert (tmp_path / "spread.svg").stat().st_size > 1000


def test_refusals(table: ScoreTable) -> None:
    with pytest.raises(InputError, match="no metric of rows"):
        spread(table, metrics=["Set"])
    with pytest.raises(InputError, match="1 bins"):
        spread(table, bins=1)
