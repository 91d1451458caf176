"""The numbers of the results page as lines of a CSV file, from which the page is made.

A run of some metrics replaces the lines of these metrics, and leaves the other lines unchanged.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from nlgauge_lab.reproduce.cached import NOT_SCORED
from nlgauge_lab.reproduce.measuring import Measured
from nlgauge_lab.reproduce.published import best
from nlgauge_lab.reproduce.records import cells
from nlgauge_lab.reproduce.suites import Suite

OURS, BASELINE, PUBLISHED, UNFINISHED, LACKING = "ours", "no model", "published", "unfinished", "lacking"
NUMBERS = ("value", "low", "high", "n", "missing")
SETS = "systems without a number were not counted"
"""The note of a number of a corpus-level metric that was measured before missing values were recorded"""
DATA = "data"
"""The kind of a line that has the size of a data set"""

Key = tuple[str, str, str, str]
"""(data, aspect, level, coefficient)"""


class Line(NamedTuple):
    """A line of results: a metric's agreement with people in one column, or other facts, depending on `kind`.

    The other kinds have the best published number of a column, the reason why a metric has no result for a data set, or
    the size of a data set.
    """

    data: str
    aspect: str
    level: str
    coefficient: str
    metric: str
    model: str
    """Name of the model with the beginning of its digest; empty if no model is read"""
    aligner: str
    """Beginning of the digest of the trained aligner that was read; empty if none was"""
    value: float
    low: float
    high: float
    """Upper end of the 95 % interval, whose lower end is `low`. Both are NaN if there is no interval"""
    n: float
    """How many units the value is computed from: rows (pooled), items (item) or systems (system)"""
    missing: float
    """Number of rated rows that have a text but no score; of systems, for a corpus-level metric. NaN if it was not
    recorded
    """
    kind: str
    note: str
    """Depends on `kind`. PUBLISHED: the name of the paper's table. UNFINISHED: how many rows are scored. LACKING: why
    there is no result. DATA: the size of the data set. Else empty, or SETS
    """

    @property
    def key(self) -> Key:
        """The column of the number: (data, aspect, level, coefficient)."""
        return self[:4]

    @property
    def on(self) -> str:
        """The name of the model without its digest."""
        return self.model.partition("@")[0]

    @property
    def whole(self) -> bool:
        """Whether the metric has a number for every row, as far as was recorded. If not, it is never the best."""
        return self.kind != UNFINISHED and not self.missing > 0 and (self.missing == 0 or self.note != SETS)


def lines(measured: Iterable[Measured]) -> list[Line]:
    """Return the lines of suites that were measured with one model."""
    found: list[Line] = []
    for one in measured:
        title, model = one.suite.title, ", ".join(one.models)
        size = f"{one.rows:,} rows, {one.items} items, {one.systems} system{'s' * (one.systems != 1)}"
        found.append(
            Line(
                data=title,
                aspect="",
                level="",
                coefficient="",
                metric="",
                model="",
                aligner="",
                value=math.nan,
                low=math.nan,
                high=math.nan,
                n=math.nan,
                missing=math.nan,
                kind=DATA,
                note=size,
            )
        )
        for key in one.keys:
            for name, agreed in one.of(key).items():
                reads = name in one.reading
                kind = OURS if reads else BASELINE
                note = f"{one.partial[name]:,} of {one.rows:,} rows" if name in one.partial else ""
                aspect, level, coefficient = _shown(key)
                found.append(
                    Line(
                        data=title,
                        aspect=aspect,
                        level=level,
                        coefficient=coefficient,
                        metric=name,
                        model=model if reads else "",
                        aligner=one.aligners.get(name, ""),
                        value=agreed.value,
                        low=agreed.low,
                        high=agreed.high,
                        n=agreed.n,
                        missing=one.missing.get((name, key), math.nan),
                        kind=UNFINISHED if note else kind,
                        note=note,
                    )
                )
        for spec, reason in one.reasons.items():
            found.append(
                Line(
                    data=title,
                    aspect="",
                    level="",
                    coefficient="",
                    metric=spec,
                    model=model,
                    aligner="",
                    value=math.nan,
                    low=math.nan,
                    high=math.nan,
                    n=math.nan,
                    missing=math.nan,
                    kind=LACKING,
                    note=reason.partition(";")[0],
                )
            )
    return found


def published(suites: Iterable[Suite]) -> list[Line]:
    """Return the best published number of each column of the suites."""
    found = []
    for suite in suites:
        for how in suite.measured:
            for aspect in suite.aspects:
                if top := best(suite.sources[0].file, aspect, *how):
                    name, level, coefficient = _shown((aspect, *how))
                    found.append(
                        Line(
                            data=suite.title,
                            aspect=name,
                            level=level,
                            coefficient=coefficient,
                            metric=top.row,
                            model="",
                            aligner="",
                            value=top.value,
                            low=math.nan,
                            high=math.nan,
                            n=math.nan,
                            missing=math.nan,
                            kind=PUBLISHED,
                            note=top.table.name,
                        )
                    )
    return found


def _shown(key: tuple[str, str, str]) -> tuple[str, str, str]:
    aspect, level, coefficient = key
    return aspect.replace("_", " "), level, coefficient


def merged(old: Sequence[Line], new: Sequence[Line]) -> list[Line]:
    """Return the old lines together with the new ones, which replace old lines of the same data, metric and model."""

    def what(line: Line) -> tuple[str, str, str]:
        # The name of a row may end in a part of the metric.
        return line.data, re.sub(r" \w+$", "", line.metric), line.on

    # What a run did not score takes the place of nothing.
    lacking = {line for line in new if line.kind == LACKING and line.note == NOT_SCORED}
    measured = {what(line) for line in old if line.kind != LACKING}
    new = [line for line in new if line not in lacking or what(line) not in measured]
    again = {what(line) for line in new}
    kept = [line for line in old if what(line) not in again and line.kind != PUBLISHED]
    # A metric that reads no model is measured beside each of them, and told once.
    once = {(line.key, line.metric, line.model, line.kind): line for line in (*kept, *new)}
    return list(once.values())


def ordered(found: Iterable[Line], suites: Iterable[Suite]) -> list[Line]:
    """Return the lines suite by suite and column by column. In a column the published number is first."""
    lines = list(found)
    data, keys = [suite.title for suite in suites], list(dict.fromkeys(line.key for line in lines))
    return sorted(lines, key=lambda line: (data.index(line.data), keys.index(line.key), line.kind != PUBLISHED))


def as_csv(found: Iterable[Line]) -> str:
    """Return the lines as CSV, with three digits for agreement."""
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(Line._fields)
    for line in found:
        writer.writerow(_cell(name, cell) for name, cell in zip(Line._fields, line, strict=True))
    return made.getvalue()


def _cell(name: str, cell: object) -> object:
    if not isinstance(cell, int | float):
        return cell
    return "" if cell != cell else f"{cell:.0f}" if name in ("n", "missing") else f"{cell:.3f}"


def read(place: Path) -> list[Line]:
    """Return the lines of a CSV file. Raises InputError for a file of another kind."""
    return list(_read(cells(place, Line._fields, "is no file of results", "give --page another place")))


def _read(rows: Iterable[Sequence[str]]) -> Iterator[Line]:
    for row in rows:
        cells = dict(zip(Line._fields, row, strict=True))
        numbers = {name: float(cells[name]) if cells[name] else math.nan for name in NUMBERS}
        yield Line(**{**cells, **numbers})  # type: ignore[arg-type]
