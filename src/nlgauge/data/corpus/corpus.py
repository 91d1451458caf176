"""A corpus: rows in order, and the functions that read rows from files and from Python objects."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set, Sized
from dataclasses import dataclass, field
from functools import cached_property
from json.encoder import encode_basestring_ascii as _quoted
from pathlib import PurePath
from typing import Any, overload

from nlgauge.data.corpus.cells import NUMBERED_REFERENCE, refuse_json
from nlgauge.data.corpus.cells import listed as read_cell
from nlgauge.data.corpus.disk_rows import DiskRows
from nlgauge.data.corpus.opening import FilePath, file_at, files_at
from nlgauge.data.corpus.place import InputPlace, kind, refuse_repeated, shown
from nlgauge.data.corpus.records import (
    LISTS,
    OWN_NAMES,
    Columns,
    Names,
    Table,
    field_names,
    field_of,
    fields_by_column,
    rows_of,
)
from nlgauge.data.corpus.row import FIELDS, OnMissing, Row
from nlgauge.data.corpus.tools import read_log
from nlgauge.errors import InputError, MissingExtraError


@dataclass(frozen=True, repr=False)
class Corpus(Sequence[Row]):
    """Rows in the order in which they were given. A slice is a Corpus too.

    A corpus is immutable, so do not change the mappings of its rows. A row without a `system` is of the system
    "system". A row without an `item` gets its position within its system as item, counted from 1, so that systems in
    the same order have the same items. A `source` given as a list of passages is joined with newlines, and so is a
    `context` given as a list of turns. A document of a retriever is replaced by its text.

    >>> Corpus.from_texts(["A cat sat."], references=[["The cat sat.", "A cat was sitting."]])[0].references
    ('The cat sat.', 'A cat was sitting.')
    """

    rows: Sequence[Row]
    """A tuple; or a `DiskRows`, whose rows are in a temporary file"""
    files: Mapping[str, int] = field(default_factory=dict, compare=False)
    """Number of rows by file, in the order of the files; empty for rows that were read from no file"""
    named_by_files: tuple[str, ...] = field(default=(), compare=False)
    """The systems that are named after their files, because their rows name no system"""

    read_as: tuple[str, ...] = field(default=(), compare=False)
    """Remarks for the user on how tables and logs of other tools were read"""

    def __post_init__(self) -> None:
        if not isinstance(self.rows, DiskRows):
            object.__setattr__(self, "rows", tuple(self.rows))
            if wrong := [type(row).__name__ for row in self.rows if not isinstance(row, Row)]:
                problem = f"a Corpus is made of Row objects, not of {wrong[0]}"
                raise InputError(problem, remedy="records and data frames go to Corpus.from_records")

    @classmethod
    def read(
        cls,
        path: FilePath | Sequence[FilePath] | Mapping[str, FilePath],
        *,
        columns: Columns | None = None,
        labels: Mapping[str, float] | None = None,
        on_disk: bool = False,
        on_missing: OnMissing = "error",
    ) -> Corpus:
        """Read rows from files: .jsonl, .json (a list of records), .csv or .tsv in UTF-8 (each also .gz), or .parquet.

        Tables with the columns of Ragas, DeepEval, LangChain, LlamaIndex, LangSmith, Langfuse, Phoenix, Braintrust,
        MLflow, Azure AI Evaluation and RAGChecker are read as they are, and so are logs of Inspect (.eval, .json),
        results of promptfoo, samples of lm-evaluation-harness and of Every Eval Ever, experiments of Opik and
        Braintrust, chats, and traces of OpenTelemetry (OTLP as JSON); the field `read_as` says how.

        In CSV and TSV an empty cell is an absent value (an empty text for `candidate`), and `references`, `source` and
        `context` may hold a list, written as JSON or as pandas and numpy print it. In all formats, columns
        `references.1`, `references.2`, ... are further references, and `scores.<aspect>` are ratings: numbers, or words
        for yes and no (pass, fail, correct, wrong and so on), which are 1 and 0.

        Args:
            path: a file, or "-" for the standard input; a folder, whose files are read in the order of their names; an
                address such as s3://bucket/rows that pyarrow or fsspec opens; or several of these, as a list or as a
                mapping from system names. Where several files are read, rows without a `system` are of a system that is
                named after their file.
            columns: columns of the file by our field names: {"candidate": "prediction"}. A list of columns, or a text
                of column names with commas, gives the passages of one source or context, or several references:
                {"references": ["a", "b"]}. A path leads into a nested record: {"candidate": "output.answer"}.
            labels: numbers for further words of raters, for all aspects or for one aspect:
                {"invented": 0, "tone:bad": 1}.
            on_disk: keep the rows in a temporary file and not in memory.
            on_missing: 'skip' keeps rows whose candidate is null, without a score; 'error' refuses them.

        Returns:
            The corpus.

        Raises:
            InputError: something is wrong with the file or a row.
            MissingExtraError: the file is Parquet, and pyarrow is not installed.
        """
        from nlgauge.data.corpus.files import records_of

        wanted = [path] if isinstance(path, (str, os.PathLike)) else path
        if not wanted:
            raise InputError("no file was given", remedy="give one path at least")
        paths = list(wanted.values()) if isinstance(wanted, Mapping) else list(wanted)
        name = os.fspath(paths[0]) if len(paths) == 1 else None
        names = field_names(columns, name)
        if on_disk and on_missing == "skip":
            raise InputError("rows without a candidate are not kept on disk", file=name, remedy="leave them out of it")
        files_of = [files_at(given_path) for given_path in paths]
        files = [file for inside in files_of for file in inside]
        if isinstance(wanted, Mapping):
            systems = [system for system, inside in zip(wanted, files_of, strict=True) for _ in inside]
        else:
            systems = called_after([file.name for file in files]) if len(files) > 1 else ["system"]
        tables = (
            Table(file.name, records_of(file, names), system, only=isinstance(wanted, Mapping))
            for file, system in zip(files, systems, strict=True)
        )
        counts: dict[str, int] = {}
        told: dict[str, None] = {}
        rows = rows_of(tables, names, file=name, on_missing=on_missing, counts=counts, told=told, labels=labels)
        corpus = cls(DiskRows(rows) if on_disk else tuple(rows), counts)
        object.__setattr__(corpus, "read_as", tuple(told))
        if len(files) > 1 and not isinstance(wanted, Mapping):
            there = set(corpus.systems)
            object.__setattr__(corpus, "named_by_files", tuple(system for system in systems if system in there))
        return corpus

    @classmethod
    def read_texts(
        cls,
        candidates: FilePath | Mapping[str, FilePath],
        references: Sequence[FilePath] = (),
        source: FilePath | None = None,
        context: FilePath | None = None,
        system: str | None = None,
        *,
        on_disk: bool = False,
    ) -> Corpus:
        r"""Read parallel text files (UTF-8, also .gz), one text per line.

        Only "\n" and "\r\n" end a line, and an empty line is an empty text.

        Args:
            candidates: the file of one system, or a mapping from system names to files, which share the references.
            references: files of references; each adds one reference to each row.
            source: the file of sources.
            context: the file of contexts.
            system: the name of the system where `candidates` is one file.
            on_disk: as in `read`.

        Returns:
            The corpus.

        Raises:
            InputError: line counts differ, or a file cannot be read.
        """
        from nlgauge.data.corpus.files import texts_of

        references = [references] if isinstance(references, (str, os.PathLike)) else references
        optional = {"source": source, "context": context}
        shared = {f"references.{n}": path for n, path in enumerate(references, 1)}
        shared |= {name: path for name, path in optional.items() if path is not None}
        texts = {name: (path, texts_of(file_at(path))) for name, path in shared.items()}
        named = candidates.items() if isinstance(candidates, Mapping) else [(system, candidates)]
        tables = (Table(os.fspath(path), _parallel(path, texts, name)) for name, path in named)
        first = os.fspath(next(iter(named))[1]) if named else None
        counts: dict[str, int] = {}
        rows = rows_of(tables, OWN_NAMES, first, counts=counts)
        return cls(DiskRows(rows) if on_disk else tuple(rows), counts)

    @classmethod
    def from_texts(
        cls,
        candidates: Iterable[str],
        references: Iterable[str | Sequence[str] | None] | None = None,
        sources: Iterable[Any] | None = None,
        contexts: Iterable[Any] | None = None,
        systems: Iterable[str | int | None] | None = None,
        items: Iterable[str | int | None] | None = None,
        scores: Iterable[Mapping[str, float | None] | None] | None = None,
        questions: Iterable[str | None] | None = None,
        trials: Iterable[str | int | None] | None = None,
        *,
        on_missing: OnMissing = "error",
    ) -> Corpus:
        """Build a corpus from parallel lists (or arrays, Series, generators), with one entry for each candidate.

        Args:
            candidates: the outputs.
            references: a text or a list of texts for each candidate. One list per reference set, as sacrebleu takes
                them, is refused where the lengths show it. n lists of n texts are read as one list for each candidate.
            sources: a source for each candidate: a text, a list of passages, or documents with `page_content`, `text`
                or `content`.
            contexts: a context for each candidate, in the same forms as `sources`.
            systems: the name of each candidate's system.
            items: the name of each candidate's item.
            scores: the ratings of each candidate, by aspect.
            questions: the question that each candidate answers.
            trials: the name of each candidate's trial, where a system ran several times on an item.
            on_missing: as in `read`.

        Returns:
            The corpus.

        Raises:
            InputError: the lists differ in length, or an entry has a wrong type.
        """
        columns = (candidates, references, sources, contexts, questions, systems, items, trials, scores)
        lists = {
            name: values if isinstance(values, list) else listed(f"{name.removesuffix('s')}s", values)
            for name, values in zip(FIELDS, columns, strict=True)
            if values is not None or name == "candidate"
        }
        for name, values in lists.items():
            if len(values) != len(lists["candidate"]):
                raise _other_length(f"{name.removesuffix('s')}s", values, len(lists["candidate"]))
        records = (dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True))
        return cls(tuple(rows_of([Table(None, records)], OWN_NAMES, None, on_missing)))

    @classmethod
    def from_records(
        cls,
        records: Iterable[Any],
        *,
        columns: Columns | None = None,
        on_missing: OnMissing = "error",
    ) -> Corpus:
        """Build a corpus from mappings, a mapping of lists, a data frame or a `datasets.Dataset`.

        None, NaN and pandas' NA are absent values. A list that was printed into a cell of a data frame is read as in
        CSV. All else is as in `read`.

        Args:
            records: the rows. A data frame may be of pandas, polars, pyarrow, duckdb or another library that narwhals
                knows.
            columns: as in `read`.
            on_missing: as in `read`.

        Returns:
            The corpus.

        Raises:
            InputError: something is wrong with a row.
        """
        table: Any = records
        names = field_names(columns, None)
        if not isinstance(table, Mapping | list | tuple):
            table = as_records(table)
        if hasattr(table, "iterrows"):  # only a DataFrame: a Dataset has a to_dict too, with another meaning
            refuse_repeated(list(table.columns), None)
            table = _with_lists(table.to_dict("records"), names)
        elif isinstance(table, Mapping):
            table = _records_of_lists(table)
        if names["candidate"] == "candidate" and isinstance(table, list | tuple):
            table = read_log(table, InputPlace(None))
        told: dict[str, None] = {}
        rows = tuple(rows_of([Table(None, table)], names, None, on_missing, told=told))
        return cls(rows, read_as=tuple(told))

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems' names, in order of first appearance."""
        return tuple(dict.fromkeys(row.system for row in self.rows))

    @cached_property
    def present(self) -> Corpus:
        """The corpus without the rows that have no candidate. Raises InputError where no row has a candidate."""
        if isinstance(self.rows, DiskRows) or not any(row.missing for row in self.rows):
            return self
        if not (rows := tuple(row for row in self.rows if not row.missing)):
            raise InputError("no row has a candidate", remedy="give at least one row with a candidate")
        return Corpus(rows)

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) over texts, system, item and trial of all rows in order, without other columns and ratings."""
        sha = hashlib.sha256()
        for row in self.rows:
            # A row as `json.dumps` writes the list of its fields, in a third of the time.
            references = ", ".join(map(_quoted, row.references))
            line = f"[{_quoted(row.candidate)}, [{references}], {_quoted_or_null(row.source)}, "
            line += f"{_quoted_or_null(row.context)}, {_quoted(row.system)}, {_quoted(row.item)}"
            line += "" if row.question is None else f", {_quoted(row.question)}"
            line += "" if row.trial is None else f', ["trial", {_quoted(row.trial)}]'
            sha.update(f"{line}]\n".encode("ascii"))
        return sha.hexdigest()

    @cached_property
    def fingerprints(self) -> list[str]:
        """The fingerprint of each row (`Row.fingerprint`), in order."""
        return [row.fingerprint for row in self.rows]

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Corpus: ...
    def __getitem__(self, index: int | slice) -> Row | Corpus:
        return Corpus(self.rows[index]) if isinstance(index, slice) else self.rows[index]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Corpus({len(self)} rows, systems {shown(list(self.systems))})"


def _quoted_or_null(text: str | None) -> str:
    return "null" if text is None else _quoted(text)


def called_after(files: Sequence[str]) -> list[str]:
    """Return a system name for each file: the file name without or with suffix, or the path, so that all differ."""
    places = [PurePath(name) for name in files]
    short = [PurePath(place.name.removesuffix(".gz")).stem for place in places]
    for names in (short, [place.name for place in places]):
        if len(set(names)) == len(names):
            return names
    return list(files)


def as_records(table: Any) -> Any:
    """Return the records of a data frame of polars, pyarrow, duckdb or the like; other values are returned unchanged.

    Args:
        table: a data frame, or anything else.

    Returns:
        The records, each a dict by column; or the value unchanged.

    Raises:
        MissingExtraError: narwhals, which reads data frames, is not installed.
    """
    library = type(table).__module__.partition(".")[0].lstrip("_")
    if library not in ("polars", "pyarrow", "duckdb", "modin", "cudf", "dask", "ibis", "sqlframe", "pyspark"):
        return table
    try:
        import narwhals
    except ImportError:
        raise MissingExtraError(f"reading a table of {library}", "tables") from None
    frame = narwhals.from_native(table)
    collect = getattr(frame, "collect", None)
    return (collect() if collect is not None else frame).rows(named=True)


def _with_lists(records: Iterable[dict[Any, Any]], names: Names) -> Iterator[dict[Any, Any]]:
    """Yield the records of a data frame. A list that was printed into a cell, as in a CSV file, is a list again."""
    fields = fields_by_column(names)
    for number, record in enumerate(records, 1):
        for column, value in record.items():
            ours = field_of(str(column), fields)
            if isinstance(value, str):
                refuse_json(ours, value, str(column), InputPlace(None, number))
            if isinstance(value, str) and (ours in LISTS or NUMBERED_REFERENCE.fullmatch(ours)):
                record[column] = read_cell(value, ours, InputPlace(None, number))
        yield record


def _records_of_lists(table: Mapping[Any, Any]) -> list[dict[Any, Any]]:
    """Return the records of a mapping from columns to lists. Raises InputError where their lengths differ."""
    lists = {name: listed(f"the column {shown(name)}", values) for name, values in table.items()}
    lengths = {name: len(values) for name, values in lists.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{shown(name)} has {length}" for name, length in lengths.items())
        raise InputError(f"the columns have unlike numbers of values: {told}", remedy="give one of each for every row")
    return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]


def _parallel(
    candidates: FilePath, texts: Mapping[str, tuple[FilePath, list[str]]], system: str | None
) -> Iterator[dict[str, str | None]]:
    """Yield a record for each line of a file of candidates.

    Args:
        candidates: the file.
        texts: for each other field, its file and the lines of that file.
        system: the system of all lines.

    Returns:
        An iterator over the records.

    Raises:
        InputError: the files differ in number of lines.
    """
    from nlgauge.data.corpus.files import texts_of

    outputs = texts_of(file_at(candidates))
    for path, lines in texts.values():
        if len(lines) != len(outputs):
            problem = f"has {len(lines)} lines, but {candidates} has {len(outputs)}"
            raise InputError(problem, file=path, remedy="give one text per line in each, in the same order")
    for number, candidate in enumerate(outputs):
        others = {name: lines[number] for name, (_, lines) in texts.items()}
        yield {"candidate": candidate, **others, "system": system}


def listed(param: str, values: object) -> list[Any]:
    """Return the values of a parameter as a list. Raises InputError for a text, a mapping, a set or a single value."""
    if isinstance(values, (str, bytes, Mapping, Set)) or not isinstance(values, Iterable):
        raise InputError(f"{param} is {kind(values)}, not a list", remedy="give a list, one entry per candidate")
    return list(values)


def _other_length(param: str, values: list[Any], count: int) -> InputError:
    """Return the error for a list whose number of entries is not the number of candidates."""
    problem, remedy = f"{param} has {len(values)} entries, candidates has {count}", "give one entry per candidate"
    if param == "references":
        remedy += ", a text or a list of texts; turn one list per reference set over with list(zip(*references))"
        if values and all(
            isinstance(texts, Sized) and not isinstance(texts, str) and len(texts) == count for texts in values
        ):
            problem += (
                f"; each of the {len(values)} holds {count} texts: one list per reference set, as sacrebleu takes"
            )
    return InputError(problem, remedy=remedy)
