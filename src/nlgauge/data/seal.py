"""The seal of a result: digests of all that a file says, so that a changed file is not taken for what was written.

A record (a threshold, a panel, a verdict) is one JSON object, and a history has a record on each line. The seal is a
field of the record: the SHA-256 of all other fields, and the digest of each of them, which tells what was changed. A
number counts as it is written, so that 0.50 is not 0.5; the order of the fields and the blanks between them do not
count. A scores file has the seal in its first line: the SHA-256 of this line and of all others as they are written, and
a short digest of each line.

A seal shows that a file was changed, and not who wrote it: whoever changes a file on purpose can seal it again. A file
without a seal, as of versions before 0.2 or of another tool, is read, and told of. Who means to change a sealed file
takes the field `seal` out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError

SEAL = "seal"
ITSELF = "the seal itself"
_PART = 16
"""Hexadecimal digits of the digest of a field"""
_LINE = 4
"""Hexadecimal digits of the digest of a line: they only tell which line was changed"""
UNSEALED = (
    "has no seal, as it was written by hand, by another tool or by nlgauge before 0.2: whether it was changed is not "
    "known"
)


def exact(text: str | bytes) -> Any:
    """Return JSON whose numbers are as they are written, each as a list of "number" and its text. Raises ValueError."""
    return json.loads(text, parse_float=_written, parse_int=_written, parse_constant=_written)


def _written(number: str) -> list[str]:
    return ["number", number]


def digest_of(value: object) -> str:
    """Return the SHA-256 (hexadecimal) of what `exact` gave; the order of fields does not count."""
    return sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def sealed(record: Mapping[str, object], before: str = "") -> dict[str, object]:
    """Return a record with its seal.

    Args:
        record: what JSON has.
        before: the digest of what stands before it in the file, for a line of a history.

    Returns:
        The record with the field `seal`.
    """
    return {**record, SEAL: _seal(exact(json.dumps(record, allow_nan=False)), before)}


def _seal(fields: Mapping[str, object], before: str) -> dict[str, object]:
    parts = {name: digest_of(value)[:_PART] for name, value in fields.items()}
    return {"digest": digest_of([before, dict(fields)]), "parts": parts}


def changed(record: object, before: str = "") -> list[str] | None:
    """Return which fields of a record are not as they were sealed.

    Args:
        record: as `exact` gives it.
        before: as `sealed` takes it.

    Returns:
        The names of the fields that were changed, added or taken out; `ITSELF` where the seal alone was changed, and
        "what stands before it" where only that differs. Empty where the seal fits; None for a record without one.
    """
    if not isinstance(record, dict) or SEAL not in record:
        return None
    fields = {name: value for name, value in record.items() if name != SEAL}
    given, made = record[SEAL], _seal(fields, before)
    if given == made:
        return []
    if not isinstance(given, dict) or given.get("digest") == made["digest"]:
        return [ITSELF]
    parts, now = given.get("parts"), made["parts"]
    assert isinstance(now, dict)
    if not isinstance(parts, dict):
        return [ITSELF]
    names = [name for name in {**parts, **now} if parts.get(name) != now.get(name)]
    return names or (["what stands before it"] if before else [ITSELF])


def refuse_changed(text: bytes, path: str | Path, what: str, remedy: str) -> bytes:
    """Return a sealed record without its seal.

    Args:
        text: the JSON of the file.
        path: the file.
        what: the file is, for the error: 'a threshold'.
        remedy: what the error says to do.

    Returns:
        The JSON without the seal; as it is where it has none.

    Raises:
        InputError: the seal does not fit; the message names the fields.
    """
    try:
        names = changed(exact(text))
    except (ValueError, RecursionError):
        return text  # which the reader of the record refuses by its own words
    if names is None:
        return text
    if names:
        raise InputError(wrong(what, names), file=path, remedy=f"{remedy}; {BY_HAND}")
    record = json.loads(text)
    del record[SEAL]
    return json.dumps(record).encode()


BY_HAND = f"to change it on purpose, take out the field {SEAL!r}"


def wrong(what: str, names: Iterable[str]) -> str:
    """Return the problem of a file whose seal does not fit: what it is, and what was changed."""
    return f"is {what} that was changed after it was written: its seal does not fit ({', '.join(names)})"
