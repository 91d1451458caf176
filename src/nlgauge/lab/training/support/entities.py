"""Names: others in their place, and two of them in each other's."""

from __future__ import annotations

import random
import re
from itertools import pairwise

from nlgauge.lab.training.support.edit import Edit, Place, drawn, names, replaced

_LIST = re.compile(r"\W*(?:and|or|,)?\W*")
_ROLES = re.compile(
    r"\b(?:by|to|from|over|than|for|against|after|before|told|asked|beat|defeated|replaced|succeeded|married|bought|sold"
    r"|joined|left|of|in|with|at|on)\b"
)


def name(place: Place, rng: random.Random) -> Edit | None:
    """A name replaced by another, of the context or foreign to it."""
    found = [match for match in names(place.text) if match.group() in place.context]
    if not found:
        return None
    match = rng.choice(found)
    own = set(match.group().split())
    there = place.context if rng.random() < 0.5 else place.elsewhere
    others = [other.group() for other in names(there)]
    others = [
        one for one in others if not own & set(one.split()) and one not in place.text and _alike(one, match.group())
    ]
    new = drawn(rng, others)
    return None if new is None else replaced(place.text, match.span(), new)


def roles(place: Place, rng: random.Random) -> Edit | None:
    """Two names of a sentence in each other's place: who did it, and to whom."""
    text, found = place.text, names(place.text)
    pairs = [
        (a, b)
        for a, b in pairwise(found)
        if not set(a.group().split()) & set(b.group().split())
        and not _LIST.fullmatch(between := text[a.end() : b.start()])
        and _ROLES.search(between)
        and not re.search(r"[.!?;]", between)
    ]
    if not pairs:
        return None
    a, b = rng.choice(pairs)
    edit = text[: a.start()] + b.group() + text[a.end() : b.start()] + a.group() + text[b.end() :]
    moved = b.start() + len(b.group()) - len(a.group())
    return Edit(edit, ((a.start(), a.start() + len(b.group())), (moved, moved + len(a.group()))), True)


def _alike(one: str, other: str) -> bool:
    return abs(one.count(" ") - other.count(" ")) <= 1
