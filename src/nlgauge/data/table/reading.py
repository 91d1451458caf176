"""Reads a scores file back, and refuses one that was cut short or edited, by its line."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.data.corpus.json_records import parsed
from nlgauge.data.corpus.place import Place, shown
from nlgauge.data.signature import Signature
from nlgauge.data.table.column import Column, Sums
from nlgauge.data.table.evidence import wrong_evidence
from nlgauge.data.table.heading import checked
from nlgauge.data.table.shapes import mismatch, plain
from nlgauge.errors import InputError

Rows = list[tuple[str, str]]
_Record = dict[str, Any]
_Entries = list[tuple[int, _Record]]
"""Records with the number of their line"""
_SCORE = {"system": str, "item": (str, None), "part": str, "value": object, "reason": (str, None), "counts?": [object]}
_LARGEST = 10**300
_SOURCE = "give what nlgauge score -o wrote"


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
    rows, columns = _columns(
        path, header["metrics"], lines, [(system, item) for system, item in header.get("rows", [])]
    )
    if len(rows) != (wanted := header["run"].get("rows", len(rows))):
        raise InputError(f"holds {len(rows)} of {wanted} rows", file=path, remedy="the file is cut short or was edited")
    return Contents(rows, columns, signatures_of(header), header["run"], header["nlgauge"])


def _record(path: str | Path, number: int, line: str) -> _Record:
    problem, record = "is not a JSON object", None
    try:
        record = parsed(line, Place(str(path), number))
    except InputError as error:
        problem = f"is not a JSON object: {error.problem}"
    if not isinstance(record, dict):
        raise InputError(problem, file=path, row=number, remedy="the file is cut short or was edited")
    return record


def signatures_of(header: Mapping[str, Any]) -> dict[str, Signature]:
    """The signatures that a header names."""
    facts = header["facts"]
    return {
        spec: Signature(spec, facts[spec]) if facts.get(spec) else Signature(text)
        for spec, text in header["signatures"].items()
    }


def _columns(
    path: str | Path, described: Mapping[str, _Record], lines: Sequence[str], rows: Rows
) -> tuple[Rows, dict[str, Column]]:
    """Rows and columns; the rows that are given, or else those that the first metric of rows names."""
    by_metric = _by_metric(path, described, lines)
    columns: dict[str, Column] = {}
    # Metrics of rows come first: they tell which systems there are.
    for spec in sorted(described, key=lambda spec: described[spec].get("level", "item") != "item"):
        entries, about = by_metric[spec], described[spec]
        level, parts = about.get("level", "item"), tuple(about["parts"])
        places = [(record["system"], record["item"]) for _, record in entries[:: len(parts)]]
        if level == "item":
            rows = rows or [(system, item) for system, item in places if item is not None]
        systems = list(dict.fromkeys(system for system, _ in rows))
        expected: list[tuple[str, str | None]] = list(rows) if level == "item" else []
        expected += [(system, None) for system in systems] if level == "system" or "formula" in about else []
        if places != expected or len(entries) != len(places) * len(parts):
            raise InputError(f"the rows of {plain(spec)} are not those of the first metric", file=path)
        size = len(rows) if level == "item" else len(systems)
        columns[spec] = _column(path, about, entries[: size * len(parts)])
    return rows, {spec: columns[spec] for spec in described}


def _by_metric(path: str | Path, described: Mapping[str, object], lines: Sequence[str]) -> dict[str, _Entries]:
    by_metric: dict[str, _Entries] = {spec: [] for spec in described}
    for number, line in enumerate(lines[1:], start=2):
        if not line:
            continue
        record = _record(path, number, line)
        metric = record.get("metric")
        if not (isinstance(metric, str) and metric in by_metric):
            raise InputError("is not a score of a metric of the header", file=path, row=number)
        wrong = mismatch(record, _SCORE, "the record")
        if wrong := wrong or (wrong_evidence(record["evidence"]) if "evidence" in record else None):
            raise InputError(wrong, file=path, row=number, remedy="the file was edited")
        by_metric[metric].append((number, record))
    return by_metric


def _column(path: str | Path, about: _Record, entries: _Entries) -> Column:
    """A column from the records of its values, row by row and part by part."""
    parts, details = tuple(about["parts"]), tuple(about.get("details", ()))
    values = []
    column = Column(
        parts,
        np.empty((0, len(parts))),
        higher_is_better=about["higher_is_better"],
        level=about.get("level", "item"),
        details=details,
    )
    for at, (number, record) in enumerate(entries):
        index, part = divmod(at, len(parts))
        if record["part"] != parts[part]:
            problem = f"expected part {shown(parts[part])}, found {shown(record['part'])}"
            raise InputError(problem, file=path, row=number)
        values.append(_value(path, number, record["value"]))
        if record["value"] is None:
            column.reasons[index] = record["reason"] or ""
        if "evidence" in record:
            column.evidence[index] = record["evidence"]
    column.values = np.array(values, np.float64).reshape(-1, len(parts))
    if "formula" in about:
        column.sums = _sums(path, about["formula"], entries[:: len(parts)], len(parts))
    return column


def _value(path: str | Path, number: int, value: object) -> float:
    if type(value) is float:
        return value
    if value is None:
        return math.nan
    if isinstance(value, str) and value in ("Infinity", "-Infinity"):
        return float(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST:
        return float(value)
    raise InputError(f"the value {shown(value)} is not a number", file=path, row=number, remedy="the file was edited")


def _sums(path: str | Path, formula: _Record, entries: _Entries, parts: int) -> Sums:
    """What the values of all rows together are made of, from the records of the first part."""
    sizes = {len(record["counts"]) for _, record in entries if "counts" in record}
    if len(sizes) > 1:
        raise InputError("rows of one metric have unlike counts", file=path, remedy="the file was edited")
    counts: NDArray[np.float64] = np.full((len(entries), *(sizes or {1})), np.nan)
    for index, (number, record) in enumerate(entries):
        if "counts" in record:
            counts[index] = [_value(path, number, count) for count in record["counts"]]
    sums = Sums(formula, counts)
    if sizes and not sums.makes(parts):
        problem = f"the formula {shown(formula)} does not take {counts.shape[1]} counts to {parts} parts"
        raise InputError(problem, file=path, row=1, remedy="a newer nlgauge wrote it, or it was edited")
    return sums
