"""What happens before what, and what holds no longer: differences of a sentence from its source that share all words.

"Change the bulb before unplugging the lamp" has the words of a source that says the reverse, and "The talk is in Room
3" those of "The talk was moved from Room 3 to Room 8". A model that reads words sees neither. The rules here know some
frames of English, and are silent about all others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple, TypeAlias

from nlgauge.faithfulness.stems import LONGEST, negated, sentences, short_sentences, stems_and_numbers

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
_MOST_TOLD = 60
"""Sentences of a source about the past, about now and about a change, and steps of a list, that are read at most"""
_MOST_PAIRS = 200
"""Pairs of events of a source that are read at most"""


class _Events(NamedTuple):
    """Two events, by the stems of their words."""

    earlier: frozenset[str]
    later: frozenset[str]


class _Told(NamedTuple):
    """A sentence, with the stems of its words and its numbers as they are written."""

    text: str
    stems: frozenset[str]
    numbers: frozenset[str]


class _Change(NamedTuple):
    """What a sentence says has changed, by stems: what holds no longer, what holds now, and what it is about."""

    gone: frozenset[str]
    there: frozenset[str]
    about: frozenset[str]
    now: str


class OrderedSource:
    """A source as the rules of order read it: the first sentences of each frame, so that the work is bounded.

    Args:
        texts: the texts of the source.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        short = short_sentences(texts)
        pairs = (pair for sentence in short if not negated(sentence) for pair in _pairs(sentence))
        self._pairs = list(islice(pairs, _MOST_PAIRS))
        lists = (steps for text in texts if 1 < len(steps := _steps(text)) <= _MOST_TOLD)
        self._lists = [[(step, stems_and_numbers(step)) for step in steps] for steps in islice(lists, _MOST_TOLD)]
        changes = (change for sentence in short for change in _changes(sentence))
        self._changes = list(islice(changes, _MOST_TOLD))
        former = (_told(sentence) for sentence in short if _FORMER.search(sentence))
        self._former = list(islice(former, _MOST_TOLD))
        current = (_told(text) for text in short if _CURRENT.search(text) and not _FORMER.search(text))
        self._current = list(islice(current, _MOST_TOLD))

    def __bool__(self) -> bool:
        return bool(self._pairs or self._lists or self._changes or self._former)

    def difference(self, sentence: str) -> str | None:
        """Return why a sentence of an answer differs from the source in what comes first, or in what holds now."""
        if len(sentence) > LONGEST or negated(sentence):
            return None
        pairs = [] if _UNTIL.search(sentence) else list(_pairs(sentence))
        if any(self._told_in_reverse(pair) for pair in pairs):
            return "the source has the other order"
        return self._outdated(_told(sentence)) if _of_now(sentence) else None

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
        if _of_now(sentence) and (now := self._holding(_told(_CURRENT.sub(" ", sentence)))) is not None:
            return now
        pairs = list(_pairs(sentence))
        whole = (_named(pairs, steps) for steps in self._lists if pairs)
        return next((words for words in whole if words is not None), None)

    def _told_in_reverse(self, pair: _Events) -> bool:
        """Return whether the source puts two events in the other order."""
        for told in self._pairs:
            across = len(pair.earlier & told.later), len(pair.later & told.earlier)
            along = len(pair.earlier & told.earlier) + len(pair.later & told.later)
            enough = 3 * across[0] >= 2 * len(pair.earlier) and 3 * across[1] >= 2 * len(pair.later)
            if enough and min(across) and sum(across) > along:
                return True
        for steps in self._lists:
            first, then = (_place(event, steps) for event in pair)
            if first is not None and then is not None and first > then:
                return True
        return False

    def _holding(self, said: _Told) -> str | None:
        """Return what the source says of now, where a sentence says the same, and the past has another number."""
        words = said.stems - _digits(said.stems)
        others = [told for told in self._former if told.numbers and not said.numbers & told.numbers]
        if not said.numbers or not any(words <= told.stems for told in others):
            return None
        holding = (now for now in self._current if said.stems <= now.stems and said.numbers <= now.numbers)
        return next((now.text.strip() for now in holding), None)

    def _outdated(self, said: _Told) -> str | None:
        """Return why a sentence says of now what the source says of the past; None if it does not."""
        for change in self._changes:
            about = (said.stems - change.gone) & change.about
            if change.gone <= said.stems and not change.there & said.stems and about:
                return f"the source has a change to {change.now}"
        for former in self._former:
            numbers = said.numbers & former.numbers
            for now in self._current if numbers else ():
                about = said.stems & former.stems & now.stems - former.numbers - now.numbers
                if about and not numbers & now.numbers:
                    return f"the source says so of the past, and now: {now.text.strip()}"
        return None


def _told(sentence: str) -> _Told:
    return _Told(sentence, stems_and_numbers(sentence), frozenset(_NUMBER.findall(sentence)))


def _of_now(sentence: str) -> bool:
    """Return whether a sentence says something of now, and nothing of the past."""
    return _PRESENT.search(sentence) is not None and _PAST.search(sentence) is None


def _changes(sentence: str) -> Iterator[_Change]:
    """Yield what a sentence says has changed from one thing to another."""
    for change in _CHANGED.finditer(sentence):
        old, new = stems_and_numbers(change["old"]), stems_and_numbers(change["new"])
        gone, there = old - new, new - old
        if _digits(gone) and _digits(there):  # "from 4 to 5 euros": the unit is of both
            gone, there = _digits(gone), _digits(there)
        if gone and there:
            yield _Change(gone, there, stems_and_numbers(sentence) - gone - there, change["new"].strip())


def _pairs(sentence: str) -> Iterator[_Events]:
    """Yield the events of a sentence that it puts in an order."""
    said = _FIRST.sub("", sentence.strip())
    if (leading := _LEADING.match(said)) is not None:
        first, second = leading["one"], leading["other"]
        yield from _distinct(second, first) if leading["word"].lower() == "before" else _distinct(first, second)
        return
    links = list(_CONNECTED.finditer(said))
    kinds = {link.lastgroup for link in links}
    if len(kinds) != 1 or (len(links) > 1 and kinds != {"then"}):
        return
    ends = [0, *(at for link in links for at in link.span()), len(said)]
    parts = [said[begin:end] for begin, end in zip(ends[::2], ends[1::2], strict=True)]
    for first, second in pairwise(parts):
        yield from _distinct(second, first) if kinds == {"after"} else _distinct(first, second)


def _distinct(earlier: str, later: str) -> Iterator[_Events]:
    """Yield two events by what only the one of them has, where each has enough words."""
    first, second = stems_and_numbers(earlier), stems_and_numbers(later)
    pair = _Events(first - second, second - first)
    if min(len(event - _digits(event)) for event in pair) >= _WORDS:
        yield pair


def _steps(text: str) -> list[str]:
    """Return the steps of a text that numbers them, or begins sentences with "then" and such words."""
    marks = list(_STEP.finditer(text))
    if len(marks) > 1 and all(int(mark["number"]) == at for at, mark in enumerate(marks, 1)):
        ends = [*(mark.start() for mark in marks[1:]), len(text)]
        return [text[mark.end() : end] for mark, end in zip(marks, ends, strict=True)]
    parts = list(sentences(text))
    if sum(_NEXT.match(part) is not None for part in parts) < 2:
        return []
    return [_NEXT.sub("", part) for part in parts]


_Steps: TypeAlias = Sequence[tuple[str, frozenset[str]]]
"""Steps of a list, each with the stems of its words"""


def _named(pairs: Sequence[_Events], steps: _Steps) -> str | None:
    """Return the steps that pairs of events name whole and in their order; None where they do not."""
    named: list[int] = []
    for pair in pairs:
        first, then = (_place(event, steps) for event in pair)
        if first is None or then is None or first >= then:
            return None
        if not (pair.earlier <= steps[first][1] and pair.later <= steps[then][1]):
            return None
        named += [first, then]
    return " ".join(steps[at][0].strip() for at in dict.fromkeys(named))


def _place(event: frozenset[str], steps: _Steps) -> int | None:
    """Return the step that has most of an event; None where it has under two thirds, or another step has as much."""
    shared = [len(event & stems) for _, stems in steps]
    most = max(shared)
    return shared.index(most) if 3 * most >= 2 * len(event) and shared.count(most) == 1 else None


def _digits(stems: frozenset[str]) -> frozenset[str]:
    return frozenset(stem for stem in stems if stem[0].isdigit())
