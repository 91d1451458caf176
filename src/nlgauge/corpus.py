"""The outputs to score: rows, the readers that make them, and the checks that refuse a bad one.

Reading never changes a text: nothing is stripped, re-ordered, merged or dropped. What cannot be taken as it stands is
refused with an `InputError` that says where, what, and what to do about it.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import math
import os
import re
import shlex
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set, Sized
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple, overload

from nlgauge.errors import InputError, MissingExtraError

FilePath = str | os.PathLike[str]
FIELDS = ("candidate", "references", "source", "context", "system", "item", "scores")

# Other tools' names for the candidate, likeliest first; our own is there for its other spellings, as in "Candidate".
_ALIASES: tuple[str, ...] = ("candidate", "prediction", "predictions", "hypothesis", "output", "response", "generated")
_ALIASES += ("mt", "decoded", "summary", "text")
_NUMBERED_REFERENCE = re.compile(r"references\.(0|[1-9][0-9]*)")
_LARGEST_CELL = 2**31 - 1  # csv keeps its limit in a C long, which has 32 bits on Windows
_QUOTING = "put double quotes around a cell that holds a quote, a newline or the delimiter; double each quote inside it"
_JSON = 'write one object like {"candidate": "..."} a line in .jsonl, a list of them in .json'


@dataclass(frozen=True)
class Row:
    """One output of one system. `scores` holds the human ratings that exist, `extra` the columns that are not ours."""

    candidate: str
    references: tuple[str, ...] = ()
    source: str | None = None
    context: str | None = None
    system: str = "system"
    item: str = "1"
    scores: Mapping[str, float] = field(default_factory=dict, hash=False)
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, repr=False)
class Corpus(Sequence[Row]):
    """Rows in the order in which they were given; a slice is a Corpus too. Immutable: treat each row's mappings so.

    An absent `system` is "system"; an absent `item` is the row's position within its system, counted from 1, so that
    systems given in the same order line up. A `context` given as a list of turns is joined with newlines.

    >>> Corpus.from_texts(["A cat sat."], references=[["The cat sat.", "A cat was sitting."]])[0].references
    ('The cat sat.', 'A cat was sitting.')
    """

    rows: tuple[Row, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(self.rows))

    @classmethod
    def read(cls, path: FilePath, *, columns: Mapping[str, str] | None = None) -> Corpus:
        """Read .jsonl, .json (a list of records), .csv, .tsv (each also .gz), in UTF-8, or .parquet.

        `columns` maps our name to theirs: {"candidate": "prediction"}. In CSV and TSV an empty cell is an absent value
        (an empty text for `candidate`) and `references` may hold a JSON list. Everywhere, columns `references.1`,
        `references.2`, ... are further references and `scores.<aspect>` are ratings.

        Raises InputError for whatever is wrong with the file or a row, MissingExtraError for Parquet without pyarrow.
        """
        names = _names(columns, str(path))
        return _corpus(_records(Path(path), names), names, str(path))

    @classmethod
    def read_texts(
        cls,
        candidates: FilePath,
        references: Sequence[FilePath] = (),
        source: FilePath | None = None,
        context: FilePath | None = None,
        system: str | None = None,
    ) -> Corpus:
        r"""Read parallel text files (UTF-8, also .gz), one text per line; each reference file adds one reference a row.

        Only "\n" and "\r\n" end a line, and an empty line is an empty text. Raises InputError where line counts differ.
        """
        references = [references] if isinstance(references, (str, os.PathLike)) else references
        optional = {"source": source, "context": context}
        files = {"candidate": candidates} | {f"references.{n}": path for n, path in enumerate(references, 1)}
        files |= {name: path for name, path in optional.items() if path is not None}
        lines = {name: _lines(Path(path)) for name, path in files.items()}
        count = len(lines["candidate"])
        for name, path in files.items():
            if len(lines[name]) != count:
                problem = f"has {len(lines[name])} lines, but {candidates} has {count}"
                raise InputError(problem, file=path, remedy="give one text per line in each, in the same order")
        records = (
            {**dict(zip(lines, row, strict=True)), "system": system} for row in zip(*lines.values(), strict=True)
        )
        return _corpus(records, _names(None, None), str(candidates))

    @classmethod
    def from_texts(
        cls,
        candidates: Iterable[str],
        references: Iterable[str | Sequence[str] | None] | None = None,
        sources: Iterable[str | None] | None = None,
        contexts: Iterable[str | Sequence[str] | None] | None = None,
        systems: Iterable[str | int | None] | None = None,
        items: Iterable[str | int | None] | None = None,
        scores: Iterable[Mapping[str, float | None] | None] | None = None,
    ) -> Corpus:
        """Build from parallel lists (or arrays, Series, generators), one entry per candidate.

        An entry of `references` is a text or a list of texts for that one candidate. n lists of n texts are read so
        too; sacrebleu's shape, one list per reference set, is refused where its shape shows it. Raises InputError.
        """
        given = (candidates, references, sources, contexts, systems, items, scores)
        lists = {
            name: _list(f"{name.removesuffix('s')}s", values)
            for name, values in zip(FIELDS, given, strict=True)
            if values is not None or name == "candidate"
        }
        for name, values in lists.items():
            _check_length(f"{name.removesuffix('s')}s", values, len(lists["candidate"]))
        records = (dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True))
        return _corpus(records, _names(None, None), None)

    @classmethod
    def from_records(cls, records: Iterable[Any], *, columns: Mapping[str, str] | None = None) -> Corpus:
        """Build from mappings, a pandas DataFrame or a `datasets.Dataset`; `columns` as in `read`. Raises InputError.

        None, NaN and pandas' NA are absent values; for `candidate` they are an error.
        """
        table: Any = records
        if hasattr(table, "iterrows"):  # only a DataFrame: a Dataset has a to_dict too, with another meaning
            _refuse_repeated(list(table.columns), None)
            table = table.to_dict("records")
        return _corpus(table, _names(columns, None), None)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems' names, in order of first appearance."""
        return tuple(dict.fromkeys(row.system for row in self.rows))

    @cached_property
    def digest(self) -> str:
        """SHA-256 (hex) of every row's texts, system and item, in order; ratings and extra columns do not count."""
        sha = hashlib.sha256()
        for row in self.rows:
            record = [row.candidate, row.references, row.source, row.context, row.system, row.item]
            sha.update(json.dumps(record).encode("ascii") + b"\n")
        return sha.hexdigest()

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Corpus: ...
    def __getitem__(self, index: int | slice) -> Row | Corpus:
        return Corpus(self.rows[index]) if isinstance(index, slice) else self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Corpus({len(self)} rows, systems {_shown(list(self.systems))})"


class _Place(NamedTuple):
    """Where a value stands, for the error that refuses it."""

    file: str | None
    row: int | None = None

    def error(self, problem: str, remedy: str) -> InputError:
        return InputError(problem, file=self.file, row=self.row, remedy=remedy)


def _shown(value: object) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 100 else text[:97] + "..."


def _kind(value: object) -> str:
    return "null" if _absent(value) else f"{type(value).__name__} {_shown(value)}"


def _absent(value: object) -> bool:
    if isinstance(value, str):
        return False
    # pandas' own markers are told by name, because pandas is optional.
    nan = isinstance(value, Real) and value != value
    return value is None or nan or type(value).__name__ in ("NAType", "NaTType")


def _refuse_repeated(names: Sequence[object], file: str | None) -> None:
    name, count = Counter(names).most_common(1)[0] if names else (None, 0)
    if count > 1:
        raise InputError(f"the column {_shown(name)} is given twice", file=file, remedy="rename or remove one")


def _list(param: str, values: object) -> list[Any]:
    if isinstance(values, (str, bytes, Mapping, Set)) or not isinstance(values, Iterable):
        raise InputError(f"{param} is {_kind(values)}, not a list", remedy="give a list, one entry per candidate")
    return list(values)


def _check_length(param: str, values: list[Any], count: int) -> None:
    if len(values) == count:
        return
    problem, remedy = f"{param} has {len(values)} entries, candidates has {count}", "give one entry per candidate"
    if param == "references":
        remedy += ", a text or a list of texts; turn one list per reference set over with list(zip(*references))"
        if values and all(
            isinstance(texts, Sized) and not isinstance(texts, str) and len(texts) == count for texts in values
        ):
            problem += (
                f"; each of the {len(values)} holds {count} texts: one list per reference set, as sacrebleu takes"
            )
    raise InputError(problem, remedy=remedy)


def _names(columns: Mapping[str, str] | None, file: str | None) -> dict[str, str]:
    mapped = dict(columns or {})
    for ours, theirs in mapped.items():
        if ours not in FIELDS:
            problem = f"{_shown(ours)}, mapped to the column {_shown(theirs)}, is not a field"
            raise InputError(problem, file=file, remedy=f"--map FIELD=COLUMN, where FIELD is {', '.join(FIELDS)}")
    # A column that is given to another field is not read as the field of its own name as well.
    free = [name for name in FIELDS if name == "candidate" or name not in mapped.values()]
    return {name: name for name in free} | mapped


def _corpus(records: Iterable[object], names: Mapping[str, str], file: str | None) -> Corpus:
    rows: list[Row] = []
    positions: Counter[str] = Counter()
    found: dict[str, None] = {}
    for number, record in enumerate(records, 1):
        if not isinstance(record, Mapping):
            raise _Place(file, number).error(f"this is {_kind(record)}, not a record", _JSON)
        named = {str(key): value for key, value in record.items()}
        found.update(dict.fromkeys(named))
        rows.append(_row(named, names, _Place(file, number), positions))
    if not rows:
        raise InputError("there are no rows", file=file, remedy="give at least one row with a candidate")
    for ours, theirs in names.items():
        if ours != theirs and theirs not in found:
            problem = f"no row has the column {_shown(theirs)}, mapped to {ours}"
            raise InputError(problem, file=file, remedy=f"the columns are {_shown(list(found))}")
    return Corpus(tuple(rows))


def _row(record: dict[str, object], names: Mapping[str, str], place: _Place, positions: Counter[str]) -> Row:
    if names["candidate"] not in record:
        raise _no_candidate(record, names["candidate"], place)
    given = {ours: record.get(theirs) for ours, theirs in names.items()}
    given = {ours: value for ours, value in given.items() if ours == "candidate" or not _absent(value)}
    extra = {key: value for key, value in record.items() if key not in names.values()}
    ratings = {key: extra.pop(key) for key in list(extra) if key.startswith("scores.")}
    numbered = {int(match[1]): extra.pop(key) for key in list(extra) if (match := _NUMBERED_REFERENCE.fullmatch(key))}
    references = _texts(given.get("references", []), "references", place)
    for number, value in sorted(numbered.items(), key=lambda pair: pair[0]):
        references += [] if _absent(value) else _texts(value, f"references.{number}", place)
    system = _label(given.get("system", "system"), "system", place)
    positions[system] += 1
    return Row(
        candidate=_text(given["candidate"], "candidate", place),
        references=tuple(references),
        source=_text(given["source"], "source", place) if "source" in given else None,
        context="\n".join(_texts(given["context"], "context", place)) if "context" in given else None,
        system=system,
        item=_label(given.get("item", positions[system]), "item", place),
        scores=_ratings(given.get("scores", {}), ratings, place),
        extra=extra,
    )


def _no_candidate(record: dict[str, object], wanted: str, place: _Place) -> InputError:
    folded = {key.strip().casefold(): key for key in record if key != wanted}
    pair = f"candidate={next((folded[alias] for alias in _ALIASES if alias in folded), 'COLUMN')}"
    problem = f"there is no column {_shown(wanted)} for the candidate; the columns are {_shown(list(record))}"
    return place.error(problem, f"say which one it is with --map {shlex.quote(pair)}, in Python with columns=")


def _text(value: object, what: str, place: _Place) -> str:
    if not isinstance(value, str):
        raise place.error(f"{what} is {_kind(value)}, not a text", "give a string; an empty one for an empty text")
    try:
        value.encode()
    except UnicodeEncodeError as bad:
        problem = f"{what} holds a lone surrogate, {_shown(value[bad.start])}, at character {bad.start + 1}"
        raise place.error(problem, "replace it: half a character, it cannot be encoded") from None
    return str(value)  # numpy's str_ becomes a plain str


def _texts(value: Any, what: str, place: _Place) -> list[str]:
    if isinstance(value, str):
        return [_text(value, what, place)]
    entries = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(entries, Sequence) or isinstance(entries, (str, bytes)):
        raise place.error(f"{what} is {_kind(value)}, not texts", "give a string or a list of strings")
    return [_text(entry, f"{what}, entry {number},", place) for number, entry in enumerate(entries, 1)]


def _label(value: Any, what: str, place: _Place) -> str:
    if isinstance(value, str):
        return _text(value, what, place)
    # pandas turns whole numbers into floats where one is missing.
    whole = isinstance(value, Real) and not isinstance(value, bool) and value == value // 1
    return str(int(value)) if whole else _text(value, what, place)


def _ratings(nested: object, columns: Mapping[str, object], place: _Place) -> dict[str, float]:
    if not isinstance(nested, Mapping):
        raise place.error(f"scores is {_kind(nested)}, not an object", 'give {"aspect": number}')
    present = {key.removeprefix("scores."): value for key, value in columns.items() if not _absent(value)}
    if twice := present.keys() & nested.keys():
        raise place.error(f"the rating {_shown(min(twice))} is given twice", "keep it in scores or in its own column")
    ratings: dict[str, float] = {}
    for aspect, value in {**nested, **present}.items():
        if value is None:
            continue
        try:
            number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            problem = f"the rating {_shown(aspect)} is {type(value).__name__} {_shown(value)}, not a finite number"
            raise place.error(problem, "give a number, or leave a missing rating out")
        ratings[_text(aspect, "an aspect of scores", place)] = number
    return ratings


def _records(path: Path, names: Mapping[str, str]) -> Iterable[object]:
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    data = _bytes(path)
    if suffix == ".parquet":
        return _parquet(data, str(path))
    if suffix not in (".jsonl", ".json", ".csv", ".tsv"):
        remedy = "name it .jsonl, .json, .csv, .tsv or .parquet; plain text, one output a line, goes to --candidates"
        raise InputError("the file's name does not tell its format", file=path, remedy=remedy)
    text = _decoded(data, path)
    if suffix == ".jsonl":
        return _json_lines(text, str(path))
    if suffix == ".json":
        records = _json(text, _Place(str(path)))
        if not isinstance(records, list):
            raise InputError(f"this is {_kind(records)}, not a list of records", file=path, remedy=_JSON)
        return records
    return _table(text, str(path), "," if suffix == ".csv" else "\t", names)


def _bytes(path: Path) -> bytes:
    place = _Place(str(path))
    try:
        data = path.read_bytes()
    except OSError as bad:
        problem = f"cannot be read: {'it is a directory' if path.is_dir() else bad.strerror}"
        raise place.error(problem, "give the path of one readable file") from None
    if path.name.lower().endswith(".gz"):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as bad:
            remedy = "compress or copy it again; if it is not compressed, take .gz off its name"
            raise place.error(f"not whole gzip data: {bad}", remedy) from None
    if not data:
        raise place.error("the file is empty", "give at least one row")
    return data


def _decoded(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as bad:
        line = data.count(b"\n", 0, bad.start) + 1
        problem = f"not UTF-8: byte 0x{data[bad.start]:02x} at byte offset {bad.start}, on line {line}"
        raise _Place(str(path)).error(problem, "convert it to UTF-8: iconv -f ENCODING -t UTF-8") from None


def _lines(path: Path) -> list[str]:
    # str.splitlines would also split at U+2028, U+0085 and form feeds, which belong to the text.
    lines = re.split(r"\r?\n", _decoded(_bytes(path), path))
    return lines if lines[-1] else lines[:-1]


def _json(text: str, place: _Place) -> Any:
    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not in JSON, write null")

    try:
        return json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as bad:
        line = "" if place.row else f"line {bad.lineno}, "
        raise place.error(f"broken JSON at {line}column {bad.colno}: {bad.msg}", _JSON) from None
    except (ValueError, RecursionError) as bad:
        raise place.error(f"broken JSON: {bad}", _JSON) from None


def _json_lines(text: str, file: str) -> Iterator[object]:
    lines = text.split("\n")
    while lines and not lines[-1].strip():
        lines.pop()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            raise _Place(file, number).error("the line is blank", "remove it, or write a record")
        yield _json(line, _Place(file, number))


def _table(text: str, file: str, delimiter: str, names: Mapping[str, str]) -> Iterator[dict[str, object]]:
    table: list[tuple[int, list[str]]] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line, limit = 1, csv.field_size_limit(_LARGEST_CELL)
    try:
        for cells in reader:
            table.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as bad:
        raise _Place(file, len(table) or None).error(f"broken table: {bad} (file line {line})", _QUOTING) from None
    finally:
        csv.field_size_limit(limit)
    while table and not table[-1][1]:
        table.pop()
    header = table[0][1] if table else []
    _refuse_repeated(header, file)
    ours = {theirs: name for name, theirs in names.items()}
    ours[names["candidate"]] = "candidate"
    for number, (line, cells) in enumerate(table[1:], 1):
        if len(cells) != len(header):
            problem = f"{len(cells)} cells under a header of {len(header)} (file line {line})"
            raise _Place(file, number).error(problem, _QUOTING)
        yield {name: _cell(ours.get(name, name), cell) for name, cell in zip(header, cells, strict=True)}


def _cell(name: str, cell: str) -> object:
    if name in ("source", "context", "system", "item") or _NUMBERED_REFERENCE.fullmatch(name):
        return cell or None
    if name in ("references", "scores") or name.startswith("scores."):
        try:
            value = _json(cell, _Place(None))
        except InputError:
            return cell or None
        texts = isinstance(value, list) and all(isinstance(entry, str) for entry in value)
        return value if texts or name != "references" else cell
    return cell


def _parquet(data: bytes, file: str) -> list[object]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("reading Parquet", "tables") from None
    try:
        table = parquet.ParquetFile(pyarrow.BufferReader(data)).read()
        _refuse_repeated(table.column_names, file)
        return list(table.to_pylist())
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as bad:
        raise InputError(f"not readable as Parquet: {_shown(str(bad))}", file=file, remedy="write it again") from None
