"""Numbers by (system, item): what reads as one, and what is refused."""

from __future__ import annotations

import math

import pytest

from nlgauge import InputError
from nlgauge.meta.keyed import keyed, number, refuse_twice


def test_numbers_texts_of_numbers_and_missing_ones() -> None:
    numbers = keyed({("A", "x"): 1, ("A", "y"): " 4.5", ("B", "x"): None, ("B", "y"): "None"})
    assert numbers["A", "x"] == 1 and numbers["A", "y"] == 4.5
    assert math.isnan(numbers["B", "x"]) and math.isnan(numbers["B", "y"])


@pytest.mark.parametrize("value", ["good", True, [1], {}, 10**400])
def test_what_is_no_number_is_refused_with_its_type(value: object) -> None:
    with pytest.raises(InputError, match=f"the score is {type(value).__name__} .*, not a number"):
        number(value, "the score")


def test_keys_are_of_system_and_item_and_there_once() -> None:
    with pytest.raises(InputError, match="the key 'A' is not"):
        keyed({"A": 1})
    with pytest.raises(InputError, match="system 'A', item '1' is in the ratings 2 times"):
        keyed({("A", 1): 1, ("A", "1"): 2})  # type: ignore[dict-item]
    with pytest.raises(InputError, match="is in the file 2 times"):
        refuse_twice([("A", "x"), ("B", "x"), ("A", "x")], "the file")
    refuse_twice([("A", "x"), ("A", "y")], "the file")
