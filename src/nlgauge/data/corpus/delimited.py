"""The reader of CSV and TSV tables."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice, zip_longest

from nlgauge.data.corpus.cells import NUMBERED_REFERENCE, listed, refuse_json
from nlgauge.data.corpus.json_records import parsed
from nlgauge.data.corpus.opening import LONGEST_LINE
from nlgauge.data.corpus.place import InputPlace, refuse_repeated, shown
from nlgauge.data.corpus.records import LISTS, Names, field_of, fields_by_column, with_known
from nlgauge.errors import InputError

_LARGEST_CELL = LONGEST_LINE  # a quote that is not closed makes one cell of all the lines that follow
_SIGNS = (("\t", "tabs"), (";", "semicolons"), ("|", "bars"), (",", "commas"))
_QUOTING = "put double quotes around a cell that holds a quote, a newline or the delimiter; double each quote inside it"


def delimited(lines: Iterable[str], file: str, delimiter: str, names: Names) -> Iterator[dict[str, object]]:
    """Yield a record for each row of a table.

    If the header of a .csv has semicolons and no comma, as a spreadsheet with decimal commas writes it, semicolons
    separate the cells. A first line such as "sep=;" names the delimiter. Columns that have neither a name nor a value
    are left out, and so are empty rows at the end, because spreadsheets write both.

    Args:
        lines: the lines of the file.
        file: the name of the file, for errors.
        delimiter: the character between two cells.
        names: the column of each field.

    Returns:
        An iterator over the records.

    Raises:
        InputError: the table is broken.
    """
    lines = iter(lines)
    first = next(lines, "")
    candidate = str(names["candidate"])
    if named_by_file := re.fullmatch(r"sep=(.)\s*", first, re.IGNORECASE):  # as Excel reads and writes it
        delimiter, first = named_by_file[1], next(lines, "")
    elif delimiter == "," and _is_separated_by_semicolons(first, candidate):
        delimiter = ";"
    table = _rows(chain([first], lines), file, delimiter)
    _, header = next(table, (1, []))
    # The first column may lack a name: pandas writes its index so.
    named = [number for number, name in enumerate(header) if name or not number]
    refuse_repeated([header[number] for number in named], file)
    _refuse_other_delimiter(header, file, candidate)
    begun = list(islice(table, 1))
    cells = begun[0][1] if begun else []
    ours = fields_by_column(with_known(names, dict(zip_longest(header, cells[: len(header)])))[0])
    last = named[-1] + 1 if named else 0
    for number, (line, cells) in enumerate(chain(begun, table), 1):
        place = InputPlace(file, number)
        if len(cells) < last or any(cells[len(header) :]):
            problem = f"{len(cells)} cells under a header of {len(header)} (file line {line})"
            raise place.error(problem, _QUOTING)
        for at, cell in enumerate(cells):
            if cell and at and not header[at]:
                problem = f"column {at + 1} has no name, and holds {shown(cell)}"
                raise place.error(problem, "name it in the header, or remove it")
        yield {header[at]: _cell(field_of(header[at], ours), cells[at], header[at], place) for at in named}


def _is_separated_by_semicolons(line: str, candidate: str) -> bool:
    header = line.replace("\r", "\n").partition("\n")[0]
    return ";" in header and "," not in header and header.strip('"') != candidate


def _refuse_other_delimiter(header: list[str], file: str, candidate: str) -> None:
    """Raise InputError for a header of one cell that holds another delimiter, such as tabs in a .csv.

    Args:
        header: the cells of the header.
        file: the name of the file, for the error.
        candidate: the column of the candidate. A header of this column alone is right.
    """
    if len(header) == 1 and header[0] != candidate and (held := [name for sign, name in _SIGNS if sign in header[0]]):
        problem = f"the header is one cell, and that holds {held[0]}"
        remedy = "commas or semicolons separate cells in a .csv, tabs in a .tsv: rename the file, or save it so"
        raise InputPlace(file).error(problem, remedy)


def _rows(lines: Iterable[str], file: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (number of its first line, cells) for each row. Empty rows at the end are left out."""
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
        if any(cells) or len(cells) == 1:  # one empty cell is in quotes, and an empty text
            yield from empty
            yield line, cells
            empty = []
        else:
            empty.append((line, cells))
        line = reader.line_num + 1


def _split(lines: Iterable[str]) -> Iterator[str]:
    r"""Yield the lines, split also at "\r", by which some spreadsheets end a line."""
    for line in lines:
        yield from io.StringIO(line, newline="") if "\r" in line else (line,)


def _cell(name: str, cell: str, column: str, place: InputPlace) -> object:
    refuse_json(name, cell, column, place)
    if name in LISTS or NUMBERED_REFERENCE.fullmatch(name):
        return listed(cell, name, place) or None
    if name in ("question", "system", "item"):
        return cell or None
    if name == "scores" or name.startswith("scores."):
        try:
            return parsed(cell, InputPlace(None))
        except InputError:
            return cell or None
    return cell
