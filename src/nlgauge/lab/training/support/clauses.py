"""Clauses and sentences that nothing supports: additions, causes, ends of other sentences."""

from __future__ import annotations

import random
import re

from nlgauge.lab.training.support.edit import Edit, Place, sentences

_CAUSE = re.compile(r",? (because|since|due to|as a result of|in order to|so that|thanks to|owing to) ")
_CONNECTED = ("because", "since", "after", "so that", "although", "while")
_CLAUSE = re.compile(
    r"^(?:[Tt]he|[Aa]|[Tt]hey|[Ii]t|[Hh]e|[Ss]he|[Mm]any|[Ss]ome|[Tt]here|[Mm]ost) [^,;:()]{15,90}[.]$"
)


def addition(place: Place, rng: random.Random) -> Edit | None:
    """A sentence of another passage before or after the text."""
    others = [one for one in sentences(place.elsewhere) if 5 <= len(one.split()) <= 25]
    if not others:
        return None
    new, text = rng.choice(others), place.text
    if rng.random() < 0.6:
        return Edit(f"{text} {new}", ((len(text) + 1, len(text) + 1 + len(new)),), False)
    return Edit(f"{new} {text}", ((0, len(new)),), False)


def tail(place: Place, rng: random.Random) -> Edit | None:
    """The end of another sentence put to this one."""
    ends = [one.split(", ", 1)[1].rstrip(".!?") for one in sentences(place.elsewhere) if one.count(", ") == 1]
    ends = [one for one in ends if 3 <= len(one.split()) <= 12]
    return _ended(place.text, f", {rng.choice(ends)}") if ends else None


def cause(place: Place, rng: random.Random) -> Edit | None:
    """Another reason: that of another sentence, or a clause of one made a reason of this one."""
    there = rng.random() < 0.5
    others = [one for one in sentences(place.context if there else place.elsewhere) if one not in place.text]
    reasons = [match.group(1) + " " + one[match.end() :] for one in others for match in [_CAUSE.search(one)] if match]
    reasons = [one.rstrip(".!?") for one in reasons if 4 <= len(one.split()) <= 16]
    clauses = [f"{rng.choice(_CONNECTED)} {_small(one.rstrip('.'))}" for one in others if _CLAUSE.match(one)]
    new = rng.choice(reasons) if reasons and rng.random() < 0.6 else rng.choice(clauses or reasons or [""])
    if not new:
        return None
    text = place.text
    if (own := _CAUSE.search(text)) and not re.search(r"[.!?] ", text[own.end() :]):
        end = len(text.rstrip(".!?"))
        begin = own.start(1)
        return Edit(text[:begin] + new + text[end:], ((begin, begin + len(new)),), False)
    return _ended(text, f" {new}")


def _ended(text: str, end: str) -> Edit:
    body = text.rstrip(".!? ")
    first = len(body) + len(end) - len(end.lstrip(" ,"))
    return Edit(f"{body}{end}.", ((first, len(body) + len(end)),), False)


def _small(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]
