"""The parameters of a metric are checked by the types of its fields."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from nlgauge.errors import SpecError
from nlgauge.metrics.base import Prepared, RowMetric, Value


@dataclass(frozen=True)
class Typed(RowMetric):
    least: ClassVar[Mapping[str, float]] = {"whole": 1, "number": 0.5, "maybe": 0}

    text: str = "a"
    flag: bool = False
    whole: int = 1
    number: float = 1.0
    maybe: float | None = None
    layers: int | tuple[int, ...] = 5

    def score_rows(self, rows: Any, prepared: Prepared, features: Any) -> list[Value]:
        return [Value((1.0,)) for _ in rows]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"text": 1}, "text=1 is not a text"),
        ({"flag": "yes"}, "flag='yes' is not True or False"),
        ({"whole": True}, "whole=True is not a whole number"),
        ({"whole": 1.5}, "whole=1.5 is not a whole number"),
        ({"number": "3"}, "number='3' is not a number"),
        ({"maybe": True}, "maybe=True is not a number or None"),
        ({"layers": (1, "2")}, "is not a whole number or a tuple of a whole number"),
        ({"whole": 0}, "whole=0 is not a whole number of at least 1"),
        ({"number": math.nan}, "number=nan is not a number of at least 0.5"),
        ({"number": math.inf}, "number=inf is not a number of at least 0.5"),
        ({"maybe": -1}, "maybe=-1 is not"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_would(given: dict[str, Any], told: str) -> None:
    with pytest.raises(SpecError) as caught:
        Typed(**given)
    assert told in str(caught.value)
