"""Records of keys and values in a source or an answer that is written as JSON, XML, YAML, CSV or a table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from nlgauge.faithfulness.measures import Quantity
from nlgauge.faithfulness.quantities import quantities
from nlgauge.faithfulness.stems import GENERAL, MOST, key_words, opposed, stem_of, stems_and_numbers, stems_in


class Record(NamedTuple):
    """A key with the value yes or no, in a record."""

    key: frozenset[str]
    """The stems of the key"""
    names: frozenset[str]
    """The stems of the record's other values"""
    value: bool
    text: str
    """The key and the value, as the source writes them"""
    quantities: Sequence[Quantity]
    """The quantities of the record"""
    turned: frozenset[str]
    """The stems of opposites of the key's words"""

    def answers(self, said: Set[str]) -> bool:
        """Return whether a sentence with the stems `said` is about this key of this record, and about nothing else."""
        rest = said - self.key - self.names - GENERAL - self.turned
        return bool(said & (self.key | self.turned)) and not rest


class Thing(NamedTuple):
    """A record whose first value is the name of a thing."""

    called: str
    """The name"""
    name: frozenset[str]
    """The stems of the name"""
    kind: frozenset[str]
    """What sort of thing it is: the stems of the record's first key, such as "hotel" in "hotel: Alba" """
    values: Mapping[frozenset[str], tuple[frozenset[str], str]]
    """For the stems of each key whose value is not yes or no: the stems of the value, and "key: value" as text"""
    flags: Mapping[frozenset[str], bool]
    """For the stems of each key whose value is yes or no: whether it is yes"""


def thing_of(record: Mapping[str, object]) -> Thing | None:
    """Return the thing that a record describes; None for a record of one value, or without a name of 1 to 4 words."""
    cells = {key: str(value) for key, value in record.items() if key and value is not None}
    first = next(iter(cells), "")
    if not first or len(cells) < 2 or not (name := stems_and_numbers(cells[first])):
        return None
    values = {
        stems_in(key): (stems_and_numbers(cell), f"{key}: {cell}")
        for key, cell in cells.items()
        if key != first and len(cell) <= _CELL and cell.lower() not in YES_OR_NO and stems_in(key)
    }
    flags = {stems_in(key): YES_OR_NO[cell.lower()] for key, cell in cells.items() if cell.lower() in YES_OR_NO}
    if len(name) > _NAMED_MOST:
        return None
    return Thing(called=cells[first], name=name, kind=stems_in(first), values=values, flags=flags)


_NAMED_MOST = 4
"""The most words of the name of a record"""
_CELL = 60
"""The most characters of a value that is compared"""


class Cell(NamedTuple):
    """A value of a record with its key and its place in the text."""

    record: int
    """The number of the record in the text, from 0"""
    of: str
    """The key under which the whole record stands; empty if there is none"""
    key: str
    value: str | float | bool | None
    begin: int
    end: int
    """The place [begin, end) of the key and the value; in a table, of the value alone"""


def cells(text: str) -> list[Cell]:
    """Return the values of a text that is JSON, XML, a table, or lines of keys and values.

    Args:
        text: the whole text.

    Returns:
        The values in the order of the text; empty for any other text.
    """
    json_cells = _json(text)
    return _table(text) or _pairs(text) if json_cells is None else json_cells


def structure(text: str) -> Sequence[Mapping[str, object]]:
    """Return the records of a text, each as a mapping from keys to values.

    A record may stand under a key of its own, as in ``{"alba": {"stars": 4}}``. Then its mapping has this key as the
    value of the empty key: ``{"": "alba", "stars": 4}``.

    Args:
        text: the whole text.

    Returns:
        The records in the order of the text; empty for prose.
    """
    by_number: dict[int, dict[str, object]] = {}
    for cell in cells(text):
        by_number.setdefault(cell.record, {"": cell.of} if cell.of else {})[cell.key] = cell.value
    return list(by_number.values())


def records(records: Iterable[Mapping[str, object]]) -> Iterator[Record]:
    """Yield the keys with the value yes or no, in all records."""
    for record in records:
        names = frozenset(
            stem for value in record.values() if not isinstance(value, bool) for stem in stems_and_numbers(str(value))
        )
        names |= frozenset(stem for key, value in record.items() if isinstance(value, str) for stem in stems_in(key))
        told = quantities(" , ".join(str(value) for value in record.values() if not isinstance(value, bool)))
        for key, value in record.items():
            true = value if isinstance(value, bool) else YES_OR_NO.get(str(value).strip().lower())
            if true is not None and (stems := stems_in(key)):
                words = {stem_of(word.lower()): word.lower() for word in key_words(key)}
                shown = (
                    json.dumps({key: value}, ensure_ascii=False)[1:-1] if isinstance(value, bool) else f"{key}: {value}"
                )
                turned = frozenset(stem_of(word) for word in opposed(words))
                yield Record(key=stems, names=names, value=true, text=shown, quantities=told, turned=turned)


def _json(text: str) -> list[Cell] | None:
    if text.strip()[:1] not in ("{", "[") or not text.strip():
        return None
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return None
    read: list[Cell] = []
    open_records: list[tuple[int, str]] = []
    """For each open object or list: the number of the object, or -1 for a list, and the key"""
    key, begin, many = "", 0, 0
    for match in _JSON.finditer(text):
        token = match.group()
        if token in "{[":
            name = key or (open_records[-1][1] if open_records else "")
            open_records.append((many if token == "{" else -1, name))
            many, key = many + (token == "{"), ""
        elif token in "}]":
            open_records.pop()
            key = ""
        elif match["key"] is not None:
            key, begin = json.loads(match["key"]), match.start()
        elif open_records and open_records[-1][0] >= 0:
            number, of = open_records[-1]
            value = json.loads(token)
            read.append(Cell(record=number, of=of, key=key, value=value, begin=begin, end=match.end()))
            key = ""
        if len(read) >= MOST:
            break
    return read


def _table(text: str) -> list[Cell]:
    """Return the cells of a table, separated by bars, tabs, semicolons or commas, with the first line as keys."""
    lines = [(begin, line) for begin, line in _lines(text) if line.strip() and not _RULE.fullmatch(line)][:MOST]
    for sign in ("|", "\t", ";", ","):
        rows = [list(_split(begin, line, sign)) for begin, line in lines]
        if len(rows) > 1 and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1:
            heads = [text[begin:end] for begin, end in rows[0]]
            return [
                Cell(record=number, of="", key=head, value=text[begin:end], begin=begin, end=end)
                for number, row in enumerate(rows[1:])
                for head, (begin, end) in zip(heads, row, strict=True)
            ]
    return []


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text, each with the index of its first character."""
    at = 0
    for line in text.splitlines(keepends=True):
        yield at, line
        at += len(line)


def _split(begin: int, line: str, sign: str) -> Iterator[tuple[int, int]]:
    """Yield the place of each cell of a line, without spaces and without bars at both ends of the line."""
    inner = line.strip()
    first = begin + line.index(inner) if inner else begin
    if sign == "|":
        first += len(inner) - len(inner.lstrip("|"))
        inner = inner.strip("|")
    at = first
    for cell in inner.split(sign):
        plain = cell.strip()
        start = at + (cell.index(plain) if plain else 0)
        yield start, start + len(plain)
        at += len(cell) + 1


def _pairs(text: str) -> list[Cell]:
    """Return the values of lines "key: value" or of tags. A key that comes a second time begins the next record."""
    pairs = [(match.span(), match[1], match[2], False) for match in _TAG.finditer(text)]
    if not pairs:
        matches = ((begin, _LINE.fullmatch(line)) for begin, line in _lines(text))
        pairs = [
            (
                (begin + match.start("key"), begin + match.end("value")),
                match["key"],
                match["value"],
                bool(match["item"]),
            )
            for begin, match in matches
            if match is not None
        ]
    cells: list[Cell] = []
    number, keys = 0, set[str]()
    for (begin, end), key, value, item in pairs[: 10 * MOST]:
        if key in keys or (item and keys):
            number, keys = number + 1, set()
        keys.add(key)
        cells.append(Cell(record=number, of="", key=key, value=value, begin=begin, end=end))
    return cells if len(pairs) > 1 else []


_JSON = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*")(?=\s*:)|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}\[\]]',
    re.DOTALL,
)
_RULE = re.compile(r"[\s|:+=-]*")
_TAG = re.compile(r"<(\w[\w-]{0,40})>\s*([^<>]{0,80}?)\s*</\1>")
_LINE = re.compile(r"\s*(?P<item>- )?(?P<key>[\w][\w -]{0,40}?)\s*[:=]\s*(?P<value>\S.{0,80}?)\s*")
YES_OR_NO = {
    "yes": True,
    "no": False,
    "true": True,
    "false": False,
    "none": False,
    "included": True,
    "not included": False,
}
