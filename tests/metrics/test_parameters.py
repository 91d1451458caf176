"""The parameters of a metric are checked by the types of its fields."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest

from nlgauge.contract.base import Prepared, RowMetric, Value
from nlgauge.contract.parameters import param
from nlgauge.errors import SpecError


@dataclass(frozen=True)
class Typed(RowMetric):
    text: str = "a"
    flag: bool = False
    whole: int = param(1, minimum=1)
    number: float = param(1.0, minimum=0.5, maximum=2, help="a number")
    maybe: float | None = param(None, minimum=0)
    named: str = param("b", choices=("b", "c"), help="a letter")
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
        ({"whole": 0}, "whole must be at least 1, not 0"),
        ({"number": math.nan}, "number must be a finite number, not nan"),
        ({"number": -math.inf}, "number must be a finite number, not -inf"),
        ({"number": 0.4}, "number must be at least 0.5 and at most 2, not 0.4"),
        ({"number": 2.1}, "number must be at least 0.5 and at most 2, not 2.1"),
        ({"maybe": -1}, "maybe must be at least 0, not -1"),
        ({"named": "d"}, "named='d' is not one of 'b', 'c'"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_would(given: dict[str, Any], told: str) -> None:
    with pytest.raises(SpecError) as caught:
        Typed(**given)
    assert told in str(caught.value)
