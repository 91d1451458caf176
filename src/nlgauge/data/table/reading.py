"""Reads a scores file back, and refuses one that was cut short or edited, by its line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, cycle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nlgauge.data.corpus.json_records import parsed
from nlgauge.data.corpus.place import Place, shown
from nlgauge.data.signature import Signature
from nlgauge.data.table.column import Column, Sums
from nlgauge.data.table.evidence import wrong_evidence
from nlgauge.data.table.heading import checked
from nlgauge.data.table.packing import unpacked
from nlgauge.data.table.shapes import plain
from nlgauge.errors import InputError

Rows = list[tuple[str, str]]
_Record = dict[str, Any]
_Place = tuple[str, str | None]
_TEXTS = {"system": {str}, "item": {str, type(None)}, "part": {str}, "reason": {str, type(None)}}
_LARGEST = 10**300
_SOURCE = "give what nlgauge score -o wrote"
_CUT, _EDITED = "the file is cut short or was edited", "the file was edited"


class Contents(NamedTuple):
    """What a scores file holds: the fields of a ScoreTable, in its order."""

    rows: Rows
    columns: dict[str, Column]
    signatures: dict[str, Signature]
    run: _Record
    version: str


def read(path: str | Path) -> Contents:
    """Read what `nlgauge.data.table.writing.write` wrote. Raises InputError, with the line, for anything else."""
    try:
        lines = Path(path).read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8", file=path, remedy=_SOURCE) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path, remedy="give a scores file") from None
    header = checked(_record(path, 1, lines[0]), path)
    found = {spec: _Records(path, spec, [], []) for spec in header["metrics"]}
    for number, line in enumerate(lines[1:], start=2):
        if line:
            record = _record(path, number, line)
            metric = record.get("metric")
            if not (isinstance(metric, str) and metric in found):
                raise InputError("is not a score of a metric of the header", file=path, row=number, remedy=_EDITED)
            found[metric].numbers.append(number)
            found[metric].records.append(record)
    rows = [(system, item) for system, item in header.get("rows", [])]
    columns = {spec: column_of(about) for spec, about in header["metrics"].items()}
    # Metrics of rows come first: they tell which systems there are.
    for spec, column in sorted(columns.items(), key=lambda named: named[1].level != "item"):
        places = found[spec].places(column.parts)
        if column.level == "item":
            rows = rows or [(system, item) for system, item in places if item is not None]
        found[spec].fill(column, rows, places, columns)
    if len(rows) != (wanted := header["run"].get("rows", len(rows))):
        raise InputError(f"holds {len(rows)} of {wanted} rows", file=path, remedy=_CUT)
    return Contents(rows, columns, signatures_of(header), header["run"], header["nlgauge"])


def _record(path: str | Path, number: int, line: str) -> _Record:
    problem, record = "is not a JSON object", None
    try:
        record = parsed(line, Place(str(path), number))
    except InputError as error:
        problem = f"is not a JSON object: {error.problem}"
    if not isinstance(record, dict):
        raise InputError(problem, file=path, row=number, remedy=_CUT)
    return record


def signatures_of(header: Mapping[str, Any]) -> dict[str, Signature]:
    """The signatures that a header names."""
    facts = header["facts"]
    return {
        spec: Signature(spec, facts[spec]) if facts.get(spec) else Signature(text)
        for spec, text in header["signatures"].items()
    }


def column_of(about: Mapping[str, Any]) -> Column:
    """The column of a metric that a header describes, without rows."""
    parts = tuple(about["parts"])
    return Column(
        parts,
        np.empty((0, len(parts))),
        higher_is_better=about["higher_is_better"],
        level=about.get("level", "item"),
        sums=Sums(about["formula"], np.empty((0, 1))) if "formula" in about else None,
        details=tuple(about.get("details", ())),
    )


class _Records(NamedTuple):
    """The records of one metric, row by row and part by part, with the numbers of their lines."""

    path: str | Path
    spec: str
    numbers: list[int]
    records: list[_Record]

    def places(self, parts: Sequence[str]) -> list[_Place]:
        """System and item of each row. Raises InputError where a record is not of the row and part that is next."""
        for name, kinds in _TEXTS.items():
            wrong = (type(record.get(name, 0)) not in kinds for record in self.records)
            self._refuse(wrong, f"the record's {name} is missing or not a text")
        unlike = (record["part"] != part for record, part in zip(self.records, cycle(parts), strict=False))
        self._refuse(unlike, f"is not of the next of the parts {shown(list(parts))}")
        every = [(record["system"], record["item"]) for record in self.records]
        places: list[_Place] = every[:: len(parts)]
        unlike = (place != places[at // len(parts)] for at, place in enumerate(every))
        self._refuse(unlike, "is not of the row of the part before it")
        return places

    def fill(self, column: Column, rows: Rows, places: Sequence[_Place], columns: Mapping[str, Column]) -> None:
        """Fill the column, of some rows. Raises InputError where the records are not those of these rows."""
        systems = list(dict.fromkeys(system for system, _ in rows))
        expected: list[_Place] = list(rows) if column.level == "item" else []
        size = len(expected) or len(systems)
        expected += [(system, None) for system in systems] if column.level == "system" or column.sums else []
        if places != expected or len(self.records) != len(expected) * len(column.parts):
            raise self._wrong(f"the rows of {plain(self.spec)} are not those of the first metric")
        values = [self._number(n, r.get("value", r)) for n, r in zip(self.numbers, self.records, strict=True)]
        column.values = np.array(values, np.float64).reshape(-1, len(column.parts))[:size].copy()
        counts: dict[int, list[float]] = {}
        for at, (number, record) in enumerate(zip(self.numbers, self.records, strict=True)):
            row = at // len(column.parts)
            if record["value"] is None and row < size:
                column.reasons[row] = record["reason"] or ""
            if "counts" in record:
                counts[row] = self._counts(number, record["counts"])
            if "evidence" in record:
                column.evidence[row] = self._evidence(number, record["evidence"], row, column, columns)
        if column.sums is not None:
            self._sum(column.sums, len(column.parts), size, counts)

    def _counts(self, number: int, counts: object) -> list[float]:
        if not isinstance(counts, list):
            raise self._wrong("the record's counts are not a list", number)
        return [self._number(number, count) for count in counts]

    def _sum(self, sums: Sums, parts: int, rows: int, counts: Mapping[int, list[float]]) -> None:
        sizes = set(map(len, counts.values()))
        if len(sizes) > 1:
            raise self._wrong("rows of one metric have unlike counts")
        sums.counts = np.full((rows, *(sizes or {1})), np.nan)
        for row, some in counts.items():
            sums.counts[row] = some
        if sizes and not sums.makes(parts):
            taken = f"does not take {sums.counts.shape[1]} counts to {parts} parts"
            raise self._wrong(f"the formula {shown(sums.formula)} {taken}", 1)

    def _number(self, number: int, value: object) -> float:
        if type(value) is float:
            return value
        if value is None:
            return math.nan
        if isinstance(value, str) and value in ("Infinity", "-Infinity"):
            return float(value)
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST:
            return float(value)
        raise self._wrong(f"the value {shown(value)} is not a number", number)

    def _evidence(self, number: int, evidence: Any, row: int, own: Column, columns: Mapping[str, Column]) -> Any:
        """What a record says that its score rests on: a text names the metric that has the same evidence."""
        if isinstance(evidence, str):
            other = columns.get(evidence)
            if other is None or other.level != own.level or row not in other.evidence:
                raise self._wrong(f"the evidence of this row by {plain(evidence)} is not in the file before it", number)
            return other.evidence[row]
        try:
            evidence = unpacked(evidence)
        except ValueError as error:
            raise self._wrong(str(error), number) from None
        if wrong := wrong_evidence(evidence):
            raise self._wrong(wrong, number)
        return evidence

    def _refuse(self, wrong: Iterable[bool], problem: str) -> None:
        """Raises InputError for the first record that is wrong."""
        if number := next(compress(self.numbers, wrong), None):
            raise self._wrong(problem, number)

    def _wrong(self, problem: str, number: int | None = None) -> InputError:
        return InputError(problem, file=self.path, row=number, remedy=_CUT if number is None else _EDITED)
