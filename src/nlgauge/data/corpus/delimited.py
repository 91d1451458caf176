"""CSV and TSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

from nlgauge.data.corpus.json_records import parsed
from nlgauge.data.corpus.opening import LONGEST_LINE
from nlgauge.data.corpus.place import InputPlace, refuse_repeated
from nlgauge.data.corpus.records import NUMBERED_REFERENCE
from nlgauge.errors import InputError

_LARGEST_CELL = LONGEST_LINE  # a quote that is not closed makes one cell of all the lines that follow
_SIGNS = (("\t", "tabs"), (";", "semicolons"), ("|", "bars"), (",", "commas"))
_QUOTING = "put double quotes around a cell that holds a quote, a newline or the delimiter; double each quote inside it"


def delimited(lines: Iterable[str], file: str, delimiter: str, names: Mapping[str, str]) -> Iterator[dict[str, object]]:
    """A record of each row. Raises InputError for a broken table.

    Where commas make the header one cell, as where a spreadsheet uses decimal commas, semicolons separate the cells.
    """
    lines = iter(lines)
    first = next(lines, "")
    if delimiter == "," and _is_separated_by_semicolons(first, names["candidate"]):
        delimiter = ";"
    table = _rows(chain([first], lines), file, delimiter)
    _, header = next(table, (1, []))
    refuse_repeated(header, file)
    _refuse_other_delimiter(header, file, names["candidate"])
    ours = {one: name for name, theirs in names.items() for one in (theirs, *theirs.split(","))}
    ours[names["candidate"]] = "candidate"
    for number, (line, cells) in enumerate(table, 1):
        if len(cells) != len(header):
            problem = f"{len(cells)} cells under a header of {len(header)} (file line {line})"
            raise InputPlace(file, number).error(problem, _QUOTING)
        yield {name: _cell(ours.get(name, name), cell) for name, cell in zip(header, cells, strict=True)}


def _is_separated_by_semicolons(line: str, candidate: str) -> bool:
    header = line.replace("\r", "\n").partition("\n")[0]
    return ";" in header and "," not in header and header.strip('"') != candidate


def _refuse_other_delimiter(header: list[str], file: str, candidate: str) -> None:
    """Raises InputError for a header of one cell that holds what separates cells elsewhere."""
    if len(header) == 1 and header[0] != candidate and (held := [name for sign, name in _SIGNS if sign in header[0]]):
        problem = f"the header is one cell, and that holds {held[0]}"
        remedy = "commas or semicolons separate cells in a .csv, tabs in a .tsv: rename the file, or save it so"
        raise InputPlace(file).error(problem, remedy)


def _rows(lines: Iterable[str], file: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The line on which each row begins, and its cells; empty rows at the end are left out."""
    reader = csv.reader(_split(lines), delimiter=delimiter, strict=True)
    line, number = 1, 0
    empty: list[tuple[int, list[str]]] = []
    while True:
        # The limit is the whole interpreter's, and others may run between one row and the next.
        limit = csv.field_size_limit(_LARGEST_CELL)
        try:
            cells = next(reader, None)
        except csv.Error as bad:
            problem = f"broken table: {bad} (file line {line})"
            raise InputPlace(file, number or None).error(problem, _QUOTING) from None
        finally:
            csv.field_size_limit(limit)
        if cells is None:
            return
        number += 1
        if cells:
            yield from empty
            yield line, cells
            empty = []
        else:
            empty.append((line, cells))
        line = reader.line_num + 1


def _split(lines: Iterable[str]) -> Iterator[str]:
    r"""Lines that end at "\r" too, as some spreadsheets write them."""
    for line in lines:
        yield from io.StringIO(line, newline="") if "\r" in line else (line,)


def _cell(name: str, cell: str) -> object:
    if name in ("source", "context", "question", "system", "item") or NUMBERED_REFERENCE.fullmatch(name):
        return cell or None
    if name in ("references", "scores") or name.startswith("scores."):
        try:
            value = parsed(cell, InputPlace(None))
        except InputError:
            return cell or None
        texts = isinstance(value, list) and all(isinstance(entry, str) for entry in value)
        return value if texts or name != "references" else cell
    return cell
