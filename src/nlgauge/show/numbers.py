"""Numbers as people read them."""

from __future__ import annotations

HUGE = 1e9
"""From here on a number has three digits and a power of ten"""
_TINY, _ROUNDING = 4, 1e-12
"""With so many digits behind the point a number that they would show as 0 has a power of ten too; not one that rounding
left of 0"""


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
