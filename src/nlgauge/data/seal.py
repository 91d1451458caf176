"""The seal of a result: digests of the whole content of a file, by which a later change of the file is noticed.

A record (a threshold, a panel, a verdict) is one JSON object, and a history has a record on each line. The seal is a
field of the record: the SHA-256 of all other fields, and the digest of each of them, which tells what was changed. A
number counts as it is written, so that 0.50 is not 0.5; the order of the fields and the blanks between them do not
count. The seal of the last line of a history says that it is the last one. A scores file has the seal in its first
line: the SHA-256 of this line and of all others as they are written, and a short digest of each line.

A seal shows that a file was changed, and not who wrote it: whoever changes a file on purpose can seal it again. A file
without a seal, such as a file of a version before 0.2 or of another tool, is read, and a note reports it. To change a
sealed file on purpose, remove its field `seal`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError

SEAL = "seal"
LAST = "last"
ITSELF = "the seal itself"
BEFORE_IT = "what stands before it, or the seal itself"
_PART = 16
"""Hexadecimal digits of the digest of a field"""
_LINE = 4
"""Hexadecimal digits of the digest of a line, which only has to tell which line was changed"""
UNSEALED = (
    "has no seal, as it was written by hand, by another tool or by nlgauge before 0.2: whether it was changed is not "
    "known"
)


def exact(text: str | bytes) -> Any:
    """Return the value of JSON, with ["number", its text] for each number. Raises ValueError for broken JSON."""
    return json.loads(text, parse_float=_written, parse_int=_written, parse_constant=_written)


def _written(number: str) -> list[str]:
    return ["number", number]


def digest_of(value: object) -> str:
    """Return the SHA-256 (hexadecimal) of a value that `exact` returned. The order of fields does not count."""
    return sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def sealed(record: Mapping[str, object], before: str | None = None, *, last: bool = False) -> dict[str, object]:
    """Return a record with its seal.

    Args:
        record: a record of JSON values.
        before: for a line of a history, the digest of all lines before it, which is "" for the first line; else None.
        last: whether it is the last line of a history.

    Returns:
        The record with the field `seal`.
    """
    return {**record, SEAL: _seal(exact(json.dumps(record, allow_nan=False)), before, last)}


def _seal(fields: Mapping[str, object], before: str | None, last: bool) -> dict[str, object]:
    parts = {name: digest_of(value)[:_PART] for name, value in fields.items()}
    end = {LAST: True} if last else {}
    return {"digest": digest_of([before, dict(fields), *end]), "parts": parts, **end}


def is_last(record: object) -> bool:
    """Return whether the seal of a history's line says that the line is the last. `record`: as `exact` returns it."""
    seal = record.get(SEAL) if isinstance(record, dict) else None
    return isinstance(seal, dict) and seal.get(LAST) is True


def changed(record: object, before: str | None = None) -> list[str] | None:
    """Return which fields of a record are not as they were sealed.

    Args:
        record: the record, as `exact` returns it.
        before: as `sealed` takes it.

    Returns:
        The names of the fields that were changed, added or removed. If there are none, but the seal does not fit,
        `ITSELF`; or, for a line of a history, `BEFORE_IT`, because an earlier line may have been changed. Empty where
        the seal fits; None for a record without a seal.
    """
    if not isinstance(record, dict) or SEAL not in record:
        return None
    fields = {name: value for name, value in record.items() if name != SEAL}
    sealed, made = record[SEAL], _seal(fields, before, is_last(record))
    if sealed == made:
        return []
    if not isinstance(sealed, dict) or sealed.get("digest") == made["digest"]:
        return [ITSELF]
    parts, now = sealed.get("parts"), made["parts"]
    assert isinstance(now, dict)
    if not isinstance(parts, dict):
        return [ITSELF]
    names = [name for name in {**parts, **now} if parts.get(name) != now.get(name)]
    return names or [ITSELF if before is None else BEFORE_IT]


def refuse_changed(text: bytes, path: str | Path, what: str, remedy: str) -> bytes:
    """Return the JSON of a sealed record without its seal.

    Args:
        text: the JSON of the file.
        path: the file.
        what: the kind of file, for the error, such as 'a threshold'.
        remedy: what the error says to do.

    Returns:
        The JSON without the seal; the unchanged text where it has no seal, or is no JSON.

    Raises:
        InputError: the seal does not fit. The message names the changed fields.
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
    """Return the text of an error about a file whose seal does not fit, with its kind and the changed fields."""
    return f"is {what} that was changed after it was written: its seal does not fit ({', '.join(names)})"


def has_seal(path: Path) -> bool:
    """Return whether a record, or the last line of a history, has a seal; True also for files that hold no record."""
    content = path.read_bytes()
    try:
        record = json.loads(content)
    except (ValueError, RecursionError):
        last = ([b"{}", *(line for line in content.split(b"\n") if line.strip())])[-1]
        try:
            record = json.loads(last)
        except (ValueError, RecursionError):
            return True
    return not isinstance(record, dict) or not record or SEAL in record


class LineSeal:
    """The seal of a file of lines, computed line by line while the file is written."""

    def __init__(self, first: str) -> None:
        """Begin with the first line, which is JSON, given without its line end and without a seal."""
        self.first = first
        self._digest = sha256(first.encode(*_ANY))
        self._lines: list[str] = []

    def add(self, line: str) -> None:
        """Take one more line, without its end."""
        content = line.encode(*_ANY)
        self._digest.update(b"\n" + content)
        self._lines.append(sha256(content).hexdigest()[:_LINE])

    def made(self) -> dict[str, object]:
        """Return the seal of the lines taken so far."""
        parts = {name: digest_of(value)[:_PART] for name, value in exact(self.first).items()}
        lines = "".join(self._lines)
        return {"digest": _closed(self._digest.copy(), parts, lines), "parts": parts, "lines": lines}

    def sealed(self) -> str:
        """Return the first line with the seal as its last field."""
        return f"{self.first[:-1]}{_BEFORE}{json.dumps(self.made())}}}"


_ANY = ("utf-8", "surrogatepass")
"""The encoding of lines. A text that is no UTF-8 is refused where the file is written"""
_BEFORE = f', "{SEAL}": '


def _closed(digest: Any, parts: object, lines: object) -> str:
    """Return the digest of a seal: of all lines of the file, and of the fields `parts` and `lines` of the seal.

    Args:
        digest: the SHA-256 of all lines, which is updated.
        parts: the digest of each field of the first line.
        lines: the joined digests of the other lines.

    Returns:
        The digest, hexadecimal.
    """
    digest.update(f"\n{json.dumps(parts)}\n{lines}".encode())
    return str(digest.hexdigest())


class LineCheck:
    """The check of the seal of a file of lines, made line by line while the file is read."""

    def __init__(self, line: str, record: Mapping[str, Any], path: str | Path) -> None:
        """Begin with the first line, the record in it, and the path of the file for the error."""
        self.path = path
        sealed = record.get(SEAL)
        self.seal: Mapping[str, Any] | None = sealed if isinstance(sealed, dict) else None
        """The seal in the first line; None where the file has none"""
        self._sealed = SEAL in record
        self._digest = sha256((line.rstrip("\r\n").rpartition(_BEFORE)[0] + "}").encode(*_ANY))

    def over(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield the lines unchanged, each with its end. At the end, raise InputError if the seal does not fit."""
        if not self._sealed:
            yield from lines
            return
        update = self._digest.update
        for line in lines:
            update(b"\n" + line.rstrip("\r\n").encode(*_ANY))
            yield line
        seal = self.seal or {}
        if seal.get("digest") != _closed(self._digest, seal.get("parts"), seal.get("lines")):
            remedy = f"nlgauge verify {self.path} says what was changed; score again; {BY_HAND} of the first line"
            raise InputError("was changed after it was written: its seal does not fit", file=self.path, remedy=remedy)


def changed_lines(lines: Iterable[str]) -> list[str] | None:
    """Return what was changed in a sealed file of lines, which has the seal in its first line.

    Args:
        lines: all lines of the file.

    Returns:
        A text for each change: "FIELD of the first line", "line N", or "the number of lines, which was M and is N";
        `ITSELF` where only the seal was changed. Empty where the seal fits; None for a file without a seal.
    """
    first, *others = [line.rstrip("\r\n") for line in lines]
    record = json.loads(first)
    if not isinstance(record, dict) or SEAL not in record:
        return None
    now = LineSeal(first.rpartition(_BEFORE)[0] + "}")
    for line in others:
        now.add(line)
    sealed = record[SEAL]
    try:
        made = now.made()
    except ValueError:  # the seal is not the last field, so that somebody else wrote the line
        return [ITSELF]
    if sealed == made:
        return []
    if (
        not isinstance(sealed, dict)
        or not isinstance(sealed.get("parts"), dict)
        or not isinstance(sealed.get("lines"), str)
    ):
        return [ITSELF]
    parts, made_parts = sealed["parts"], made["parts"]
    assert isinstance(made_parts, dict)
    changes = [
        f"{name} of the first line" for name in {**parts, **made_parts} if parts.get(name) != made_parts.get(name)
    ]
    before, after = (
        [text[at : at + _LINE] for at in range(0, len(text), _LINE)] for text in (sealed["lines"], str(made["lines"]))
    )
    if len(before) != len(after):
        changes.append(f"the number of lines, which was {len(before) + 1} and is {len(after) + 1}")
    else:
        changes += [f"line {at}" for at, (a, b) in enumerate(zip(before, after, strict=True), 2) if a != b]
    return changes or [ITSELF]
