"""Rated sheets as people send them back: CSV files of spreadsheets, or files that the rating page saves.

A sheet may have blank rows and columns, a first line `sep=;`, and semicolons or tabs. Its encoding may be UTF-8 with or
without a byte order mark, UTF-16 or cp1252. Notes name the parts that are not read, and a sheet that cannot be read is
an error.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nlgauge.errors import InputError

SUFFIXES = (".csv", ".tsv", ".jsonl")
ROW, DIGEST, RATER = "item", "digest", "rater"
"""The columns with the name of the rated row, the digest of its draw and texts, and the rater"""
RATING = "scores."
"""The beginning of the name of a column of ratings. The aspect follows, and after a colon the rater"""
TEXTS = ("question", "source", "context", "references", "candidate")
"""The columns that hold the texts of a row"""
_DELIMITERS = ",;\t"
_NO_SHEET = "is not a sheet of a rating project: it has no columns item and digest"
_REMEDY = (
    "nlgauge sample writes such sheets; move other files out of the folder, and finish sheets that were drawn with a "
    "key with the version of nlgauge that drew them"
)


@dataclass(frozen=True)
class Sheet:
    """The cells of one sheet."""

    path: Path
    rows: list[tuple[int, dict[str, str]]]
    """For each row, the line of the file on which it begins, and its cells by column"""
    columns: list[str]
    notes: list[str]
    """Notes on parts that were not read, or were read in another encoding"""
    exact: bool = True
    """False if the texts cannot be compared with those that were drawn, because characters may be lost or texts are not
    saved"""


def read_sheet(path: Path) -> Sheet:
    """Return the sheet in a file.

    Args:
        path: the file.

    Returns:
        The cells of the sheet.

    Raises:
        InputError: the file is no sheet, or is broken; the error names file and line.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path, remedy="give the rated sheet") from None
    text, encoding = _decoded(content, path)
    return _json_lines(path, text) if path.suffix.lower() == ".jsonl" else _cells(path, text, encoding)


def _decoded(content: bytes, path: Path) -> tuple[str, str]:
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encodings = ["utf-16"]
    else:
        encodings = ["utf-8-sig", "cp1252"]
    for encoding in encodings:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text, encoding
    raise InputError("is neither UTF-8 nor UTF-16 nor cp1252", file=path, remedy="save it as CSV in UTF-8")


def _json_lines(path: Path, text: str) -> Sheet:
    """Return the sheet that the rating page saved: a JSON record in each line, with `scores` by aspect."""
    rows = []
    # str.splitlines would also split at U+2028 and U+0085, which a text may hold.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            scores = record.get("scores", {}).items()
            cells = {name: _text(record[name]) for name in (ROW, DIGEST, RATER, *TEXTS) if name in record}
            cells |= {f"{RATING}{aspect}": _text(value) for aspect, value in scores}
        except (ValueError, AttributeError):
            raise InputError(
                "is not what the page saved", file=path, row=number, remedy="save it there again"
            ) from None
        if not {ROW, DIGEST} <= cells.keys():
            raise InputError(_NO_SHEET, file=path, remedy=_REMEDY)
        rows.append((number, cells))
    # The page shows texts and lets nobody change them, so it saves only what it marks.
    return Sheet(path, rows, list(dict.fromkeys(name for _, cells in rows for name in cells)), [], exact=False)


def _text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value)


def _cells(path: Path, text: str, encoding: str) -> Sheet:
    line, delimiter, text = 1, None, text.lstrip("\ufeff")
    if said := re.match(r'"?sep=(.)"?[^\S\r\n]*(?:\r\n|\r|\n)', text, re.IGNORECASE):
        line, delimiter, text = 2, said[1], text[said.end() :]
    rows = _header(path, text, line, delimiter)
    header = [cell.strip() for cell in rows[0][1]]
    header = [name.lower() if name.lower() in (ROW, DIGEST, RATER, *TEXTS) else name for name in header]
    if twice := [name for name in header if name and header.count(name) > 1]:
        raise InputError(f"the column {twice[0]!r} is there twice", file=path, remedy="leave one of them out")
    numbered, unnamed, notes = [], 0, list[str]()
    for number, cells in rows[1:]:
        if len(cells) > len(header) and any(cell.strip() for cell in cells[len(header) :]):
            problem = f"{len(cells)} cells under a header of {len(header)} (file line {number})"
            remedy = "put double quotes around a cell that holds the delimiter, a quote or a line end"
            raise InputError(problem, file=path, remedy=remedy)
        # A spreadsheet may leave out empty cells at the end of a row.
        padded = [*cells, *[""] * len(header)][: len(header)]
        numbered.append((number, {name: cell for name, cell in zip(header, padded, strict=True) if name}))
        unnamed += any(cell.strip() for name, cell in zip(header, padded, strict=True) if not name)
    if unnamed:
        notes.append(f"{path.name}: {unnamed} rows have text in a column without a name, which is not read")
    if encoding == "cp1252":
        why = "it is not UTF-8, and was read as cp1252; its texts are not compared with those that were drawn"
        notes.append(f"{path.name}: {why}")
    return Sheet(
        path=path, rows=numbered, columns=[name for name in header if name], notes=notes, exact=encoding != "cp1252"
    )


def _header(path: Path, text: str, line: int, delimiter: str | None) -> list[tuple[int, list[str]]]:
    """Return the rows that are not blank, split by the delimiter with which the first one is a header of a sheet.

    Args:
        path: the file, for errors.
        text: the text of the table.
        line: the line of the file on which the text begins.
        delimiter: the delimiter that the file names; None if it names none.

    Returns:
        For each row, the line of the file on which it begins, and its cells.
    """
    broken: InputError | None = None
    for sign in delimiter or _DELIMITERS:
        try:
            rows = list(_rows(path, text, line, sign))
        except InputError as error:
            broken = broken or (error if _is_header(text, sign) else None)
            continue
        if rows and {ROW, DIGEST} <= {cell.strip().lower() for cell in rows[0][1]}:
            return rows
    raise broken or InputError(_NO_SHEET, file=path, remedy=_REMEDY)


def _is_header(text: str, delimiter: str) -> bool:
    first = next((line for line in text.splitlines() if line.strip(f" {_DELIMITERS}")), "")
    return {ROW, DIGEST} <= {cell.strip(' "').lower() for cell in first.split(delimiter)}


def _rows(path: Path, text: str, line: int, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line of the file on which a row begins, and its cells, for each row that is not blank.

    Args:
        path: the file, for errors.
        text: the text of the table.
        line: the line of the file on which the text begins.
        delimiter: the character between cells.
    """
    limit = csv.field_size_limit(max(len(text), 1))
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        before = 0
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield line + before, cells
            before = reader.line_num
    except csv.Error as error:
        problem = f"broken table: {error} (file line {line + before})"
        raise InputError(problem, file=path, remedy="double each quote inside a cell, and quote the cell") from None
    finally:
        csv.field_size_limit(limit)
