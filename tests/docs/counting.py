"""How many code blocks ran, and how many did not and why: printed at the end of the tests' run."""

from __future__ import annotations

from collections import Counter

_COUNTS: Counter[str | None] = Counter()


def count(why_not: str | None) -> None:
    """Count a block that ran (None), or did not for a reason."""
    _COUNTS[why_not] += 1


def summary() -> list[str]:
    """Lines that say how many ran, and how many did not for each reason."""
    if not _COUNTS:
        return []
    run = _COUNTS[None]
    reasons = [(why, number) for why, number in _COUNTS.most_common() if why is not None]
    first = f"{run} code blocks of the pages ran; {sum(number for _, number in reasons)} did not:"
    return [first, *(f"  {number} {why}" for why, number in reasons)]
