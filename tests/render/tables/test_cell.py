"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest

from nlgauge.render.tables import Number, words


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Number(0.12345), "0.1235"),
        (Number(math.nan, 0, 1), "-"),
        (Number(-1, -2, 0.5, digits=1), "-1.0 [-2.0, 0.5]"),
        (Number(0.5, math.nan, math.nan, 0.0312), "0.5000 p=0.0312"),
        (Number(20, digits=0, mark="best"), "20"),
        (Number(math.inf), "inf"),
    ],
)
def test_words(number: Number, text: str) -> None:
    assert words(number) == text
