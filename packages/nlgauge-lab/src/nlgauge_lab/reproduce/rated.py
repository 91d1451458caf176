"""Rated data of a folder, found by name, and their views: changes of rows that published protocols make."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from nlgauge.data.corpus import Corpus, Row
from nlgauge.engine.english import is_stopword
from nlgauge.errors import InputError
from nlgauge.maths.text import words
from nlgauge_lab.reproduce.published import Source
from nlgauge_lab.studies.sweep import first_items

SUFFIXES = (".jsonl.gz", ".jsonl", ".json.gz", ".json", ".parquet", ".csv.gz", ".csv", ".tsv.gz", ".tsv")


def place(folder: Path, name: str) -> Path | None:
    """Return the file that has the data of a name; None if there is none."""
    return next((path for suffix in SUFFIXES if (path := folder / f"{name}{suffix}").is_file()), None)


View: TypeAlias = Callable[[Corpus], list[Corpus]]
"""Selects or changes the texts that are scored. It returns one corpus, or several whose values are averaged"""
CORRELATIONS = "mean of correlations"
"""The view for which the correlations of the corpora are averaged, and not their values"""
_LEARNED = 0.44
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


class Data:
    """The rated data of a folder.

    Each file is read once. limit: how many items of each data set are taken, from the first.
    """

    def __init__(self, folder: Path, limit: int | None = None) -> None:
        if not folder.is_dir():
            raise InputError("is not a folder", file=folder, remedy="give the folder that holds the rated data")
        self.folder, self.limit = folder, limit
        self._read: dict[str, Corpus] = {}
        self._made: dict[tuple[Source, ...], Corpus] = {}

    def missing(self, files: Sequence[str]) -> list[str]:
        """Return the files that are not in the folder."""
        return [name for name in files if place(self.folder, name) is None]

    def corpus(self, sources: Sequence[Source]) -> Corpus:
        """Return the rows of some files, one file after the other.

        Raises:
            InputError: a file is not there, or lacks a system that is to be left out.
        """
        key = tuple(sources)
        if key not in self._made:
            rows: list[Row] = []
            for source in sources:
                corpus = self._file(source.file)
                if absent := [system for system in source.without if system not in corpus.systems]:
                    problem = f"has no system {absent[0]!r}, which the published protocol leaves out"
                    raise InputError(problem, file=place(self.folder, source.file), remedy="name systems as published")
                taken = [row for row in corpus if row.system not in source.without]
                rows += [row for row in taken if row.item.startswith(source.items)]
            self._made[key] = first_items(Corpus(tuple(rows)), self.limit)
        return self._made[key]

    def _file(self, name: str) -> Corpus:
        if name not in self._read:
            path = place(self.folder, name)
            if path is None:
                remedy = f"put {name}.jsonl, or .jsonl.gz, there: docs/reproduce.md says what it holds"
                raise InputError(f"there is no {name}.jsonl in {self.folder}", remedy=remedy)
            self._read[name] = Corpus.read(path)
        return self._read[name]


def _each(change: Callable[[Row], Row | None]) -> View:
    def of(corpus: Corpus) -> list[Corpus]:
        return [Corpus(tuple(row for old in corpus if (row := change(old)) is not None))]

    return of


def _each_reference(corpus: Corpus) -> list[Corpus]:
    most = max((len(row.references) for row in corpus), default=0)
    return [
        Corpus(tuple(replace(row, references=(row.references[n],)) for row in corpus if n < len(row.references)))
        for n in range(most)
    ]


def _first(row: Row) -> Row:
    return replace(row, references=row.references[:1])


def _lines(row: Row) -> Row:
    """Return the row with each sentence on a line, for ROUGE of summaries.

    Without the line breaks, texts in lower case would have no sign of where a sentence ends.
    """
    candidate, *references = (_SENTENCE_END.sub("\n", text) for text in (row.candidate, *row.references))
    return replace(row, candidate=candidate, references=tuple(references))


def _cleaned(row: Row, stopwords: bool) -> Row:
    """Return the row in lower case without punctuation, and without stop-words unless `stopwords` is true."""

    def content(text: str) -> str:
        return " ".join(word for word in words(text) if stopwords or not is_stopword(word))

    return replace(row, candidate=content(row.candidate), references=tuple(map(content, row.references)))


def by_item(corpus: Corpus) -> tuple[set[str], set[str]]:
    """Return the items that the shipped weighters of MaskEval learned from, and the other items.

    The first set has the items whose names have the smallest SHA-256.
    """
    items = sorted({row.item for row in corpus}, key=lambda item: hashlib.sha256(item.encode()).hexdigest())
    size = round(len(items) * _LEARNED)
    return set(items[:size]), set(items[size:])


def _unseen(corpus: Corpus) -> list[Corpus]:
    _, others = by_item(corpus)
    return [Corpus(tuple(row for row in corpus if row.item in others))]


VIEWS: Mapping[str, View] = {
    "as given": lambda corpus: [corpus],
    "unseen by the weighters": _unseen,
    "first reference": _each(_first),
    "cleaned": _each(lambda row: _cleaned(row, True)),
    "without stop-words": _each(lambda row: _cleaned(row, False)),
    "sentences on lines": _each(_lines),
    "first reference, sentences on lines": _each(lambda row: _lines(_first(row))),
    "source as reference": _each(lambda row: None if row.source is None else replace(row, references=(row.source,))),
    "mean over references": _each_reference,
    CORRELATIONS: _each_reference,
}
