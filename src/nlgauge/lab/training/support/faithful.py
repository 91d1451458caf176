"""The same said in other words, by rules that lose nothing of it: spellings, figures, order, asides."""

from __future__ import annotations

import random
import re

from nlgauge.lab.training.support import figures
from nlgauge.lab.training.support.spellings import written_otherwise

_FRONT = re.compile(r"^((?:In|On|At|After|During|By|Since|Before|Until|From) [^,;:.]{3,50}), ([A-Z]?[a-z][^;:?!]+)[.]$")
_ASIDE = re.compile(r"\s*\([^()]{2,80}\)")
_FILLED = re.compile(
    r"\b(?:However|Moreover|Furthermore|In addition|In fact|Indeed|Therefore|Thus|Additionally), ([a-z])"
)


def reworded(text: str, rng: random.Random) -> str:
    """The text with one to three changes that keep what it says; as it was where it has nothing to change."""
    steps = [_spelled, figures.written_otherwise, _reordered, _without_asides, _without_connective]
    for step in rng.sample(steps, rng.randint(2, len(steps))):
        text = step(text, rng)
    return text


def _spelled(text: str, rng: random.Random) -> str:
    ways = written_otherwise(text)
    return rng.choice(ways)(text) if ways else text


def _reordered(text: str, rng: random.Random) -> str:
    """A time or place at the beginning goes to the end."""
    if not (match := _FRONT.match(text)) or _ASIDE.search(text):
        return text
    front, rest = match.groups()
    return f"{rest[0].upper()}{rest[1:]} {front[0].lower()}{front[1:]}."


def _without_asides(text: str, rng: random.Random) -> str:
    return _ASIDE.sub("", text)


def _without_connective(text: str, rng: random.Random) -> str:
    return _FILLED.sub(lambda match: match[1].upper(), text)
