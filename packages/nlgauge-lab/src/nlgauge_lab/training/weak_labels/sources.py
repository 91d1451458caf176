"""Records from which examples are made: documents, references, pairs and dialogue turns, from common file formats."""

from __future__ import annotations

import json
import lzma
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nlgauge.errors import InputError
from nlgauge_lab.training.passages import opened

_SUFFIXES = (".jsonl", ".json", ".txt")
# Our name, and other files' names for the same.
_NAMES = {
    "document": ("source", "document", "doc", "article", "a", "premise"),
    "text": ("references", "reference", "summary", "target", "response", "b", "hypothesis"),
    "knowledge": ("knowledge", "context", "fact"),
    "history": ("history",),
}


@dataclass(frozen=True)
class Record:
    """The texts that examples are made from. Each task reads some of them."""

    document: str = ""
    text: str = ""
    """A person's text about the document, or the reply to the history"""
    knowledge: str = ""
    history: tuple[str, ...] = ()
    origin: str = ""
    """Name of the data set"""
    groups: tuple[str, ...] = ()
    """Names of groups. Records that share a group are about the same document, and are held out together"""


def read_records(path: Path, origin: str | None = None) -> list[Record]:
    """Return the records of a file of JSON Lines or a JSON list (also .gz, .xz).

    Columns have nlgauge's names or other common names. Plain text (.txt) is read as documents of about 400 words, each
    of whole lines. A folder stands for all such files in it. The `origin` of a record is the beginning of its row's
    origin up to a colon, else `origin`, else the name of the file.

    Raises:
        InputError: a file cannot be read, or a row has no text under any known name.
    """
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if _kind(file) in _SUFFIXES)
        if not files:
            raise InputError("holds no .jsonl, .json or .txt", file=path, remedy="name a folder of texts or records")
        return [record for file in files for record in read_records(file, origin)]
    kind = _kind(path)
    if kind not in _SUFFIXES:
        raise InputError("the name does not tell the format", file=path, remedy="name it .jsonl, .json or .txt")
    try:
        with opened(path) as lines:
            return list(_read(lines, kind, path, origin or path.name.split(".")[0]))
    except (OSError, EOFError, UnicodeDecodeError, lzma.LZMAError) as error:
        raise InputError(f"cannot be read: {error}", file=path, remedy="give a whole file in UTF-8") from None


def _kind(path: Path) -> str:
    return Path(path.name.removesuffix(".gz").removesuffix(".xz")).suffix


def _read(lines: Iterable[str], kind: str, path: Path, origin: str) -> Iterator[Record]:
    if kind == ".txt":
        yield from documents(lines, origin)
        return
    rows: Iterable[Any]
    try:
        rows = json.load(lines) if kind == ".json" else (json.loads(line) for line in lines)  # type: ignore[arg-type]
        for number, row in enumerate(rows, 1):
            yield _record(row, path, number, origin)
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"broken JSON: {error}", file=path, remedy="write one object a line") from None


def documents(lines: Iterable[str], origin: str, words: int = 400) -> Iterator[Record]:
    """Yield documents of consecutive lines with at least `words` words. The last one may be shorter."""
    run: list[str] = []
    size = number = 0
    for line in lines:
        if line := line.strip():
            run.append(line)
            size += line.count(" ") + 1
        if size >= words:
            yield Record(document="\n".join(run), origin=origin, groups=(f"{origin}:{number}",))
            run, size, number = [], 0, number + 1
    if run:
        yield Record(document="\n".join(run), origin=origin, groups=(f"{origin}:{number}",))


def _record(row: Any, path: Path, number: int, origin: str) -> Record:
    if not isinstance(row, Mapping):
        raise InputError(f"not an object but {row!r:.40}", file=path, row=number, remedy="write one object a line")
    parts = {ours: _texts(row, names, path, number) for ours, names in _NAMES.items()}
    if not any(parts.values()):
        known = ", ".join(name for names in _NAMES.values() for name in names)
        problem = f"no text under any known name; it has {', '.join(map(str, row)) or 'nothing'}"
        raise InputError(problem, file=path, row=number, remedy=f"the names are {known}")
    whence = row.get("origin") or row.get("item") or ""
    dataset, _, rest = str(whence).partition(":") if row.get("origin") else (origin, "", str(whence))
    knowledge = "\n".join(parts["knowledge"])
    document = "\n".join(parts["document"])
    groups = [f"{dataset}:{rest.split(':')[0]}"] if rest else []
    groups += [f"{zlib.crc32(text.encode('utf-8', 'surrogatepass')):08x}" for text in (knowledge, document) if text]
    return Record(
        document=document,
        text=parts["text"][0] if parts["text"] else "",
        knowledge=knowledge,
        history=tuple(parts["history"]),
        origin=dataset or origin,
        groups=tuple(groups),
    )


def _texts(row: Mapping[str, Any], names: Sequence[str], path: Path, number: int) -> list[str]:
    value: Any = next((row[name] for name in names if row.get(name)), [])
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise InputError(f"{names[0]} is not a text", file=path, row=number, remedy="give a string or a list of them")
    return [clean for text in texts if (clean := tidy(text))]


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ufeff]")


def tidy(text: str) -> str:
    """Return a text with single spaces between words, and without empty lines or control characters."""
    lines = (" ".join(line.split()) for line in _CONTROL.sub(" ", text).split("\n"))
    return "\n".join(line for line in lines if line)


def split(records: Sequence[Record], held_out: float, origins: Iterable[str] = ()) -> tuple[list[Record], list[Record]]:
    """Return training records and held-out records, which share no group.

    Args:
        records: all records.
        held_out: about this share of the groups is held out. The choice is the same on every machine.
        origins: data sets that are held out as a whole.
    """
    whole = set(origins)
    picked = {
        group
        for record in records
        for group in record.groups
        if record.origin in whole or zlib.crc32(group.encode()) < held_out * 2**32
    }
    held = [record for record in records if record.origin in whole or picked.intersection(record.groups)]
    shared = {group for record in held for group in record.groups}
    kept = [record for record in records if record.origin not in whole and not shared.intersection(record.groups)]
    return kept, held
