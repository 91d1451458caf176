"""Reads a scores file back, and refuses one that was cut short or edited, by its line."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.maths.totals import FORMULAS
from nlgauge.signature import Signature
from nlgauge.table.column import Column, Sums

Rows = list[tuple[str, str]]
_Record = dict[str, Any]
_Entries = list[tuple[int, _Record]]
"""Records with the number of their line"""
_NEEDED = {"system", "item", "part", "value", "reason"}
_SOURCE = "give what nlgauge score -o wrote"


class Contents(NamedTuple):
    """What a scores file holds: the fields of a ScoreTable, in its order."""

    rows: Rows
    columns: dict[str, Column]
    signatures: dict[str, Signature]
    run: _Record
    version: str


def read(path: str | Path) -> Contents:
    """Read what `nlgauge.table.writing.write` wrote. Raises InputError, with the line, for anything else."""
    try:
        lines = Path(path).read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8", file=path, remedy=_SOURCE) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path, remedy="give a scores file") from None
    header = _record(path, 1, lines[0])
    header.setdefault("facts", {})  # before there were facts, a signature was its text alone
    kept = all(isinstance(header.get(key), dict) for key in ("signatures", "facts", "metrics", "run"))
    if "nlgauge" not in header or not kept:
        raise InputError("has no nlgauge header", file=path, row=1, remedy=_SOURCE)
    rows, columns = _columns(path, header["metrics"], lines, [(str(s), str(i)) for s, i in header.get("rows", [])])
    if len(rows) != (wanted := header["run"].get("rows", len(rows))):
        raise InputError(f"holds {len(rows)} of {wanted} rows", file=path, remedy="the file is cut short or was edited")
    return Contents(rows, columns, _signatures(path, header), header["run"], header["nlgauge"])


def _record(path: str | Path, number: int, line: str) -> _Record:
    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if not isinstance(record, dict):
        raise InputError("is not a JSON object", file=path, row=number, remedy="the file is cut short or was edited")
    return record


def _signatures(path: str | Path, header: _Record) -> dict[str, Signature]:
    signatures = {}
    for spec, text in header["signatures"].items():
        facts = header["facts"].get(spec, {})
        if not (isinstance(text, str) and isinstance(facts, dict)):
            raise InputError(f"the signature of {spec} is none", file=path, row=1, remedy="the file was edited")
        signatures[spec] = Signature(spec, facts) if facts else Signature(text)
    return signatures


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
            raise InputError(f"the rows of {spec} are not those of the first metric", file=path)
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
        if not (isinstance(metric, str) and metric in by_metric and record.keys() >= _NEEDED):
            raise InputError("is not a score of a metric of the header", file=path, row=number)
        by_metric[metric].append((number, record))
    return by_metric


def _column(path: str | Path, about: _Record, entries: _Entries) -> Column:
    """A column from the records of its values, row by row and part by part."""
    parts, details = tuple(about["parts"]), tuple(about.get("details", ()))
    if not set(details) <= set(parts):
        raise InputError(f"the details {details} are not among the parts {parts}", file=path, row=1)
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
            raise InputError(f"expected part {parts[part]!r}, found {record['part']!r}", file=path, row=number)
        values.append(_value(path, number, record["value"]))
        if record["value"] is None:
            column.reasons[index] = record["reason"]
        if "evidence" in record:
            column.evidence[index] = record["evidence"]
    column.values = np.array(values, np.float64).reshape(-1, len(parts))
    if "formula" in about:
        column.sums = _sums(path, about["formula"], entries[:: len(parts)])
    return column


def _value(path: str | Path, number: int, value: object) -> float:
    if type(value) is float:
        return value
    if value is None:
        return math.nan
    if value in ("Infinity", "-Infinity") or (isinstance(value, int | float) and not isinstance(value, bool)):
        return float(value)
    raise InputError(f"the value {value!r} is not a number", file=path, row=number, remedy="the file was edited")


def _sums(path: str | Path, formula: object, entries: _Entries) -> Sums:
    """What the values of all rows together are made of, from the records of the first part."""
    if not isinstance(formula, dict) or formula.get("name") not in FORMULAS:
        raise InputError(f"the formula {formula!r} is not known", file=path, row=1, remedy="a newer nlgauge wrote it")
    sizes = {len(record["counts"]) for _, record in entries if isinstance(record.get("counts"), list)}
    if len(sizes) > 1:
        raise InputError("rows of one metric have unlike counts", file=path, remedy="the file was edited")
    counts: NDArray[np.float64] = np.full((len(entries), *(sizes or {1})), np.nan)
    for index, (number, record) in enumerate(entries):
        if "counts" in record:
            counts[index] = [_value(path, number, count) for count in record["counts"]]
    return Sums(formula, counts)
