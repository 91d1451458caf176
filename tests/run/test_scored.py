"""A score comes back from the store as it went in."""

from __future__ import annotations

import math

import pytest

from nlgauge.metrics.base import Value
from nlgauge.run.scored import Scored, packed, unpacked


@pytest.mark.parametrize(
    "scored",
    [
        Scored(Value((0.1,))),
        Scored(Value((1 / 3, -0.0, 1e-320))),
        Scored(Value((math.inf, -math.inf), None, ("noted \ud83d\ude42",))),
        Scored(Value((2.0,), counts=(1.0, 2.5))),
        Scored(Value((2.0,)), (0, 3)),
        Scored(Value((2.0,)), (), {"items": [{"name": "\ud800", "share": 0.1}]}),
    ],
)
def test_what_was_packed_is_the_same_to_the_bit(scored: Scored) -> None:
    assert unpacked(packed(scored)) == scored


def test_a_missing_value_keeps_its_reason() -> None:
    back = unpacked(packed(Scored(Value((math.nan, 1.0), "no words"))))
    assert math.isnan(back.value.parts[0]) and back.value.parts[1] == 1.0 and back.value.reason == "no words"
