"""The parameters of a metric are checked by the types of its fields."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest

from nlgauge.errors import SpecError
from nlgauge.metrics import registry
from nlgauge.metrics.base import Prepared, RowMetric, Value
from nlgauge.metrics.parameters import literal, param, parameters_of


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
    "given",
    [{"text": ""}, {"flag": True}, {"whole": 7}, {"number": 2}, {"maybe": 0}, {"layers": (1, 2)}, {"layers": 3}],
)
def test_what_fits_is_taken(given: dict[str, Any]) -> None:
    assert vars(Typed(**given)) == {**vars(Typed()), **given}


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


def test_equal_numbers_are_written_alike() -> None:
    assert literal(3.0) == literal(3) == "3"
    assert (literal(0.25), literal("a'b"), literal(None)) == ("0.25", repr("a'b"), "None")


@dataclass(frozen=True)
class Narrow(Typed):
    number: float = 0.5
    named: str = param("b", choices=("b",))


def test_a_subclass_keeps_what_it_does_not_declare_anew() -> None:
    parameters = parameters_of(Narrow)
    assert list(parameters) == list(parameters_of(Typed))
    assert parameters["number"] == parameters_of(Typed)["number"]._replace(default=0.5)
    assert (parameters["named"].choices, parameters["named"].help) == (("b",), "")
    with pytest.raises(SpecError, match="number must be"):
        Narrow(number=3)


def test_a_parameter_without_a_default_has_to_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class Needs(RowMetric):
        must: str = param(help="a text")
        score_rows = Typed.score_rows

    monkeypatch.setattr(registry, "metric_class", lambda name: Needs)
    with pytest.raises(SpecError, match="Needs needs the parameter 'must'"):
        registry.metric("Needs")
    assert vars(registry.metric("Needs(must='x')"))["must"] == "x"


def test_plain_fields_and_the_declarations_of_0_1_still_work() -> None:
    @dataclass(frozen=True)
    class Old(RowMetric):
        choices = {"kind": ("a", "b")}  # noqa: RUF012
        least = {"size": 2}  # noqa: RUF012
        kind: str = "a"
        size: int = 3
        free: int = 0
        score_rows = Typed.score_rows

    with pytest.warns(DeprecationWarning, match=r"Old: .* deprecated: use nlgauge\.metrics\.param"):
        assert vars(Old(free=-1)) == {"kind": "a", "size": 3, "free": -1}
    for given, told in (
        ({"kind": "c"}, "is not one of 'a', 'b'"),
        ({"size": 1}, "at least 2"),
        ({"free": "x"}, "free"),
    ):
        with pytest.raises(SpecError, match=told):
            Old(**given)
