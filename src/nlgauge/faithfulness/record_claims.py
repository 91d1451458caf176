"""Sentences for an answer that is written as JSON, YAML, XML, CSV or a table: one sentence for each value of a record.

If the first value of a record can be its name, the sentences have the name: "The carrier of order B-77 is Fastmail".
Else they have the key alone: "The carrier is Fastmail".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from nlgauge.faithfulness.measures import Quantity
from nlgauge.faithfulness.quantities import quantities, same
from nlgauge.faithfulness.records import YES_OR_NO, Cell, cells, structure
from nlgauge.faithfulness.statements import is_adjective, is_verb
from nlgauge.faithfulness.stems import (
    LONGEST,
    key_words,
    negated,
    negations,
    plain,
    sentences,
    stem_of,
    stems_and_numbers,
    stems_in,
)

_MOST = 20_000
"""The most characters of an answer that is read as records"""
_FENCED = re.compile(
    r"^[ \t]*(?:```|~~~)[ \t]*(?P<kind>\w*)[ \t]*\n(?P<inside>.*?)^[ \t]*(?:```|~~~)[ \t]*$", re.M | re.S
)
_KINDS = frozenset(["", "json", "jsonl", "yaml", "yml", "xml", "csv", "tsv", "toml", "text", "txt", "markdown", "md"])
_TABLE = re.compile(r"(?:^[ \t]*\|.*\|[ \t]*(?:\n|\Z)){2,}", re.MULTILINE)
_INTRODUCED = re.compile(r"\A[^\n]{1,200}:[ \t]*\n\s*")
_KEY = r"[A-Za-z][\w-]*(?: [\w-]+){0,3}"
_YAML = re.compile(rf"(?:[ \t]*(?:- )?{_KEY}:(?:[ \t]+\S[^\n]{{0,80}})?[ \t]*(?:\n|\Z)|[ \t]*(?:\n|\Z)|---[ \t]*\n)+")
_HEADS = re.compile(rf"\s*{_KEY}(?:[,;\t]{_KEY})+[ \t]*\n[^\n]*\S")
_NAMES = frozenset(["name", "title", "id", "item", "label", "called", "number", "no", "nr", "code", "key"])
_PLURALS = frozenset(["people", "children", "men", "women"])
_NOT_COUNTED = frozenset(
    [
        *(
            "wifi",
            "wi-fi",
            "parking",
            "breakfast",
            "heating",
            "access",
            "electricity",
            "water",
            "insurance",
            "delivery",
        ),
        *("shipping", "conditioning", "internet", "furniture", "storage", "lighting", "power", "stock", "information"),
    ]
)
"""Words without an article: "it has parking" """
_ENDS = re.compile(r"[.!?][\"'”’)]?\s*\Z")
_LONG = 8
"""The most words of a value that becomes part of a sentence. A longer value is taken for a whole sentence"""
_MOST_VALUES = 200
"""The most values of an answer for which each value is searched in the source"""
_CLAUSE = re.compile(r"[,;]\s|\b(?:and|but|while|whereas)\b")
_SHORT = 4
"""The number of first letters by which words of a key are compared: "smoker" equals "smokes" """
_EMPTY = frozenset(["is", "has", "have", "of", "the", "a", "number", "count", "total", "no"])
_SAID_BY: Mapping[str, Sequence[str]] = {
    "age": ("old", "aged"),
    "length": ("long",),
    "height": ("high", "tall"),
    "width": ("wide",),
    "depth": ("deep",),
    "price": ("costs", "paid"),
    "cost": ("price",),
    "duration": ("takes", "lasts", "long"),
    "capacity": ("holds", "seats", "people"),
    "population": ("inhabitants", "people"),
    "born": ("birth",),
}
"""For words of a key, other words with the same meaning"""
_GOES_ON = re.compile(r"(?:It|They|He|She|This|These|Its|Their|His|Her)\b")
_SUFFIXES = {
    **{unit: unit for unit in ("mm", "cm", "m", "km", "mg", "g", "kg", "ml", "l", "ms", "kwh", "kw", "mb", "gb")},
    "s": "seconds",
    "sec": "seconds",
    "seconds": "seconds",
    "min": "minutes",
    "minutes": "minutes",
    "h": "hours",
    "hours": "hours",
    "days": "days",
    "weeks": "weeks",
    "months": "months",
    "years": "years",
    "eur": "euros",
    "usd": "dollars",
    "gbp": "pounds sterling",
    "percent": "percent",
    "pct": "percent",
}
"""Last words of keys that name a unit, as in length_cm, and the unit"""


class _Part(NamedTuple):
    """A part of a text that is written as records.

    The characters [begin, end) are the part with the marks around it, such as ```; [first, last) are the part without.
    """

    begin: int
    end: int
    first: int
    last: int


class Told(NamedTuple):
    """A sentence that replaces a value in an answer."""

    begin: int
    end: int
    """The replaced characters [begin, end) of the answer"""
    sentence: str
    """The sentence; empty where the characters are removed"""
    reason: str = ""
    """The difference of the value from the source, in words; empty if no difference is certain"""
    given: bool = False
    """Whether a sentence of the source has the value"""


def record_claims(text: str, written: Mapping[float, str], others: Sequence[str] = ()) -> list[Told]:
    """Return sentences for the values of the records in an answer.

    Args:
        text: an answer, as it is written.
        written: for each number of the source, its form there.
        others: the texts of the source. If one of their sentences gives a thing the same value for the same key, the
            answer gets that sentence.

    Returns:
        The sentences with the characters that they replace, in the order of the text; none for an answer in prose.
    """
    told: list[Told] = []
    for part in _parts(text):
        values = cells(text[part.first : part.last])
        at = part.begin
        for sentence in _sentences(values, written, others):
            cell = sentence.cell
            said = f"{sentence.text}\n" if sentence.text else ""
            told.append(
                Told(begin=at, end=part.first + cell.end, sentence=said, reason=sentence.reason, given=sentence.given)
            )
            at = part.first + cell.end
        if at > part.begin:
            told.append(Told(at, part.end, ""))
    return [told_part for told_part in told if told_part.end > told_part.begin]


def _parts(text: str) -> list[_Part]:
    """Return the parts of a text that are written as records; empty for prose."""
    if len(text) > _MOST or not (text.lstrip()[:1] in ("{", "[", "<") or "\n" in text.strip()):
        return []
    fenced = [match for match in _FENCED.finditer(text) if match["kind"].lower() in _KINDS]
    if fenced:
        places = (_Part(*match.span(), *match.span("inside")) for match in fenced)
        return [part for part in places if _is_records(text[part.first : part.last])]
    if _is_records(text):
        return [_Part(0, len(text), 0, len(text))]
    begun = _INTRODUCED.match(text)
    if begun is not None and _is_records(text[begun.end() :]):
        return [_Part(begun.end(), len(text), begun.end(), len(text))]
    return [_Part(*match.span(), *match.span()) for match in _TABLE.finditer(text)]


def _is_records(text: str) -> bool:
    plain = text.strip()
    if plain[:1] in ("{", "["):
        return bool(cells(text))
    if plain[:1] == "<" and plain[-1:] == ">":
        return re.match(r"<(\w[\w-]{0,40})[\s>]", plain) is not None and "</" in plain
    if _YAML.fullmatch(text) is not None:
        return plain.count("\n") > 0 and not any(_ENDS.search(line) for line in plain.splitlines())
    return (_HEADS.match(text) is not None and _same_cells(plain)) or _TABLE.fullmatch(text) is not None


def _same_cells(text: str) -> bool:
    """Return whether all lines have equally many cells, and no separator of the first line has a space behind it."""
    lines = text.splitlines()
    return any(
        sign in lines[0] and len({line.count(sign) for line in lines}) == 1 and f"{sign} " not in lines[0]
        for sign in ("\t", ";", ",")
    )


class _Sentence(NamedTuple):
    """A sentence for a value of a record, with the meaning of the fields as in `Told`."""

    cell: Cell
    text: str
    reason: str = ""
    given: bool = False


def _sentences(values: Sequence[Cell], written: Mapping[float, str], texts: Sequence[str]) -> list[_Sentence]:
    """Return the sentences for the values of records, in the order of the text.

    Args:
        values: the values of all records.
        written: for each number of the source, its form there.
        texts: the texts of the source.

    Returns:
        One sentence for each value, empty where the value needs none.
    """
    records: dict[int, list[Cell]] = {}
    for cell in values:
        records.setdefault(cell.record, []).append(cell)
    looked_up = _Given(texts) if values and len(values) <= _MOST_VALUES else None
    names = [_name(record, len(records) > 1) for record in records.values()]
    called = [str(record[0].value) if name else "" for record, name in zip(records.values(), names, strict=True)]
    told: list[_Sentence] = []
    for (first, *rest), name, called_here in zip(records.values(), names, called, strict=True):
        others = [other for other in called if other and other != called_here]
        there = [looked_up.of(cell, called_here, others) if name and looked_up else None for cell in rest]
        # What a sentence says of a thing says its name too.
        named = any(sentence is not None and not sentence.reason for sentence in there)
        told.append(_Sentence(first, "" if named else _sentence(first, "", written)))
        for cell, sentence in zip(rest, there, strict=True):
            if sentence is not None and not sentence.reason:
                told.append(_Sentence(cell, sentence.sentence, given=True))
            else:
                told.append(_Sentence(cell, _sentence(cell, name, written), sentence.reason if sentence else ""))
    return sorted(told, key=lambda sentence: sentence.cell.begin)


class _There(NamedTuple):
    """A sentence of the source about a key of a record."""

    sentence: str
    reason: str
    """The difference of the record's value from this sentence, in words; empty if the sentence has the same value"""


class _Given:
    """The sentences of a source, in which the values of records are searched.

    Args:
        texts: the texts of the source. Texts that are records themselves are left out.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._sentences: list[tuple[str, frozenset[str]]] = []
        for text in texts:
            before: frozenset[str] = frozenset()
            for sentence in sentences(text) if not structure(text) else ():
                if len(sentence) <= LONGEST:
                    stems = stems_and_numbers(sentence)
                    about = stems | before if _GOES_ON.match(sentence) else stems
                    self._sentences.append((sentence.strip(), about))
                    before = about

    def of(self, cell: Cell, name: str, others: Sequence[str]) -> _There | None:
        """Return the sentence of the source about the key of a value and about its record, and about no other record.

        Args:
            cell: the value under its key.
            name: the name of its record.
            others: the names of the other records.

        Returns:
            The sentence, with the reason if it has another value; None where no sentence decides.
        """
        said = str(cell.value)
        true = cell.value if isinstance(cell.value, bool) else YES_OR_NO.get(said.lower())
        there = [
            sentence
            for sentence, about in self._sentences
            if stems_and_numbers(name) <= about
            and _has_key(cell.key, about)
            and not any(stems_and_numbers(other) - stems_in(cell.key) <= about for other in others)
        ]
        if true is None and _amount(said) is None:
            wanted = stems_and_numbers(said)
            same_words = [sentence for sentence in there if wanted <= stems_and_numbers(sentence)]
            if same_words:
                return None if negated(_clause_of(same_words[0], cell.key, None)) else _There(same_words[0], "")
            others_say = any(
                wanted <= about
                and _has_key(cell.key, about)
                and any(stems_and_numbers(other) <= about for other in others)
                for _, about in self._sentences
            )
            return _There(there[0], f"{said}: the source has it for another") if there and others_say else None
        for sentence in there:
            clause = _clause_of(sentence, cell.key, _amount(said))
            if told := _flagged(cell, clause, sentence, true) if true is not None else _counted(said, clause, sentence):
                return told
        return None


def _flagged(cell: Cell, clause: str, sentence: str, true: bool) -> _There | None:
    if len(negations(clause)) > 1:
        return None
    denied = bool(negations(clause))
    return _There(sentence, "" if denied != true else f"{cell.key}: the source has “{clause.strip()}”")


def _counted(said: str, clause: str, sentence: str) -> _There | None:
    """Return whether a sentence has an amount.

    Args:
        said: the amount, as the record writes it.
        clause: the part of the sentence that is about the key.
        sentence: the whole sentence.

    Returns:
        The sentence, and the reason if it has another amount; None if it has several other amounts, or a negation.
    """
    mine = _amount(said)
    if mine is None or negations(clause):
        return None
    numbers = [number for number in plain(quantities(clause)) if number.kind not in ("date", "clock")]
    equal = [
        number for number in numbers if same(number, mine) or (mine.kind == "count" and number.written == mine.written)
    ]
    if len(equal) == 1:
        return _There(sentence, "")
    alike = [number for number in numbers if mine.kind in ("count", number.kind)]
    if len(alike) == 1 and not equal:
        return _There(sentence, f"{said}: the source has {clause[alike[0].begin : alike[0].end]}")
    return None


def _amount(said: str) -> Quantity | None:
    """Return the quantity that is the whole of a value; None for values that are no single amount."""
    amounts = plain(quantities(said))
    whole = len(amounts) == 1 and not said[: amounts[0].begin].strip(" $£€") and not said[amounts[0].end :].strip(" .")
    return amounts[0] if whole and amounts[0].kind not in ("phone", "code", "version") else None


def _has_key(key: str, about: frozenset[str]) -> bool:
    """Return whether the stems `about` have each word of a key, or a word with the same meaning."""
    short = {stem[:_SHORT] for stem in about}
    words = [word.lower() for word in key_words(key)]
    words = words[:-1] if len(words) > 1 and words[-1] in _SUFFIXES else words
    wanted = [word for word in words if word not in _EMPTY]
    return bool(wanted) and all(
        any(stem_of(form)[:_SHORT] in short for form in (word, *_SAID_BY.get(word, ()))) for word in wanted
    )


def _clause_of(sentence: str, key: str, amount: Quantity | None) -> str:
    """Return the clauses of a sentence that have a word of a key, or an amount."""
    words = [form for word in key_words(key) for form in (word.lower(), *_SAID_BY.get(word.lower(), ()))]
    wanted = {stem_of(form)[:_SHORT] for form in words}
    return " ".join(
        part
        for part in _CLAUSE.split(sentence)
        if {stem[:_SHORT] for stem in stems_in(part)} & wanted
        or (amount is not None and any(quantity.written == amount.written for quantity in quantities(part)))
    )


def _name(record: Sequence[Cell], several: bool) -> str:
    """Return the name of a record; empty where its first value may be no name.

    Args:
        record: the values of the record.
        several: whether there are other records.

    Returns:
        The first value, with its key before it if the key is no word like "name".
    """
    first = record[0]
    value = first.value
    if isinstance(value, bool) or value is None or len(record) < 2 or str(value).lower() in YES_OR_NO:
        return ""
    words = str(value).split()
    key = " ".join(key_words(first.key)).lower()
    is_code = (
        isinstance(value, str)
        and any(letter.isdigit() for letter in value)
        and any(letter.isalpha() for letter in value)
    )
    if not 1 <= len(words) <= 4 or not (several or is_code or key.split(" ")[-1] in _NAMES):
        return ""
    if isinstance(value, float | int) and key.split(" ")[-1] not in _NAMES:
        return ""
    return str(value) if key.split(" ")[-1] in _NAMES else f"{key} {value}"


def _sentence(cell: Cell, name: str, written: Mapping[float, str]) -> str:
    words = [word if word.isupper() else word.lower() for word in key_words(cell.key)]
    if cell.value is None or not words or not str(cell.value).strip():
        return ""
    said = str(cell.value).strip()
    true = cell.value if isinstance(cell.value, bool) else YES_OR_NO.get(said.lower())
    if true is not None:
        return _flag(words, name, true)
    if len(said.split()) > _LONG or _ENDS.search(said):
        return said if _ENDS.search(said) else f"{said}."
    unit = _SUFFIXES.get(words[-1], "") if len(words) > 1 else ""
    number = _number(said)
    if number is not None:
        said = written.get(number, said)
        if unit and said.replace(",", "").replace(".", "").isdigit():
            said = f"{said} {unit}"
        words = words[:-1] if unit else words
        if name and not unit and len(words) == 1 and _is_plural(words[0]) and said.replace("-", "").isalnum():
            return f"{_first(name)} has {said} {words[0]}."
    of = f" of {name}" if name else ""
    return f"The {' '.join(words)}{of} is {said}."


def _number(said: str) -> float | None:
    return float(said) if re.fullmatch(r"-?\d+(?:\.\d+)?", said) else None


def _flag(words: list[str], name: str, true: bool) -> str:
    """Return a sentence for a key with the value yes or no.

    Args:
        words: the words of the key.
        name: the name of the record; may be empty.
        true: whether the value is yes.

    Returns:
        A sentence such as "The flat has no balcony."
    """
    subject = _first(name) if name else "It"
    not_ = "" if true else "not "
    if words[0] in ("is", "are", "was", "can", "may") and len(words) > 1:
        return f"{subject} {words[0]} {not_}{' '.join(words[1:])}."
    if words[0] in ("has", "have", "with", "includes") and len(words) > 1:
        words = words[1:]
    elif (
        is_adjective(words[-1])
        or words[-1].endswith("ed")
        or (is_verb(words[-1]) and len(words[-1]) > 4 and words[-1].endswith("en"))
    ):
        return f"{subject} is {not_}{' '.join(words)}."
    elif len(words) == 1 and words[0].endswith("s") and is_verb(words[0][:-1]):
        return f"{subject} {words[0] if true else f'does not {words[0][:-1]}'}."
    thing = " ".join(words)
    if true and not _is_plural(words[-1]) and words[-1] not in _NOT_COUNTED:
        thing = f"{'an' if thing[0] in 'aeiou' else 'a'} {thing}"
    if not name:
        return f"There is {'' if true else 'no '}{thing}."
    return f"{subject} has {'' if true else 'no '}{thing}."


def _is_plural(word: str) -> bool:
    return word in _PLURALS or (word.endswith("s") and not word.endswith(("ss", "us", "is")))


def _first(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"
