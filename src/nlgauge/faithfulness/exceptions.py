"""Exceptions that a source makes, and the statements that follow about the exception and about all others.

"Every room but the kitchen has been painted" excludes that the kitchen has been painted. From "All but two of the
twelve players were injured" it follows that ten were.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from nlgauge.engine.english import is_stopword
from nlgauge.faithfulness.dates import WEEKDAYS
from nlgauge.faithfulness.quantities import quantities
from nlgauge.faithfulness.statements import is_verb
from nlgauge.faithfulness.stems import LONGEST, WORD, Derived, Sentence, negated, opposed, stem_of, stems_in

_MARKER = r"(?:except(?:ing)?(?: for)?|apart from|aside from|other than|save for|excluding|with the exception of)"
_ALL = (
    r"(?P<all>everyone|everybody|everything|everywhere|all|every|each|anyone|anybody|any|always|daily"
    r"|the (?:whole|entire))"
)
_NONE = r"(?P<none>none|no one|nobody|nothing|nowhere|no)"
_BUT = r"(?<=everyone )but|(?<=everybody )but|(?<=everything )but|(?<=nobody )but|(?<=no one )but|(?<=none )but"
_EXCEPTION = re.compile(
    rf"\b(?:{_ALL}|{_NONE})\b[^.;:!?]{{0,150}}?,?\s\(?(?P<marker>{_MARKER}|{_BUT})\s(?P<rest>[^.;:!?)]+)", re.IGNORECASE
)
"""An exception, as in "everyone except Ann came". The group `rest` begins with what is excepted, and may go on with the
predicate"""
_NAMED_BUT = re.compile(
    rf"\b(?:{_ALL}|{_NONE})\b(?: of)?(?: (?:the|our|my|his|her|its|their))?(?P<named>(?: [\w'’-]+){{1,2}})"
    r" (?P<marker>but) (?P<rest>(?:the |an? )?[^\W\d][^.;:!?)]*)",
    re.IGNORECASE,
)
"""An exception with "but", as in "none of the samples but sample C" """
_FIRST = re.compile(
    rf"\W*(?P<marker>{_MARKER}|but for|(?P<unlike>unlike))\s(?P<thing>[^,.;:!?]{{1,80}}),\s(?P<rest>[^.;!?]+)",
    re.IGNORECASE,
)
"""An exception that begins a sentence, as in "apart from the kitchen, every room has been painted" """
_ALL_BUT = re.compile(
    r"\ball but (?P<numbers>[\w-]{1,12}(?: of (?:the |its |their |our )?[\w-]{1,12}(?= \w))?)"
    r"(?P<rest>\s[^.;:!?]+)",
    re.IGNORECASE,
)
"""An exception of a number of things, as in "all but two of the twelve players were injured" """
_DAYS = frozenset(stem_of(day.lower()) for day in WEEKDAYS)
_AUXILIARY = frozenset(
    ["is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "may", "must", "will", "should"]
)


def excepts(text: str) -> re.Match[str] | None:
    """Return the words by which a sentence makes an exception, such as "all but one".

    Args:
        text: a sentence.

    Returns:
        The match, or None where there is no exception. The group `rest` begins with the exception, and may go on with
        the predicate of all others.
    """
    if (named := _EXCEPTION.search(text)) is not None:
        return named
    named = _NAMED_BUT.search(text)
    if named is None or any(map(_verbal, WORD.findall(named["named"]))):
        return None  # "no lift is free but the stairs are"
    return named


class _Exception(NamedTuple):
    """An exception that a sentence makes."""

    text: str
    shown: str
    excepted: frozenset[str]
    """The stems of the exception"""
    predicate: Mapping[str, str]
    """The words of what the sentence says of all others, such as "painted" in "all but one are painted", by stem"""
    denied: bool
    """Whether the sentence denies the predicate of the exception, and says it of all others"""


class Exceptions:
    """The exceptions that a source makes.

    Args:
        sentences: the sentences of the source.
    """

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self._made = [frame for sentence in sentences if (frame := _exception_of(sentence.text)) is not None]

    def __bool__(self) -> bool:
        return bool(self._made)

    def of(self, sentence: Sentence) -> Derived | None:
        """Return whether a statement about an exception or about all others follows; None for other statements."""
        if len(sentence.negations) > 1:
            return None
        if (mine := _exception_of(sentence.text)) is not None:
            return self._same(mine)
        if excepts(sentence.text) is not None:
            return None
        said = sentence.stems
        for exception in self._made:
            days = said & _DAYS - exception.excepted if exception.excepted <= _DAYS else frozenset()
            excepted = exception.excepted <= said
            rest = said - exception.excepted - days
            if not exception.excepted or not (excepted or days) or not rest:
                continue
            turned = {stem_of(word) for word in opposed(exception.predicate)}
            if not rest <= exception.predicate.keys() | turned:
                continue
            negative = sentence.negated != bool(rest & turned - exception.predicate.keys())
            denied = exception.denied == excepted  # the others are as the sentence says of all
            return Derived(denied == negative, exception.text.strip(), f"the source has “{exception.shown}”", True)
        return None

    def _same(self, mine: _Exception) -> Derived | None:
        """Return whether a statement makes the same exception as the source; None if the predicates differ.

        Args:
            mine: the exception of the statement.
        """
        for exception in self._made:
            if mine.predicate.keys() == exception.predicate.keys() and mine.denied == exception.denied:
                same_thing = mine.excepted == exception.excepted
                return Derived(same_thing, exception.text.strip(), f"the source has “{exception.shown}”", True)
        return None


class CountedExceptions:
    """The sentences of a source that count their exceptions, as in "all but two of the twelve".

    Args:
        sentences: the sentences of the source.
    """

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self._counted = [
            (sentence, match) for sentence in sentences if (match := _ALL_BUT.search(sentence.text)) is not None
        ]

    def __bool__(self) -> bool:
        return bool(self._counted)

    def of(self, sentence: Sentence) -> Derived | None:
        """Return whether a statement with a single number follows from a counted exception, or is excluded by one.

        Args:
            sentence: the statement.

        Returns:
            Whether the statement follows or is excluded; None where neither is certain.
        """
        said = sentence.quantities
        if len(said) != 1 or said[0].kind != "count":
            return None
        for source, frame in self._counted:
            numbers = [quantity.written for quantity in quantities(frame["numbers"]) if quantity.kind == "count"]
            theirs = stems_in(frame["rest"])
            others = stems_in(sentence.text[: said[0].begin] + sentence.text[said[0].end :])
            if not 1 <= len(numbers) <= 2 or not others <= theirs:
                continue
            if sentence.negated != negated(frame["rest"]):
                right = said[0].written == numbers[0]
            elif len(numbers) == 2:
                right = said[0].written == numbers[1] - numbers[0]
            else:
                continue
            return Derived(right, source.text.strip(), f"the source has “{frame.group().strip()}”", True)
        return None


def _exception_of(source: str) -> _Exception | None:
    """Return the exception that a sentence makes; None where it makes none, or where it is not certain."""
    if len(source) > LONGEST:
        return None
    if (frame := _FIRST.match(source)) is not None:
        return _fronted(source, frame)
    if (frame := excepts(source)) is None:
        return None
    rest = frame["rest"]
    words = rest.split()
    names = [word.lower().strip(",()") for word in words]
    before = source[: frame.start("marker")]
    if not any(map(_verbal, WORD.findall(before))):
        at = next((n for n in range(1, len(names)) if _verbal(names[n])), None)
        if at is None:
            return None
        thing, said = " ".join(words[:at]), " ".join(words[at:])
    else:
        thing, said = re.split(r",|\s(?:and|but|which|who|that|because|when)\s", rest)[0], before
    predicate = _predicate(said)
    around = source[: frame.start()] + source[frame.end() :] + " ".join(predicate.values())
    denied = bool(frame["all"]) != negated(around)
    return _Exception(
        text=source, shown=frame.group().strip(), excepted=stems_in(thing), predicate=predicate, denied=denied
    )


def _fronted(source: str, frame: re.Match[str]) -> _Exception | None:
    """Return the exception at the beginning of a sentence, as in "Apart from the kitchen, every room is painted"."""
    said = frame["rest"]
    if frame["unlike"]:
        words = said.split()
        at = next((n for n, word in enumerate(words) if n and _verbal(word.strip(","))), None)
        if at is None:
            return None
        said, denied = " ".join(words[at:]), not negated(said)
    else:
        everyone = re.search(rf"\b{_ALL}\b", said, re.IGNORECASE) is not None
        nobody = re.search(rf"\b{_NONE}\b", said, re.IGNORECASE) is not None
        if everyone == nobody:
            return None  # "apart from tea" may add tea to the others
        denied = everyone and not negated(said)
    return _Exception(
        text=source,
        shown=f"{frame['marker']} {frame['thing']}",
        excepted=stems_in(frame["thing"]),
        predicate=_predicate(said),
        denied=denied,
    )


def _predicate(said: str) -> Mapping[str, str]:
    words = {stem_of(word.lower()): word.lower() for word in WORD.findall(said) if not is_stopword(word)}
    return {stem: word for stem, word in words.items() if word not in _UNIVERSAL and word not in _MARKERS}


_UNIVERSAL = frozenset(
    [
        "every",
        "all",
        "each",
        "whole",
        "entire",
        "day",
        "days",
        "daily",
        "always",
        "area",
        "areas",
        "anyone",
        "anybody",
        "everyone",
        "everybody",
        "nobody",
    ]
)


def _verbal(word: str) -> bool:
    """Return whether a word is plainly a verb."""
    word = word.lower()
    return word in _AUXILIARY or is_verb(word) or (word.endswith("s") and is_verb(word[:-1]))


_MARKERS = frozenset(["except", "apart", "aside", "save", "excluding", "exception", "besides", "excepting"])
