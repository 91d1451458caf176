"""Labelled examples: what they hold, and how they are written for people and programs to read."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.data.atomic_write import atomic_bytes
from nlgauge.engine.words import is_word, words
from nlgauge.errors import InputError

_VERSION = 1
_REMEDY = "give a file that write_examples wrote"


@dataclass(frozen=True)
class Example:
    """A context, a text, and which words of the text the context supports."""

    context: str
    text: str
    words: tuple[tuple[int, int], ...]
    """Character spans in `text`, in order: the words that the metrics report"""
    supported: tuple[bool, ...]
    """One a word"""
    task: str
    origin: str
    """Where the record comes from"""
    made: str
    """How the text was made: steps joined by '+'"""
    number: int
    """The attempt that it comes from; with the seed, all that is random about it"""

    @property
    def marked(self) -> str:
        """The text with runs of unsupported words between ⟦ and ⟧."""
        out, at, last, lost = "", 0, 0, False
        for (begin, end), kept in zip(self.words, self.supported, strict=True):
            if kept == lost:
                place = last if lost else begin
                out += self.text[at:place] + ("⟧" if lost else "⟦")
                at, lost = place, not lost
            last = end
        return out + (self.text[at:last] + "⟧" + self.text[last:] if lost else self.text[at:])


def word_spans(text: str, offsets: NDArray[np.int32]) -> tuple[tuple[int, int], ...]:
    """Character spans of a text's words, from its sub-words' [tokens, 2]; signs without letter or digit left out."""
    numbers = words(text, offsets)
    spans: dict[int, tuple[int, int]] = {}
    for number, (begin, end) in zip(numbers.tolist(), offsets.tolist(), strict=True):
        first, last = spans.get(number, (begin, end))
        spans[number] = (min(first, begin), max(last, end))
    return tuple(span for span in spans.values() if is_word(text[slice(*span)]))


def write_examples(path: Path, examples: Iterable[Example], header: dict[str, Any] | None = None) -> int:
    """Write JSON Lines (.gz by the name): a header, then an example a line; returns how many.

    A kill at any time leaves no file under this name, or the whole one.
    """
    count = 0
    with atomic_bytes(path) as raw:
        # No time and no name in it, so that equal examples are equal files.
        stream = gzip.GzipFile("", "wb", 6, raw, mtime=0) if path.name.endswith(".gz") else raw
        stream.write(_line({"nlgauge_examples": _VERSION, **(header or {})}))
        for example in examples:
            stream.write(_line(_record(example)))
            count += 1
        if stream is not raw:
            stream.close()
    return count


def _line(record: dict[str, Any]) -> bytes:
    return (json.dumps(record, ensure_ascii=False) + "\n").encode()


def _record(example: Example) -> dict[str, Any]:
    return {
        "task": example.task, "origin": example.origin, "number": example.number, "made": example.made,
        "marked": example.marked, "text": example.text, "context": example.context,
        "words": [list(span) for span in example.words],
        "supported": [int(kept) for kept in example.supported],
    }  # fmt: skip


def read_header(path: Path) -> dict[str, Any]:
    """The header of a file of examples. Raises InputError for another kind of file."""
    return next(_records(path))


def read_examples(path: Path) -> Iterator[Example]:
    """The examples of a file, or of every file of a folder in order of name. Raises InputError for anything else."""
    files = sorted(path.glob("*.jsonl*")) if path.is_dir() else [path]
    files = [file for file in files if not file.name.endswith(".partial")]
    if not files:
        raise InputError("holds no examples", file=path, remedy=_REMEDY)
    for file in files:
        records = _records(file)
        next(records)
        for row, record in enumerate(records, 2):
            yield _example(record, file, row)


def _records(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with (gzip.open if path.name.endswith(".gz") else open)(path, "rt", encoding="utf-8") as lines:
            for row, line in enumerate(lines, 1):
                record = json.loads(line)
                if row == 1 and not (isinstance(record, dict) and record.get("nlgauge_examples") == _VERSION):
                    raise InputError("does not begin with the header of examples", file=path, remedy=_REMEDY)
                yield record
    except (OSError, EOFError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot be read: {error}", file=path, remedy=_REMEDY) from None


def _example(record: dict[str, Any], file: Path, row: int) -> Example:
    try:
        example = Example(
            **{name: str(record[name]) for name in ("context", "text", "task", "origin", "made")},
            words=tuple((int(begin), int(end)) for begin, end in record["words"]),
            supported=tuple(bool(kept) for kept in record["supported"]),
            number=int(record["number"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"not an example: {error!r}", file=file, row=row, remedy=_REMEDY) from None
    ends = [0, *(place for span in example.words for place in span), len(example.text)]
    if len(example.words) != len(example.supported) or ends != sorted(ends):
        raise InputError("words and labels do not fit the text", file=file, row=row, remedy=_REMEDY)
    return example
