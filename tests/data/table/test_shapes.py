"""A value has its shape, or it is said where it has not."""

from __future__ import annotations

import math
from typing import Any

import pytest

from nlgauge.data.table.shapes import NUMBER, mismatch


@pytest.mark.parametrize(
    ("value", "shape", "wrong"),
    [
        ("a", str, None),
        (3, str, "x is not a text"),
        (True, int, "x is not a whole number"),
        (True, bool, None),
        (1, bool, "x is not true or false"),
        (1.5, NUMBER, None),
        (True, NUMBER, "x is not a whole number or a number"),
        (math.inf, NUMBER, "x is not a whole number or a number"),
        (math.nan, float, "x is not a number"),
        (None, (str, None), None),
        (3, (str, None), "x is not a text or null"),
        ("a", [str], "x is not a list"),
        (["a", 3], [str], "x[1] is not a text"),
        ([[1], [None]], [[int]], "x[1][0] is not a whole number"),
        ([], {}, "x is not an object"),
        ({"b": 1}, {}, None),
        ({}, {"a": str}, "x.a is missing"),
        ({}, {"a?": str}, None),
        ({"a": 1}, {"a?": str}, "x.a is not a text"),
        ({"a": "", "b": 1}, {"a": str, "*": int}, None),
        ({"a": "", "b": ""}, {"a": str, "*": int}, "x.b is not a whole number"),
        (object(), object, None),
        (False, object, None),
    ],
)
def test_mismatch(value: Any, shape: Any, wrong: str | None) -> None:
    assert mismatch(value, shape, "x") == wrong
