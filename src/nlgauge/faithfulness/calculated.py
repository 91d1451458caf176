"""Numbers and orders that a statement derives from the numbers of its source.

A word of the statement names the calculation: a total ("altogether"), a difference ("five years older than", "rose
by"), a span ("lasted", "at the age of"), a share, an average, or the first and last of an order ("the cheapest"). It is
done with the numbers of neighbouring sentences that have the statement's words. The statement follows if a result is
its number. It is excluded if there is a single way to calculate, and the result is another one.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence, Set
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from nlgauge.faithfulness.measures import Quantity
from nlgauge.faithfulness.quantities import quantities, same
from nlgauge.faithfulness.stems import GENERAL, LONGEST, WORD, negated, plain, stem_of, stems_in


class Derived(NamedTuple):
    """What a source says of a statement."""

    follows: bool
    """Whether the statement follows; else the source excludes it"""
    words: str
    """The words of the source from which that is certain"""
    reason: str
    sure: bool = False
    """Whether the frame leaves no doubt"""


_MOST_NUMBERS = 12
"""Numbers of a passage among which one is calculated"""
_TOLD = 0.6
"""The share of a statement's words that the sentences with its numbers must have"""
_SHORT_SOURCE = 40
"""Sentences of a source that is read as one list"""
_MOST_PASSAGES = 60
"""Passages with which a statement is compared"""
_SENTENCES = 3
"""Neighbouring sentences that are taken together"""
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
_MAY_COUNT = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|hundred|thousand|dozen|half"
    r"|noon|midnight)\b",
    re.IGNORECASE,
)
"""Without any of these, a sentence has no number with which one calculates"""
_CLAUSE = re.compile(r"[,;.:!?]\s|\n|\s(?:and|while|whereas|but|by)\s")
_TOTAL = re.compile(
    r"\b(?:in total|altogether|(?:a|the) (?:grand )?total(?: (?:of|is|was|price|cost|number))*|combined"
    r"|in all|all in all|together|in sum|the sum(?: of)?)\b",
    re.IGNORECASE,
)
_AVERAGE = re.compile(
    r"\b(?:on average|averaged|averages|(?:the|an) (?:average|mean)(?: [\w'’-]+){0,2} (?:of|is|was|are|were))\b",
    re.IGNORECASE,
)
_MORE_THAN = "older longer heavier taller deeper dearer faster higher wider larger bigger more later hotter warmer"
_LESS_THAN = "younger shorter lighter cheaper slower lower narrower smaller fewer less earlier colder cooler"
_THAN = re.compile(
    rf"\b(?P<how>(?:more|less) (?:expensive|costly)|{'|'.join(f'{_MORE_THAN} {_LESS_THAN}'.split())})\b"
    r"[^.;]{0,60}?\bthan\b",
    re.IGNORECASE,
)
_ROSE = re.compile(
    r"\b(?P<rose>(?:rose|rises?|risen|grew|grows?|grown|increased?s?|gain(?:s|ed)?|climb(?:s|ed)?|went up|added)"
    r"(?: by)?)\b|\b(?P<fell>(?:fell|falls?|fallen|declined?s?|decreased?s?|drop(?:s|ped)?|shr[aiu]nk|sank|went down"
    r"|lost|loses)(?: by)?)\b|\b(?P<apart>a difference of|difference (?:is|was)|differ by)\b",
    re.IGNORECASE,
)
_WON = re.compile(
    r"\b(?P<won>won|wins|ahead|leads?|led)\b[^.;]{0,40}\bby\b|\b(?P<lost>lost|loses|behind)\b[^.;]{0,40}\bby\b",
    re.IGNORECASE,
)
_SCORE = re.compile(
    r"(?P<winner>[^.;,]{1,60}?)\s(?:beat|defeated|won against)\s(?P<loser>[^.;,\d]{1,60}?)[,]?\s(?:by )?\(?"
    r"(?P<first>\d{1,3})\s?(?:to|-|–|:)\s?(?P<second>\d{1,3})\b"
)
_SPAN = re.compile(
    r"\b(?:last(?:s|ed)|takes?|took|runs? for|ran for|goes on for|went on for|stood|existed|lived"
    r"|survived|reigned|ruled|spanned|served|was open for|is open for|stayed|stays)\b",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"\b(?:about|around|roughly|nearly|almost|approximately|some|over|under|more than|less than|fewer than|at least"
    r"|at most|up to|close to|only)\s+[$£€]?$",
    re.IGNORECASE,
)
_OF_WHOLE = re.compile(
    r"\s?(?:of|out of)\s(?:the |its |all |their |a total of )?$|\bof (?:the |its |all )?$", re.IGNORECASE
)
_GIVEN = frozenset(
    ["average", "times", "exactly", "just", "three", "all", "list", "others", "result", "number", "amount"]
)
_CUES = frozenset(
    stem_of(word)
    for word in (
        *("expensive", "costly", "averaged", "mean", "sum", "age", "aged", "old", "year", "turned", "difference"),
        *("point", "share", "percent", "cost", "price", "paid", "pay", "least", "apart", "change"),
        *("journey", "trip", "crossing", "flight", "ride", "drive"),
        *_GIVEN,
    )
)
"""Stems of words that name a calculation or a unit, and no thing of their own"""
_ASKING = frozenset(map(stem_of, ("many", "much", "long", "old", "far", "often", "big", "tell", "know")))
_MONEY, _LENGTH = frozenset({"money"}), frozenset({"length"})
_TIME = frozenset({"duration", "months"})
_AGES = frozenset({"months", "count"})
_COUNTS = frozenset({"area", "count", "volume", "bytes"})
_ORDERS: tuple[tuple[frozenset[str], Set[str], Set[str]], ...] = (
    (_MONEY, {"cheapest", "least expensive", "cheaper", "less expensive"}, {"most expensive", "dearest", "priciest"}),
    (_MONEY, set(), {"costliest", "dearer", "more expensive"}),
    (_LENGTH | _TIME, {"shortest", "shorter"}, {"longest", "longer"}),
    (_LENGTH, {"lowest", "nearest", "lower", "nearer"}, {"tallest", "highest", "deepest", "widest", "farthest"}),
    (_LENGTH, set(), {"taller", "higher", "deeper", "wider"}),
    (frozenset({"mass"}), {"lightest", "lighter"}, {"heaviest", "heavier"}),
    (_AGES, {"youngest", "younger"}, {"oldest", "older"}),
    (
        frozenset({"temperature"}),
        {"coldest", "coolest", "colder", "cooler"},
        {"hottest", "warmest", "hotter", "warmer"},
    ),
    (_COUNTS, {"smallest", "smaller"}, {"largest", "biggest", "larger", "bigger"}),
    (frozenset({"speed"}), {"slowest", "slower"}, {"fastest", "faster"}),
    (_TIME, {"fastest", "quickest", "faster", "quicker"}, {"slowest", "slower"}),
)
"""For words of an order: the kinds of numbers, the words for the least one, and for the greatest"""
_ORDERED = sorted({word for _, low, high in _ORDERS for word in low | high}, key=len, reverse=True)
_ORDER = re.compile(rf"\b(?:{'|'.join(_ORDERED)})\b", re.IGNORECASE)
_MOST_OF = re.compile(
    r"\b(?:cost|costs|weighs?|takes?) the (?P<cost>most|least)\b"
    r"|\bthe (?P<many>most|fewest) (?!expensive|costly)(?P<of>\w+)",
    re.IGNORECASE,
)
_OF_ALL = re.compile(
    r"(?<=est) of (?:all )?(?:the )?(?:two|three|four|five|six|seven|eight|nine|ten|\d{1,2})\b", re.IGNORECASE
)
"""The cheapest of the three"""
_COST_KINDS = {"cost": _MONEY, "weigh": frozenset({"mass"}), "take": _TIME}


class _Operand(NamedTuple):
    """A number of a passage, with which one calculates."""

    begin: int
    end: int
    kind: str
    """That of the quantity, 'year', or 'day' of a date"""
    unit: str
    value: float
    """In the kind's base unit"""
    written: float
    own: frozenset[str]
    """The stems of its clause"""
    noun: str
    """The stem of the word that it counts"""


_TAKEN = frozenset(["months", "money", "length", "mass", "duration"])
"""Kinds whose unit a later number may take"""


class _Sentence:
    """A sentence of a source."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def stems(self) -> frozenset[str]:
        return stems_in(self.text)

    @cached_property
    def quantities(self) -> Sequence[Quantity]:
        return quantities(self.text) if len(self.text) <= LONGEST else []

    @cached_property
    def operands(self) -> Sequence[_Operand]:
        return _operands(self.text, self.quantities)


class Passage:
    """Neighbouring sentences with numbers."""

    def __init__(self, sentences: Sequence[_Sentence]) -> None:
        self._sentences = sentences

    @cached_property
    def text(self) -> str:
        """Its characters."""
        return "".join(one.text for one in self._sentences)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of its words."""
        return frozenset().union(*(one.stems for one in self._sentences))

    @cached_property
    def quantities(self) -> Sequence[Quantity]:
        """Its quantities, at their places in the sentences."""
        return [one for sentence in self._sentences for one in sentence.quantities]

    @cached_property
    def operands(self) -> Sequence[_Operand]:
        """Its numbers, each once for each place."""
        at, numbers = 0, []
        for sentence in self._sentences:
            numbers += [one._replace(begin=at + one.begin, end=at + one.end) for one in sentence.operands]
            at += len(sentence.text)
        for number in range(1, len(numbers)):
            last, one = numbers[number - 1 : number + 1]
            if one.kind == "count" and not one.noun and last.kind in _TAKEN and last.written:
                # "Lina is 8 years old, Omar is 11": a number takes the unit of the one before it.
                value = one.written * last.value / last.written
                numbers[number] = one._replace(kind=last.kind, unit=last.unit, value=value)
        return numbers

    @property
    def sentences(self) -> int:
        """How many there are."""
        return len(self._sentences)

    def of(self, kind: str) -> list[_Operand]:
        """Return its numbers of a kind."""
        return [one for one in self.operands if one.kind == kind]

    @cached_property
    def own(self) -> Sequence[frozenset[str]]:
        """For each number, the stems of its clause that not all clauses have."""
        common = frozenset.intersection(*(one.own for one in self.operands)) if self.operands else frozenset()
        return [one.own - common for one in self.operands]


class Passages:
    """The passages of a source, found by their words."""

    def __init__(self, sentences: Sequence[str]) -> None:
        """Take up to three neighbouring sentences that have numbers in the first and in the last one."""
        read = [_Sentence(one) for one in sentences]
        numbered = [_MAY_COUNT.search(one) is not None for one in sentences]
        self._sentences = read
        self._all = [
            Passage(read[at : at + size])
            for size in range(1, _SENTENCES + 1)
            for at in range(len(sentences) - size + 1)
            if numbered[at] and numbered[at + size - 1]
        ]

    @cached_property
    def _whole(self) -> Sequence[Passage]:
        return [Passage(self._sentences)] if 1 < len(self._sentences) <= _SHORT_SOURCE else []

    def lists(self, stems: Set[str]) -> list[Passage]:
        """Return the sentences that have some stems, and the whole source if it is short: a thing is first of these."""
        return [*(one for one in self.near(stems) if one.sentences == 1), *self._whole]

    @cached_property
    def _holders(self) -> dict[str, list[int]]:
        """The passages that have a stem, by number."""
        found: dict[str, list[int]] = {}
        for number, passage in enumerate(self._all):
            for stem in passage.stems:
                found.setdefault(stem, []).append(number)
        return found

    def near(self, stems: Set[str]) -> list[Passage]:
        """Return the passages that have the rarest of some stems, short ones first, as far as these can be told apart.

        Args:
            stems: those of a statement; without any, a pronoun says what it is about.

        Returns:
            Not more than a few tens.
        """
        held = sorted((self._holders[stem] for stem in stems if stem in self._holders), key=len)
        if not held:
            return self._all if len(self._all) <= 2 * _SENTENCES else []
        # A passage has most of the stems, and so one of the rarer ones.
        some = {number for numbers in held[: (len(stems) + 1) // 2] for number in numbers[:_MOST_PASSAGES]}
        return [self._all[number] for number in sorted(some)[:_MOST_PASSAGES]]


def _operands(text: str, found: Sequence[Quantity]) -> list[_Operand]:
    ends = [0, *(match.end() for match in _CLAUSE.finditer(text)), len(text)]
    clauses = [(begin, end) for begin, end in pairwise(ends) if end > begin]
    numbers: list[_Operand] = []
    last: _Operand | None = None
    for one in found:
        kind, value = _numbered(text, one)
        if value is None:
            continue
        begin, end = next((begin, end) for begin, end in clauses if begin <= one.begin < end)
        own = stems_in(_blank(text, found, begin, end))
        if not own:  # "of 60 euros" behind its thing: the clause before it
            own = stems_in(_blank(text, found, last.end if last else 0, end))
        after = [stem_of(match.group().lower()) for match in WORD.finditer(text, one.end, min(end, one.end + 40))]
        noun = next(iter([stem for stem in after if stem in own][:1]), "")
        unit = one.unit if one.kind == "money" else ""
        operand = _Operand(
            begin=one.begin,
            end=one.end,
            kind=kind,
            unit=unit,
            value=value,
            written=one.written,
            own=own,
            noun=noun,
        )
        numbers.append(operand)
        last = operand
    return numbers


def _numbered(text: str, one: Quantity) -> tuple[str, float | None]:
    """Return the kind under which a quantity is an operand, and its number; None for what is none."""
    if one.kind == "date":
        year, month, day = one.value
        if day is None or month is None:
            return "date", None
        try:
            return "day", float(datetime.date(int(year or 2001), int(month), int(day)).toordinal())
        except ValueError:  # 31 June
            return "day", None
    if (one.weak and one.kind != "clock") or len(one.value) != 1 or one.value[0] is None or one.kind == "ordinal":
        return one.kind, None
    if one.kind == "count" and _YEAR.fullmatch(text, one.begin, one.end):
        return "year", one.value[0]
    return one.kind, one.value[0]


def _blank(text: str, found: Sequence[Quantity], begin: int, end: int) -> str:
    """Return a part of a text without its quantities."""
    parts, at = [], begin
    for one in found:
        if begin <= one.begin < end and one.kind not in ("date", "weekday", "ordinal"):
            parts.append(text[at : one.begin])
            at = max(at, one.end)
    return " ".join([*parts, text[at:end]])


_CUE_WORDS = re.compile(
    rf"\b(?:won|wins|ahead|leads?|led|lost|loses|behind|by|than|expensive|costly"
    rf"|{'|'.join(f'{_MORE_THAN} {_LESS_THAN}'.split())})\b",
    re.IGNORECASE,
)


class _Statement:
    """A statement that may be calculated."""

    def __init__(self, text: str, question: str) -> None:
        self.text = text
        self.found = quantities(text)
        self.numbers = [one for one in self.found if _counts(one)]
        blank = _blank(text, self.found, 0, len(text))
        self.names = frozenset(stem_of(match.group().lower()) for match in WORD.finditer(text) if _is_name(text, match))
        for pattern in (_TOTAL, _AVERAGE, _ROSE, _SPAN, _ORDER, _MOST_OF):
            blank = pattern.sub(" ", blank)
        blank = _THAN.sub(_apart_of, _WON.sub(_apart_of, blank))
        self.stems = stems_in(blank) - GENERAL - _CUES
        self.asked = stems_in(question[-LONGEST:]) - GENERAL - _CUES - _ASKING
        self.negated = negated(text)

    def told_by(self, passage: Passage) -> float:
        """Return the share of its words that a passage or the question has; 0 if a name is in neither."""
        if not self.stems:
            return 1.0
        if (self.names & self.stems) - passage.stems:
            return 0.0
        return 1 - len(self.stems - passage.stems - self.asked) / len(self.stems)


def _apart_of(match: re.Match[str]) -> str:
    """Return what a cue has between its words."""
    return _CUE_WORDS.sub(" ", match.group())


def _things(text: str) -> frozenset[str]:
    """Return the stems of the words that name things."""
    return stems_in(_CUE_WORDS.sub(" ", text)) - GENERAL - _CUES


def _is_name(text: str, match: re.Match[str]) -> bool:
    return match.start() > 0 and match.group()[0].isupper() and text[: match.start()].rstrip()[-1:] not in ".!?:"


def _counts(one: Quantity) -> bool:
    return (
        (not one.weak or one.kind in ("percent", "months", "duration"))
        and len(one.value) == 1
        and one.kind
        not in (
            "ordinal",
            "clock",
            "weekday",
        )
    )


class _Result(NamedTuple):
    """What a calculation gives."""

    made: float
    """In the unit of the statement's number"""
    shown: str
    single: bool
    """Whether there is no other way to calculate it"""
    near: float = 0.0
    """A difference up to which the number is the same"""
    turned: bool = False
    """Whether the statement has the direction wrong"""


def calculated(statement: str, question: str, source: Passages) -> Derived | None:
    """Return whether a statement follows from numbers of a source, or is excluded by them.

    Args:
        statement: a sentence.
        question: the question that it answers.
        source: its passages.

    Returns:
        Whether it follows, and from which words; None where that is not certain.
    """
    statement = _OF_ALL.sub("", statement)
    ordered = _ORDER.search(statement) or _MOST_OF.search(statement)
    number = _may_calculate(statement)
    if not (ordered or number):
        return None
    said = _Statement(statement, question)
    read = source.near(said.stems)
    if ordered and not plain(said.found) and not said.negated:
        return _ordered(said, read if _THAN.search(statement) else source.lists(said.stems))
    if not said.numbers:
        return None
    excluded: Derived | None = None
    adds = _TOTAL.search(statement) is not None or _AVERAGE.search(statement) is not None
    wider = False
    for passage in reversed(read) if adds else read:
        if (told := said.told_by(passage)) < _TOLD or not 1 <= len(passage.operands) <= _MOST_NUMBERS:
            continue
        target = _target(said, passage)
        if target is None or _BOUND.search(statement[: target.begin]):
            continue
        if wider and passage.sentences > 1:
            continue  # the sentence beside it may have a number more
        results = list(_results(said, target, passage))
        wider = wider or (adds and bool(results))
        mine = statement[target.begin : target.end]
        for one in results:
            if _equals(one, target) and not one.turned:
                return Derived(True, passage.text.strip(), f"{mine} is {one.shown}")
        given = any(same(target, other) for other in passage.quantities)
        if excluded is None and not given and told == 1 and len(results) == 1 and results[0].single:
            (one,) = results
            excluded = Derived(False, passage.text.strip(), f"{mine}: the source has {one.shown}")
    return excluded


def _may_calculate(text: str) -> bool:
    return any(
        pattern.search(text) for pattern in (_TOTAL, _AVERAGE, _THAN, _ROSE, _WON, _SPAN, _SHARE_SAID, _AGE_SAID)
    )


_SHARE_SAID = re.compile(
    r"%|\bper ?cent\b|\b(?:half|quarters?|thirds?|fifths?|tenths?|(?:in|out of) (?:two|three|four|five|ten|\d+))\b"
    r"|\b(?:not|n't|n’t|no)\b",
    re.IGNORECASE,
)
_AGE_SAID = re.compile(r"\b(?:age|aged|turn(?:s|ed)|lived to|years? old)\b", re.IGNORECASE)


def _target(said: _Statement, passage: Passage) -> Quantity | None:
    """Return the number of a statement that may be calculated: the one that the passage does not give."""
    theirs = passage.quantities
    new = [one for one in said.numbers if not any(same(one, other) for other in theirs)]
    new = [one for one in new if not _YEAR.fullmatch(said.text, one.begin, one.end)]
    if not new and _AVERAGE.search(said.text) and len(said.numbers) == 1:
        new = said.numbers  # an average may be one of the numbers
    return new[0] if len(new) == 1 else None


def _equals(one: _Result, target: Quantity) -> bool:
    mine = _measure(target)
    return abs(one.made - mine) <= max(one.near, 1e-6 * max(1.0, abs(mine)))


def _measure(target: Quantity) -> float:
    return target.value[0] or 0.0


def _results(said: _Statement, target: Quantity, passage: Passage) -> Iterator[_Result]:
    """Yield what the passage's numbers give by the calculation that the statement names."""
    text = said.text
    if _AVERAGE.search(text):
        if "average" not in passage.text.lower():  # which may be said of another thing
            yield from _averages(target, passage)
    elif target.kind == "percent":
        yield from _shares(said, target, passage)
    elif _TOTAL.search(text):
        yield from _totals(said, target, passage)
    elif than := _THAN.search(text):
        yield from _compared(said, target, passage, than)
    elif won := _WON.search(text):
        yield from _won(said, target, passage, won)
    elif rose := _ROSE.search(text):
        yield from _changes(target, passage, rose)
    elif _is_age(text, target):
        yield from _spans(said, target, passage, age=True)
    elif target.kind in _TIME and _SPAN.search(text):
        yield from _spans(said, target, passage, age=False)
    elif said.negated and target.kind == "count" and len(said.numbers) == 1:
        yield from _others(target, passage)


def _is_age(text: str, target: Quantity) -> bool:
    before, after = text[: target.begin], text[target.end :]
    named = re.search(r"\b(?:at the age of|at age|aged|turn(?:s|ed)|lived to(?: be)?)\s+$", before, re.IGNORECASE)
    old = re.search(r"\b(?:was|were|is|became)\s+$", before, re.IGNORECASE) and re.match(
        r"\s?(?:years?)? ?old\b", after
    )
    return target.kind in ("count", "months") and bool(named or old)


def _alike(target: Quantity, passage: Passage) -> list[_Operand]:
    """Return the numbers of a passage that can be compared with one: in its kind, or counts of what it counts."""
    if target.kind == "money":
        return [one for one in passage.of("money") if not one.unit or not target.unit or one.unit == target.unit]
    found = passage.of(target.kind)
    if not found and target.kind in (*_TIME, "count"):
        found = passage.of("count")
    return found


def _scaled(target: Quantity, operand: _Operand) -> float:
    """Return a number in the unit of the statement's number."""
    if operand.kind == target.kind:
        return operand.value
    return operand.value * (_measure(target) / target.written if target.written else 1.0)


def _averages(target: Quantity, passage: Passage) -> Iterator[_Result]:
    some = _alike(target, passage)
    if len(some) > 1:
        unit = abs(_measure(target) / target.written) if target.written else 1.0
        mean = sum(_scaled(target, one) for one in some) / len(some)
        exact = abs(mean / unit - round(mean / unit)) < 1e-9
        yield _Result(mean, f"the mean of {_shown(passage, some)}", True, 0.0 if exact else 0.51 * unit)


def _shares(said: _Statement, target: Quantity, passage: Passage) -> Iterator[_Result]:
    if rose := _ROSE.search(said.text):
        for kind in {one.kind for one in passage.operands} - {"year", "day", "clock", "percent"}:
            some = passage.of(kind)
            if len(some) == 2 and some[0].value > 0:
                first, second = _in_time(passage, some)
                change = 100 * (second.value - first.value) / first.value
                turned = bool(rose["rose"]) != (change > 0)
                shown = f"from {_shown(passage, (first, second))}"
                yield _Result(abs(change), shown, single=True, near=0.51, turned=turned)
        return
    some = passage.of("count")
    if len(some) != 2:
        return
    (part, whole) = sorted(some, key=lambda one: one.value)
    if not 0 < part.value < whole.value:
        return
    before = passage.text[: whole.begin]
    single = _OF_WHOLE.search(before) is not None
    share = 100 * part.value / whole.value
    if said.negated != negated(passage.text):
        share = 100 - share
    near = 0.51 if not target.weak else 1.0
    yield _Result(share, f"{_shown(passage, some)}", single, near)


def _others(target: Quantity, passage: Passage) -> Iterator[_Result]:
    """Yield how many are left of a whole: of 24, 18 passed, so that six did not."""
    some = passage.of("count")
    if len(some) == 2 and not negated(passage.text):
        part, whole = sorted(some, key=lambda one: one.value)
        if _OF_WHOLE.search(passage.text[: whole.begin]) and part.value < whole.value:
            yield _Result(whole.value - part.value, _shown(passage, some), True)


def _totals(said: _Statement, target: Quantity, passage: Passage) -> Iterator[_Result]:
    some = [one for one in _alike(target, passage) if one.kind == target.kind]
    if target.kind == "count":
        after = WORD.match(said.text, target.end + 1)
        noun = stem_of(after.group().lower()) if after else ""
        if not noun:
            return
        counted = [one for one in some if noun in one.own or not one.noun]
        some = counted if len(counted) > 1 else some
    if target.kind in ("percent", "temperature") or len(some) < 2:
        return
    named = [one for one, own in zip(passage.operands, passage.own, strict=True) if one in some and own & said.stems]
    if 1 < len(named) < len(some):
        yield _Result(sum(one.value for one in named), f"{_shown(passage, named)}", False)
    elif len(some) == 2 or not named or len(named) == len(some):
        yield _Result(
            sum(one.value for one in some), f"{_shown(passage, some)}", len(some) == 2 or _is_list(passage, some)
        )


def _is_list(passage: Passage, some: Sequence[_Operand]) -> bool:
    """Return whether numbers stand in a single sentence, one behind the other."""
    return not re.search(r"[.!?;]\s", passage.text[some[0].end : some[-1].begin])


def _compared(said: _Statement, target: Quantity, passage: Passage, than: re.Match[str]) -> Iterator[_Result]:
    """Yield the difference of two numbers, of which the statement says which is the greater one."""
    some = _alike(target, passage)
    how = than["how"].lower()
    if not some and target.kind == "months" and how in ("older", "younger"):
        yield from _born(said, passage, than)
        return
    if how in ("faster", "slower") and target.kind in _TIME:
        more = how == "slower"
    else:
        more = how in _MORE_THAN.split() or how in ("more expensive", "more costly")
    pairs = _pair(said, passage, some, than.end())
    if pairs is None:
        return
    first, second = pairs
    made = abs(_scaled(target, first) - _scaled(target, second))
    yield _Result(made, _shown(passage, (first, second)), True, turned=(first.value > second.value) != more)


def _born(said: _Statement, passage: Passage, than: re.Match[str]) -> Iterator[_Result]:
    """Yield how much older one is than another, by the days or the years in which they were born."""
    days, years = passage.of("day"), passage.of("year")
    some, year = (days, 365.2425) if len(days) == 2 else (years, 1.0)
    if len(some) != 2 or "born" not in passage.text:
        return
    pair = _pair(said, passage, some, than.end())
    if pair is not None:
        first, second = pair
        older = first.value < second.value
        made = 12.0 * int(abs(first.value - second.value) / year + 0.02)
        yield _Result(made, _shown(passage, pair), True, turned=older != (than["how"].lower() == "older"))


def _pair(said: _Statement, passage: Passage, some: Sequence[_Operand], at: int) -> tuple[_Operand, _Operand] | None:
    """Return the numbers of what stands before and behind "than"; None where these are not certain."""
    own = dict(zip(passage.operands, passage.own, strict=True))
    before, behind = _things(said.text[:at]), _things(said.text[at:])
    before, behind = before - behind, behind - before
    firsts = _best([one for one in some if own[one] & before and not own[one] & behind], own, before)
    seconds = _best([one for one in some if own[one] & behind and not own[one] & before], own, behind)
    if len(firsts) == len(seconds) == 1 and firsts != seconds:
        return firsts[0], seconds[0]
    if len(some) == 2 and len(seconds) == 1 and not firsts:
        return next(one for one in some if one is not seconds[0]), seconds[0]
    return None


def _best(some: Sequence[_Operand], own: dict[_Operand, frozenset[str]], wanted: Set[str]) -> list[_Operand]:
    most = max((len(own[one] & wanted) for one in some), default=0)
    return [one for one in some if len(own[one] & wanted) == most]


def _won(said: _Statement, target: Quantity, passage: Passage, won: re.Match[str]) -> Iterator[_Result]:
    some = [one for one in _alike(target, passage) if one.kind == target.kind]
    if (score := _SCORE.search(passage.text)) is not None:
        first, second = float(score["first"]), float(score["second"])
        names = stems_in(said.text[: won.start()])
        winner, loser = stems_in(score["winner"]), stems_in(score["loser"])
        if first > second and bool(names & winner) != bool(names & loser):
            turned = bool(names & winner) != bool(won["won"])
            yield _Result(first - second, score.group(), True, turned=turned)
        return
    if len(some) != 2:
        return
    own = dict(zip(passage.operands, passage.own, strict=True))
    before = stems_in(said.text[: won.start()])
    single = {one for one in some if own[one] & before}
    best = max(some, key=lambda one: one.value)
    wins = bool(won["won"])
    if len(single) == 1:
        turned = (best in single) != wins
        yield _Result(abs(some[0].value - some[1].value), _shown(passage, some), True, turned=turned)


def _changes(target: Quantity, passage: Passage, rose: re.Match[str]) -> Iterator[_Result]:
    some = [one for one in _alike(target, passage) if one.kind == target.kind]
    if target.kind == "ordinal" or len(some) != 2:
        return
    first, second = _in_time(passage, some)
    change = second.value - first.value
    turned = not rose["apart"] and change != 0 and bool(rose["rose"]) != (change > 0)
    yield _Result(abs(change), _shown(passage, some), True, turned=turned)


def _in_time(passage: Passage, some: Sequence[_Operand]) -> tuple[_Operand, _Operand]:
    """Return two numbers in the order of the years that stand with them; else as they are told."""
    first, second = some
    years = passage.of("year")
    if len(years) == 2:
        nearest = [min(years, key=lambda year: abs(year.begin - one.begin)) for one in some]
        if nearest[0] != nearest[1] and nearest[0].value > nearest[1].value:
            return second, first
    return first, second


def _spans(said: _Statement, target: Quantity, passage: Passage, age: bool) -> Iterator[_Result]:
    unit = 12.0 if target.kind == "months" else 1.0
    years = [one.value for one in passage.of("year")]
    mine = [one.value[0] for one in said.found if _YEAR.fullmatch(said.text, one.begin, one.end)]
    years = sorted({*years, *(year for year in mine if year is not None)})
    shown = " and ".join(f"{year:.0f}" for year in years)
    if target.kind in ("months", "count") and len(years) == 2:
        yield _Result((years[1] - years[0]) * unit, shown, True, unit if age else 0.0)
    if target.kind != "duration":
        return
    days = sorted({one.value for one in passage.of("day")})
    if len(days) == 2 and _measure(target) % 86400 == 0:
        yield _Result((days[1] - days[0]) * 86400, _shown(passage, passage.of("day")), True, 86400 * 0.0)
        if _measure(target) == (days[1] - days[0] + 1) * 86400:
            yield _Result(_measure(target), _shown(passage, passage.of("day")), False)
    clocks = passage.of("clock")
    if len(clocks) == 2:
        made = (clocks[1].value - clocks[0].value) * 60
        halves = made if made > 0 else made % 43200
        yield _Result(halves, _shown(passage, clocks), True)


def _shown(passage: Passage, some: Sequence[_Operand]) -> str:
    return " and ".join(passage.text[one.begin : one.end] for one in some)


def _ordered(said: _Statement, read: Sequence[Passage]) -> Derived | None:
    """Return whether a thing is the first or the last of those that a passage has numbers of."""
    most = _MOST_OF.search(said.text)
    word = _ORDER.search(said.text)
    than = _THAN.search(said.text)
    for passage in read:
        if (said.names - _CUES) - passage.stems or len(said.stems & passage.stems) == 0:
            continue
        if word and word.group().lower() in passage.text.lower():
            continue
        some, largest, rest = _sought(said.text, passage, most, word)
        rest = _without_noun(rest, word, passage)
        if not 1 < len(some) <= _MOST_NUMBERS:
            continue
        there = f"{passage.text[some[0].begin : some[0].end]} and others"
        own = dict(zip(passage.operands, _own_of(some), strict=False)) if len(some) == len(passage.operands) else {}
        own = own or dict(zip(some, _own_of(some), strict=True))
        if than:
            pair = _pair_of(said, some, own, than.end())
            if pair is None or pair[0].value == pair[1].value:
                continue
            right = (pair[0].value > pair[1].value) == largest
        else:
            wanted = (stems_in(rest) - GENERAL - _CUES) - _common(some)
            holders = [one for one in some if wanted and wanted <= own[one]]
            best = (max if largest else min)(one.value for one in some)
            if len(holders) != 1 or sum(one.value == best for one in some) > 1:
                continue
            right = holders[0].value == best
            first = next(one for one in some if one.value == best)
            there = passage.text[first.begin : first.end]
        name = most or word
        assert name is not None
        return Derived(right, passage.text.strip(), f"{name.group()}: the source has {there} for another")
    return None


def _without_noun(rest: str, word: re.Match[str] | None, passage: Passage) -> str:
    """Return the words of a statement without the noun behind "the lightest", if the passage does not have it."""
    noun = _NEXT.match(rest, word.start()) if word is not None else None
    if noun is None or stem_of(noun["noun"].lower()) in passage.stems:
        return rest
    return f"{rest[: noun.start('noun')]} {rest[noun.end('noun') :]}"


_NEXT = re.compile(r"\s*(?P<noun>[^\W\d_]+)")


def _sought(
    text: str, passage: Passage, most: re.Match[str] | None, word: re.Match[str] | None
) -> tuple[list[_Operand], bool, str]:
    """Return the numbers that are put in order, whether the greatest is first, and the statement's other words."""
    if most is not None and most["many"]:
        noun = stem_of(most["of"].lower())
        some = [one for one in passage.operands if noun in (one.noun, *one.own) and one.kind == "count"]
        return some, most["many"].lower() == "most", f"{text[: most.start()]} {text[most.end() :]}"
    if most is not None:
        verb = most.group().lower().split()[0].rstrip("s")
        kinds = _COST_KINDS.get(verb, _MONEY)
        return _of_kinds(passage, kinds), most["cost"].lower() == "most", f"{text[: most.start()]} {text[most.end() :]}"
    assert word is not None
    name = word.group().lower()
    rest = f"{text[: word.start()]} {text[word.end() :]}"
    for kinds, low, high in _ORDERS:
        if (name in low or name in high) and (some := _of_kinds(passage, kinds)):
            return some, name in high, rest
    return [], False, rest


def _of_kinds(passage: Passage, kinds: Set[str]) -> list[_Operand]:
    some = [one for one in passage.operands if one.kind in kinds]
    same_kind = len({(one.kind, one.unit) for one in some}) == 1
    return some if len(some) > 1 and same_kind else []


def _common(some: Sequence[_Operand]) -> frozenset[str]:
    return frozenset.intersection(*(one.own for one in some))


def _own_of(some: Sequence[_Operand]) -> list[frozenset[str]]:
    common = _common(some)
    return [one.own - common for one in some]


def _pair_of(
    said: _Statement, some: Sequence[_Operand], own: dict[_Operand, frozenset[str]], at: int
) -> tuple[_Operand, _Operand] | None:
    before, behind = _things(said.text[:at]), _things(said.text[at:])
    common = _common(some)
    before, behind = before - common, behind - common
    firsts = [one for one in some if before and before <= own[one]]
    seconds = [one for one in some if behind and behind <= own[one]]
    return (firsts[0], seconds[0]) if len(firsts) == len(seconds) == 1 and firsts != seconds else None
