"""Sentences that say that something is not in a source, and a search of the source for this thing."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.english import is_stopword
from nlgauge.faithfulness.dates import MONTHS, WEEKDAYS
from nlgauge.faithfulness.quantities import quantities
from nlgauge.maths.text import sentence_spans

_RETRIEVED = (
    r"(?:source|passage|document|context|text|article|excerpt|material|snippet|result|information"
    r"|paragraph|data|file)s?"
)
_WRITTEN = (
    r"(?:page|website|notice|leaflet|letter|e-?mail|message|mail|thread|chat|log|record|report|table|list"
    r"|price list|sheet|card"
    r"|note|minute|transcript|statement|invoice|receipt|ticket|brochure|entry|form|advert|ad|chart|guide"
    r"|handbook|manual"
    r"|glossary|faq|recipe|schedule|timetable|review|policy|contract|agreement|rule|term|statute|menu|listing"
    r"|post|summary"
    r"|survey|figure|release|changelog|announcement|obituary|plan|label|sign|answer|bulletin|programme|description"
    r"|conversation|documentation|readme|config(?:uration)?|interview|story|paper|study|abstract|news)(?:e?s)?"
)
_TEXT = (
    rf"(?:(?:the|this|these|your|any|its)\s+(?:[\w'’.-]+\s){{0,3}}?(?:{_RETRIEVED}|{_WRITTEN})(?:\s(?:\d+"
    rf"|[A-Z]))?(?:\sprovided|\sgiven)?)"
)
_NOT = r"(?:(?:do|does|did)(?:\snot|n['’]t))\s(?:actually |explicitly |directly |really |simply |even )?"
_TELL = (
    r"(?:say|state|mention|specify|indicate|tell|reveal|explain|clarify|disclose|describe|discuss|document"
    r"|detail)"
)
_HOLD = r"(?:name|list|give|provide|contain|include|cover|address|show|have|note|deal with|bring up|allow)"
_INFORMATION = (
    r"(?:further |specific |direct |such |more |explicit |clear |relevant )?(?:information|mention|indication"
    r"|details?|data|reference"
    r"|word|statement|evidence|answer|hint|explanation)"
)
_GIVEN = (
    r"(?:mentioned|stated|specified|given|disclosed|discussed|indicated|addressed|documented|said|named|noted"
    r"|explained"
    r"|brought up|dealt with|touched on)"
)
_KINDS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:{_TEXT}|it|they|none of (?:the|these) \w+)\s(?:just |also |only )?{_NOT}{_TELL}\b(?P<topic>.*)",
        rf"\b(?:the|this|these|your|provided"
        rf"|given)\s(?:[\w'’.-]+\s){{0,2}}?{_RETRIEVED}(?:\s\w+)?\s{_NOT}{_HOLD}\b(?P<topic>.*)",
        rf"\b{_TEXT}\s{_NOT}(?:name|list|give|have|address|show)\b(?P<topic>.*)",
        rf"\bnone of the (?:[\w'’-]+ )?(?:{_RETRIEVED}|{_WRITTEN}) (?:{_TELL}|{_HOLD})s?\b(?P<topic>.*)",
        rf"\bneither (?:of the )?(?:[\w'’-]+ )?(?:{_RETRIEVED}|{_WRITTEN}) (?:{_TELL}|{_HOLD})s?\b(?P<topic>.*)",
        r"\b(?:i|we)\b.{0,20}?(?:can(?:not|['’]t| not)|could(?: not|n['’]t)|(?:not able|unable) to|did(?: not"
        r"|n['’]t))\s(?:find|locate"
        r"|determine|tell|answer|confirm|verify|identify)\b(?P<topic>.*)",
        r"\b(?:i|we) (?:do not|don['’]t) (?:know|have (?:that|this|any|enough|the|such)? ?(?:information|details?"
        r"|data))\b(?P<topic>.*)",
        rf"\bthere(?:['’]s| is| was| are) (?:no|not any) {_INFORMATION}\b(?P<topic>.*)",
        rf"\b{_TEXT}\s(?:gives?|has|have|contains?|provides?|offers?|includes?|names?|mentions?|lists?|makes?"
        rf"|shows?|states?) no\b(?P<topic>.*)",
        rf"^\W*no {_INFORMATION} (?:(?:is|are|was|were|has been|have been) (?:{_GIVEN}|provided|available|found) )?"
        r"(?:about|on|of|regarding|for|as to|concerning)\b(?P<topic>.*)",
        r"^\W*no (?P<topic>(?:further |exact |specific )?(?:reasons?|causes?|dates?|times?|prices?|names?|numbers?"
        r"|address(?:es)?"
        rf"|places?|figures?|amounts?|limits?|deadlines?)\b[^.;]{{0,60}}?) (?:is|are|was|were) (?:{_GIVEN}|provided)\b",
        rf"^\W*no {_INFORMATION}\b(?:(?P<topic>.*)(?:is|are|was|were) (?:{_GIVEN}|provided|available|found))?\W*$",
        r"\b(?:says?|said|states?|has|had|have) nothing (?:about|on|of|regarding|to say)\b(?P<topic>.*)",
        rf"\b(?:nothing|not a word) (?:is |was )?{_GIVEN}\b(?P<topic>.*)",
        rf"\b(?:nothing|nowhere) in {_TEXT}\b(?P<topic>.*)",
        rf"\bthere is nothing in {_TEXT}\b(?P<topic>.*)",
        r"\b(?:is|are|stays?|remains?) (?:silent|untold|unexplained|left open)\b(?P<topic>.*)",
        r"\b(?:it is|it['’]s|remains|is) (?:not clear|unclear) from\b(?P<topic>.*)",
        rf"\b{_TEXT}\b.*?\bleaves? (?:(?P<topic>.*) )?(?:open|unexplained|unclear|out)\b(?P<more>.*)",
        rf"\A(?P<topic>.*)\b(?:is|are|was|were)(?: not|n['’]t| never| nowhere) (?:actually |explicitly |anywhere "
        rf"|something )?{_GIVEN}\b(?P<rest>.*)",
        rf"\A(?P<topic>.*)\b(?:is|are|was|were)(?: not|n['’]t| nowhere)(?: \w+)? (?:in|from|by"
        rf"|anywhere in) {_TEXT}(?P<rest>.*)",
        r"\A(?P<topic>.*)\bcan(?:not|['’]t| not) be (?:told|learned|determined|derived|worked out|answered"
        r"|said)\b(?P<rest>.*)",
        r"^\W*(?:unknown|n/?a(?=\W*$)|no data(?=\W*$)|not (?:available|applicable|stated|mentioned|specified|given"
        r"|provided|documented))\b(?P<topic>.*)",
    )
)
"""Patterns of refusals. The group `topic` of each is the thing that is said to be missing"""
_MAY_REFUSE = re.compile(
    r"\b(?:n/?a\b|no|ne(?:ver|ither))|cannot|n['’]t\b"
    r"|\b(?:silent|un(?:told|explained|clear|able|known)|left open|leaves?)\b",
    re.IGNORECASE,
)
"""Words of which every refusal has at least one"""
_BUT = re.compile(
    r"(?:[,;]|(?<!\s))\s+(?:but|although|though|while|whereas|however|just|only that|merely)\s+|;\s+|:\s+"
    r"|,\s+and\s+(?=\w+ (?:does|do|gives?|has|is|says?)\b)|,\s+(?=(?:it|they|which) )|,\s+(?=(?:so|as|and) )"
)
_WITHOUT = re.compile(
    rf"^(?:it |they )?(?:(?:gives?|has|have|names?|mentions?|lists?|states?|contains?|provides?) (?:no"
    rf"|nothing)\b|{_NOT}(?:{_TELL}|{_HOLD})\b"
    r"|not(?= (?:why|how|what|who|when|where|whether|which)\b)|no(?= \w+\W*$)|is silent|nothing about"
    r"|leaves? (?:open|out))(?P<topic>.*)$",
    re.IGNORECASE,
)
"""A refusal in a clause after "but", where the clause before it is about a text"""
_OF_TEXT = re.compile(rf"^\W*{_TEXT}\b", re.IGNORECASE)
_LONGEST = 400
"""The most characters of a clause that may be a refusal"""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_EMPTY = re.compile(
    rf"^(?:{_RETRIEVED}|{_WRITTEN}|{_INFORMATION}|{_GIVEN}|passages?|sources?|provided|given|retrieved|any"
    rf"|anything|something|say|says|said"
    r"|sorry|unfortunately|however|question|answer|tell|know|find|found|enough|specific|here|there|above"
    r"|anywhere|nowhere|based|basis|available|contained|using|regarding|concerning"
    r"|word|part|anybody|anyone|somebody|someone|everybody|everyone|only|just"
    r"|simply|kind|sort|thing|things|many|much|long|often|far|old|people|allow|possible)$",
    re.IGNORECASE,
)
_SHORT = 4
"""The number of first letters by which a question's words are searched in the source: "burn" finds "burned" """
_OPENING = re.compile(r"\bopening (?:hours|times)\b", re.IGNORECASE)
_VALUES = {
    "when": re.compile(
        r"\b(?:when|dates?|days?|years?|times?|hours|schedule|deadline|departure|arrival|start\w*|begin\w*|opening|closing"
        r"|end|ending)\b",
        re.IGNORECASE,
    ),
    "paid": re.compile(r"\b(?:how much|prices?|costs?|fees?|charges?|rent|fares?|amounts?|rates?)\b", re.IGNORECASE),
    "where": re.compile(
        r"\b(?:where|locations?|places?|venues?|addresse?s?|sites?|positions?|whereabouts|towns?|city|rooms?)\b",
        re.IGNORECASE,
    ),
    "who": re.compile(
        r"\b(?:who|names?|owners?|managers?|directors?|authors?|makers?|buyers?|sellers?|persons?|identity|operators?"
        r"|responsible|founders?|builders?|inventors?|architects?|leaders?|winners?|teachers?)\b",
        re.IGNORECASE,
    ),
    "why": re.compile(r"\b(?:why|reasons?|causes?|explanations?|grounds?)\b", re.IGNORECASE),
    "amount": re.compile(
        r"\b(?:how|number|amount|quantity|length|duration|life|weight|heights?|depth|width|size|distance|age|capacity"
        r"|speed|share|percentage|frequency|temperature|limit)\b",
        re.IGNORECASE,
    ),
}
"""For each kind of value that a question asks for, the words of a refusal for it"""
_ASKED_FOR = frozenset(
    [
        "time",
        "times",
        "date",
        "dates",
        "day",
        "days",
        "year",
        "years",
        "hour",
        "hours",
        "price",
        "amoun",
        "numbe",
        "name",
        "locat",
        "place",
        "venue",
        "reaso",
        "cause",
        "cost",
        "fee",
        "owner",
        "weigh",
    ]
)
"""Stems of the words for a kind of value"""
_WHEN = re.compile(
    r"\b(?:when|opening (?:hours|times)|business hours"
    r"|(?:date|day|year|time) of|what (?:time|date|day|year)|which (?:day|year|date)"
    r"|how (?:soon|early|late)|until when)\b",
    re.IGNORECASE,
)
_HOW_MUCH = re.compile(
    r"\b(?:how (?:much|many|long|far|old|high|large|big|heavy|tall|wide|often|fast)|what (?:share|number"
    r"|percentage))\b",
    re.IGNORECASE,
)
_MEASURED: Sequence[tuple[re.Pattern[str], frozenset[str]]] = tuple(
    (re.compile(words, re.IGNORECASE), frozenset(kinds.split()))
    for words, kinds in (
        (r"\bhow many\b|\bnumber of\b", "count ordinal percent"),
        (r"\bhow long\b|\bduration\b|\bbattery life\b", "duration months length date clock"),
        (r"\bhow far\b|\bdistance\b", "length duration"),
        (r"\bhow old\b|\bage\b", "months date"),
        (r"\bhow heavy\b|\bweighs?\b|\bweight\b", "mass"),
        (r"\bhow (?:tall|high|deep|wide)\b|\b(?:height|depth|width)\b", "length"),
        (r"\bhow fast\b|\bspeed\b", "speed duration"),
        (r"\bhow (?:hot|cold|warm)\b|\btemperature\b", "temperature"),
        (r"\bhow often\b", "count duration months weekday ordinal"),
    )
)
"""For words of a question, the kinds of quantities that answer it"""
_WHERE = re.compile(
    r"\b(?:where|in (?:which|what) (?:town|city|place|room|street)|what (?:place|address))\b", re.IGNORECASE
)
_AT_A_PLACE = re.compile(
    r"\b(?:in|at|on|near|beside|behind|opposite|between|next to|above|below|under|along|outside|inside|to|from"
    r"|in front of)\s"
    r"(?:(?:the|an?|its|our|their|his|her)\s(?!morning|afternoon|evening|night|summer|winter|spring|autumn"
    r"|end|begin|case"
    r"|age|week|month|year|day|first|last|same|time|moment|past|future|way|price|rate|request|help)\w"
    rf"|(?!{'|'.join((*MONTHS, *WEEKDAYS))})[A-Z]\w)"
)
"""Words that say where something is, such as "in the hall" """
_YES_NO = re.compile(
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|may|must|should|will|would)\b", re.IGNORECASE
)
_GOES_ON = re.compile(r"(?:It|They|He|She|This|These|Its|Their|His|Her)\b")
"""The first word of a sentence that goes on about the topic of the sentence before it"""
_PRICE = re.compile(
    r"\b(?:costs?|prices?|fees?|charges?|rates?|(?<!to )(?<!I )(?<!you )rent|salary|pay"
    r"|how much (?:is|are|was|were))\b",
    re.IGNORECASE,
)
_WHO = re.compile(r"\b(?:who|whom|whose|names? of)\b", re.IGNORECASE)
_WHY = re.compile(r"\b(?:why|reasons?|causes?|caused)\b", re.IGNORECASE)
_BECAUSE = re.compile(
    r"\b(?:because|since|due to|owing to|as a result|so that|reason|caused?|after|therefore"
    r"|thanks to)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w'’-]+")
_SPECIAL = re.compile(r"\b(?:[A-Z]|\d)[\w'’-]*")
_HONEST, _FOUND = 2.55, 5.0
"""Log-odds that a refusal is honest where the source has none of its words, and the log-odds that are subtracted where
the source has all of them. With these values 89 % of the honest refusals and 75 % of the false ones pass, of 200
refusals to answer everyday questions, of which 128 are honest. Most of the false refusals that pass have no word of the
source. If the source has half of a refusal's words, the probability is .51, above the thresholds of both shipped
models"""
_TIMES = frozenset({"date", "clock", "weekday", "duration", "months", "decade"})


class Refusal(NamedTuple):
    """A part of a text that says that something is not in the source."""

    begin: int
    end: int
    topic: str
    """The thing that is said to be missing, in the words of the text; the question where the text names no thing"""


def refusals(sentence: str, question: str = "") -> list[Refusal]:
    """Return the clauses of a sentence that say that something is not in the source, and the thing that is missing.

    Args:
        sentence: a sentence of an answer.
        question: the question that it answers. It is the topic of a refusal that names no thing.

    Returns:
        The refusals in order. A topic is empty if neither the sentence nor the question names a thing.
    """
    if not _MAY_REFUSE.search(sentence):
        return []
    bounds = [0, *(at for match in _BUT.finditer(sentence) for at in match.span()), len(sentence)]
    refused: list[Refusal] = []
    of_text = _OF_TEXT.match(sentence) is not None
    for number, (begin, end) in enumerate(zip(bounds[::2], bounds[1::2], strict=True)):
        clause = sentence[begin:end]
        if len(clause) > _LONGEST or not _MAY_REFUSE.search(clause):
            continue
        match = next((match for kind in _KINDS if (match := kind.search(clause)) is not None), None)
        if match is None and number and of_text and "but" in sentence[bounds[2 * number - 1] : begin]:
            match = _WITHOUT.match(clause)
        if match is None:
            continue
        topic = " ".join(text for name, text in match.groupdict().items() if text and name != "rest")
        if not _stems(topic):
            topic = question if _stems(question) else topic
        if _stems(topic):
            # The word before the clause, such as "but", goes with it.
            start = bounds[2 * number - 1] if number else begin
            refused.append(Refusal(start, end, topic.strip(" .,;:")))
        elif number == 0 and len(bounds) == 2:
            refused.append(Refusal(begin, end, ""))
    return refused


def honesty(topic: str, question: str, sources: Sequence[str]) -> float:
    """Return the log-odds that a refusal is honest: that the sources lack the thing that is said to be missing.

    The search takes the two neighbouring sentences of a source that have the largest share of the topic's words. The
    log-odds fall from 2.55 if they have none of the words to -2.45 if they have all. The share counts half if the
    sentences lack a name or a number of the topic, or a value of the kind that is asked for: a time for "when", an
    amount for "how much", a name for "who", a reason for "why". For a topic of a single word, the log-odds are never
    below -0.45. A thing that a source has in quite other words is not found.

    Args:
        topic: the thing that is said to be missing.
        question: the question that the refusal answers; may be empty.
        sources: the texts of the source.

    Returns:
        The log-odds (natural logarithm).
    """
    wanted = _stems(topic)
    special = {word[:5].lower() for word in _SPECIAL.findall(topic)} & wanted
    kind = _kind_asked(topic) or _kind_asked(question)
    about = frozenset(stem for stem in wanted if not _PRICE.search(stem)) if kind == "price" else wanted
    single, wanted = len(wanted) == 1, about or wanted  # the amount stands for the word "price"
    searched = _searched(tuple(sources))
    share = searched.share(wanted, special, kind, topic if _kind_asked(topic) else question)
    asked = _stems(question)
    asked = frozenset(stem[:_SHORT] for stem in asked - _ASKED_FOR or asked)
    kind = {"price": "paid"}.get(kind := _kind_asked(question) or "", kind)
    if asked and _of_question(topic, wanted, question, kind):
        # The refusal may name the value in another word: "the date of the fire", where the mill burned down on 4 May.
        special = {word[:_SHORT].lower() for word in _SPECIAL.findall(question[1:])} & asked
        there = searched.share(asked, special, kind or None, question)
        alone = len(asked) == 1 and _OPENING.search(question) is None
        share = max(share, there if not alone or there == 1.0 else 0.0)
    return _HONEST - _FOUND * min(share, 0.6 if single else 1.0)


def _of_question(topic: str, wanted: Set[str], question: str, kind: str) -> bool:
    """Return whether the thing that is said to be missing is the answer to the question.

    If it is, and the source answers the question, the refusal is false.

    Args:
        topic: the thing that is said to be missing.
        wanted: the stems of the topic.
        question: the question.
        kind: the kind of value that the question asks for; empty if there is none.

    Returns:
        Whether the topic is the value or the fact that the question asks for.
    """
    if kind in _VALUES:
        other = _kind_asked(topic)
        alike = other is None or {"price": "paid"}.get(other, other) == kind
        asked = {stem[:_SHORT] for stem in _stems(question)}
        others = [stem for stem in wanted - _ASKED_FOR if stem[:_SHORT] not in asked]
        named = _VALUES[kind].search(topic) is not None and (len(others) <= 1 or kind in ("when", "paid"))
        return named or (alike and wanted <= _stems(question))
    if _YES_NO.match(question) is None:
        return False
    return wanted <= _stems(question) or (topic.startswith("whether") and len(wanted - _stems(question)) <= 1)


class _Searched:
    """The sentences of a source, each alone and together with the next one, indexed by their stems.

    Args:
        sources: the texts of the source.
    """

    def __init__(self, sources: Sequence[str]) -> None:
        self._texts: list[str] = []
        counts: list[float] = []
        holders: dict[str, list[int]] = {}
        for source in sources:
            sentences = [source[begin:end] for begin, end in sentence_spans(source)]
            for at, sentence in enumerate(sentences):
                goes_on = at + 1 < len(sentences) and _GOES_ON.match(sentences[at + 1]) is not None
                for text, count in ((sentence, 1.0), (" ".join(sentences[at : at + 2]), 1.0 if goes_on else 0.9)):
                    stems = _stems(text)
                    for stem in stems | {stem[:_SHORT] for stem in stems}:
                        holders.setdefault(stem, []).append(len(self._texts))
                    self._texts.append(text)
                    counts.append(count)
        self._counts = np.array(counts)
        self._holders = {stem: np.array(numbers) for stem, numbers in holders.items()}
        self._of_kind: dict[tuple[str, frozenset[str]], NDArray[np.bool_]] = {}

    def share(self, wanted: Set[str], special: Set[str], kind: str | None, question: str = "") -> float:
        """Return the largest share of the wanted stems that a sentence has, alone or with the next one.

        A share counts half if a special stem or a value of the kind is missing there. It counts .9 for two sentences
        of which the second does not go on with a pronoun.

        Args:
            wanted: the stems that are searched.
            special: the stems that must all be there, such as names.
            kind: the kind of value that is asked for; None for any.
            question: the text whose words say which measure is asked for, such as "how long".

        Returns:
            The share, from 0 to 1.
        """
        if not len(self._counts):
            return 0.0
        fits = self._has(special) == len(special)
        if kind is not None:
            measured = next((kinds for words, kinds in _MEASURED if words.search(question)), frozenset[str]())
            if (kind, measured) not in self._of_kind:
                self._of_kind[kind, measured] = np.array([_has_kind(kind, text, measured) for text in self._texts])
            fits = fits & self._of_kind[kind, measured]
        return float((self._counts * self._has(wanted) / len(wanted) * np.where(fits, 1.0, 0.5)).max())

    def _has(self, stems: Set[str]) -> NDArray[np.int64]:
        holders = [self._holders[stem] for stem in stems if stem in self._holders]
        size = len(self._counts)
        return np.bincount(np.concatenate(holders), minlength=size) if holders else np.zeros(size, np.int64)


@lru_cache(maxsize=8)  # an answer may refuse several things, and a source may have several answers
def _searched(sources: tuple[str, ...]) -> _Searched:
    return _Searched(sources)


def _kind_asked(text: str) -> str | None:
    for kind, pattern in (
        ("price", _PRICE),
        ("when", _WHEN),
        ("amount", _HOW_MUCH),
        ("who", _WHO),
        ("why", _WHY),
        ("where", _WHERE),
    ):
        if pattern.search(text):
            return kind
    return None


def _has_kind(kind: str, text: str, measured: Set[str] = frozenset()) -> bool:
    if kind == "where":
        return _AT_A_PLACE.search(text) is not None
    if kind == "who":
        return _NAME.search(text) is not None
    if kind == "why":
        return _BECAUSE.search(text) is not None
    kinds = {quantity.kind for quantity in quantities(text)}
    if kind == "amount" and measured:
        return bool(kinds & measured)
    if kind == "when" and _YEAR.search(text) is not None:
        return True
    return bool(
        kinds
        & {"when": _TIMES, "price": frozenset({"money", "percent", "count"}), "paid": frozenset({"money"})}.get(
            kind, kinds
        )
    )


@lru_cache(maxsize=64)  # the question is asked for again and again
def _stems(text: str) -> frozenset[str]:
    """Return the stems of the words that name the topic of a text, without stop-words and words such as "passage"."""
    words = (word.lower() for word in _WORD.findall(text))
    plain = (word for word in words if not is_stopword(word) and not _EMPTY.match(word))
    return frozenset((word.removesuffix("s") if len(word) == 4 else word)[:5] for word in plain)
