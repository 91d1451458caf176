"""Reads a scores file back, and refuses one that was cut short or edited, by its line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.data.corpus.json_records import parsed
from nlgauge.data.corpus.place import REMEDY, InputPlace, refuse_repeats, shown
from nlgauge.data.evidence import unpacked, wrong_evidence
from nlgauge.data.json_values import mismatch, named, number_of
from nlgauge.data.signature import Signature
from nlgauge.data.table.column import Column, Sums
from nlgauge.data.table.table import ScoreTable
from nlgauge.errors import InputError
from nlgauge.maths.totals import FORMULAS

_HEADER_EDITED = "the file was edited, or a newer nlgauge wrote it"
_METRIC = {
    "parts": [str],
    "higher_is_better": bool,
    "level?": str,
    "details?": [str],
    "limits?": {"*": [(int, float, str)]},
    "formula?": {"name": str},
}
_HEADER = {
    "nlgauge": str,
    "signatures": {"*": str},
    "facts": {"*": {}},
    "metrics": {"*": _METRIC},
    "run": {
        "rows?": int,
        "corpus?": str,
        "texts?": [str],
        "asked?": {"*": str},
        "notes?": {"*": {"*": int}},
        "noted?": {"*": {"*": [int]}},
        "joined?": {},
        "repeats?": str,
        "ratings?": {"*": [(int, float, None)]},
    },
    "rows?": [[str]],
    "anchors?": {"records": [{}], "*": object},
}


def checked(header: dict[str, Any], path: str | Path) -> dict[str, Any]:
    """The header. Raises InputError for one that `nlgauge.data.table.writing` would not write."""
    header.setdefault("facts", {})  # before there were facts, a signature was its text alone
    kept = all(isinstance(header.get(key), dict) for key in ("signatures", "facts", "metrics", "run"))
    if "nlgauge" not in header or not kept:
        remedy = "give what nlgauge score -o wrote; a table of outputs has to be scored first"
        raise InputError("this is no file of scores: it has no nlgauge header", file=path, row=1, remedy=remedy)
    wrong = mismatch(header, _HEADER, "the header")
    if not wrong and any(len(row) != 2 for row in header.get("rows", [])):
        wrong = "the rows of the header are not of a system and an item each"
    found = (_wrong_metric(spec, about) for spec, about in header["metrics"].items()) if not wrong else ()
    if wrong := wrong or next(filter(None, found), None):
        raise InputError(wrong, file=path, row=1, remedy=_HEADER_EDITED)
    return header


def _wrong_metric(spec: str, about: Mapping[str, Any]) -> str | None:
    metric, parts, details = named(spec), about["parts"], about.get("details", [])
    if not parts or len(set(parts)) < len(parts):
        return f"{metric} has no sub-scores, or one of them twice"
    if about.get("level", "item") not in ("item", "system"):
        return f"the level {shown(about['level'])} of {metric} is neither 'item' nor 'system'"
    if not set(details) <= set(parts):
        return f"the informational sub-scores {shown(details)} of {metric} are not among the sub-scores {shown(parts)}"
    if unknown := about.get("limits", {}).keys() - set(parts):
        return f"the limits of {metric} are of {shown(min(unknown))}, which is not among the sub-scores {shown(parts)}"
    for part, limits in about.get("limits", {}).items():
        if not _are_limits(limits):
            return f"the limits {shown(limits)} of {metric} {named(part)} are not a least and a greatest value"
    if "formula" in about and about["formula"]["name"] not in FORMULAS:
        return f"the formula {shown(about['formula']['name'])} of {metric} is not known"
    return None


def _are_limits(limits: Sequence[object]) -> bool:
    try:
        return len(limits) == 2 and number_of(limits[0]) <= number_of(limits[1])
    except ValueError:
        return False


Rows = list[tuple[str, str]]
_Record = dict[str, Any]
_Place = tuple[str, str | None]
_fields = itemgetter("system", "item", "part", "value", "reason")
_TEXT = {str, type(None)}
_SOURCE = "give what nlgauge score -o wrote"
_CUT, _EDITED = "the file is cut short or was edited", "the file was edited"


def read(path: str | Path) -> ScoreTable:
    """Read what `nlgauge.data.table.writing.write` wrote. Raises InputError, with the line, for anything else."""
    try:
        lines = Path(path).read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError:
        raise InputError("is not UTF-8", file=path, remedy=_SOURCE) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path, remedy="give a scores file") from None
    header = checked(_record(path, 1, lines[0]), path)
    table = _table(header, ((n, _record(path, n, line)) for n, line in enumerate(lines[1:], start=2) if line), path)
    if "anchors" in header:
        again = checked(header["anchors"], path)
        table.anchors = _table(again, ((1, record) for record in again["records"]), path)
        if any(len(given) != len(table.anchors) for given in again["run"].get("ratings", {}).values()):
            raise InputError("the ratings are not those of the anchors", file=path, row=1, remedy=_EDITED)
    return table


def _table(header: Mapping[str, Any], records: Iterable[tuple[int, _Record]], path: str | Path) -> ScoreTable:
    """Return the table of a header and its records, each with the number of its line. Raises InputError."""
    found = {spec: _Values(path, spec, column_of(about)) for spec, about in header["metrics"].items()}
    for number, record in records:
        metric = record.get("metric")
        if not (isinstance(metric, str) and metric in found):
            raise InputError("is not a score of a metric of the header", file=path, row=number, remedy=_EDITED)
        found[metric].take(number, record, found)
    rows = [(system, item) for system, item in header.get("rows", [])]
    # Metrics of rows come first: they tell which systems there are.
    for values in sorted(found.values(), key=lambda values: values.column.level != "item"):
        if values.column.level == "item":
            rows = rows or [(system, item) for system, item in values.places if item is not None]
        values.end(rows)
    columns = {spec: values.column for spec, values in found.items()}
    if len(rows) != (wanted := header["run"].get("rows", len(rows))):
        raise InputError(f"holds {len(rows)} of {wanted} rows", file=path, remedy=_CUT)
    refuse_unmeant(rows, header, path)
    return ScoreTable(
        rows=rows, columns=columns, signatures=signatures_of(header), run=header["run"], version=header["nlgauge"]
    )


def _record(path: str | Path, number: int, line: str) -> _Record:
    problem, record = "is not a JSON object", None
    try:
        record = parsed(line, InputPlace(str(path), number))
    except InputError as error:
        problem = f"is not a JSON object: {error.problem}"
    if not isinstance(record, dict):
        raise InputError(problem, file=path, row=number, remedy=_CUT)
    return record


def refuse_unmeant(rows: Rows, header: Mapping[str, Any], path: str | Path) -> None:
    """Raise InputError for two rows of one system and item, unless the table says that they are meant."""
    if header["run"].get("repeats") != "mean":
        refuse_repeats(rows, {str(path): len(rows)}, f"score the outputs again: {REMEDY}")


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
        limits={part: (number_of(low), number_of(high)) for part, (low, high) in about.get("limits", {}).items()},
    )


class _Values:
    """The values of one metric, as its records come: row by row, and sub-score by sub-score."""

    def __init__(self, path: str | Path, spec: str, column: Column) -> None:
        self._path, self._spec, self._parts, self.column = path, spec, column.parts, column
        self.places: list[_Place] = []
        self._values: list[float] = []
        self._counts: dict[int, list[float]] = {}

    def take(self, number: int, record: _Record, found: Mapping[str, _Values]) -> None:
        """One more record, of a line. Raises InputError for one that cannot be the next."""
        try:
            system, item, part, value, reason = _fields(record)
        except KeyError as missing:
            raise self._wrong(f"the record has no {missing.args[0]}", number) from None
        if type(system) is not str or type(item) not in _TEXT or type(reason) not in _TEXT:
            raise self._wrong("the record's system, item or reason is not a text", number)
        row, at = divmod(len(self._values), len(self._parts))
        if part != self._parts[at]:
            raise self._wrong(f"expected sub-score {shown(self._parts[at])}, found {shown(part)}", number)
        if at == 0:
            self.places.append((system, item))
        elif (system, item) != self.places[-1]:
            raise self._wrong("is not of the row of the sub-score before it", number)
        self._values.append(value if type(value) is float else self._number(number, value))
        if value is None:
            self.column.reasons[row] = reason or ""
        if "counts" in record:
            if not isinstance(record["counts"], list):
                raise self._wrong("the record's counts are not a list", number)
            self._counts[row] = [self._number(number, value) for value in record["counts"]]
        if "evidence" in record:
            self.column.evidence[row] = self._evidence(number, record["evidence"], row, found)

    def end(self, rows: Rows) -> None:
        """Make the column, of some rows. Raises InputError where the records are not those of these rows."""
        column, systems = self.column, list(dict.fromkeys(system for system, _ in rows))
        expected: list[_Place] = list(rows) if column.level == "item" else []
        size = len(expected) or len(systems)
        expected += [(system, None) for system in systems] if column.level == "system" or column.sums else []
        if self.places != expected or len(self._values) != len(expected) * len(self._parts):
            raise self._wrong(f"the rows of {named(self._spec)} are not those of the first metric")
        column.values = np.array(self._values, np.float64).reshape(-1, len(self._parts))[:size].copy()
        for wholes in (column.reasons, column.evidence, self._counts):
            for row in range(size, len(expected)):
                wholes.pop(row, None)
        if column.sums is not None:
            self._sum(column.sums, size)

    def _sum(self, sums: Sums, rows: int) -> None:
        """What the values of all rows together are made of."""
        sizes = set(map(len, self._counts.values()))
        if len(sizes) > 1:
            raise self._wrong("rows of one metric have unlike counts")
        sums.counts = np.full((rows, *(sizes or {1})), np.nan)
        for row, counts in self._counts.items():
            sums.counts[row] = counts
        if sizes and not sums.makes(len(self._parts)):
            taken = f"does not take {sums.counts.shape[1]} counts to {len(self._parts)} sub-scores"
            raise self._wrong(f"the formula {shown(sums.formula)} {taken}", 1)

    def _number(self, number: int, value: object) -> float:
        if type(value) is float:
            return value
        try:
            return number_of(value)
        except ValueError as error:
            raise self._wrong(str(error), number) from None

    def _evidence(self, number: int, evidence: Any, row: int, found: Mapping[str, _Values]) -> Any:
        """Return what a record says that its score is based on: a text names the metric that has the same evidence."""
        if isinstance(evidence, str):
            other = found.get(evidence)
            if other is None or row not in other.column.evidence or other.places[row] != self.places[row]:
                raise self._wrong(f"the evidence of this row by {named(evidence)} is not in the file before it", number)
            return other.column.evidence[row]
        try:
            evidence = unpacked(evidence)
        except ValueError as error:
            raise self._wrong(str(error), number) from None
        if wrong := wrong_evidence(evidence):
            raise self._wrong(wrong, number)
        return evidence

    def _wrong(self, problem: str, number: int | None = None) -> InputError:
        return InputError(problem, file=self._path, row=number, remedy=_CUT if number is None else _EDITED)
