"""Statements that follow from a source, or are excluded by it, though no sentence of the source says them.

Each rule knows one frame: an exception ("all but the roof"), the first of a list ("the cheapest"), a total or a
difference, and yes or no under a key of a record. A rule that does not know a frame is silent.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property, lru_cache
from operator import ge, gt, le, lt
from typing import NamedTuple, TypeAlias

from nlgauge.engine.english import is_stopword
from nlgauge.faithfulness.calculated import Derived, Passages, calculated
from nlgauge.faithfulness.dates import WEEKDAYS
from nlgauge.faithfulness.measures import Quantity
from nlgauge.faithfulness.modality import ModalSource
from nlgauge.faithfulness.opposites import OPPOSITES
from nlgauge.faithfulness.order import OrderedSource
from nlgauge.faithfulness.quantities import quantities, same
from nlgauge.faithfulness.records import Thing, records, structure, thing_of
from nlgauge.faithfulness.scope import ScopedSource
from nlgauge.faithfulness.statements import is_verb, statement
from nlgauge.faithfulness.stems import (
    GENERAL,
    LONGEST,
    MOST,
    WORD,
    negated,
    negations,
    opposed,
    plain,
    sentences,
    stem_of,
    stems_and_numbers,
    stems_in,
)

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
"""All but one: the rest names what is excepted, and may go on with what is said of the others"""
_NAMED_BUT = re.compile(
    rf"\b(?:{_ALL}|{_NONE})\b(?: of)?(?: (?:the|our|my|his|her|its|their))?(?P<named>(?: [\w'’-]+){{1,2}})"
    r" (?P<marker>but) (?P<rest>(?:the |an? )?[^\W\d][^.;:!?)]*)",
    re.IGNORECASE,
)
"""None of the samples but sample C"""
_FIRST = re.compile(
    rf"\W*(?P<marker>{_MARKER}|but for|(?P<unlike>unlike))\s(?P<thing>[^,.;:!?]{{1,80}}),\s(?P<rest>[^.;!?]+)",
    re.IGNORECASE,
)
"""Apart from the kitchen, every room has been painted"""
_ALL_BUT = re.compile(
    r"\ball but (?P<numbers>[\w-]{1,12}(?: of (?:the |its |their |our )?[\w-]{1,12}(?= \w))?)"
    r"(?P<rest>\s[^.;:!?]+)",
    re.IGNORECASE,
)
"""All but two of the twelve players were injured"""
_DAYS = frozenset(stem_of(day.lower()) for day in WEEKDAYS)
_AUXILIARY = frozenset(
    ["is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "may", "must", "will", "should"]
)


def excepts(text: str) -> re.Match[str] | None:
    """Return the words that make an exception: all but one; None where a text makes none.

    Args:
        text: a sentence.

    Returns:
        The match. Its group `rest` names what is excepted, and may go on with what is said of the others.
    """
    if (found := _EXCEPTION.search(text)) is not None:
        return found
    found = _NAMED_BUT.search(text)
    if found is None or any(map(_verbal, WORD.findall(found["named"]))):
        return None  # "no lift is free but the stairs are"
    return found


class ToldSource(NamedTuple):
    """A source as the rules read it that find differences of sentences with nearly the same words."""

    order: OrderedSource
    modality: ModalSource
    scope: ScopedSource


class Facts:
    """What can be derived from a source."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._sentences = [sentence for text in texts for sentence in sentences(text)][:MOST]
        self._exceptions = [frame for one in self._sentences if (frame := _exception_of(one)) is not None]
        self._fewer = [(one, match) for one in self._sentences if (match := _ALL_BUT.search(one)) is not None]
        self._dated = [told for text in texts for told in _relative(text)][:MOST]
        tables = [structure(text) for text in texts]
        self._records = [record for table in tables for record in records(table)][:MOST]
        self._things = [thing for table in tables for record in table if (thing := thing_of(record))][:MOST]
        self._framed: dict[_Frame, list[tuple[str, _Worded]]] = {}
        self._told = frozenset(record.text for record in self._records)

    def of(self, sentence: str, question: str = "") -> Derived | None:
        """Return whether a sentence follows or is excluded; None where that is not certain.

        Args:
            sentence: a statement.
            question: the question that it answers. The quantities of the question are given.

        Returns:
            Whether it follows, and why; or None.
        """
        if len(sentence) > LONGEST:
            return None
        answers = _ANSWERED.match(sentence) or sentence.strip() in (
            statement(question, True),
            statement(question, False),
        )
        sentence = _ANSWERED.sub("", sentence)
        if question and answers and (found := self._bounded(sentence, question)) is not None:
            return found
        for rule in (
            self._relative_date,
            self._exception,
            self._all_but,
            self._in_other_words,
            self._recorded,
            self._told_of_another,
            self._follows,
        ):
            if (found := rule(sentence)) is not None:
                return found
        return calculated(sentence, question, self._passages)

    @cached_property
    def told(self) -> ToldSource:
        """What the source puts in an order, has as planned or said, and says of some things or of all."""
        return ToldSource(OrderedSource(self._texts), ModalSource(self._texts), ScopedSource(self._texts))

    def _follows(self, sentence: str) -> Derived | None:
        """Return that a statement follows which names steps in their order, what holds now, or what is planned."""
        words = self.told.order.follows(sentence) or self.told.modality.follows(sentence)
        return None if words is None else Derived(True, words, f"the source says: {words}")

    @cached_property
    def _passages(self) -> Passages:
        """Sentences with numbers, from which others may be calculated."""
        return Passages(self._sentences)

    def _bounded(self, sentence: str, question: str) -> Derived | None:
        """Return whether a quantity that the question gives lies inside or outside a bound of the source."""
        said = _placed(quantities(sentence))
        given = [one for one in _placed(quantities(question[-LONGEST:])) if one.kind in _BOUNDED]
        mine = [one for one in said if any(same(one, other) for other in given)]
        if not mine and not said and len(given) == 1:
            mine = given  # "Yes, you can use the offer"
        if len(mine) != 1 or len(said) > 1 or (one := mine[0]).value[0] is None:
            return None
        stems = stems_in(sentence)
        for source, theirs, number, inside in self._bounds:
            alike = number.kind == one.kind and number.unit == one.unit and not same(number, one)
            if not alike or not stems or len(stems & theirs) * 2 < len(stems):
                continue
            fits = inside(one.value[0], number.value[0] or 0.0)
            there = source[number.begin : number.end]
            if stems - theirs - stems_in(question):
                continue  # it says more than the bound
            theirs_said = {word.lower() for word in WORD.findall(source)}
            turned = any(
                other in theirs_said for word in WORD.findall(sentence) for other in OPPOSITES.get(word.lower(), ())
            )
            follows = (fits == (negated(sentence) == negated(source))) != turned
            return Derived(follows, source.strip(), f"the source has a bound of {there}")
        return None

    @cached_property
    def _bounds(self) -> list[tuple[str, frozenset[str], Quantity, Callable[[float, float], bool]]]:
        """Sentences with a single number of a kind that is a bound, and what lies inside."""
        found = []
        for source in self._sentences:
            numbers = _placed(quantities(source)) if len(source) <= LONGEST else []
            for one in numbers:
                inside = next((how for words, how in _INSIDE if words.search(source[: one.begin])), None)
                inside = inside or next((how for words, how in _INSIDE_AFTER if words.match(source, one.end)), None)
                if (
                    inside is not None
                    and not _UNLESS.search(source)
                    and sum(one.kind == other.kind for other in numbers) == 1
                ):
                    found.append((source, stems_in(source), one, inside))
        return found

    def _relative_date(self, sentence: str) -> Derived | None:
        """Return what follows about a day, where the source says "yesterday" in a text that has a date."""
        found = [one for one in quantities(sentence) if one.kind != "weekday"] if self._dated else []
        if len(found) != 1 or negated(sentence) or _AGO.search(sentence):
            return None
        (one,) = found
        said = (one.value[0], None, None) if _YEAR.fullmatch(sentence, one.begin, one.end) else one.value
        if one.kind not in ("date", "count") or len(said) != 3:
            return None
        own = stems_in(sentence[: one.begin] + sentence[one.end :]) - _DAYS
        for told in self._dated:
            if own and own <= told.stems:
                fits = [_agrees(said, day) for day in told.days]
                if None in fits:
                    continue  # "last year" says nothing of a day
                reason = f"{sentence[one.begin : one.end]}: the source has “{told.word}”"
                if fits[0] or not any(fits):
                    return Derived(bool(fits[0]), told.text.strip(), reason)
        return None

    def _exception(self, sentence: str) -> Derived | None:
        if not self._exceptions or len(negations(sentence)) > 1:
            return None
        if (mine := _exception_of(sentence)) is not None:
            return self._same_exception(mine)
        if excepts(sentence) is not None:
            return None
        said = stems_in(sentence)
        for one in self._exceptions:
            days = said & _DAYS - one.excepted if one.excepted <= _DAYS else frozenset()
            excepted = one.excepted <= said
            rest = said - one.excepted - days
            if not one.excepted or not (excepted or days) or not rest:
                continue
            turned = {stem_of(word) for word in opposed(one.predicate)}
            if not rest <= one.predicate.keys() | turned:
                continue
            negative = negated(sentence) != bool(rest & turned - one.predicate.keys())
            denied = one.denied == excepted  # the others are as the sentence says of all
            return Derived(denied == negative, one.text.strip(), f"the source has “{one.shown}”", True)
        return None

    def _same_exception(self, mine: _Exception) -> Derived | None:
        """Return whether the source has the same exception, or another one from the same."""
        for one in self._exceptions:
            if mine.predicate.keys() == one.predicate.keys() and mine.denied == one.denied:
                same_thing = mine.excepted == one.excepted
                return Derived(same_thing, one.text.strip(), f"the source has “{one.shown}”", True)
        return None

    def _all_but(self, sentence: str) -> Derived | None:
        """Return what follows of a number, where the source says "all but two of the twelve"."""
        said = quantities(sentence) if self._fewer else []
        if len(said) != 1 or said[0].kind != "count":
            return None
        for source, frame in self._fewer:
            numbers = [one.written for one in quantities(frame["numbers"]) if one.kind == "count"]
            theirs = stems_in(frame["rest"])
            others = stems_in(sentence[: said[0].begin] + sentence[said[0].end :])
            if not 1 <= len(numbers) <= 2 or not others <= theirs:
                continue
            if negated(sentence) != negated(frame["rest"]):
                right = said[0].written == numbers[0]
            elif len(numbers) == 2:
                right = said[0].written == numbers[1] - numbers[0]
            else:
                continue
            return Derived(right, source.strip(), f"the source has “{frame.group().strip()}”", True)
        return None

    def _in_other_words(self, sentence: str) -> Derived | None:
        """Return what follows where the source has the opposite word: what is free is not paid for."""
        if _CONDITION.search(sentence) or excepts(sentence):
            return None
        for frame in _FRAMES:
            mine = frame.of(sentence)
            if mine is None or not mine.rest:
                continue
            for source, theirs in self._worded(frame)[:_ALIKE]:
                if mine.plain != theirs.plain and mine.rest <= theirs.rest:
                    reason = f"the source has “{theirs.word}”"
                    return Derived(mine.true == theirs.true, source.strip(), reason)
        return self._denied(sentence)

    def _worded(self, frame: _Frame) -> list[tuple[str, _Worded]]:
        """Return the sentences that have a word of a frame."""
        if frame not in self._framed:
            self._framed[frame] = [
                (one, told)
                for one in self._sentences
                if len(one) <= LONGEST and not _CONDITION.search(one) and (told := frame.of(one)) is not None
            ]
        return self._framed[frame]

    def _denied(self, sentence: str) -> Derived | None:
        """Return that a statement follows that denies the opposite of what the source says: "closed" is "not open"."""
        if len(negations(sentence)) != 1 or not negated(sentence):
            return None
        words = [word for word in (match.lower() for match in WORD.findall(sentence)) if word in OPPOSITES]
        if not words:
            return None
        said = stems_in(sentence)
        for word in words:
            rest = said - {stem_of(word)}
            for other in OPPOSITES[word]:
                held = self._opposite_words.get(other, [])
                for source, theirs, theirs_said in held if rest and len(held) <= _ALIKE else ():
                    if word not in theirs_said and rest <= theirs:
                        return Derived(True, source.strip(), f"the source has “{other}”")
        return None

    @cached_property
    def _opposite_words(self) -> dict[str, list[tuple[str, frozenset[str], frozenset[str]]]]:
        """Sentences that deny nothing and make no condition, with their stems and words, by words with an opposite."""
        found: dict[str, list[tuple[str, frozenset[str], frozenset[str]]]] = {}
        for source in self._sentences:
            if len(source) > LONGEST or negations(source) or _CONDITION.search(source) or excepts(source):
                continue
            words = frozenset(match.lower() for match in WORD.findall(source))
            for word in words & OPPOSITES.keys():
                found.setdefault(word, []).append((source, stems_in(source), words))
        return found

    def _recorded(self, sentence: str) -> Derived | None:
        listed = ": " in sentence or sentence.count(",") > 1  # which says more than a key
        if not self._records or listed or sentence.strip(" .") in self._told:
            return None
        said, negative = stems_in(sentence), negated(sentence)
        # All of its words stand in the record, so that the rarest one names the records that are looked at.
        holders = [self._holders.get(stem, ()) for stem in said - GENERAL]
        rarest = min(holders, key=len, default=())
        if len(rarest) > _ALIKE:
            return None
        held = [self._records[n] for n in rarest if self._records[n].answers(said)]
        if len(held) > 1:  # the record of which the sentence names most
            most = max(len(record.names & said) for record in held)
            held = [record for record in held if len(record.names & said) == most]
        if len(held) != 1:
            return None
        if any(not any(same(one, other) for other in held[0].quantities) for one in quantities(sentence)):
            return None
        true = held[0].value
        turned = bool(said & held[0].turned - held[0].key)
        return Derived(true != (negative != turned), held[0].text, f"the source has {held[0].text}", True)

    def _told_of_another(self, sentence: str) -> Derived | None:
        """Return whether a record has a value under a key, or has another one and a record of another thing has it."""
        if not self._things or negated(sentence) or ": " in sentence or _ALONE.search(sentence):
            return None
        said = stems_and_numbers(sentence)
        holders = [n for stem in said for n in self._called.get(stem, ())]
        numbered = {n for n in holders if self._things[n].name <= said} if len(holders) <= _ALIKE else set()
        if len(numbered) != 1:
            return None
        thing = self._things[numbered.pop()]
        keys = [key for key in thing.values if key <= said]
        others = [other for other in self._things if other is not thing]
        if len(keys) != 1:
            return self._of_another(said - thing.name - thing.kind, thing, others)
        (key,) = keys
        value, text = thing.values[key]
        told = said - thing.name - thing.kind - key - GENERAL
        theirs = [other.values[key][0] for other in others if key in other.values]
        if told == value and (theirs or key & stems_in(text)):
            return Derived(True, text, f"the source has {text}")
        numbers = frozenset(stem for stem in told if stem[0].isdigit())
        if told - numbers <= _HAS_VALUE and numbers and all(stem[0].isdigit() for stem in value):
            return Derived(numbers == value, text, f"the source has {text} for {thing.called}")
        if told and told in theirs:
            return Derived(False, text, f"the source has {text} for {thing.called}")
        return None

    def _of_another(self, said: Set[str], thing: Thing, others: Sequence[Thing]) -> Derived | None:
        """Return that a statement is excluded that gives a thing a value that another one has under a key."""
        for key, (value, text) in thing.values.items():
            theirs = [other.values[key][0] for other in others if key in other.values]
            if value <= said or not any(one and one <= said for one in theirs):
                continue
            theirs_said = frozenset().union(*(one for one in theirs if one <= said))
            if len(said - theirs_said - GENERAL) > _BESIDE:
                continue
            mine = [told for told, _ in thing.values.values()]
            if not any(told and told <= said for told in mine):
                return Derived(False, text, f"the source has {text} for {thing.called}")
        return None

    @cached_property
    def _called(self) -> dict[str, list[int]]:
        """The things that have a stem in their name, by number."""
        return _numbered(thing.name for thing in self._things)

    @cached_property
    def _holders(self) -> dict[str, list[int]]:
        """The records that have a stem, by number."""
        return _numbered(record.key | record.names | record.turned for record in self._records)


def _numbered(stems: Iterable[Set[str]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, some in enumerate(stems):
        for stem in some:
            found.setdefault(stem, []).append(number)
    return found


_HAS_VALUE = frozenset(map(stem_of, ("takes", "costs", "lasts", "weighs", "holds", "seats", "measures", "stands")))
"""Stems of words between a thing and a number under its key"""
_ALONE = re.compile(r"\b(?:only|sole|solely|exclusively|mainly|mostly|always|all|every)\b", re.IGNORECASE)
"""Words that say more than a value does"""
_BESIDE = 2
"""Other words of a statement that gives a thing the value of another one"""
_ALIKE = 50
"""Records with all words of a sentence, of which no single one is meant"""


def _placed(found: Sequence[Quantity]) -> list[Quantity]:
    """Return the quantities that are a single number, and dates as days of any year."""
    days = [
        one._replace(kind="day", value=(31.0 * one.value[1] + one.value[2],), other=None)
        for one in found
        if one.kind == "date" and one.value[1] is not None and one.value[2] is not None
    ]
    return sorted([*plain(found), *days])


class _Told(NamedTuple):
    """A sentence that names a day by that of its text."""

    text: str
    stems: frozenset[str]
    days: Sequence[_Day]
    """What it may mean, the likeliest first"""
    word: str


_Day: TypeAlias = "tuple[int, int | None, int | None]"
"""Year, month and day, of which the last ones may not be told"""


def _agrees(said: Sequence[float | None], day: _Day) -> bool | None:
    """Return whether a date is a day; None where it says more than the day does."""
    both = [(mine, theirs) for mine, theirs in zip(said, day, strict=True) if mine is not None]
    if any(theirs is None for _, theirs in both):
        return None
    return all(mine == theirs for mine, theirs in both)


def _relative(text: str) -> Iterator[_Told]:
    """Return the sentences that name a day by that of their text, which stands at its begin."""
    own = next((one for one in quantities(text[:_HEAD]) if one.kind == "date" and None not in one.value), None)
    if own is None:
        return
    try:
        first = datetime.date(*(int(part or 0) for part in own.value))
    except ValueError:  # 31 June
        return
    for sentence in sentences(text):
        words = [*_AGO.finditer(sentence)] if len(sentence) <= LONGEST else []
        if len(words) == 1 and sum(one.kind == "date" for one in quantities(sentence)) <= (
            own.end >= text.find(sentence)
        ):
            (match,) = words
            yield _Told(sentence, stems_in(sentence), _days(first, match), match.group())


def _days(first: datetime.date, match: re.Match[str]) -> list[_Day]:
    """Return the days that words may mean in a text of some day."""
    if match["word"]:
        days = [first + datetime.timedelta(_OFFSETS[" ".join(match["word"].lower().split())])]
    elif match["day"]:
        step = 1 if match["way"].lower() == "next" else -1
        nearest = next(
            n for n in range(1, 8) if (first + datetime.timedelta(step * n)).weekday() == _weekday(match["day"])
        )
        days = [first + datetime.timedelta(step * n) for n in (nearest, nearest + 7)]
    elif match["long"]:
        later = match["long"].lower() == "next"
        return [_moved(first, match["unit"].lower(), 1 if later else -1)]
    else:
        number = quantities(f"{match['some'] or match['later']} days")
        many = int(number[0].written) if number else 1
        unit = (match["ago"] or match["in"]).lower().rstrip("s")
        signed = -many if match["ago"] else many
        if unit in ("month", "year"):
            return [_moved(first, unit, signed)]
        days = [first + datetime.timedelta(signed * (7 if unit == "week" else 1))]
    return [(day.year, day.month, day.day) for day in days]


def _moved(first: datetime.date, unit: str, many: int) -> _Day:
    """Return the month or the year that lies so many behind or before a day."""
    if unit == "year":
        return first.year + many, None, None
    month = first.year * 12 + first.month - 1 + many
    return month // 12, month % 12 + 1, None


def _weekday(name: str) -> int:
    return [day.lower() for day in WEEKDAYS].index(name.lower())


_HEAD = 80
"""Characters in which the date of a text stands"""
_OFFSETS = {
    "the day before yesterday": -2,
    "the day after tomorrow": 2,
    "yesterday": -1,
    "last night": -1,
    "today": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "tonight": 0,
    "tomorrow": 1,
}
_MANY = r"an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2}"
_AGO = re.compile(
    rf"\b(?:(?P<word>{'|'.join(_OFFSETS)})|(?P<some>{_MANY}) (?P<ago>(?:day|week|month|year)s?) ago"
    rf"|(?P<way>last|next) (?P<day>{'|'.join(WEEKDAYS)})|(?P<long>last|next) (?P<unit>month|year)"
    rf"|in (?P<later>{_MANY}) (?P<in>(?:day|week)s?)(?=\s*[.,;]|\Z))\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")


@lru_cache(maxsize=8)  # several answers have one source
def facts(texts: tuple[str, ...]) -> Facts:
    """Return what can be derived from a source."""
    return Facts(texts)


_UNLESS = re.compile(r"\b(?:unless|except|but|only if|otherwise|;)", re.IGNORECASE)
_ANSWERED = re.compile(r"\A\W*(?:yes|no|sure|certainly|of course)\s?[,–—:-]\s*", re.IGNORECASE)
_BOUNDED = frozenset(
    [
        "day",
        "count",
        "clock",
        "money",
        "length",
        "mass",
        "volume",
        "duration",
        "months",
        "temperature",
        "percent",
        "speed",
    ]
)
_INSIDE: tuple[tuple[re.Pattern[str], Callable[[float, float], bool]], ...] = tuple(
    (re.compile(rf"\b(?:{words})\s+(?:the age of |age |an? )?[$£€]?$", re.IGNORECASE), how)
    for words, how in (
        ("until|till|up to|at most|(?:no|not) more than|maximum of|maximum|within|no later than|no longer than", le),
        ("under|below|less than|fewer than|younger than|lighter than|shorter than|smaller than|before", lt),
        ("over|above|more than|older than|heavier than|longer than|larger than|taller than|exceeding|after", gt),
        ("at least|minimum of|minimum|no less than|from|starting at|as of|not before", ge),
    )
)
_INSIDE_AFTER: tuple[tuple[re.Pattern[str], Callable[[float, float], bool]], ...] = (
    (re.compile(r"\s(?:or|and) (?:more|older|over|above|longer|heavier|later)\b", re.IGNORECASE), ge),
    (re.compile(r"\s(?:or|and) (?:less|fewer|younger|under|below|shorter|lighter|earlier)\b", re.IGNORECASE), le),
)


class _Worded(NamedTuple):
    """What a sentence says with a word of a frame."""

    true: bool
    plain: bool
    """Whether it has the plain word, and not its opposite"""
    word: str
    rest: frozenset[str]
    """The stems of its other words"""


class _Frame(NamedTuple):
    """Words that say the same with opposite signs."""

    plain: re.Pattern[str]
    opposite: re.Pattern[str]

    def of(self, sentence: str) -> _Worded | None:
        """Return what a sentence says; None where it has none of the words or both."""
        plain, opposite = self.plain.search(sentence), self.opposite.search(sentence)
        found = plain or opposite
        if found is None or (plain is not None and opposite is not None):
            return None
        rest = f"{sentence[: found.start()]} {sentence[found.end() :]}"
        return _Worded(
            true=(plain is not None) != negated(rest), plain=plain is not None, word=found.group(), rest=stems_in(rest)
        )


_FRAMES = (
    _Frame(
        re.compile(
            r"\b(?:(?:have|has|had|need|needs) to pay|must pay|(?:is|are) charged|pays?(?: a fee)?)\b(?! attention)",
            re.I,
        ),
        re.compile(
            r"\b(?:free of charge|for free|at no (?:extra )?(?:charge|cost)|without charge"
            r"|(?:is|are|be) free(?! (?:from|of|to))"
            r"|free)\b(?! time| of)",
            re.I,
        ),
    ),
    _Frame(
        re.compile(
            r"\b(?:(?:you|visitors|guests|people|one|we|they|passengers|customers) (?:may|can)|allowed"
            r"|permitted|welcome)\b",
            re.I,
        ),
        re.compile(r"\b(?:forbidden|prohibited|banned)\b", re.I),
    ),
)
"""Paid for and free, allowed and forbidden"""
_CONDITION = re.compile(r"\b(?:unless|only|if|except|otherwise|but|until|without|when)\b", re.IGNORECASE)


class _Exception(NamedTuple):
    """What a sentence says of all but one."""

    text: str
    shown: str
    excepted: frozenset[str]
    """The stems of what is excepted"""
    predicate: Mapping[str, str]
    """The words of what is said of the others, by stem"""
    denied: bool
    """Whether that is not so of what is excepted"""


def _exception_of(source: str) -> _Exception | None:
    """Return the exception that a sentence makes."""
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
    """Return the exception of a sentence that begins with it: "Apart from the kitchen, every room has been painted"."""
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
    found = {stem_of(word.lower()): word.lower() for word in WORD.findall(said) if not is_stopword(word)}
    return {stem: word for stem, word in found.items() if word not in _UNIVERSAL and word not in _MARKERS}


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
