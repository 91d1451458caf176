"""Whether a block prints what its page shows."""

from __future__ import annotations

import doctest
import re

_DECIMAL = re.compile(r"-?\d+\.\d+")


def same(shown: str, got: str) -> bool:
    """Whether output is as shown: "..." stands for anything, and the last digit of a decimal number may differ by one.

    Products in float32 are not equal to the last bit on all processors, and what is shown was rounded on one of them.
    """
    shown, got = bare(shown), bare(got)
    if "..." in shown:
        return doctest.OutputChecker().check_output(shown, got, doctest.ELLIPSIS)
    if _DECIMAL.sub("0.0", shown) != _DECIMAL.sub("0.0", got):
        return False
    return all(map(_near, _DECIMAL.findall(shown), _DECIMAL.findall(got)))


def _near(one: str, other: str) -> bool:
    digits = len(one.partition(".")[2])
    return digits == len(other.partition(".")[2]) and abs(float(one) - float(other)) < 1.5 * 10**-digits


def bare(text: str) -> str:
    """A text without the spaces at the ends of its lines, and without empty lines around it."""
    return "".join(line.rstrip() + "\n" for line in text.strip("\n").splitlines())
