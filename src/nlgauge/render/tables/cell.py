"""What a table that is to be printed is made of: words, and numbers that know their interval."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True)
class Number:
    """A number, NaN for none, with its interval and p where it has them."""

    value: float
    low: float = math.nan
    high: float = math.nan
    p: float = math.nan
    digits: int = 4
    """Behind the point, where people read it"""
    mark: Literal["", "best", "alike"] = ""
    """'best' of its kind; 'alike': it does not differ significantly from the best"""

    @property
    def text(self) -> str:
        """The number itself."""
        return "-" if math.isnan(self.value) else f"{self.value:.{self.digits}f}"

    @property
    def interval(self) -> str:
        """The interval in brackets; empty where there is none."""
        known = not (math.isnan(self.value) or math.isnan(self.low))
        return f"[{self.low:.{self.digits}f}, {self.high:.{self.digits}f}]" if known else ""

    @property
    def chance(self) -> str:
        """p; empty where there is none."""
        return "" if math.isnan(self.p) else f"p={self.p:.4f}"


Cell: TypeAlias = "str | Number"
Cells: TypeAlias = "Sequence[Sequence[Cell]]"
"""Rows, all of one length; the first is the head"""


def words(cell: Cell) -> str:
    """A cell in one line of plain text, without its mark."""
    if isinstance(cell, str):
        return cell
    return " ".join(filter(None, (cell.text, cell.interval, cell.chance)))


_BIDI = r"\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
_STEERING = re.compile(rf"[\x00-\x1f\x7f-\x9f{_BIDI}]")
_STEERING_IN_LINES = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{_BIDI}]")


def harmless(text: str, *, lines: bool = False) -> str:
    """With U+FFFD for each control character, and for each that sets the direction of what follows it.

    lines: leave line ends and tabs.
    """
    return (_STEERING_IN_LINES if lines else _STEERING).sub("\ufffd", text)


def harmless_json(text: str) -> str:
    """Return a text with JSON's escape of each such character, but for line ends and tabs. JSON says the same then."""
    return _STEERING_IN_LINES.sub(lambda sign: f"\\u{ord(sign.group()):04x}", text)
