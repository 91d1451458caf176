"""The reader of scores files, which refuses a file that was cut short or edited, and names the line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from nlgauge.data.corpus.json_records import parsed
from nlgauge.data.corpus.opening import file_at, lines
from nlgauge.data.corpus.place import REMEDY, InputPlace, refuse_repeats, shown
from nlgauge.data.jsonable import LARGEST, Number, converted, number_of
from nlgauge.data.seal import LineCheck
from nlgauge.data.signature import Signature
from nlgauge.data.table.column import Column, Sums
from nlgauge.data.table.packed import Unpacking
from nlgauge.data.table.table import ScoreTable
from nlgauge.errors import InputError
from nlgauge.maths.totals import FORMULAS

_HEADER_EDITED = "the file was edited, or a newer nlgauge wrote it"
_SHOWN = 80
_EXPANDED = 500
"""Limit of the unpacked size of a scores file, as a multiple of its packed size. Lines repeat names and pack well"""


class MetricHeader(msgspec.Struct):
    """The entry of a metric in a header."""

    parts: list[str]
    higher_is_better: bool
    level: str = "item"
    details: list[str] = []
    limits: dict[str, tuple[Number, Number]] = {}
    formula: dict[str, Any] | UnsetType = UNSET


class _Run(msgspec.Struct):
    rows: int = 0
    corpus: str = ""
    texts: list[str] = []
    asked: dict[str, str] = {}
    notes: dict[str, dict[str, int]] = {}
    noted: dict[str, dict[str, list[int]]] = {}
    joined: dict[str, Any] = {}
    repeats: str = ""
    trials: list[str | None] = []
    averaged: int = 0
    ratings: dict[str, list[float | None]] = {}


class Header(msgspec.Struct):
    """The first line of a scores file, and `_header.json` of a scores folder."""

    nlgauge: str
    signatures: dict[str, str]
    metrics: dict[str, Any]
    """The entry of each metric (`MetricHeader`), by spec"""
    run: dict[str, Any]
    facts: dict[str, dict[str, Any]] = {}
    """The facts of each signature, by spec; empty in old files, which hold signatures as texts only"""
    rows: list[tuple[str, str]] = []
    anchors: dict[str, Any] | UnsetType = UNSET
    """The header and the records of anchor rows, which were scored again in the same run"""


_Count = Annotated[float, msgspec.Meta(gt=-LARGEST, lt=LARGEST)]


class _Line(msgspec.Struct):
    """A record: any line of a scores file but the first."""

    system: str
    item: str | None
    metric: str
    part: str
    value: float | int | str | None
    reason: str | None
    evidence: Any = UNSET
    counts: list[_Count] | UnsetType = UNSET


def named(name: str) -> str:
    """Return a name from a file as an error shows it: on one line, and cut where it is long."""
    text = repr(name)[1:-1]
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def checked(header: dict[str, Any], path: str | Path) -> Header:
    """Return a header with checked types. Raises InputError for one that `nlgauge.data.table.writing` cannot write."""
    whole = all(isinstance(header.get(key), dict) for key in ("signatures", "metrics", "run"))
    if "nlgauge" not in header or not whole:
        remedy = "give what nlgauge score -o wrote; a table of outputs has to be scored first"
        raise InputError("this is no file of scores: it has no nlgauge header", file=path, row=1, remedy=remedy)
    where = "the header"
    try:
        made = converted(header, Header)
        where = "the header's run"
        converted(made.run, _Run)
        for spec, about in made.metrics.items():
            where = f"the header's {named(spec)}"
            made.metrics[spec] = metric = converted(about, MetricHeader)
            if wrong := _wrong_metric(metric):
                raise ValueError(wrong)
    except ValueError as bad:
        raise InputError(f"{where}: {bad}", file=path, row=1, remedy=_HEADER_EDITED) from None
    return made


def _wrong_metric(about: MetricHeader) -> str | None:
    parts, details = about.parts, about.details
    if not parts or len(set(parts)) < len(parts):
        return "there are no sub-scores, or one is there twice"
    if about.level not in ("item", "system"):
        return f"the level {shown(about.level)} is neither 'item' nor 'system'"
    if not set(details) <= set(parts):
        return f"the informational sub-scores {shown(details)} are not among the sub-scores {shown(parts)}"
    if unknown := about.limits.keys() - set(parts):
        return f"the limits are of {shown(min(unknown))}, which is not among the sub-scores {shown(parts)}"
    for part, (low, high) in about.limits.items():
        if not low <= high:
            return f"the limits {low:g} and {high:g} of {named(part)} are not a least and a greatest value"
    if about.formula is not UNSET and str(about.formula.get("name")) not in FORMULAS:
        return f"the formula {shown(about.formula.get('name'))} is not known"
    return None


Rows = list[tuple[str, str]]
_Place = tuple[str, str | None]
_CUT, _EDITED = "the file is cut short or was edited", "the file was edited"


def read(path: str | Path) -> ScoreTable:
    """Return the table of a scores file. Raises InputError, with the line, for a broken or incomplete file."""
    texts = lines(file_at(path), _EXPANDED)
    first = next(texts)
    record = _record(path, 1, first)
    header, check = checked(record, path), LineCheck(first, record, path)
    records = ((n, _record(path, n, text)) for n, text in enumerate(check.over(texts), start=2) if text.strip())
    table = _table(header, records, path)
    table.seal = "" if check.seal is None else str(check.seal.get("digest"))
    if header.anchors is not UNSET:
        table.anchors = _anchors(header.anchors, path)
    return table


def _anchors(again: dict[str, Any], path: str | Path) -> ScoreTable:
    """Return the table of the anchor rows. Raises InputError where they are not as a run writes them.

    Args:
        again: the header of the anchor rows, which holds their records too.
        path: the scores file, for errors.

    Returns:
        The table.
    """
    header, records = checked(again, path), again.get("records")
    if not isinstance(records, list):
        problem = "the list of records is missing in the header's anchors"
        raise InputError(problem, file=path, row=1, remedy=_HEADER_EDITED)
    table = _table(header, ((1, record) for record in records), path)
    if any(len(ratings) != len(table) for ratings in header.run.get("ratings", {}).values()):
        raise InputError("the ratings are not those of the anchors", file=path, row=1, remedy=_EDITED)
    return table


def _table(header: Header, records: Iterable[tuple[int, object]], path: str | Path) -> ScoreTable:
    """Return the table of a header and its records, each with its line number. Raises InputError for a wrong record."""
    values_of = {spec: _Values(path, spec, column_of(about)) for spec, about in header.metrics.items()}
    for number, record in records:
        try:
            line = converted(record, _Line)
        except ValueError as bad:
            raise InputError(f"is no score: {bad}", file=path, row=number, remedy=_EDITED) from None
        if line.metric not in values_of:
            raise InputError("is not a score of a metric of the header", file=path, row=number, remedy=_EDITED)
        values_of[line.metric].take(number, line, values_of)
    rows = list(header.rows)
    # Metrics of rows come first: they tell which systems there are.
    for values in sorted(values_of.values(), key=lambda values: values.column.level != "item"):
        if values.column.level == "item":
            rows = rows or [(system, item) for system, item in values.places if item is not None]
        values.end(rows)
    columns = {spec: values.column for spec, values in values_of.items()}
    if len(rows) != (wanted := header.run.get("rows", len(rows))):
        raise InputError(f"holds {len(rows)} of {wanted} rows", file=path, remedy=_CUT)
    refuse_unmeant(rows, header, path)
    return ScoreTable(
        rows=rows, columns=columns, signatures=signatures_of(header), run=header.run, version=header.nlgauge
    )


def _record(path: str | Path, number: int, line: str) -> dict[str, Any]:
    problem, record = "is not a JSON object", None
    try:
        record = parsed(line, InputPlace(str(path), number))
    except InputError as error:
        problem = f"is not a JSON object: {error.problem}"
    if not isinstance(record, dict):
        raise InputError(problem, file=path, row=number, remedy=_CUT)
    return record


def refuse_unmeant(rows: Rows, header: Header, path: str | Path) -> None:
    """Raise InputError for two rows with the same system, item and trial, unless the header says that rows repeat."""
    trials = header.run.get("trials") or [None] * len(rows)
    if len(trials) != len(rows):
        raise InputError(f"names {len(trials)} trials of {len(rows)} rows", file=path, row=1, remedy=_EDITED)
    keys = [(*row, trial) for row, trial in zip(rows, trials, strict=True)]
    meant = header.run.get("repeats") == "mean"
    refuse_repeats(keys, {str(path): len(rows)}, f"score the outputs again: {REMEDY}", meant=meant)


def signatures_of(header: Header) -> dict[str, Signature]:
    """Return the signatures in a header, by spec."""
    facts = header.facts
    return {
        spec: Signature(spec, facts[spec]) if facts.get(spec) else Signature(text)
        for spec, text in header.signatures.items()
    }


def column_of(about: MetricHeader) -> Column:
    """Return an empty column, without rows, with the properties that a metric has in the header."""
    return Column(
        tuple(about.parts),
        np.empty((0, len(about.parts))),
        higher_is_better=about.higher_is_better,
        level=about.level,
        sums=None if about.formula is UNSET else Sums(about.formula, np.empty((0, 1))),
        details=tuple(about.details),
        limits=about.limits,
    )


class _Values:
    """The values of one metric, collected from its records, which are ordered by row and then by sub-score."""

    def __init__(self, path: str | Path, spec: str, column: Column) -> None:
        self._path, self._spec, self._parts, self.column = path, spec, column.parts, column
        self.places: list[_Place] = []
        self.evidence = column.evidence = Unpacking()
        self._values: list[float] = []
        self._counts: dict[int, list[float]] = {}

    def take(self, number: int, line: _Line, others: Mapping[str, _Values]) -> None:
        """Add a record of the metric.

        Args:
            number: the number of the record's line.
            line: the record.
            others: the values of all metrics, by spec.

        Raises:
            InputError: the record cannot follow the record before it.
        """
        row, at = divmod(len(self._values), len(self._parts))
        if line.part != self._parts[at]:
            raise self._wrong(f"expected sub-score {shown(self._parts[at])}, found {shown(line.part)}", number)
        place = (line.system, line.item)
        if at == 0:
            self.places.append(place)
        elif place != self.places[-1]:
            raise self._wrong("is not of the row of the sub-score before it", number)
        self._values.append(line.value if type(line.value) is float else self._number(number, line.value))
        if line.value is None:
            self.column.reasons[row] = line.reason or ""
        if line.counts is not UNSET:
            self._counts[row] = line.counts
        if line.evidence is not UNSET:
            self._based_on(number, line.evidence, row, others)

    def end(self, rows: Rows) -> None:
        """Fill the column with the values. Raises InputError where the records are not of these rows."""
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
        """Fill `sums` with the counts of the rows. Raises InputError where its formula does not take such counts."""
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
        try:
            return number_of(value)
        except ValueError as error:
            raise self._wrong(str(error), number) from None

    def _based_on(self, number: int, evidence: Any, row: int, others: Mapping[str, _Values]) -> None:
        """Add the evidence of a record.

        Args:
            number: the number of the record's line.
            evidence: the evidence; or the spec of another metric, which has the same evidence for the row.
            row: the index of the row.
            others: the values of all metrics, by spec.

        Raises:
            InputError: the evidence is wrong, or that metric has none for the row so far.
        """
        if isinstance(evidence, str):
            other = others.get(evidence)
            if other is None or row not in other.evidence or other.places[row] != self.places[row]:
                raise self._wrong(f"the evidence of this row by {named(evidence)} is not in the file before it", number)
            self.evidence.data[row] = other.evidence.data[row]  # as it is, packed
            return
        try:
            self.evidence.take(row, evidence)
        except ValueError as error:
            raise self._wrong(str(error), number) from None

    def _wrong(self, problem: str, number: int | None = None) -> InputError:
        return InputError(problem, file=self._path, row=number, remedy=_CUT if number is None else _EDITED)
