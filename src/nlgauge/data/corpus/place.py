"""Where a value stands, and how it is shown in the error that refuses it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from numbers import Real
from typing import NamedTuple

from nlgauge.errors import InputError

JSON_REMEDY = 'write one object like {"candidate": "..."} a line in .jsonl, a list of them in .json'


class InputPlace(NamedTuple):
    """Where a value stands, for the error that refuses it."""

    file: str | None
    row: int | None = None

    def error(self, problem: str, remedy: str) -> InputError:
        return InputError(problem, file=self.file, row=self.row, remedy=remedy)


_SHOWN = 100


def shown(value: object) -> str:
    """A value in an error: one line, and not more of it than can be read."""
    if isinstance(value, str):
        value = value[: _SHOWN + 1]
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a class of the caller's, numbers of thousands of digits, lists in lists in lists: anything
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def kind(value: object) -> str:
    return "null" if absent(value) else f"{type(value).__name__} {shown(value)}"


def absent(value: object) -> bool:
    if isinstance(value, str):
        return False
    # pandas' own markers are told by name, because pandas is optional.
    nan = isinstance(value, Real) and value != value
    return value is None or nan or type(value).__name__ in ("NAType", "NaTType")


def refuse_repeated(names: Sequence[object], file: str | None) -> None:
    name, count = Counter(names).most_common(1)[0] if names else (None, 0)
    if count > 1:
        raise InputError(f"the column {shown(name)} is given twice", file=file, remedy="rename or remove one")
