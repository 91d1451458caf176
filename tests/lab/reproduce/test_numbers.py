"""Numbers as the results page writes them."""

from __future__ import annotations

import math

import pytest

from nlgauge.lab.reproduce.numbers import short, with_interval
from tests.lab.reproduce.test_verdicts import agreement


@pytest.mark.parametrize(
    ("value", "text"), [(0.7151, ".715"), (-0.03, "−.030"), (1, "1.000"), (0.9996, "1.000"), (0, ".000")]
)
def test_there_is_no_zero_before_the_point(value: float, text: str) -> None:
    assert short(value) == text


def test_an_interval_stands_where_there_is_one() -> None:
    assert with_interval(agreement("A", 0.5, -0.1, 0.75)) == ".500 [−.10, .75]"
    assert with_interval(agreement("A", 0.5, math.nan, math.nan)) == ".500"
