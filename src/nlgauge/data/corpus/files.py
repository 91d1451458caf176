"""Readers of files, as records or as lines of UTF-8 text. The name of a file says its format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Any, BinaryIO

from nlgauge.data.corpus.delimited import delimited
from nlgauge.data.corpus.json_records import json_lines, parsed
from nlgauge.data.corpus.opening import STDIN, File, FilePath, files_at, lines, refuse_empty, seekable
from nlgauge.data.corpus.place import JSON_REMEDY, InputPlace, kind, refuse_repeated, shown
from nlgauge.data.corpus.records import OWN_NAMES, Names, has_column
from nlgauge.data.corpus.tools import exported, inspect_log, read_log, records_held, with_traces
from nlgauge.errors import InputError, MissingExtraError

_PACKED = (".xz", ".lzma", ".bz2", ".zst", ".lz4", ".br", ".zip", ".7z", ".tar", ".tgz")
"""Ends of packed files that are refused: only gzip is read, with a limit on the unpacked size"""
_SPREADSHEETS = (".xlsx", ".xls", ".xlsm", ".ods", ".numbers")


def records_of(file: File, names: Names) -> Iterable[object]:
    """Return an iterable over the records of a table.

    JSON files and logs of tools are read whole, and other formats as their records are asked for.

    Args:
        file: the file.
        names: the column of each field.

    Returns:
        An iterator over the records.

    Raises:
        InputError: the file is not of the format that its name says. For a format that is not read whole, the error
            is raised when the broken record is reached.
    """
    _refuse_packed(file)
    place, suffix = InputPlace(file.name), PurePath(file.name.lower().removesuffix(".gz")).suffix
    if file.name == STDIN:
        suffix = _looks_like(file)
    if suffix == ".parquet":
        return parquet_records(file)
    if suffix == ".eval":
        return inspect_log(seekable(file), file.name)
    records: Iterable[object]
    if suffix == ".jsonl":
        records = with_traces(json_lines(lines(file), file.name), place)
    elif suffix == ".json":
        records = _listed(file)
    elif suffix in (".csv", ".tsv"):
        records = delimited(lines(file), file.name, "," if suffix == ".csv" else "\t", names)
    elif suffix in _SPREADSHEETS:
        remedy = "save the sheet as CSV UTF-8, and give that file"
        raise InputError("spreadsheets are not read", file=file.name, remedy=remedy)
    else:
        remedy = "name it .jsonl, .json, .csv, .tsv or .parquet; plain text, one output a line, goes to --candidates"
        raise InputError("the file's name does not tell its format", file=file.name, remedy=remedy)
    # What a tool wrote is read as such unless the user names the candidate.
    return read_log(records, place, suffix in (".csv", ".tsv")) if names["candidate"] == "candidate" else records


def there(path: FilePath, columns: Iterable[str]) -> set[str]:
    """Return those of the given columns that at least one row of a file has. Raises InputError as `records_of` does."""
    asked, present = set(columns), set[str]()
    for file in files_at(path):
        for record in records_of(file, OWN_NAMES):
            present |= {column for column in asked - present if has_column(record, column)}
            if present == asked:
                return present
    return present


def _looks_like(file: File) -> str:
    """Return the suffix of the format in which the standard input is written, judged by how its content begins."""
    with file.open() as stream:
        head = stream.read(1 << 16).lstrip(b"\xef\xbb\xbf \t\r\n")
        rest = head.partition(b"\n")
    if head.startswith(b"PAR1"):
        return ".parquet"
    if head.startswith(b"PK"):
        return ".eval"
    if head[:1] == b"[":
        return ".json"
    if head[:1] != b"{":
        return ".tsv" if b"\t" in rest[0] and b"," not in rest[0] else ".csv"
    # A record on a line of its own, or the beginning of a log.
    return (
        ".jsonl"
        if rest[0].rstrip().endswith(b"}") and (not rest[1] or rest[0].count(b"{") == rest[0].count(b"}"))
        else ".json"
    )


def _refuse_packed(file: File) -> None:
    if (suffix := PurePath(file.name.lower()).suffix) in _PACKED:
        raise InputError(f"{suffix} is not read", file=file.name, remedy="decompress it, or compress it as .gz")


def _listed(file: File) -> Sequence[object]:
    records = parsed("".join(lines(file)), InputPlace(file.name))
    if isinstance(records, dict) and (outputs := exported(records, InputPlace(file.name))) is not None:
        return outputs
    if isinstance(records, dict):
        records = records_held(records, InputPlace(file.name))
    if not isinstance(records, list):
        raise InputError(f"this is {kind(records)}, not a list of records", file=file.name, remedy=JSON_REMEDY)
    return records


def texts_of(file: File) -> list[str]:
    r"""Return the lines of a text file, without their ends; only "\n" and "\r\n" end a line."""
    _refuse_packed(file)
    # str.splitlines would also split at U+2028, U+0085 and form feeds, which belong to the text.
    return [line[:-1].removesuffix("\r") if line.endswith("\n") else line for line in lines(file)]


_AT_ONCE = 1024


def parquet_records(file: File) -> Iterator[object]:
    """Return the records of a Parquet file. Raises MissingExtraError without pyarrow, InputError for a broken file."""
    refuse_empty(file)
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("reading Parquet", "tables") from None
    return _records(seekable(file), file.name, pyarrow, parquet)


def _records(data: BinaryIO, file: str, pyarrow: Any, parquet: Any) -> Iterator[object]:
    with data:
        try:
            table = parquet.ParquetFile(data)
            refuse_repeated(table.schema_arrow.names, file)
            for batch in table.iter_batches(_AT_ONCE):
                yield from batch.to_pylist()
        except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as bad:
            raise InputError(
                f"not readable as Parquet: {shown(str(bad))}", file=file, remedy="write it again"
            ) from None
