"""Wrong order of events, and facts that no longer hold, in sentences that have the words of their source.

"Change the bulb before unplugging the lamp" has the words of a source that says the reverse. "The talk is in Room 3"
has the words of "The talk was moved from Room 3 to Room 8". A model that reads words sees neither difference. The rules
here know some frames of English, and say nothing about all others.
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
"""Words between two events. Before `after` stands the later event, before the others the earlier one"""
_LEADING = re.compile(r"(?P<word>before|after)\s+(?P<one>[^,;]+),\s*(?P<other>.+)", re.IGNORECASE | re.DOTALL)
_UNTIL = re.compile(r"\buntil\b", re.IGNORECASE)
"""A word that may turn the order of two events, so that a sentence with it is not compared"""
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
"""The fewest words of an event. A single word has too many places in a source"""
_MOST_TOLD = 60
"""The most sentences of a source about the past, about now and about a change, and the most lists, and steps of each"""
_MOST_PAIRS = 200
"""The most pairs of events of a source that are compared"""


class _Events(NamedTuple):
    """Two events in the order of time, each as the stems of its words."""

    earlier: frozenset[str]
    later: frozenset[str]


class _Told(NamedTuple):
    """A sentence, with the stems of its words and its numbers as they are written."""

    text: str
    stems: frozenset[str]
    numbers: frozenset[str]


class _Change(NamedTuple):
    """A change that a sentence tells, as in "was moved from Room 3 to Room 8"."""

    gone: frozenset[str]
    """The stems that only the old state has"""
    there: frozenset[str]
    """The stems that only the new state has"""
    about: frozenset[str]
    """The stems of the rest of the sentence"""
    now: str
    """The words of the new state"""


class OrderedSource:
    """A source, prepared for the rules of order.

    To bound the time, only the first sentences with each sort of order or change are used.

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
        """Return why a sentence differs from the source in the order of events, or in what holds now; None if not."""
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
            For a sentence that names steps of a list in their order, these steps. For a sentence about now, the
            sentence of the source about now that has its words and numbers, if the source also has another number for
            the past. None for all other sentences.
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
        """Return whether the source has two events in the reverse order."""
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
        """Return the source's sentence about now from which a statement about now follows; None if there is none.

        The source must also have a sentence about the past with the same words and other numbers.

        Args:
            said: the statement.
        """
        words = said.stems - _digits(said.stems)
        others = [told for told in self._former if told.numbers and not said.numbers & told.numbers]
        if not said.numbers or not any(words <= told.stems for told in others):
            return None
        holding = (now for now in self._current if said.stems <= now.stems and said.numbers <= now.numbers)
        return next((now.text.strip() for now in holding), None)

    def _outdated(self, said: _Told) -> str | None:
        """Return why a sentence is outdated: it says of now what the source says of the past; None if it is not."""
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
    """Return whether a sentence is about now, and not about the past."""
    return _PRESENT.search(sentence) is not None and _PAST.search(sentence) is None


def _changes(sentence: str) -> Iterator[_Change]:
    """Yield the changes from an old state to a new one that a sentence tells."""
    for change in _CHANGED.finditer(sentence):
        old, new = stems_and_numbers(change["old"]), stems_and_numbers(change["new"])
        gone, there = old - new, new - old
        if _digits(gone) and _digits(there):  # "from 4 to 5 euros": the unit is of both
            gone, there = _digits(gone), _digits(there)
        if gone and there:
            yield _Change(gone, there, stems_and_numbers(sentence) - gone - there, change["new"].strip())


def _pairs(sentence: str) -> Iterator[_Events]:
    """Yield the pairs of events that a sentence puts in an order."""
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
    """Yield two events, each by the stems that the other lacks; nothing where one of them then has too few words."""
    first, second = stems_and_numbers(earlier), stems_and_numbers(later)
    pair = _Events(first - second, second - first)
    if min(len(event - _digits(event)) for event in pair) >= _WORDS:
        yield pair


def _steps(text: str) -> list[str]:
    """Return the steps of a text: its numbered items, or sentences with "first", "then"; empty where it lists none."""
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
    """Return the text of the steps named by pairs of events; None if a pair is not two steps in their order."""
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
    """Return the index of the step that has most stems of an event; None under two thirds of them, or for a tie."""
    shared = [len(event & stems) for _, stems in steps]
    most = max(shared)
    return shared.index(most) if 3 * most >= 2 * len(event) and shared.count(most) == 1 else None


def _digits(stems: frozenset[str]) -> frozenset[str]:
    return frozenset(stem for stem in stems if stem[0].isdigit())
