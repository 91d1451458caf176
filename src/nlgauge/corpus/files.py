"""Files become records, or lines: by the name of the file, whole, and in UTF-8."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path

from nlgauge.corpus.delimited import delimited
from nlgauge.corpus.json_records import json_lines, parsed
from nlgauge.corpus.parquet import parquet_records
from nlgauge.corpus.place import JSON_REMEDY, Place, kind
from nlgauge.errors import InputError

_SMALL = 64 << 20
_EXPANDED = 100
"""Times its own size that compressed data may hold, unless that is small; texts come to 10 times, bombs to 1,000"""


def records_of(path: Path, names: Mapping[str, str]) -> Iterable[object]:
    """The records of a table. Raises InputError for a file that cannot be read as what its name says."""
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    data = _read(path)
    if suffix == ".parquet":
        return parquet_records(data, str(path))
    if suffix not in (".jsonl", ".json", ".csv", ".tsv"):
        remedy = "name it .jsonl, .json, .csv, .tsv or .parquet; plain text, one output a line, goes to --candidates"
        raise InputError("the file's name does not tell its format", file=path, remedy=remedy)
    text = _decoded(data, path)
    if suffix == ".jsonl":
        return json_lines(text, str(path))
    if suffix == ".json":
        records = parsed(text, Place(str(path)))
        if not isinstance(records, list):
            raise InputError(f"this is {kind(records)}, not a list of records", file=path, remedy=JSON_REMEDY)
        return records
    return delimited(text, str(path), "," if suffix == ".csv" else "\t", names)


def _read(path: Path) -> bytes:
    place = Place(str(path))
    try:
        data = path.read_bytes()
    except OSError as bad:
        problem = f"cannot be read: {'it is a directory' if path.is_dir() else bad.strerror}"
        raise place.error(problem, "give the path of one readable file") from None
    if path.name.lower().endswith(".gz"):
        try:
            data = _unpacked(data, place)
        except (OSError, EOFError, zlib.error) as bad:
            remedy = "compress or copy it again; if it is not compressed, take .gz off its name"
            raise place.error(f"not whole gzip data: {bad}", remedy) from None
    if not data:
        raise place.error("the file is empty", "give at least one row")
    return data


def _unpacked(data: bytes, place: Place) -> bytes:
    """What gzip data hold. Raises InputError where they were made to fill a memory, and what gzip raises."""
    most = max(_SMALL, _EXPANDED * len(data))
    with gzip.GzipFile(fileobj=BytesIO(data)) as file:
        content = file.read(most + 1)
    if len(content) > most:
        problem = f"gzip data that hold more than {_EXPANDED} times their own {len(data)} bytes"
        raise place.error(problem, "texts do not: where it is meant so, decompress it first")
    return content


def _decoded(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as bad:
        line = data.count(b"\n", 0, bad.start) + 1
        problem = f"not UTF-8: byte 0x{data[bad.start]:02x} at byte offset {bad.start}, on line {line}"
        raise Place(str(path)).error(problem, "convert it to UTF-8: iconv -f ENCODING -t UTF-8") from None


def lines_of(path: Path) -> list[str]:
    """The lines of a text file, an empty one at the end left out."""
    # str.splitlines would also split at U+2028, U+0085 and form feeds, which belong to the text.
    lines = re.split(r"\r?\n", _decoded(_read(path), path))
    return lines if lines[-1] else lines[:-1]
