"""Evidence as earlier versions wrote it: lists of records by their fields, and words by their places alone.

`{"at": [0, 1], "alignment": [1.0]}` stands for `[{"text": "A", "begin": 0, "end": 1, "alignment": 1.0}]`: `at` has two
numbers a record, how far it begins behind the end of the one before it, and its length. A field that some records lack
is null for these. The text of a word is left out where its place in the whole text gives it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any


def unpacked(evidence: Any) -> Any:
    """Return the evidence; lists that are not packed stay lists. Raises ValueError for what was never written."""
    if not isinstance(evidence, dict):
        return evidence
    made = evidence | {name: _records(evidence[name]) for name in ("matches", "flows", "items") if name in evidence}
    if isinstance(texts := evidence.get("texts"), list):
        made["texts"] = [_text(text) if isinstance(text, dict) else text for text in texts]
    return made


def _text(text: Mapping[str, Any]) -> dict[str, Any]:
    made = dict(text)
    words = made.get("words")
    if isinstance(words, dict) and "text" not in words:
        whole, places = made.get("text"), _bounds(words.get("at"))
        # Words that follow each other are no longer together than the text.
        if not isinstance(whole, str) or any(number < 0 for number in words["at"]):
            raise ValueError("words without a text of their own do not follow each other in one")
        made["words"] = {"text": [whole[begin:end] for begin, end in places], **words}
    return made | {name: _records(made[name]) for name in ("words", "stretches", "quotes", "reasons") if name in made}


def _records(fields: Any) -> Any:
    if not isinstance(fields, dict):
        return fields
    columns: dict[str, Sequence[Any]] = {}
    for name, values in fields.items():
        if name == "at":
            columns["begin"], columns["end"] = zip(*_bounds(values), strict=True)
        else:
            columns[name] = _records(values)
    if not columns or not all(isinstance(values, list | tuple) for values in columns.values()):
        raise ValueError("a list of records is neither that nor one of their fields")
    rows = zip(*columns.values(), strict=True)
    return [{name: value for name, value in zip(columns, row, strict=True) if value is not None} for row in rows]


def _bounds(at: Any) -> list[tuple[int, int]]:
    """Return where each begins and ends."""
    if not isinstance(at, list) or not at or len(at) % 2 or not all(type(number) is int for number in at):
        raise ValueError("places are not two whole numbers each")
    ends = list(accumulate(at))
    return list(zip(ends[::2], ends[1::2], strict=True))
