"""Distributions: by hand, distances against scipy, and values that have no place."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from nlgauge import InputError, ScoreTable
from nlgauge.data.table import Column
from nlgauge_lab.studies.distributions import distributions, scaled
from tests.printed import printed

KEYS = [("A", str(i)) for i in range(5)]


def table(*columns: tuple[str, list[float], bool]) -> ScoreTable:
    made = {
        name: Column(("score",), np.array(values)[:, None], higher_is_better=higher) for name, values, higher in columns
    }
    return ScoreTable(KEYS, made, {}, {}, "9.9")


def test_by_hand() -> None:
    found = distributions(table(("Score", [2, 6, 4, 3, 2], True), ("Distance", [2, 6, 4, 3, 2], False)), bins=4)
    score, distance = found.records
    assert found.edges == (0, 0.25, 0.5, 0.75, 1)
    # 2, 2, 3, 4, 6 are 0, 0, .25, .5, 1; a distance is turned: 0 for 6, 1 for 2.
    assert score.shares == (0.4, 0.2, 0.2, 0.2)
    assert distance.shares == (0.2, 0, 0.2, 0.6)
    assert score.quantiles == pytest.approx((0, 0, 0.25, 0.5, 0.9))
    assert distance.quantiles[2] == pytest.approx(0.75)
    assert (score.low, score.high, distance.low, distance.high) == (2, 6, 6, 2)
    assert (score.n, score.mean) == (5, pytest.approx(0.35))
    assert score.deviation == distance.deviation == pytest.approx(np.std([0, 0, 0.25, 0.5, 1]))


def test_what_it_shows(tmp_path: Path) -> None:
    found = distributions(table(("Score", [1, 2, 3, 4, 5], True), ("Constant", [1] * 5, True)), dict.fromkeys(KEYS, 1))
    ((head, *rows),) = printed(found)
    assert head[:3] == ["scaled to [0, 1]", "n", "5 %"]
    assert rows[2] == ["Constant", "5", *["-"] * 6]
    assert rows[1][:5] == ["Score", "5", "0.050", "0.250", "0.500"]
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    found.draw(tmp_path / "spread.svg")
    assert (tmp_path / "spread.svg").stat().st_size > 1000


def test_one_bin_is_refused_and_scaling_is_from_0_to_1() -> None:
    with pytest.raises(InputError):
        distributions(table(("Score", [1, 2, 3, 4, 5], True)), bins=1)
    assert scaled(np.array([-3.0, 5, math.nan, 1])).tolist() == [0, 0.5, 1]
