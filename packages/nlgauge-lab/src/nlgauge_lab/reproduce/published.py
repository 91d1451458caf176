"""The published tables, read from `tables/`.

Each JSON file has numbers, the protocol, and which metric of ours fits a row.

A file holds numbers, names of rows, and:

    data      the rated data, under the name that columns use. They are files of the folder given by --data. A file may
              be taken without some systems, or with only the items whose names begin with `items`
    columns   [data, aspect, level, coefficient] of each number of a row
    view      which part of a row's texts is scored (rated.VIEWS)
    defaults  parameters for every metric that has them
    average   true where a number is the mean over the data, and has its own column
    scale     1, or 100 where correlations are printed times 100
    digits    how many digits are printed after the point
    systems   how many systems are behind a number at system level, by the data's name
    exchanged pairs of columns whose numbers are printed in each other's place; the file has them as they are printed
    rows      for each row, under these names:
              `spec`        our metric, or one for each of `data`
              `own`         its settings on the paper's checkpoints, by the name of the checkpoint
              `checkpoint`  the checkpoint that the paper used, if it is not the table's
              `rating`      an aspect whose ratings are used like a metric
              `best`        names of rows. The number is the largest of theirs, column by column, as in a paper that
                            chose a parameter by the ratings
              `part`        the part of the metric
              `view`        instead of the table's view
              `without`     systems that are left out
              `undefined`   the number that the published scores have where ours has none
              `why`         why nothing of ours fits the row
              `average`     the average as printed
              `misprints`   by number of a column, why its number is not used
    differs   why our numbers are not the published ones; only for a table that has published numbers
    unrun     why nobody has run it here, or not by `base`, and how long it takes
    why       why it cannot be rebuilt. Such a table has no rows
    command   another command that makes it. Such a table has no rows
    kind      'agreement' with ratings (default), a 'sweep' of a parameter, or 'between', 'williams' or 'distributions'.
              The last three compare metrics with each other, or show each metric alone
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
    """A file of rated data (name without suffix), and which of its rows are taken."""

    file: str
    without: tuple[str, ...] = ()
    """Systems that are left out"""
    items: str = ""
    """How the names of the taken items begin; empty if all are taken"""


class Column(NamedTuple):
    """The meaning of one number of a row."""

    data: str
    aspect: str
    level: str
    coefficient: str


@dataclass(frozen=True)
class Entry:
    """A row of a table."""

    name: str
    published: tuple[float | None, ...] = ()
    """By column, the numbers with misprints corrected; None where the correct number is not known"""
    printed: tuple[float | None, ...] = ()
    """By column, the numbers as printed"""
    average: float | None = None
    """The mean of the row, as printed"""
    misprints: Mapping[str, str] = field(default_factory=dict)
    """By number of a column, why its number is not used"""
    spec: str | Mapping[str, str] | None = None
    own: Mapping[str, str] = field(default_factory=dict)
    checkpoint: str | None = None
    """The checkpoint that the paper used for the row, if it is not the table's or the one in `own`"""
    rating: str | None = None
    best: tuple[str, ...] = ()
    part: str | None = None
    view: str | None = None
    without: tuple[str, ...] = ()
    undefined: float | None = None
    why: str | None = None

    def on(self, data: str, model: str | None) -> str | None:
        """Return the spec for one of the table's data sets on a model; None if the row is not a metric of ours."""
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
    """Other names, of figures that draw the same numbers. Several tables may share such a name"""
    why: str | None = None
    """Why it cannot be rebuilt; None if it can, or if another command makes it"""
    differs: str | None = None
    """Why our numbers are not the published ones"""
    unrun: str | None = None
    """Why nobody has run it here, or not by one of the models, and how long it takes"""
    command: str | None = None
    """The command that makes it, if that is not `nlgauge reproduce`"""
    checkpoint: str | None = None
    """The checkpoint that the paper used: a name on the hub, or the name of a folder that has to be made"""
    kind: str = "agreement"
    digits: int = 4
    scale: float = 1
    data: Mapping[str, tuple[Source, ...]] = field(default_factory=dict)
    columns: tuple[Column, ...] = ()
    systems: Mapping[str, int] = field(default_factory=dict)
    """By name of the data, how many systems are behind a number at system level"""
    exchanged: tuple[tuple[int, int], ...] = ()
    """Pairs of columns whose numbers are printed in each other's place"""
    view: str = "as given"
    defaults: Mapping[str, Any] = field(default_factory=dict)
    average: bool = False
    notes: tuple[str, ...] = ()
    rows: tuple[Entry, ...] = ()

    def used(self, entry: Entry) -> str | None:
        """Return the checkpoint that the paper used for a row.

        It is None if the paper does not say, or used several together.
        """
        return next(iter(entry.own), entry.checkpoint or self.checkpoint)

    @property
    def files(self) -> list[str]:
        """The names of the files of rated data that the table needs."""
        return list(dict.fromkeys(source.file for sources in self.data.values() for source in sources))


@cache
def tables() -> Mapping[str, Table]:
    """Return every table and figure by name, paper by paper."""
    found: dict[str, Table] = {}
    for place in sorted(files("nlgauge_lab.reproduce").joinpath("tables").iterdir(), key=lambda place: place.name):
        read = json.loads(place.read_text(encoding="utf-8"))
        for record in read if isinstance(read, list) else [read]:
            found[record["name"]] = table(record)
    papers = list(PAPERS)
    return dict(sorted(found.items(), key=lambda pair: (papers.index(pair[1].paper), not pair[1].rows, pair[0])))


def table(record: Mapping[str, Any]) -> Table:
    """Return a table made from its JSON record."""
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
    """Return the numbers under their correct heads, with None in place of misprints.

    Args:
        printed: the numbers of a row as printed.
        exchanged: pairs of columns whose numbers are printed in each other's place.
        misprints: has the numbers of the columns in which the row's number is a misprint.
    """
    found = [None if str(n) in misprints else value for n, value in enumerate(printed)]
    for first, second in exchanged if found else ():
        found[first], found[second] = found[second], found[first]
    return tuple(found)


def by_name() -> Mapping[str, list[Table]]:
    """Return the tables under each of their names."""
    found: dict[str, list[Table]] = {}
    for one in tables().values():
        for name in (one.name, *one.also):
            found.setdefault(name, []).append(one)
    return found


def find(names: Sequence[str]) -> list[Table]:
    """Return the tables with these names. The name 'all' means every table that can be rebuilt.

    Raises:
        SpecError: a name is unknown (the message lists the known ones), or its table cannot be rebuilt.
    """
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
    """The best published number for some data, aspect, level and coefficient."""

    value: float
    """The number as a correlation, whatever the scale in print"""
    row: str
    table: Table


def best(file: str, aspect: str, level: str, coefficient: str) -> Best | None:
    """Return the highest published number for a file of rated data, in columns with this aspect, level and coefficient.

    Rows that are no metric but the ratings of another aspect (`Entry.rating`) are left out. If several tables share the
    highest number, the table with most rows is returned, because short tables are often about parts of a metric.

    Returns:
        The number with its metric and table; None if no table has one.
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
