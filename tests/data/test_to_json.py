"""What JSON has no number for is null or a word, at any depth, and all else is as it was."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from nlgauge.data.signature import Signature
from nlgauge.data.to_json import jsonable, plain


@dataclass
class Found:
    value: float
    name: str


def test_what_json_has_no_number_for() -> None:
    assert [plain(value) for value in (0.5, 3, True, "x", None)] == [0.5, 3, True, "x", None]
    assert [plain(value) for value in (math.nan, math.inf, -math.inf)] == [None, "Infinity", "-Infinity"]
    assert jsonable([Found(math.nan, "a")]) == [{"value": None, "name": "a"}]
    assert jsonable({"b": Signature("A", {"layer": 2})}) == {"b": "A|layer:2"}


def test_at_any_depth() -> None:
    made = jsonable({"a": [math.nan, {"b": (math.inf, 1.5)}], "c": "x"})
    assert made == {"a": [None, {"b": ["Infinity", 1.5]}], "c": "x"}
    assert json.loads(json.dumps(made, allow_nan=False)) == made
