"""Labelled texts: whether a source supports each word of a text, or all of the text.

A row is a JSON object on a line, in .jsonl, .jsonl.gz or .jsonl.xz:

    source      the text that may support the candidate
    question    (if any) the question that the candidate answers; it supports nothing, and is read separately
    candidate   the text that is judged
    spans       [[begin, end, ...], ...]: characters of the candidate that the source does not support; [] for none;
                null or absent if only the whole text is labelled
    supported   true or false; not needed if there are spans
    words       (if any) [[begin, end], ...]: the words that were judged, if not all were
    label3      (if any) for an unsupported text, "contradiction" if the source contradicts it, "neutral" if the source
                does not mention it
    quality     (if any) a row whose quality is not "good" is left out
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nlgauge.data.corpus import Corpus, Row
from nlgauge.errors import InputError
from nlgauge.maths.text import sentence_ends
from nlgauge_lab.training.passages import opened
from nlgauge_lab.written import HELD_OUT, answers

_REMEDY = "see the documentation of labelled rows"
_CONTRADICTED = {"contradiction": True, "neutral": False}


@dataclass(frozen=True)
class Labelled:
    """A source and a text, with what in the text the source does not support."""

    source: str
    candidate: str
    spans: tuple[tuple[int, int], ...] | None
    """Characters of the candidate that the source does not support, in order; None if only `supported` is known"""
    supported: bool
    words: tuple[tuple[int, int], ...] | None = None
    """Spans of the words that were judged; None for all words"""
    question: str | None = None
    """The question that the candidate answers. It is no support for the candidate"""
    contradicted: bool | None = None
    """Whether the source contradicts an unsupported text (True) or does not mention it (False); None if unknown"""


def read_labelled(path: Path) -> Iterator[Labelled]:
    """Return the rows of a file. Raises InputError, with the number of the line, for a line that is not a row."""
    for number, record in enumerate(_records(path), 1):
        if record.get("quality") in (None, "good"):
            yield _labelled(record, path, number)


def labelled_set(folder: Path, name: str) -> list[Labelled] | None:
    """Return a labelled set from a folder or its subfolder `grounding`; None if it is not there.

    The names in HELD_OUT are held-out written answers, which need no file.
    """
    if name in HELD_OUT:
        return [row for row, *_ in held_out(name)]
    for place in (folder, folder / "grounding"):
        for suffix in (".jsonl.xz", ".jsonl.gz", ".jsonl"):
            if (path := place / f"{name}{suffix}").is_file():
                return list(read_labelled(path))
    return None


def held_out(name: str) -> list[tuple[Labelled, str, str]]:
    """Return the answers of a held-out set of `HELD_OUT`, each with the kind of its error and its family (or '')."""
    found = []
    for one in answers(writer=HELD_OUT[name]):
        spans = marked(one.text, one.words) if one.supported or one.words else None
        row = Labelled("\n".join(one.source), one.text, spans, one.supported, question=one.question or None)
        found.append((row, one.kind, one.family))
    return found


def marked(text: str, words: Iterable[str]) -> tuple[tuple[int, int], ...]:
    """Return the spans of all occurrences of some words in a text."""
    return tuple(sorted(place for word in words for place in _places(word, text)))


def _places(word: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of a word, found without a pattern: one is compiled for each word, which takes longer."""
    begin = text.find(word)
    while word and begin >= 0:
        end = begin + len(word)
        yield begin, end
        begin = text.find(word, end)


def sentences_of(row: Labelled) -> list[Labelled]:
    """Return the sentences of a labelled text as rows; empty if it is not known which sentences the source supports."""
    if row.spans is None and not row.supported:
        return []
    rows: list[Labelled] = []
    begin = 0
    for end in [*sentence_ends(row.candidate), len(row.candidate)]:
        text = row.candidate[begin:end]
        if text.strip():
            begin += len(text) - len(text.lstrip())
            spans = row.spans and tuple(
                (max(first, begin) - begin, min(last, end) - begin)
                for first, last in row.spans
                if first < end and begin < last
            )
            rows.append(
                replace(
                    row,
                    candidate=row.candidate[begin:end].rstrip(),
                    spans=spans,
                    supported=not spans,
                    words=None,
                    contradicted=row.contradicted if spans else None,
                )
            )
        begin = end
    return rows


def as_corpus(rows: Iterable[Labelled]) -> Corpus:
    """Return the texts as a corpus in which each source is also the reference, and each row is an item of its own."""
    return Corpus(
        tuple(
            Row(row.candidate, (row.source,), row.source, question=row.question, item=str(number))
            for number, row in enumerate(rows, 1)
        )
    )


def labelled_files(place: Path, pattern: str = "*.jsonl*") -> list[Path]:
    """Return a file, or the files of a folder that match a pattern. Raises InputError if there is none."""
    found = [place] if place.is_file() else sorted(place.glob(pattern))
    if not found:
        raise InputError(f"no labelled rows: no file {pattern}", file=place, remedy="give a file or another folder")
    return found


def _records(path: Path) -> Iterable[dict[str, Any]]:
    try:
        with opened(path) as lines:
            for number, line in enumerate(lines, 1):
                record = json.loads(line)
                if not isinstance(record, dict):
                    raise InputError("is no JSON object", file=path, row=number, remedy=_REMEDY)
                yield record
    except (OSError, EOFError, ValueError, lzma.LZMAError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"cannot be read: {error}", file=path, remedy=_REMEDY) from None


def _labelled(record: Mapping[str, Any], path: Path, row: int) -> Labelled:
    try:
        source, candidate = record["source"], record["candidate"]
        question = record.get("question") or None
        spans = _spans(record.get("spans"), len(candidate))
        words = _spans(record.get("words"), len(candidate))
        supported = not spans if spans is not None else record["supported"]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"not a labelled row: {error!r}", file=path, row=row, remedy=_REMEDY) from None
    texts = isinstance(source, str) and isinstance(candidate, str) and isinstance(question, str | None)
    if not texts or not isinstance(supported, bool):
        raise InputError(
            "source, candidate and question have to be texts, supported true or false",
            file=path,
            row=row,
            remedy=_REMEDY,
        )
    against = None if supported else _CONTRADICTED.get(str(record.get("label3")))
    return Labelled(
        source=source,
        candidate=candidate,
        spans=spans,
        supported=supported,
        words=words,
        question=question,
        contradicted=against,
    )


def _spans(given: Any, size: int) -> tuple[tuple[int, int], ...] | None:
    if given is None:
        return None
    spans = sorted((int(begin), int(end)) for begin, end, *_ in given)
    if any(not 0 <= begin <= end <= size for begin, end in spans):
        raise ValueError("a span that is not in the candidate")
    return tuple(spans)
