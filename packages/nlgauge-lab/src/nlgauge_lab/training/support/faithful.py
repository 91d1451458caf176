"""Rules that say the same in other words: spellings, dates, numbers, order of phrases, and asides that are left out."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import TypeAlias

from nlgauge_lab.training.support import figures

_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_MONTH = "(January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = re.compile(rf"\b(\d{{1,2}}) {_MONTH} (\d{{4}})\b")
_AMERICAN_DATE = re.compile(rf"\b{_MONTH} (\d{{1,2}}), (\d{{4}})\b")
_CONTRACTIONS = [
    ("do not", "don't"),
    ("does not", "doesn't"),
    ("did not", "didn't"),
    ("is not", "isn't"),
    ("are not", "aren't"),
    ("was not", "wasn't"),
    ("were not", "weren't"),
    ("has not", "hasn't"),
    ("have not", "haven't"),
    ("had not", "hadn't"),
    ("could not", "couldn't"),
    ("would not", "wouldn't"),
    ("should not", "shouldn't"),
    ("cannot", "can't"),
    ("will not", "won't"),
    ("it is", "it's"),
    ("I am", "I'm"),
    ("they are", "they're"),
    ("we are", "we're"),
    ("you are", "you're"),
    ("I have", "I've"),
    ("he is", "he's"),
    ("she is", "she's"),
    ("there is", "there's"),
    ("I will", "I'll"),
    ("per cent", "percent"),
    ("%", " percent"),
]
# "it's" may stand for "it has", and not every percent is written with a sign.
_ONE_WAY = ((" percent", "%"), ("it's", "it is"), ("he's", "he is"), ("she's", "she is"), ("that's", "that is"))
_THOUSANDS = r"(?<=\d),(?=\d{3}\b)"
Way: TypeAlias = Callable[[str], str]


def written_otherwise(text: str) -> list[Way]:
    """Return the ways to write a text differently without a change of its sense, such as "do not" for "don't".

    Args:
        text: the text.

    Returns:
        Functions, each of which takes the text and returns it with one such change.
    """
    ways: list[Way] = []
    for long, short in _CONTRACTIONS:
        for old, new in ((long, short), (short, long)):
            word = rf"(?<![\w']){re.escape(old)}(?![\w'])" if old[0].isalpha() else re.escape(old)
            if re.search(word, text) and (old, new) not in _ONE_WAY:
                ways.append(_replacing(word, new))
    if _DATE.search(text):
        ways.append(_replacing(_DATE.pattern, r"\2 \1, \3"))
    if _AMERICAN_DATE.search(text):
        ways.append(_replacing(_AMERICAN_DATE.pattern, r"\2 \1 \3"))
    for number, word in enumerate(_NUMBERS[2:], 2):
        for old, new, after in ((word, str(number), "[a-z]"), (str(number), word, "[a-z]{4}")):
            if re.search(pattern := rf"(?<=[a-z] ){old}(?= {after})", text):
                ways.append(_replacing(pattern, new))
    if re.search(_THOUSANDS, text):
        ways.append(_replacing(_THOUSANDS, ""))
    return ways


def _replacing(pattern: str, new: str) -> Way:
    return lambda text: re.sub(pattern, new, text)


_FRONT = re.compile(r"^((?:In|On|At|After|During|By|Since|Before|Until|From) [^,;:.]{3,50}), ([A-Z]?[a-z][^;:?!]+)[.]$")
_ASIDE = re.compile(r"\s*\([^()]{2,80}\)")
_FILLED = re.compile(
    r"\b(?:However|Moreover|Furthermore|In addition|In fact|Indeed|Therefore|Thus|Additionally), ([a-z])"
)


def reworded(text: str, rng: random.Random) -> str:
    """Return the text after two to five rules that preserve its sense.

    A rule that does not fit the text changes nothing.
    """
    steps = [_spelled, figures.written_otherwise, _reordered, _without_asides, _without_connective]
    for step in rng.sample(steps, rng.randint(2, len(steps))):
        text = step(text, rng)
    return text


def _spelled(text: str, rng: random.Random) -> str:
    ways = written_otherwise(text)
    return rng.choice(ways)(text) if ways else text


def _reordered(text: str, rng: random.Random) -> str:
    """Return the text with a time or place at its beginning moved to its end."""
    if not (match := _FRONT.match(text)) or _ASIDE.search(text):
        return text
    front, rest = match.groups()
    return f"{rest[0].upper()}{rest[1:]} {front[0].lower()}{front[1:]}."


def _without_asides(text: str, rng: random.Random) -> str:
    return _ASIDE.sub("", text)


def _without_connective(text: str, rng: random.Random) -> str:
    return _FILLED.sub(lambda match: match[1].upper(), text)
