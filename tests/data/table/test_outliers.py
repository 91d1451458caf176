"""A value that is an error of its tool is named with its row, and a long tail is not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nlgauge.data.table import Column, ScoreTable
from nlgauge.data.table.outliers import outliers
from tests.score_tables import column, one

JUDGED = [0.4, 0.5, 9.2e124, 0.6, 0.4, math.nan]


def test_the_row_is_named() -> None:
    (said,) = outliers(one(JUDGED, "A"))
    assert said == (
        "row 3, system A, item 2: the value 9.2e+124 of M is 1.5e+125 times the others, as an error of its tool would "
        "be: correct it, or leave it out"
    )


@pytest.mark.parametrize(
    "values",
    [
        [0.5, 0.5, 1.1e9],
        [0.5, 0.5, -2e9],
        [3, 4, 4.1e9],
        [0, 0, 1e12, 0],
        [0.9, 1e12],
        [1e8, 2e8, 1e8, 3e17],
    ],
)
def test_a_billion_times_the_others_is_an_error(values: list[float]) -> None:
    assert len(list(outliers(one(values)))) == 1


@pytest.mark.parametrize(
    "values",
    [
        [0.5, 0.5, 0.9e9],
        [3, 4, 3.9e9],
        [1e-17, 0, 0.9],
        [20, 35, 90, 50_000],
        [20, 35, 90, 2e10],
        [1e12, 1.1e12, 3e12],
        [0, 1e12, 1e12],
        [0.5, 0.6, math.inf],
        [0.5, 0.6, math.nan],
        [9e124],
        [],
    ],
)
def test_a_long_tail_is_none(values: list[float]) -> None:
    assert list(outliers(one(values))) == []


def test_ordinary_heavy_tails_give_no_alarm() -> None:
    """Perplexities, counts and lognormal values of a spread of e^4, far beyond any metric's."""
    rng = np.random.default_rng(0)
    for scale in (1.0, 2.5, 4.0):
        assert list(outliers(one(np.exp(rng.normal(4, scale, 20_000)).tolist()))) == []


def test_several_are_counted_and_others_systems_left_out() -> None:
    values = [1.0] * 10 + [1e30] * 5
    rows = [("A", str(n)) for n in range(12)] + [("B", str(n)) for n in range(3)]
    table = ScoreTable(rows, {"M": column(*values)}, {})
    assert [said.partition(":")[0] for said in outliers(table)] == [
        "row 11, system A, item 10",
        "row 12, system A, item 11",
        "row 13, system B, item 0",
        "M",
    ]
    assert "so are 2 more values" in list(outliers(table))[-1]
    assert [said.partition(":")[0] for said in outliers(table, ["A"])] == [
        "row 11, system A, item 10",
        "row 12, system A, item 11",
    ]


def test_a_number_of_a_system_has_no_row() -> None:
    values = np.array([[0.1, 1.0], [0.2, 1e20], [0.3, 1.0]])
    rows = [(system, "1") for system in "ABC"]
    (said,) = outliers(ScoreTable(rows, {"S": Column(("p", "r"), values, level="system")}, {}))
    assert said.startswith("system B: the value 1e+20 of S r is 1e+20 times the others")
