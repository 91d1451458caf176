"""Records of the published tables that were reproduced, in a CSV file that runs write and a page reads."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import NamedTuple

from nlgauge.data.atomic_write import atomic_write
from nlgauge.errors import InputError
from nlgauge_lab.reproduce.kinds import Rebuilt


class Record(NamedTuple):
    """The record of a table that was reproduced on all of its data, with all of its metrics that are available."""

    table: str
    date: str
    """ISO 8601"""
    models: str
    """Names of the models, each with the beginning of its digest; empty if no row reads a model"""
    numbers: str
    """How many numbers were made, and how close they are to the published ones"""


def record(one: Rebuilt, today: date) -> Record:
    """Return the record of a table that was rebuilt."""
    scored = next((fact for fact in one.facts if fact.startswith("scored on ")), "").removeprefix("scored on ")
    return Record(one.table.name, today.isoformat(), scored, one.summary)


def read(place: Path | None) -> dict[str, list[Record]]:
    """Return the records by table; empty if there is no file. Raises InputError for a file of another kind."""
    if place is None or not place.is_file():
        return {}
    found: dict[str, list[Record]] = {}
    for row in cells(place, Record._fields, "is no file of records", "name the file that nlgauge reproduce wrote"):
        found.setdefault(row[0], []).append(Record(*row))
    return found


def cells(place: Path, names: Sequence[str], problem: str, remedy: str) -> list[list[str]]:
    """Return the rows of a CSV file below its head.

    Args:
        place: the path of the file.
        names: the names that the head has to have.
        problem: the problem that an error about another head tells.
        remedy: the remedy that an error tells.

    Raises:
        InputError: the head does not have these names, or a row has more or fewer cells.
    """
    with place.open(encoding="utf-8", newline="") as file:
        head, *rows = [*csv.reader(file)] or [[]]
    if head != list(names):
        raise InputError(problem, file=place, remedy=remedy)
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            raise InputError(f"{len(row)} cells, not {len(names)}", file=place, row=number, remedy=remedy)
    return rows


def write(place: Path, new: Sequence[Record]) -> None:
    """Write records to a file. They replace records of the same table and models."""

    def what(one: Record) -> tuple[str, tuple[str, ...]]:
        return one.table, tuple(name.partition("@")[0] for name in one.models.split(", "))

    again = {what(one) for one in new}
    kept = [one for some in read(place).values() for one in some if what(one) not in again]
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerows([Record._fields, *sorted([*kept, *new])])
    place.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(place) as file:
        file.write(made.getvalue())
