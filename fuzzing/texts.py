"""Texts, values and rows that people and programs send by mistake or on purpose."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

ODD_LETTERS = "\x00\x01\x1b\n\r\t\x85\u2028\ufeff\u202e\u200b\u0301\u1160\U0010ffff=+-@|<>&\"'\\{}[],;"
ODD = "odd"
"""(ODD, name) stands in an input for an object that Python writes as no literal"""
MAKERS: dict[str, Callable[[], object]] = {
    "nan": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "minus infinity": lambda: float("-inf"),
    "huge": lambda: 10**5000,
    "decimal": lambda: Decimal("1.5"),
    "decimal nan": lambda: Decimal("nan"),
    "signalling nan": lambda: Decimal("snan"),
    "fraction": lambda: Fraction(1, 3),
    "huge fraction": lambda: Fraction(10**400, 3),
    "date": lambda: datetime.date(2024, 2, 29),
    "object": object,
    "class": lambda: dict,
    "numpy text": lambda: np.str_("a text"),
    "numpy number": lambda: np.int64(3),
    "numpy nan": lambda: np.float32("nan"),
    "numpy date": lambda: np.datetime64("NaT"),
    "numpy texts": lambda: np.array(["a text", "another"]),
    "numpy numbers": lambda: np.arange(3.0),
    "numpy table": lambda: np.array([["a", "b"], ["c", "d"]]),
    "numpy zero dimensions": lambda: np.array("a text"),
    "generator": lambda: (text for text in ("a text", "another")),
    "itself": lambda: _itself(),
    "deep": lambda: _deep(),
    "own text": lambda: _Text("a text"),
    "own mapping": lambda: _Mapping({"candidate": "a text"}),
}


class _Text(str):
    __slots__ = ()

    def __repr__(self) -> str:
        return "two\nlines"


class _Mapping(dict[str, object]):
    pass


def _itself() -> list[object]:
    ring: list[object] = []
    ring.append(ring)
    return ring


def _deep() -> list[object]:
    nested: list[object] = []
    for _ in range(100_000):
        nested = [nested]
    return nested


def made(value: Any) -> Any:
    """A value with the objects that it names."""
    if isinstance(value, tuple) and len(value) == 2 and value[0] == ODD:
        return MAKERS[value[1]]()
    if isinstance(value, dict):
        return {made(key): made(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [made(inner) for inner in value]
    return value


def mostly(right: SearchStrategy[Any], odd: SearchStrategy[Any], one_of: int) -> SearchStrategy[Any]:
    """What is right, and once in so many times what is odd."""
    # Hypothesis likes the ends of a range: what stands in it comes as often as it should.
    return st.integers(0, one_of - 1).flatmap(lambda chance: odd if chance == one_of // 3 else right)


def texts(longest: int) -> SearchStrategy[str]:
    """Texts in all scripts and in none; some are one piece over and over."""
    letters = st.one_of(st.characters(codec="utf-8"), st.sampled_from(ODD_LETTERS))
    broken = st.sampled_from("\ud800\udfff")
    words = st.sampled_from(
        ["the", "bridge", "was", "closed", ".", "Cracks", "42", "don't", "10,000", "東京", "😀", "ß"]
    )
    piece = st.text(letters, max_size=12)
    whole = st.one_of(
        st.lists(words, max_size=12).map(" ".join),
        st.text(letters, max_size=min(40, longest)),
        st.builds(lambda one, times: (one * times)[:longest], piece, st.sampled_from([2, 50, 400])),
    )
    return mostly(whole, broken, 200)


def json_values() -> SearchStrategy[Any]:
    """Whatever JSON may hold."""
    # Python writes neither NaN nor infinity as a literal: those are odd objects.
    plain = (
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=9)
    )
    return st.recursive(
        plain,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
        max_leaves=8,
    )


def odd_values() -> SearchStrategy[Any]:
    """Whatever Python may hold."""
    odd = st.sampled_from([(ODD, name) for name in MAKERS])
    return st.one_of(json_values(), odd, st.lists(odd, max_size=2), st.binary(max_size=4), st.just((1, 2)))


def rows(longest: int, odd: SearchStrategy[Any]) -> SearchStrategy[dict[Any, Any]]:
    """A row, most of whose fields are what they should be."""
    text = texts(longest)

    def field(right: SearchStrategy[Any]) -> SearchStrategy[Any]:
        return mostly(right, odd, 100)

    label = st.one_of(st.sampled_from(["a", "b", ""]), st.integers(0, 3), text)
    fields = {
        "candidate": field(text),
        "references": field(st.one_of(text, st.lists(text, max_size=3))),
        "source": field(text),
        "references.1": field(text),
        "context": field(st.one_of(text, st.lists(text, max_size=2))),
        "system": field(label),
        "item": field(label),
        "scores": field(st.dictionaries(st.text(max_size=4), st.floats(-9, 9), max_size=2)),
        "scores.a": field(st.floats(-9, 9)),
        "other": odd,
    }

    def needed(*names: str) -> SearchStrategy[dict[Any, Any]]:
        rest = {name: one for name, one in fields.items() if name not in names}
        return st.fixed_dictionaries({name: fields[name] for name in names}, optional=rest)

    return mostly(needed("candidate", "references", "source"), needed("candidate"), 4)
