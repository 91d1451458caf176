"""nlgauge's docstrings, read: a paragraph, then `name: what it is` for each parameter."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from itertools import zip_longest

_ELSEWHERE = re.compile(r"(?:as of|as in|as for|those of) ((?:published/)?[A-Z]\w+)")


def described(doc: str, names: Iterable[str]) -> dict[str, str]:
    """What a docstring says of each of some parameters: text after `name:` or `name, other:`, to the next one or a gap.

    A parameter starts a line, or a sentence in it.
    """
    name = "|".join(map(re.escape, names))
    if not name:
        return {}
    entry = re.compile(rf"(?:^|(?<=\. ))((?:{name})(?:, (?:{name}))*): ", re.MULTILINE)
    found: dict[str, str] = {}
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(doc)):
        starts = [*entry.finditer(paragraph)]
        for start, following in zip_longest(starts, starts[1:]):
            text = paragraph[start.end() : following.start() if following else None]
            for one in start[1].split(", "):
                found.setdefault(one, " ".join(text.split()))
    return found
