"""Evidence as a scores file holds it: lists of records by their fields, words by their places alone.

`[{"text": "A", "begin": 0, "end": 1, "alignment": 1.0}, ...]` becomes `{"at": [0, 1, ...], "alignment": [1.0, ...]}`:
`at` has two numbers a record, how far it begins behind the end of the one before it, and its length. A field that some
records lack is null for these. The text of a word is left out where its place in the whole text gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from typing import Any

_OF_A_ROW = ("matches", "flows", "items")
_OF_A_TEXT = ("words", "stretches", "quotes", "reasons")


def packed(evidence: Any) -> Any:
    """Evidence for a file. What has not the shapes of `nlgauge.metrics.evidence` stays as it is."""
    return _made(evidence, _by_field, _packed_text)


def unpacked(evidence: Any) -> Any:
    """What `packed` was given; lists that are not packed stay lists. Raises ValueError for what it never makes."""
    return _made(evidence, _records, _unpacked_text)


def _made(evidence: Any, of_records: Callable[[Any], Any], of_text: Callable[[Any], Any]) -> Any:
    if not isinstance(evidence, dict):
        return evidence
    made = {name: of_records(value) if name in _OF_A_ROW else value for name, value in evidence.items()}
    if isinstance(texts := evidence.get("texts"), list):
        made["texts"] = [of_text(text) if isinstance(text, dict) else text for text in texts]
    return made


def _packed_text(text: Mapping[str, Any]) -> dict[str, Any]:
    whole: Any = text.get("text")
    made = {name: _by_field(value) if name in _OF_A_TEXT else value for name, value in text.items()}
    words: Any = made.get("words")
    placed = isinstance(whole, str) and isinstance(words, dict) and list(words)[:2] == ["text", "at"]
    if placed and min(words["at"]) >= 0:
        given = [whole[begin:end] for begin, end in _places(words["at"])]
        made["words"] = {name: field for name, field in words.items() if name != "text" or field != given}
    return made


def _unpacked_text(text: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(text)
    words = made.get("words")
    if isinstance(words, dict) and "text" not in words:
        whole, places = made.get("text"), _places(words.get("at"))
        # Words that follow each other are no longer together than the text.
        if not isinstance(whole, str) or any(number < 0 for number in words["at"]):
            raise ValueError("words without a text of their own do not follow each other in one")
        made["words"] = {"text": [whole[begin:end] for begin, end in places], **words}
    return {name: _records(value) if name in _OF_A_TEXT else value for name, value in made.items()}


def _by_field(records: Any) -> Any:
    """Records by their fields; as they are where that could not be turned back."""
    if not isinstance(records, list) or not records or not all(isinstance(one, dict) for one in records):
        return records
    names = list(dict.fromkeys(name for one in records for name in one))
    alike = all(list(one) == [name for name in names if name in one] and None not in one.values() for one in records)
    if not alike or not names or "at" in names:
        return records
    fields: dict[str, Any] = {name: [one.get(name) for one in records] for name in names}
    for name, values in fields.items():
        if all(isinstance(value, dict) for value in values):
            fields[name] = _by_field(values)
    if ("begin", "end") in pairwise(names) and _whole(fields["begin"] + fields["end"]):
        bounds = [0, *chain.from_iterable(zip(fields["begin"], fields.pop("end"), strict=True))]
        fields["begin"] = [bound - before for before, bound in pairwise(bounds)]
        return {"at" if name == "begin" else name: values for name, values in fields.items()}
    return fields


def _records(fields: Any) -> Any:
    if not isinstance(fields, dict):
        return fields
    columns: dict[str, Sequence[Any]] = {}
    for name, values in fields.items():
        if name == "at":
            columns["begin"], columns["end"] = zip(*_places(values), strict=True)
        else:
            columns[name] = _records(values)
    if not columns or not all(isinstance(values, list | tuple) for values in columns.values()):
        raise ValueError("a list of records is neither that nor one of their fields")
    rows = zip(*columns.values(), strict=True)
    return [{name: value for name, value in zip(columns, row, strict=True) if value is not None} for row in rows]


def _places(at: Any) -> list[tuple[int, int]]:
    """Where each begins and ends."""
    if not isinstance(at, list) or not at or len(at) % 2 or not _whole(at):
        raise ValueError("places are not two whole numbers each")
    ends = list(accumulate(at))
    return list(zip(ends[::2], ends[1::2], strict=True))


def _whole(numbers: Sequence[Any]) -> bool:
    return all(type(number) is int for number in numbers)
