"""What happens before what, and what holds no longer: differences of a sentence from its source that share all words.

"Change the bulb before unplugging the lamp" has the words of a source that says the reverse, and "The talk is in Room
3" those of "The talk was moved from Room 3 to Room 8". A model that reads words sees neither. The rules here know some
frames of English, and are silent about all others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from nlgauge.faithfulness.stems import LONGEST, MOST, negated, sentences, stems_and_numbers

_CONNECTED = re.compile(
    r"(?P<then>[,;]?\s+(?:and\s+)?(?:only\s+)?(?:then|afterwards|after that)\s+)"
    r"|(?P<before>[,;]?\s+(?:right\s+|long\s+|shortly\s+|just\s+)?(?:before|prior to)\s+)"
    r"|(?P<after>[,;]?\s+(?:only\s+|right\s+|long\s+|shortly\s+|just\s+)?after\s+)",
    re.IGNORECASE,
)
"""What stands between two events; `after` puts the later one first"""
_LEADING = re.compile(r"(?P<word>before|after)\s+(?P<one>[^,;]+),\s*(?P<other>.+)", re.IGNORECASE | re.DOTALL)
_UNTIL = re.compile(r"\buntil\b", re.IGNORECASE)
"""What it says comes first stands last"""
_FIRST = re.compile(r"^\W*(?:first(?:ly)?|at first|to begin with)\b,?\s*", re.IGNORECASE)
_STEP = re.compile(r"(?:^|(?<=\s))(?:step\s+)?(?P<number>\d{1,2})[.):]\s+(?=\S)", re.IGNORECASE)
_NEXT = re.compile(
    r"^\W*(?:first(?:ly)?|second(?:ly)?|third(?:ly)?|then|next|after that|afterwards|finally|lastly)\b", re.IGNORECASE
)
_CHANGED = re.compile(
    r"\b(?:mov|chang|rais|lower|cut|reduc|increas|transferr?|switch|renam|relocat|push|put|shift|postpon"
    r"|brought forward|went|fell|rose|grew|dropp)\w*\b[^.;]{0,40}?"
    r"\bfrom (?P<old>[^.,;]{1,40}?) to (?P<new>[^.,;]{1,40})",
    re.IGNORECASE,
)
_FORMER = re.compile(
    r"^\W*(?:until|before|up to|through)\b|\b(?:used to|formerly|previously|no longer)\b", re.IGNORECASE
)
_CURRENT = re.compile(
    r"^\W*(?:since|from|as of|now|today)\b|\b(?:now|currently|at present|today|meanwhile)\b", re.IGNORECASE
)
_PRESENT = re.compile(
    r"\b(?:is|are|costs?|takes?|has|have|opens?|closes?|starts?|begins?|ends?|meets?)\b", re.IGNORECASE
)
_PAST = re.compile(
    r"\b(?:was|were|had|did|until|before|formerly|previously|used|originally|initially|no longer|from|instead)\b"
    r"|\w+ed\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


_WORDS = 2
"""Words that each event must have: one word alone is found anywhere"""


class _Events(NamedTuple):
    """Two events, by the stems of their words."""

    earlier: frozenset[str]
    later: frozenset[str]


class OrderedSource:
    """A source as the rules of order read it.

    Args:
        texts: the texts of the source.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        some = [one for text in texts for one in sentences(text) if len(one) <= LONGEST][:MOST]
        self._pairs = [pair for one in some if not negated(one) for pair in _pairs(one)]
        self._lists = [steps for text in texts if len(steps := _steps(text)) > 1]
        self._stems = [[_all(step) for step in steps] for steps in self._lists]
        self._changes = [(_all(one), found["old"], found["new"]) for one in some for found in _CHANGED.finditer(one)]
        self._former = [one for one in some if _FORMER.search(one)]
        self._current = [one for one in some if _CURRENT.search(one) and not _FORMER.search(one)]

    def difference(self, sentence: str) -> str | None:
        """Return why a sentence differs from the source in what comes first, or in what holds now; None if it does not.

        Args:
            sentence: a sentence of an answer.
        """
        if not (self._pairs or self._lists or self._changes or self._former) or len(sentence) > LONGEST:
            return None
        if negated(sentence):
            return None
        pairs = [] if _UNTIL.search(sentence) else list(_pairs(sentence))
        return next((why for pair in pairs if (why := self._reversed(pair)) is not None), None) or self._outdated(
            sentence
        )

    def follows(self, sentence: str) -> str | None:
        """Return the words of the source from which a sentence follows: steps in their order, or what holds now.

        Args:
            sentence: a sentence of an answer.

        Returns:
            The steps that the sentence names whole, or the sentence of the source that has all its words and a number
            that another sentence gives for the past; None without one of these.
        """
        if not (self._lists or self._former) or len(sentence) > LONGEST:
            return None
        if negated(sentence) or _UNTIL.search(sentence):
            return None
        if (now := self._holding(sentence)) is not None:
            return now
        pairs = list(_pairs(sentence))
        for texts, steps in zip(self._lists, self._stems, strict=True):
            places = [[_place(event, steps) for event in pair] for pair in pairs]
            for pair, (first, then) in zip(pairs, places, strict=True):
                if first is None or then is None or first >= then:
                    break
                if not (pair.earlier <= steps[first] and pair.later <= steps[then]):
                    break
            else:
                if pairs:
                    first, then = places[0]
                    return f"{texts[first or 0].strip()} {texts[then or 0].strip()}"
        return None

    def _reversed(self, pair: _Events) -> str | None:
        for other in self._pairs:
            across = len(pair.earlier & other.later), len(pair.later & other.earlier)
            along = len(pair.earlier & other.earlier) + len(pair.later & other.later)
            enough = 3 * across[0] >= 2 * len(pair.earlier) and 3 * across[1] >= 2 * len(pair.later)
            if enough and min(across) and sum(across) > along:
                return "the source has the other order"
        for steps in self._stems:
            places = [_place(event, steps) for event in pair]
            if None not in places and places[0] > places[1]:  # type: ignore[operator]  # None is not among them
                return "the source has the other order of these steps"
        return None

    def _holding(self, sentence: str) -> str | None:
        """Return what the source says of now, where a sentence says the same, and the past has another number."""
        said, mine = set(_NUMBER.findall(sentence)), _all(_CURRENT.sub(" ", sentence))
        if not said or not _PRESENT.search(sentence) or _PAST.search(sentence):
            return None
        for now in self._current:
            if mine <= _all(now) and said <= set(_NUMBER.findall(now)):
                others = (former for former in self._former if not said & set(_NUMBER.findall(former)))
                if any(_NUMBER.search(former) and mine - _digits(mine) <= _all(former) for former in others):
                    return now.strip()
        return None

    def _outdated(self, sentence: str) -> str | None:
        if not _PRESENT.search(sentence) or _PAST.search(sentence):
            return None
        mine = _all(sentence)
        for words, old, new in self._changes:
            gone, there = _all(old) - _all(new), _all(new) - _all(old)
            if _digits(gone) and _digits(there):  # "from 4 to 5 euros": the unit is of both
                gone, there = _digits(gone), _digits(there)
            about = (mine - gone) & (words - gone - there)
            if gone and there and gone <= mine and not there & mine and about:
                return f"the source has a change to {new.strip()}"
        for former in self._former:
            then, numbers = _all(former), set(_NUMBER.findall(former))
            said = set(_NUMBER.findall(sentence)) & numbers
            if not said:
                continue
            for now in self._current:
                others = set(_NUMBER.findall(now))
                about = mine & then & _all(now) - numbers - others
                if about and not said & others:
                    return f"the source says so of the past, and now: {now.strip()}"
        return None


def _pairs(sentence: str) -> Iterator[_Events]:
    """Yield the events of a sentence that it puts in an order."""
    said = _FIRST.sub("", sentence.strip())
    if (leading := _LEADING.match(said)) is not None:
        one, other = leading["one"], leading["other"]
        yield from _distinct(other, one) if leading["word"].lower() == "before" else _distinct(one, other)
        return
    found = list(_CONNECTED.finditer(said))
    if not found or len({one.lastgroup for one in found}) > 1 or (len(found) > 1 and found[0].lastgroup != "then"):
        return
    ends = [0, *(at for one in found for at in one.span()), len(said)]
    parts = [said[begin:end] for begin, end in zip(ends[::2], ends[1::2], strict=True)]
    for one, other in pairwise(parts):
        yield from _distinct(other, one) if found[0].lastgroup == "after" else _distinct(one, other)


def _distinct(earlier: str, later: str) -> Iterator[_Events]:
    """Yield two events by what only the one of them has, where each has something."""
    one, other = _all(earlier), _all(later)
    pair = _Events(one - other, other - one)
    if min(len(event - _digits(event)) for event in pair) >= _WORDS:
        yield pair


def _steps(text: str) -> list[str]:
    """Return the steps of a text that numbers them, or begins sentences with "then" and such words."""
    marks = list(_STEP.finditer(text))
    run = [one for at, one in enumerate(marks) if int(one["number"]) == at + 1]
    if len(run) > 1 and len(run) == len(marks):
        ends = [*(one.start() for one in run[1:]), len(text)]
        return [text[one.end() : end] for one, end in zip(run, ends, strict=True)]
    some = list(sentences(text))
    if sum(_NEXT.match(one) is not None for one in some) < 2:
        return []
    return [_NEXT.sub("", one) for one in some]


def _place(event: frozenset[str], steps: Sequence[frozenset[str]]) -> int | None:
    """Return the step that has most of an event; None where it has under half of it, or another has as much."""
    shared = [len(event & step) for step in steps]
    most = max(shared)
    return shared.index(most) if 3 * most >= 2 * len(event) and most and shared.count(most) == 1 else None


def _all(text: str) -> frozenset[str]:
    return stems_and_numbers(text)


def _digits(stems: frozenset[str]) -> frozenset[str]:
    return frozenset(stem for stem in stems if stem[0].isdigit())
