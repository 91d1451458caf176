"""The published tables, read from `tables/`: a JSON file each, with the protocol and what of ours stands for a row.

A file holds numbers, names of rows, and:

    data      the rated data, under the name that columns use: files of the folder given by --data, some without systems
              or with those items alone whose names begin with `items`
    columns   [data, aspect, level, coefficient] of each number of a row
    view      what of a row's texts takes part (rated.VIEWS); `defaults` are parameters for every metric that has them
    average   true where a number is the mean over the data, and stands in a column of its own
    scale     1, or 100 where correlations are printed so; `digits` behind the point
    systems   how many stand behind a number at system level, by the data's name
    exchanged pairs of columns whose numbers stand in each other's place in print; all else is kept as it is printed
    rows      `spec` is the metric of ours, or one for each of `data`; `own` its settings on the paper's own checkpoint,
              by that checkpoint's name; `checkpoint` the one that the paper used, if not the table's; `rating` an
              aspect that stands as a metric; `best` of these rows, column by column, as a paper has it that chose a
              parameter by the ratings; `part` of the metric; `view` instead of the table's; `without` these systems;
              `undefined`, the number that the published scores have where ours has none; `why` there is nothing of
              ours; `average` as printed; `misprints` says of a column, by its number, why its number is not taken
    differs   why our numbers are not the published ones; of a table that has published numbers
    unrun     why nobody has run it here, and how long it takes
    why       it cannot be rebuilt; such a table has no rows, as one that another `command` makes has none
    kind      'agreement' with ratings (default), a 'sweep' of a parameter, and 'between', 'williams' and
              'distributions', which are of the metrics alone or of pairs of them
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from nlgauge.errors import SpecError

PAPERS = {
    "infolm": "InfoLM (Colombo et al., AAAI 2022)",
    "baryscore": "BaryScore (Colombo et al., EMNLP 2021)",
    "ctc": "CTC (Deng et al., EMNLP 2021)",
    "mark-evaluate": "Mark-Evaluate (Mordido and Meinel, COLING 2020)",
    "maskeval": "MaskEval (Liu et al., 2022)",
}
KINDS = ("agreement", "sweep", "between", "williams", "distributions")


class Source(NamedTuple):
    """A file of rated data, by name without suffix."""

    file: str
    without: tuple[str, ...] = ()
    """Systems that are left out"""
    items: str = ""
    """How the names of the items begin that take part, where not all do"""


class Column(NamedTuple):
    """What a number of a row is."""

    data: str
    aspect: str
    level: str
    coefficient: str


@dataclass(frozen=True)
class Entry:
    """A row of a table."""

    name: str
    published: tuple[float | None, ...] = ()
    """By column, with what is misprinted put right; None where nothing is that can be right"""
    printed: tuple[float | None, ...] = ()
    """By column, as printed"""
    average: float | None = None
    """The mean of the row, as printed"""
    misprints: Mapping[str, str] = field(default_factory=dict)
    """By the number of a column: why its number is not taken"""
    spec: str | Mapping[str, str] | None = None
    own: Mapping[str, str] = field(default_factory=dict)
    checkpoint: str | None = None
    """The checkpoint that the paper used for the row, where it is not its table's or the one of `own`"""
    rating: str | None = None
    best: tuple[str, ...] = ()
    part: str | None = None
    view: str | None = None
    without: tuple[str, ...] = ()
    undefined: float | None = None
    why: str | None = None

    def on(self, data: str, model: str | None) -> str | None:
        """The spec for one of the table's data on a model; None where the row is not a metric of ours."""
        if model is not None and model in self.own:
            return self.own[model]
        return self.spec.get(data) if isinstance(self.spec, Mapping) else self.spec


@dataclass(frozen=True)
class Table:
    """A table or figure of a paper."""

    name: str
    paper: str
    title: str
    also: tuple[str, ...] = ()
    """Other names: of figures that draw the same numbers; several tables may share one"""
    why: str | None = None
    """It cannot be rebuilt"""
    differs: str | None = None
    """Why our numbers are not the published ones"""
    unrun: str | None = None
    """Why nobody has run it here, and how long it takes"""
    command: str | None = None
    """What makes it, where that is not `nlgauge reproduce`"""
    checkpoint: str | None = None
    """The checkpoint that the paper used: a name of the hub, or of a folder that has to be made"""
    kind: str = "agreement"
    digits: int = 4
    scale: float = 1
    data: Mapping[str, tuple[Source, ...]] = field(default_factory=dict)
    columns: tuple[Column, ...] = ()
    systems: Mapping[str, int] = field(default_factory=dict)
    """How many stand behind a number at system level, by data"""
    exchanged: tuple[tuple[int, int], ...] = ()
    """Columns whose numbers stand in each other's place in print"""
    view: str = "as given"
    defaults: Mapping[str, Any] = field(default_factory=dict)
    average: bool = False
    notes: tuple[str, ...] = ()
    rows: tuple[Entry, ...] = ()

    def used(self, entry: Entry) -> str | None:
        """The checkpoint that the paper used for a row; None where it does not say, or used several together."""
        return next(iter(entry.own), entry.checkpoint or self.checkpoint)

    @property
    def files(self) -> list[str]:
        """The files of rated data that it needs."""
        return list(dict.fromkeys(source.file for sources in self.data.values() for source in sources))


@cache
def tables() -> Mapping[str, Table]:
    """Every table and figure, by name, paper by paper."""
    found: dict[str, Table] = {}
    for place in sorted(files("nlgauge_lab.reproduce").joinpath("tables").iterdir(), key=lambda place: place.name):
        read = json.loads(place.read_text(encoding="utf-8"))
        for record in read if isinstance(read, list) else [read]:
            found[record["name"]] = table(record)
    papers = list(PAPERS)
    return dict(sorted(found.items(), key=lambda pair: (papers.index(pair[1].paper), not pair[1].rows, pair[0])))


def table(record: Mapping[str, Any]) -> Table:
    """A table from its JSON record."""
    given = {**record}
    given["data"] = {
        name: tuple(
            Source(source["file"], tuple(source.get("without", ())), source.get("items", "")) for source in sources
        )
        for name, sources in record.get("data", {}).items()
    }
    given["columns"] = tuple(Column(*column) for column in record.get("columns", ()))
    given["exchanged"] = tuple((first, second) for first, second in record.get("exchanged", ()))
    entries = []
    for row in record.get("rows", ()):
        one: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
        one["printed"] = one.pop("published", ())
        one["published"] = _right(one["printed"], given["exchanged"], one.get("misprints", {}))
        entries.append(Entry(one.pop("row"), **one))
    given["rows"] = tuple(entries)
    for name in ("also", "notes"):
        given[name] = tuple(record.get(name, ()))
    return Table(**given)


def _right(
    printed: Sequence[float | None], exchanged: Sequence[tuple[int, int]], misprints: Mapping[str, str]
) -> tuple[float | None, ...]:
    """The numbers under their own heads, without those that are misprinted."""
    found = [None if str(n) in misprints else value for n, value in enumerate(printed)]
    for first, second in exchanged if found else ():
        found[first], found[second] = found[second], found[first]
    return tuple(found)


def by_name() -> Mapping[str, list[Table]]:
    """The tables under each of their names."""
    found: dict[str, list[Table]] = {}
    for one in tables().values():
        for name in (one.name, *one.also):
            found.setdefault(name, []).append(one)
    return found


def find(names: Sequence[str]) -> list[Table]:
    """The tables of these names, 'all' being all that can be rebuilt. Raises SpecError, with the list, for others."""
    known = by_name()
    chosen: dict[str, Table] = {}
    for name in names:
        if name == "all":
            chosen.update({table.name: table for table in tables().values() if table.rows})
        elif name not in known:
            raise SpecError(
                f"no table or figure {name!r}; there are {', '.join(known)}, and all, results, detection and layers"
            )
        else:
            for table in known[name]:
                if not table.rows:
                    told = f"cannot be rebuilt: {table.why}" if table.why else f"is made by {table.command}"
                    raise SpecError(f"{name} {told}")
                chosen[table.name] = table
    return list(chosen.values())


class Best(NamedTuple):
    """The best published number of some data, aspect, level and coefficient."""

    value: float
    """As a correlation, whatever the scale in print"""
    row: str
    table: Table


def best(file: str, aspect: str, level: str, coefficient: str) -> Best | None:
    """The best number of all tables that were made from a file of rated data; ratings as metrics do not count.

    Where several tables hold that number, the longest one is named: the short ones are about parts of a metric.
    """
    found = [
        Best(value / table.scale, row.name, table)
        for table in tables().values()
        for number, column in enumerate(table.columns)
        if column[1:] == (aspect, level, coefficient) and table.data[column.data][0].file == file
        for row in table.rows
        if row.rating is None and row.published and (value := row.published[number]) is not None
    ]
    return max(found, key=lambda one: (one.value, len(one.table.rows))) if found else None
