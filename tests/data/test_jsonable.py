"""A record comes back from its JSON as it went, and JSON of another shape is refused by its place."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from nlgauge.data.jsonable import Number, jsonable, read_record, record_of
from nlgauge.errors import InputError
from tests.score_tables import same


@dataclass(frozen=True)
class Inner:
    low: Number
    all: tuple[Number, ...] = ()


@dataclass(frozen=True)
class Outer:
    name: str
    count: int
    share: float
    inner: tuple[Inner, ...]
    costs: Mapping[str, Number]
    risk: Number | None
    best: Number = math.nan
    later: str | None = None


MADE = Outer("ü\u2028", 3, 0.25, (Inner(math.nan, (-math.inf, 1.0)), Inner(0.5)), {"s": math.inf}, None)


def test_a_record_comes_back_as_it_went() -> None:
    for made in (MADE, replace(MADE, risk=0.5, later="")):
        assert same(record_of(Outer, json.dumps(jsonable(made), allow_nan=False).encode()), made)
    assert math.isnan(record_of(Outer, json.dumps({**jsonable(MADE), "costs": {"s": None}}).encode()).costs["s"])


def test_what_came_later_may_be_absent_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    whole: dict[str, Any] = jsonable(MADE)
    for name in whole:
        path.write_text(json.dumps({key: value for key, value in whole.items() if key != name}), encoding="utf-8")
        if name == "later":
            assert same(read_record(Outer, path, "a record", "give one"), MADE)
            continue
        problem = "other fields" if name == "best" else f"field `{name}`"
        with pytest.raises(InputError, match=rf"record\.json: is not a record: .*{problem}.* \(give one\)"):
            read_record(Outer, path, "a record", "give one")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"more": 1}, "other fields than this version writes"),
        ({"inner": [{"low": 0.5}]}, "other fields than this version writes"),
        ({"inner": [{"low": 0.5, "all": [], "more": None}]}, "other fields than this version writes"),
        ({"count": 3.0}, "Expected `int`, got `float` - at `$.count`"),
        ({"count": True}, "Expected `int`, got `bool` - at `$.count`"),
        ({"share": None}, "Expected `float`, got `null` - at `$.share`"),
        ({"inner": [{"low": True, "all": []}]}, "the value True is not a number - at `$.inner[0].low`"),
        ({"inner": [{"low": 1e301, "all": []}]}, "the value 1e+301 is not a number - at `$.inner[0].low`"),
        ({"inner": [{"low": 10**400, "all": []}]}, "is not a number - at `$.inner[0].low`"),
        ({"risk": "NaN"}, "the value 'NaN' is not a number - at `$.risk`"),
        ({"costs": []}, "Expected `object`, got `array` - at `$.costs`"),
    ],
)
def test_another_shape_is_refused_by_its_place(change: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError) as caught:  # the message is what is tested
        record_of(Outer, json.dumps({**jsonable(MADE), **change}).encode())
    assert problem in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"[]", b"[" * 100_000, b"\xff", b'{"name": NaN}', b"{}{}"])
def test_what_is_no_record_is_refused_in_one_line(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "record.json").write_bytes(content)
    with pytest.raises(InputError, match=r"record\.json: is not a record: ") as caught:
        read_record(Outer, tmp_path / "record.json", "a record", "give one")
    assert len(str(caught.value).splitlines()) == 1
    with pytest.raises(InputError, match="cannot be read"):
        read_record(Outer, tmp_path / "none.json", "a record", "give one")
