"""Statements that follow from a source, or are excluded by it, though no sentence of the source says them.

Each rule knows one frame: an exception ("all but the roof"), the first of a list ("the cheapest"), a total or a
difference, and yes or no under a key of a record. A rule that does not know a frame is silent.
"""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property, lru_cache
from itertools import pairwise
from operator import ge, gt, le, lt
from typing import NamedTuple

from nlgauge.engine.english import is_stopword
from nlgauge.faithfulness.measures import Quantity
from nlgauge.faithfulness.opposites import OPPOSITES
from nlgauge.faithfulness.quantities import quantities, same
from nlgauge.faithfulness.statements import is_verb, statement
from nlgauge.maths.text import sentence_ends

_LONGEST, _MOST = 400, 2000
"""Characters of a sentence, and sentences of a source, that are looked at"""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_NEGATION = re.compile(r"\b(?:no longer|not|never|no|nobody|none|neither|nor|cannot|without)\b|n[’']t\b", re.IGNORECASE)
_MARKER = r"(?:except(?:ing)?(?: for)?|apart from|aside from|other than|save for|excluding|with the exception of)"
_ALL = r"(?P<all>everyone|everybody|everything|everywhere|all|every|each|anyone|anybody|any|always|daily)"
_NONE = r"(?P<none>none|no one|nobody|nothing|nowhere|no)"
_BUT = r"(?<=everyone )but|(?<=everybody )but|(?<=everything )but|(?<=nobody )but|(?<=no one )but|(?<=none )but"
EXCEPTION = re.compile(
    rf"\b(?:{_ALL}|{_NONE})\b[^.;:!?]{{0,150}}?,?\s\(?(?P<marker>{_MARKER}|{_BUT})\s(?P<rest>[^.;:!?)]+)", re.IGNORECASE
)
"""All but one: the rest names what is excepted, and may go on with what is said of the others"""
_AUXILIARY = frozenset(
    ["is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "may", "must", "will", "should"]
)


class Derived(NamedTuple):
    """What a source says of a statement."""

    follows: bool
    """Whether the statement follows; else the source excludes it"""
    words: str
    """The words of the source from which that is certain"""
    reason: str
    sure: bool = False
    """Whether the frame leaves no doubt"""


class Facts:
    """What can be derived from a source."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._sentences = [sentence for text in texts for sentence in _sentences(text)][:_MOST]
        self._exceptions = [
            (one, frame, parts)
            for one in self._sentences
            if (frame := EXCEPTION.search(one)) is not None and (parts := _excepted(one, frame)) is not None
        ]
        self._lists = [
            _List(one, numbers)
            for one in self._sentences
            if len(one) <= _LONGEST and 1 < len(numbers := _plain(quantities(one))) <= _COMPARED_MOST
        ]
        self._dated = [told for text in texts for told in _relative(text)][:_MOST]
        tables = [_structure(text) for text in texts]
        self._records = [record for table in tables for record in _records(table)][:_MOST]
        self._things = [thing for table in tables for record in table if (thing := _thing(record))][:_MOST]
        self._told = frozenset(record.text for record in self._records)

    def of(self, sentence: str, question: str = "") -> Derived | None:
        """Return whether a sentence follows or is excluded; None where that is not certain.

        Args:
            sentence: a statement.
            question: the question that it answers. The quantities of the question are given.

        Returns:
            Whether it follows, and why; or None.
        """
        if len(sentence) > _LONGEST:
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
            self._extreme,
            self._total,
            self._recorded,
            self._told_of_another,
            self._listed,
        ):
            if (found := rule(sentence)) is not None:
                return found
        return None

    def _bounded(self, sentence: str, question: str) -> Derived | None:
        """Return whether a quantity that the question gives lies inside or outside a bound of the source."""
        said = _plain(quantities(sentence))
        given = [one for one in _plain(quantities(question[-_LONGEST:])) if one.kind in _BOUNDED]
        mine = [one for one in said if any(same(one, other) for other in given)]
        if not mine and not said and len(given) == 1:
            mine = given  # "Yes, you can use the offer"
        if len(mine) != 1 or len(said) > 1 or (one := mine[0]).value[0] is None:
            return None
        stems = _stems(sentence)
        for source, theirs, number, inside in self._bounds:
            alike = number.kind == one.kind and number.unit == one.unit and not same(number, one)
            if not alike or not stems or len(stems & theirs) * 2 < len(stems):
                continue
            fits = inside(one.value[0], number.value[0] or 0.0)
            there = source[number.begin : number.end]
            follows = fits == (_negated(sentence) == _negated(source))
            return Derived(follows, source.strip(), f"the source has a bound of {there}")
        return None

    @cached_property
    def _bounds(self) -> list[tuple[str, frozenset[str], Quantity, Callable[[float, float], bool]]]:
        """Sentences with a single number of a kind that is a bound, and what lies inside."""
        found = []
        for source in self._sentences:
            numbers = _plain(quantities(source)) if len(source) <= _LONGEST else []
            for one in numbers:
                inside = next((how for words, how in _INSIDE if words.search(source[: one.begin])), None)
                inside = inside or next((how for words, how in _INSIDE_AFTER if words.match(source, one.end)), None)
                if (
                    inside is not None
                    and not _UNLESS.search(source)
                    and sum(one.kind == other.kind for other in numbers) == 1
                ):
                    found.append((source, _stems(source), one, inside))
        return found

    def _relative_date(self, sentence: str) -> Derived | None:
        """Return what follows about a day, where the source says "yesterday" in a text that has a date."""
        found = quantities(sentence) if self._dated else []
        dates = [one for one in found if one.kind == "date" and one.value[2] is not None]
        if len(dates) != 1 or len(found) != 1 or _negated(sentence) or _DAYS_AGO.search(sentence):
            return None
        one = dates[0]
        stems = _stems(sentence[: one.begin] + sentence[one.end :])
        for source, theirs, day, word in self._dated:
            if stems and stems <= theirs:
                year, month, number = one.value
                right = (month, number) == (day.month, day.day) and year in (None, day.year)
                return Derived(right, source.strip(), f"{sentence[one.begin : one.end]}: the source has “{word}”")
        return None

    def _exception(self, sentence: str) -> Derived | None:
        if not self._exceptions or EXCEPTION.search(sentence) or len(_NEGATION.findall(sentence)) > 1:
            return None
        said = _stems(sentence)
        for source, frame, (excepted, predicate) in self._exceptions:
            rest = said - excepted
            if not excepted or not excepted <= said or not rest:
                continue
            turned = {_stem(word) for word in _opposed(predicate)}
            if not rest <= predicate.keys() | turned:
                continue
            denied = bool(frame["all"]) != _negated(
                source[: frame.start()] + source[frame.end() :] + " ".join(predicate.values())
            )
            negative = _negated(sentence) != bool(rest & turned - predicate.keys())
            return Derived(denied == negative, source.strip(), f"the source has “{frame.group().strip()}”", True)
        return None

    def _extreme(self, sentence: str) -> Derived | None:
        if (sought := _EXTREME.search(sentence)) is None or quantities(sentence):
            return None
        word = sought.group().lower()
        kinds, largest = next((kinds, word in high) for kinds, low, high in _EXTREMES if word in low or word in high)
        if _negated(sentence):
            return None
        said = _stems(sentence[: sought.start()] + " " + sentence[sought.end() :])
        for one in self._lists:
            numbers, source = one.of(kinds), one.text
            if not numbers or word in one.lower:
                continue
            common, own = one.named(kinds)
            wanted = said - common - _KIND_WORDS
            holders = [n for n, name in enumerate(own) if wanted and wanted <= name]
            if len(holders) != 1:
                continue
            values = [one.value[0] or 0.0 for one in numbers]
            best = max(values) if largest else min(values)
            if values.count(best) > 1:
                continue
            mine = values[holders[0]]
            there = source[numbers[values.index(best)].begin : numbers[values.index(best)].end]
            return Derived(mine == best, source.strip(), f"{sought.group()}: the source has {there} for another")
        return None

    def _total(self, sentence: str) -> Derived | None:
        total, between = _TOTAL.search(sentence), _BETWEEN.search(sentence)
        if (total is None) == (between is None):
            return None
        said = _plain(quantities(sentence))
        mine = [one for one in said if not _YEAR.fullmatch(sentence[one.begin : one.end])]
        if len(mine) != 1 or mine[0].kind in ("ordinal", "percent", "temperature") or _negated(sentence):
            return None
        one = mine[0]
        bare = one.kind == "count" and not re.match(r"\s[^\W\d]", sentence[one.end :])
        if bare or _BOUND.search(sentence[: one.begin]):
            return None
        stems = _stems(_BETWEEN.sub(" ", _TOTAL.sub(" ", sentence))) - _KIND_WORDS
        for source, theirs, kind, first, second in self._pairs:
            if kind != one.kind or not stems or len(stems & theirs) < _TOLD * len(stems):
                continue
            if same(one, first) or same(one, second):
                continue
            a, b = first.value[0] or 0.0, second.value[0] or 0.0
            made = a + b if total else abs(a - b)
            there = " and ".join(source[other.begin : other.end] for other in (first, second))
            right = abs(made - (one.value[0] or 0.0)) <= 1e-6 * max(1.0, abs(made))
            if right or stems <= theirs:
                return Derived(right, source.strip(), f"{sentence[one.begin : one.end]}: the source has {there}")
        return None

    @cached_property
    def _pairs(self) -> list[tuple[str, frozenset[str], str, Quantity, Quantity]]:
        """Sentences, alone and with the next, that have two numbers of a kind, with their words."""
        found = []
        for at, first in enumerate(self._sentences):
            for source in (first, "".join(self._sentences[at : at + 2])) if len(first) <= _LONGEST else ():
                numbers: dict[str, list[Quantity]] = {}
                for one in _plain(quantities(source)):
                    if not _YEAR.fullmatch(source[one.begin : one.end]):
                        numbers.setdefault(one.kind, []).append(one)
                for kind, some in numbers.items():
                    if len(some) == 2 and some[0].unit == some[1].unit:
                        found.append((source, _stems(source), kind, some[0], some[1]))
        return found

    def _recorded(self, sentence: str) -> Derived | None:
        listed = ": " in sentence or sentence.count(",") > 1  # which says more than a key
        if not self._records or listed or sentence.strip(" .") in self._told:
            return None
        said, negative = _stems(sentence), _negated(sentence)
        # All of its words stand in the record, so that the rarest one names the records that are looked at.
        holders = [self._holders.get(stem, ()) for stem in said - _KIND_WORDS]
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
        if not self._things or _negated(sentence) or ": " in sentence:
            return None
        said = _with_numbers(sentence)
        holders = [n for stem in said for n in self._called.get(stem, ())]
        numbers = {n for n in holders if self._things[n].name <= said} if len(holders) <= _ALIKE else set()
        if len(numbers) != 1:
            return None
        thing = self._things[numbers.pop()]
        keys = [key for key in thing.values if key <= said]
        if len(keys) != 1:
            return None
        (key,) = keys
        value, text = thing.values[key]
        told = said - thing.name - thing.kind - key - _KIND_WORDS
        others = [other for other in self._things if other is not thing and key in other.values]
        if told == value and others:  # of a single thing its first value may be no name
            return Derived(True, text, f"the source has {text}")
        if told and any(told == other.values[key][0] for other in others):
            return Derived(False, text, f"the source has {text} for {thing.called}")
        return None

    def _listed(self, sentence: str) -> Derived | None:
        """Return what a record of an answer, read as a sentence, has otherwise than that of the source."""
        pairs = _SAID.findall(sentence) if self._things and _SAID.match(sentence) else []
        if len(pairs) < 2:
            return None
        said = {_stems(key): value.strip(" .") for key, value in pairs}
        things = [thing for thing in self._things if _with_numbers(said.get(thing.kind, "")) == thing.name]
        if len(things) != 1:
            return None
        for key, value in said.items():
            flag, true = things[0].flags.get(key), _YES_OR_NO.get(value.lower())
            there, text = things[0].values.get(key, (frozenset(), ""))
            told = _with_numbers(value)
            others = any(told == other.values.get(key, ((), ""))[0] for other in self._things)
            if flag is not None and true is not None and flag != true:
                return Derived(False, things[0].called, f"{value}: the source has the contrary for {things[0].called}")
            if there and told != there and others:
                return Derived(False, text, f"{value}: the source has {text} for {things[0].called}")
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


_ALIKE = 50
"""Records with all words of a sentence, of which no single one is meant"""


def _relative(text: str) -> Iterator[tuple[str, frozenset[str], datetime.date, str]]:
    """Return the sentences that name a day by that of their text, which stands at its begin."""
    own = next((one for one in quantities(text[:_HEAD]) if one.kind == "date" and None not in one.value), None)
    if own is None:
        return
    try:
        first = datetime.date(*(int(part or 0) for part in own.value))
    except ValueError:  # 31 June
        return
    for sentence in _sentences(text):
        words = [*_DAYS_AGO.finditer(sentence)] if len(sentence) <= _LONGEST else []
        if len(words) == 1 and sum(one.kind == "date" for one in quantities(sentence)) <= (
            own.end >= text.find(sentence)
        ):
            match = words[0]
            days = _OFFSETS.get(match.group().lower())
            if days is None:
                days = -int(quantities(match.group())[0].written)
            yield sentence, _stems(sentence), first + datetime.timedelta(days), match.group()


_HEAD = 80
"""Characters in which the date of a text stands"""
_OFFSETS = {"yesterday": -1, "last night": -1, "today": 0, "this morning": 0, "tonight": 0, "tomorrow": 1}
_DAYS_AGO = re.compile(
    rf"\b(?:{'|'.join(_OFFSETS)}|(?:two|three|four|five|six|seven|eight|nine|ten|\d{{1,2}}) days ago)\b", re.IGNORECASE
)


@lru_cache(maxsize=8)  # several answers have one source
def facts(texts: tuple[str, ...]) -> Facts:
    """Return what can be derived from a source."""
    return Facts(texts)


_UNLESS = re.compile(r"\b(?:unless|except|but|only if|otherwise|;)", re.IGNORECASE)
_ANSWERED = re.compile(r"\A\W*(?:yes|no|sure|certainly|of course)\s?[,–—:-]\s*", re.IGNORECASE)
_BOUNDED = frozenset(
    ["count", "clock", "money", "length", "mass", "volume", "duration", "months", "temperature", "percent", "speed"]
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
_COMPARED_MOST = 12
_TOLD = 0.6
"""The share of a statement's words that the sentences with its parts must have"""
_YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
_TOTAL = re.compile(r"\b(?:in total|altogether|a total of|combined|in all|all in all|together|in sum)\b", re.IGNORECASE)
_BETWEEN = re.compile(
    r"\b(?:gained|grew by|rose by|fell by|lost|increased by|decreased by|dropped by|a difference of"
    r"|difference is|(?:older|younger|longer|shorter|heavier|lighter|taller|deeper|cheaper|dearer|more expensive"
    r"|faster) than)\b",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"\b(?:about|around|roughly|nearly|almost|approximately|some|over|under|more than|less than|fewer than|at least"
    r"|at most|up to|close to|only)\s+[$£€]?$",
    re.IGNORECASE,
)
_MONEY, _LENGTH = frozenset({"money"}), frozenset({"length"})
_EXTREMES: tuple[tuple[frozenset[str], Set[str], Set[str]], ...] = (
    (_MONEY, {"cheapest", "least expensive"}, {"most expensive", "dearest", "priciest", "costliest"}),
    (_LENGTH | {"duration", "months"}, {"shortest"}, {"longest"}),
    (_LENGTH, {"lowest", "nearest"}, {"tallest", "highest", "deepest", "widest", "farthest"}),
    (frozenset({"mass"}), {"lightest"}, {"heaviest"}),
    (frozenset({"months"}), {"youngest"}, {"oldest"}),
    (frozenset({"temperature"}), {"coldest", "coolest"}, {"hottest", "warmest"}),
    (frozenset({"area", "count", "volume", "bytes"}), {"smallest"}, {"largest", "biggest"}),
    (frozenset({"speed"}), {"slowest"}, {"fastest"}),
)
_EXTREME = re.compile(
    rf"\b(?:{'|'.join(word for _, low, high in _EXTREMES for word in sorted(low | high))})\b", re.IGNORECASE
)


class _List:
    """A sentence with several numbers, each of which is said of another thing."""

    def __init__(self, text: str, numbers: Sequence[Quantity]) -> None:
        self.text, self.lower, self._numbers = text, text.lower(), numbers
        self._of: dict[Set[str], Sequence[Quantity]] = {}
        self._named: dict[Set[str], tuple[frozenset[str], list[frozenset[str]]]] = {}

    def of(self, kinds: Set[str]) -> Sequence[Quantity]:
        """Return the numbers of some kinds; nothing where they cannot be compared."""
        if kinds not in self._of:
            some = [one for one in self._numbers if one.kind in kinds]
            self._of[kinds] = some if len(some) > 1 and len({(one.kind, one.unit) for one in some}) == 1 else []
        return self._of[kinds]

    def named(self, kinds: Set[str]) -> tuple[frozenset[str], list[frozenset[str]]]:
        """Return the stems that all these numbers have before them, and those that each has alone.

        They stand behind each where none stand before the first.
        """
        if kinds not in self._named:
            numbers = self.of(kinds)
            ends = [0, *(one.end for one in numbers)]
            names = [_stems(self.text[end : one.begin]) for end, one in zip(ends, numbers, strict=False)]
            if not names[0]:
                begins = [*(one.begin for one in numbers), len(self.text)]
                names = [_stems(self.text[one.end : at]) for one, at in zip(numbers, begins[1:], strict=True)]
            common = frozenset.intersection(*names)
            self._named[kinds] = common, [name - common for name in names]
        return self._named[kinds]


class _Record(NamedTuple):
    """A key of a record whose value is yes or no."""

    key: frozenset[str]
    names: frozenset[str]
    """The stems of the record's other values"""
    value: bool
    text: str
    quantities: Sequence[Quantity]
    """Those of the record, which a sentence may name too"""
    turned: frozenset[str]
    """The stems of opposites of the key's words"""

    def answers(self, said: Set[str]) -> bool:
        """Return whether a sentence with these words is about nothing but the key."""
        rest = said - self.key - self.names - _KIND_WORDS - self.turned
        return bool(said & (self.key | self.turned)) and not rest


class _Thing(NamedTuple):
    """A record, whose first value names what it is about."""

    called: str
    name: frozenset[str]
    kind: frozenset[str]
    """The stems of the first key"""
    values: Mapping[frozenset[str], tuple[frozenset[str], str]]
    """The stems of each value that is not yes or no, and how it stands in the source, by the stems of its key"""
    flags: Mapping[frozenset[str], bool]
    """The values that are yes or no"""


def _thing(record: Mapping[str, object]) -> _Thing | None:
    """Return what a record is about; None where its values are not short."""
    cells = {key: str(value) for key, value in record.items() if key and value is not None}
    first = next(iter(cells), "")
    if not first or len(cells) < 2 or not (name := _with_numbers(cells[first])):
        return None
    values = {
        _stems(key): (_with_numbers(cell), f"{key}: {cell}")
        for key, cell in cells.items()
        if key != first and len(cell) <= _CELL and cell.lower() not in _YES_OR_NO and _stems(key)
    }
    flags = {_stems(key): _YES_OR_NO[cell.lower()] for key, cell in cells.items() if cell.lower() in _YES_OR_NO}
    if len(name) > _NAMED_MOST:
        return None
    return _Thing(called=cells[first], name=name, kind=_stems(first), values=values, flags=flags)


_NAMED_MOST = 4
"""Words of the longest name of a record"""
_SAID = re.compile(
    r"(?:\A\s*The|, (?:and )?the) ([\w][\w -]{0,40}?) is ((?:(?!, (?:and )?the ).){1,60}?)(?=, (?:and )?the |\.?\s*\Z)"
)
"""A key and its value in the sentence that `nlgauge.faithfulness.claims` makes of a JSON object"""


_CELL = 60
"""Characters of the longest value that is compared"""


def _structure(text: str) -> Sequence[Mapping[str, object]]:
    """Return the records of a text that is JSON, XML, a table, or lines of keys and values."""
    found = _json(text)
    return _table(text) or _grouped(text) if found is None else found


def _records(records: Iterable[Mapping[str, object]]) -> Iterator[_Record]:
    """Return the keys with yes or no of some records."""
    for record in records:
        names = frozenset(
            stem for value in record.values() if not isinstance(value, bool) for stem in _with_numbers(str(value))
        )
        names |= frozenset(stem for key, value in record.items() if isinstance(value, str) for stem in _stems(key))
        told = quantities(" , ".join(str(value) for value in record.values() if not isinstance(value, bool)))
        for key, value in record.items():
            true = value if isinstance(value, bool) else _YES_OR_NO.get(str(value).strip().lower())
            if true is not None and (stems := _stems(key)):
                words = {_stem(word.lower()): word.lower() for word in _split(key)}
                shown = (
                    json.dumps({key: value}, ensure_ascii=False)[1:-1] if isinstance(value, bool) else f"{key}: {value}"
                )
                turned = frozenset(_stem(word) for word in _opposed(words))
                yield _Record(key=stems, names=names, value=true, text=shown, quantities=told, turned=turned)


def _json(text: str) -> list[dict[str, object]] | None:
    if text[:1].strip() not in ("{", "[") and text.strip()[:1] not in ("{", "["):
        return None
    try:
        top = json.loads(text)
    except (ValueError, RecursionError):
        return None
    found: list[dict[str, object]] = []
    left: list[tuple[str, object]] = [("", top)]
    while left and len(found) < _MOST:
        name, one = left.pop()
        if isinstance(one, dict):
            found.append({"": name, **{key: value for key, value in one.items() if not isinstance(value, dict | list)}})
            left += one.items()
        elif isinstance(one, list):
            left += [(name, some) for some in one]
    return found


def _table(text: str) -> list[dict[str, object]]:
    """Return the lines of a table under its heads, of cells between bars, tabs, semicolons or commas."""
    lines = [line.strip().strip("|") for line in text.strip().splitlines() if not _RULE.fullmatch(line)][:_MOST]
    for sign in ("|", "\t", ";", ","):
        cells = [[cell.strip() for cell in line.split(sign)] for line in lines]
        if len(cells) > 1 and len(cells[0]) > 1 and len({len(some) for some in cells}) == 1:
            return [dict(zip(cells[0], some, strict=True)) for some in cells[1:]]
    return []


def _grouped(text: str) -> list[dict[str, object]]:
    """Return the keys and values of lines or of tags. A key that comes again begins another record."""
    pairs = [match.groups() for match in _TAG.finditer(text)]
    pairs = pairs or [match.groups() for line in text.splitlines() if (match := _LINE.fullmatch(line)) is not None]
    records: list[dict[str, object]] = [{}]
    for key, value in pairs[: 10 * _MOST]:
        if key in records[-1]:
            records.append({})
        records[-1][key] = value
    return records if len(pairs) > 1 else []


_RULE = re.compile(r"[\s|:+=-]*")
_TAG = re.compile(r"<(\w[\w-]{0,40})>\s*([^<>]{0,80}?)\s*</\1>")
_LINE = re.compile(r"\s*(?:- )?([\w][\w -]{0,40}?)\s*[:=]\s*(\S.{0,80}?)\s*")
_YES_OR_NO = {
    "yes": True,
    "no": False,
    "true": True,
    "false": False,
    "none": False,
    "included": True,
    "not included": False,
}


def _excepted(source: str, frame: re.Match[str]) -> tuple[frozenset[str], dict[str, str]] | None:
    """Return the stems of what is excepted, and the words, by stem, of what is said of the others."""
    rest = frame["rest"]
    words = rest.split()
    names = [word.lower().strip(",()") for word in words]
    before = source[: frame.start("marker")]
    if not any(map(_verbal, _WORD.findall(before))):
        at = next((n for n in range(1, len(names)) if _verbal(names[n])), None)
        if at is None:
            return None
        thing, said = " ".join(words[:at]), " ".join(words[at:])
    else:
        thing, said = re.split(r",|\s(?:and|but|which|who|that|because|when)\s", rest)[0], before
    universal = {"every", "all", "each", "day", "days", "daily", "always", "area", "areas"}
    predicate = {_stem(word.lower()): word.lower() for word in _WORD.findall(said) if not is_stopword(word)}
    predicate = {stem: word for stem, word in predicate.items() if word not in universal and word not in _MARKERS}
    return _stems(thing), predicate


def _verbal(word: str) -> bool:
    """Return whether a word is plainly a verb."""
    word = word.lower()
    return word in _AUXILIARY or is_verb(word) or (word.endswith("s") and is_verb(word[:-1]))


_MARKERS = frozenset(["except", "apart", "aside", "save", "excluding", "exception", "besides", "excepting"])


def _opposed(words: Mapping[str, str]) -> set[str]:
    return {other for word in words.values() for other in OPPOSITES.get(word, ())}


def _negated(text: str) -> bool:
    return len(_NEGATION.findall(text)) % 2 == 1


def _plain(found: Sequence[Quantity]) -> list[Quantity]:
    return [one for one in found if not one.weak and len(one.value) == 1 and one.value[0] is not None]


def _split(key: str) -> list[str]:
    """Return the words of a key: freeParking and free_parking are two."""
    return _WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key.replace("_", " ")))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem for stem in _with_numbers(text) if not stem[0].isdigit())


def _with_numbers(text: str) -> frozenset[str]:
    some = (word.lower() for word in _split(text))
    return frozenset(_stem(word) for word in some if not is_stopword(word) and not word.endswith(("n't", "n’t")))


def _stem(word: str) -> str:
    word = word[:-2] if word.endswith(("'s", "’s")) else word
    ending = next((end for end in ("ing", "ed", "es", "s") if word.endswith(end) and len(word) > len(end) + 2), "")
    word = word.removesuffix(ending)
    return (word.removesuffix("e") if len(word) > 2 else word)[:5]


def _sentences(text: str) -> Iterator[str]:
    ends = [0, *sentence_ends(text), len(text)]
    yield from (text[begin:end] for begin, end in pairwise(ends))


_KIND_WORDS = frozenset(
    _stem(word)
    for word in (
        *("available", "offer", "hotel", "included", "allow", "provide", "permit", "people", "person", "option", "one"),
        *("total", "together", "combined", "altogether", "room", "member", "took", "part"),
    )
)
