"""Whether a block prints what its page shows."""

from __future__ import annotations

import doctest
import re

_DECIMAL = re.compile(r"-?\d+\.\d+")
_LARGE = re.compile(r"(?<![\d.,])\d{5,}(?![\d.])")
_SHARE = 0.02


def same(shown: str, got: str) -> bool:
    """Whether output is as shown: "..." stands for anything, and the last digit of a decimal number may differ by one.

    Products in float32 are not equal to the last bit on all processors, and what is shown was rounded on one of them.
    A whole number of five digits or more may differ by 2 %: so many items are needed where a difference is very small,
    and its last bits count.
    """
    shown, got = bare(shown), bare(got)
    if "..." in shown:
        return doctest.OutputChecker().check_output(shown, got, doctest.ELLIPSIS)
    if _plain(shown) != _plain(got):
        return False
    if not all(abs(int(a) / int(b) - 1) < _SHARE for a, b in _pairs(_LARGE, shown, got)):
        return False
    return all(_near(a, b) for a, b in _pairs(_DECIMAL, shown, got))


def _plain(text: str) -> str:
    return _LARGE.sub("00000", _DECIMAL.sub("0.0", text))


def _pairs(numbers: re.Pattern[str], shown: str, got: str) -> list[tuple[str, str]]:
    return list(zip(numbers.findall(shown), numbers.findall(got), strict=True))


def _near(one: str, other: str) -> bool:
    digits = len(one.partition(".")[2])
    return digits == len(other.partition(".")[2]) and abs(float(one) - float(other)) < 1.5 * 10**-digits


def bare(text: str) -> str:
    """A text without the spaces at the ends of its lines, and without empty lines around it."""
    return "".join(line.rstrip() + "\n" for line in text.strip("\n").splitlines())
