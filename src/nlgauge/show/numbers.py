"""Numbers as people read them."""

from __future__ import annotations

HUGE = 1e9
"""Numbers from this size on are written with three digits and a power of ten"""
_TINY, _ROUNDING = 4, 1e-12
"""With this number of digits after the point or more, a number that would read as 0 is written with a power of ten,
except a number so small that it is a rounding error"""


def fixed(value: float, digits: int = 4) -> str:
    """Return a number with fixed digits after the point; with a power of ten if it is huge or would read as 0.

    Args:
        value: the number, which may be infinite.
        digits: the number of digits after the point. With fewer than four, a small number is written as 0.

    Returns:
        The number as a text.
    """
    text = f"{value:.{digits}f}"
    reads_as_0 = not text.strip("-0.")
    if abs(value) >= HUGE or (reads_as_0 and digits >= _TINY and abs(value) >= _ROUNDING):
        return f"{value:.3g}"
    return text.removeprefix("-") if reads_as_0 else text
