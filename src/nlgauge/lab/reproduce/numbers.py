"""How the results page writes agreement: three digits without the zero before the point."""

from __future__ import annotations

import math

from nlgauge.meta.agreement import Agreement


def short(value: float, digits: int = 3) -> str:
    """.715, or −.030."""
    text = f"{abs(value):.{digits}f}"
    return ("−" if value < 0 else "") + (text[1:] if text.startswith("0.") else text)


def with_interval(one: Agreement) -> str:
    """.715 [.60, .81], without brackets where there is no interval."""
    inside = "" if math.isnan(one.low) else f" [{short(one.low, 2)}, {short(one.high, 2)}]"
    return short(one.value) + inside
