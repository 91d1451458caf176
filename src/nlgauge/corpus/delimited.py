"""CSV and TSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping

from nlgauge.corpus.json_records import parsed
from nlgauge.corpus.place import Place, refuse_repeated
from nlgauge.corpus.records import NUMBERED_REFERENCE
from nlgauge.errors import InputError

_LARGEST_CELL = 2**31 - 1  # csv keeps its limit in a C long, which has 32 bits on Windows
_QUOTING = "put double quotes around a cell that holds a quote, a newline or the delimiter; double each quote inside it"


def delimited(text: str, file: str, delimiter: str, names: Mapping[str, str]) -> Iterator[dict[str, object]]:
    """A record of each row. Raises InputError for a broken table."""
    table: list[tuple[int, list[str]]] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line, limit = 1, csv.field_size_limit(_LARGEST_CELL)
    try:
        for cells in reader:
            table.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as bad:
        raise Place(file, len(table) or None).error(f"broken table: {bad} (file line {line})", _QUOTING) from None
    finally:
        csv.field_size_limit(limit)
    while table and not table[-1][1]:
        table.pop()
    header = table[0][1] if table else []
    refuse_repeated(header, file)
    ours = {theirs: name for name, theirs in names.items()}
    ours[names["candidate"]] = "candidate"
    for number, (line, cells) in enumerate(table[1:], 1):
        if len(cells) != len(header):
            problem = f"{len(cells)} cells under a header of {len(header)} (file line {line})"
            raise Place(file, number).error(problem, _QUOTING)
        yield {name: _cell(ours.get(name, name), cell) for name, cell in zip(header, cells, strict=True)}


def _cell(name: str, cell: str) -> object:
    if name in ("source", "context", "system", "item") or NUMBERED_REFERENCE.fullmatch(name):
        return cell or None
    if name in ("references", "scores") or name.startswith("scores."):
        try:
            value = parsed(cell, Place(None))
        except InputError:
            return cell or None
        texts = isinstance(value, list) and all(isinstance(entry, str) for entry in value)
        return value if texts or name != "references" else cell
    return cell
