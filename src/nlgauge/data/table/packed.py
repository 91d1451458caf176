"""The packed form of evidence in a scores file, in which a list of records is an object with a list for each field.

`{"at": [0, 1], "alignment": [1.0]}` stands for `[{"text": "A", "begin": 0, "end": 1, "alignment": 1.0}]`. The list `at`
has two numbers for each record: the distance from the end of the record before it, and the record's length. A field
that a record lacks is null. The text of a word is left out where its position in the whole text gives it. Lists of
records that are not packed are read too.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import accumulate, chain, pairwise
from typing import Any, NamedTuple

from nlgauge.data.evidence import wrong_evidence

_OF_A_ROW = ("matches", "flows", "items")
_OF_A_TEXT = ("words", "stretches", "quotes", "reasons")


class _Packed(NamedTuple):
    evidence: dict[str, Any]


class Unpacking(UserDict[int, Any]):
    """Evidence of a file by index of the row (or system). It is unpacked when it is first read, if ever."""

    def take(self, row: int, evidence: dict[str, Any]) -> None:
        """Add the evidence of a row as a file holds it.

        Args:
            row: the index of the row.
            evidence: JSON, packed or not.

        Raises:
            ValueError: the evidence is not in the form that `packed` gives; the message names the place in it.
        """
        if wrong := wrong_evidence(evidence, packed=True) or _unequal(evidence):
            raise ValueError(wrong)
        self.data[row] = _Packed(evidence)

    def __getitem__(self, row: int) -> Any:
        if isinstance(evidence := self.data[row], _Packed):
            evidence = self.data[row] = unpacked(evidence.evidence)
        return evidence


def packed(evidence: Any) -> Any:
    """Return evidence in its packed form. Evidence that `wrong_evidence` finds wrong is returned unchanged."""
    if wrong_evidence(evidence):
        return evidence
    made = _changed(evidence, _OF_A_ROW, _lists)
    return _changed(made, ("texts",), lambda texts: [_packed_text(text) for text in texts])


def unpacked(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Return the evidence of a packed form, as it was before `packed`. Lists that are not packed stay lists."""
    made = _changed(evidence, _OF_A_ROW, _records)
    return _changed(made, ("texts",), lambda texts: [_unpacked_text(text) for text in texts])


def _changed(holder: Mapping[str, Any], names: Collection[str], change: Callable[[Any], Any]) -> dict[str, Any]:
    return {name: change(value) if name in names else value for name, value in holder.items()}


def _packed_text(text: Mapping[str, Any]) -> dict[str, Any]:
    made = _changed(text, _OF_A_TEXT, _lists)
    words = made["words"]
    if isinstance(words, dict) and min(words["at"]) >= 0:
        cut = [text["text"][begin:end] for begin, end in zip(*_bounds(words["at"]), strict=True)]
        if cut == words["text"]:
            del words["text"]
    return made


def _unpacked_text(text: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(text)
    words = made["words"]
    if isinstance(words, dict) and "text" not in words:
        cut = [text["text"][begin:end] for begin, end in zip(*_bounds(words["at"]), strict=True)]
        made["words"] = {"text": cut, **words}
    return _changed(made, _OF_A_TEXT, _records)


def _lists(records: list[Any]) -> Any:
    """Return records as an object with a list for each field; unchanged where `_records` could not restore them."""
    names = list(dict.fromkeys(chain.from_iterable(records)))
    if not names or "at" in names or any(None in record.values() for record in records):
        return records
    fields: dict[str, Any] = {name: [record.get(name) for record in records] for name in names}
    for name, values in fields.items():
        if all(isinstance(value, dict) for value in values):
            fields[name] = _lists(values)
    ends = [fields.get("begin"), fields.get("end")]
    if all(isinstance(of, list) and {int}.issuperset(map(type, of)) for of in ends):
        bounds = [0, *chain.from_iterable(zip(fields["begin"], fields.pop("end"), strict=True))]
        fields["begin"] = [bound - before for before, bound in pairwise(bounds)]
        return {"at" if name == "begin" else name: values for name, values in fields.items()}
    return fields


def _records(fields: Any) -> Any:
    """Return the list of records that `_lists` turned into an object of lists."""
    if not isinstance(fields, dict):
        return fields
    columns: dict[str, Sequence[Any]] = {}
    for name, values in fields.items():
        if name == "at":
            columns["begin"], columns["end"] = _bounds(values)
        else:
            columns[name] = _records(values)
    rows = zip(*columns.values(), strict=True)
    if any(None in values for values in columns.values()):
        return [{name: value for name, value in zip(columns, row, strict=True) if value is not None} for row in rows]
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _bounds(at: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    """Return the begin of each record, and the end of each record, from the list `at`."""
    ends = list(accumulate(at))
    return ends[::2], ends[1::2]


def _unequal(evidence: Mapping[str, Any]) -> str | None:
    """Return what is wrong: lists that differ in length, or overlapping words without texts; None if nothing is."""
    holders: list[tuple[str, Mapping[str, Any], Collection[str]]] = [("", evidence, _OF_A_ROW)]
    holders += [(f"texts[{n}].", text, _OF_A_TEXT) for n, text in enumerate(evidence.get("texts", ()))]
    for where, holder, names in holders:
        for name in names:
            if name in holder and _count(holder[name]) is None:
                return f"evidence: the fields of the records are not of one length - at `$.{where}{name}`"
        words = holder.get("words")
        if isinstance(words, dict) and "text" not in words and min(words["at"], default=0) < 0:
            return f"evidence: words without a text of their own do not follow each other - at `$.{where}words`"
    return None


def _count(fields: Any) -> int | None:
    """Return the number of records in an object of lists; None where the lists differ in length, or are no lists."""
    if isinstance(fields, list):
        return len(fields)
    if not isinstance(fields, dict) or ("at" in fields and fields.keys() & {"begin", "end"}):
        return None
    counts = {_pairs(values) if name == "at" else _count(values) for name, values in fields.items()}
    return counts.pop() if len(counts) == 1 else None


def _pairs(at: Any) -> int | None:
    """Return the number of pairs in a list such as `at`; None for a value that is no list of pairs of whole numbers."""
    whole = isinstance(at, list) and len(at) % 2 == 0 and {int}.issuperset(map(type, at))
    return len(at) // 2 if whole else None
