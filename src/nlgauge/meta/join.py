"""Which rating, or score from elsewhere, belongs to which row: rows join by system and item, and nothing is guessed."""

from __future__ import annotations

import hashlib
import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nlgauge.errors import InputError
from nlgauge.meta.correlation import Float
from nlgauge.table import Column, ScoreTable

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus, Row

Key = tuple[str, str]
"""(system, item)"""
Scores = Mapping[Any, Any]


class Grid(NamedTuple):
    """The rows of a table as [items, systems], both in order of first appearance."""

    items: list[str]
    systems: list[str]
    place: tuple[list[int], list[int]]
    """Item and system of each row"""

    def of(self, values: Float) -> Float:
        """[rows] -> [items, systems], NaN where there is no row."""
        out = np.full((len(self.items), len(self.systems)), np.nan)
        out[self.place] = values
        return out


class Ratings(NamedTuple):
    """Ratings in the order of a table's rows."""

    values: dict[str, Float]
    """By aspect [rows], NaN where there is none"""
    unscored: list[Key]
    """What is rated and is not in the table"""


def grid(table: ScoreTable) -> Grid:
    """Raises InputError where two rows are of one system and item."""
    _refuse_twice(table.rows, "the table", "rows are told apart by system and item: give each output its own item")
    items = {item: n for n, item in enumerate(dict.fromkeys(item for _, item in table.rows))}
    systems = {system: n for n, system in enumerate(table.systems)}
    rows = [(items[item], systems[system]) for system, item in table.rows]
    return Grid(list(items), list(systems), ([i for i, _ in rows], [s for _, s in rows]))


def ratings(table: ScoreTable, source: object) -> Ratings:
    """Ratings for the rows of a table, bigger is better.

    source: a Corpus (its rows' `scores`); a ScoreTable, each of whose columns is an aspect; a Column of this very
    table; {(system, item): rating}; or {aspect: {(system, item): rating}}. Columns of which lower is better are turned.
    Raises InputError for duplicates and where nothing belongs together.
    """
    if isinstance(source, Column):
        if source.level != "item" or len(source.values) != len(table.rows):
            raise InputError("the column of ratings is not one of this table's rows", remedy="give a ScoreTable")
        return Ratings({"rating": turned(source, 0)}, [])
    found = _aspects(source)
    rated = dict.fromkeys(key for scores in found.values() for key in scores)
    rows = set(table.rows)
    if not found or not rows & rated.keys():
        problem = "no row of the ratings has the system and item of a row of the table" if found else "no row is rated"
        here, there = (f"{next(iter(keys))!r}" if keys else "none" for keys in (table.rows, rated))
        raise InputError(problem, remedy=f"the first (system, item) is {here} in the table and {there} in the ratings")
    values = {
        aspect: np.array([scores.get(key, math.nan) for key in table.rows], float) for aspect, scores in found.items()
    }
    return Ratings(values, [key for key in rated if key not in rows])


def turned(column: Column, part: int) -> Float:
    """A column's numbers, the sign changed where lower is better."""
    values: Float = column.values[:, part]
    return values if column.higher_is_better else -values


def _aspects(source: Any) -> dict[str, dict[Key, float]]:
    if isinstance(source, ScoreTable):
        _refuse_twice(source.rows, "the ratings")
        return {
            spec + (f" {name}" if len(column.parts) > 1 else ""): {
                key: float(value) for key, value in zip(source.rows, turned(column, part), strict=True)
            }
            for spec, column in source.columns.items()
            if column.level == "item"
            for part, name in enumerate(column.parts)
        }
    if isinstance(source, Mapping):
        nested = source if all(isinstance(value, Mapping) for value in source.values()) else {"rating": source}
        return {str(aspect): _by_row(scores) for aspect, scores in nested.items()}
    _refuse_twice([(row.system, row.item) for row in source], "the ratings")
    aspects = dict.fromkeys(aspect for row in source for aspect in row.scores)
    return {
        aspect: {(row.system, row.item): row.scores[aspect] for row in source if aspect in row.scores}
        for aspect in aspects
    }


def _by_row(scores: Scores) -> dict[Key, float]:
    out = {}
    for key, value in scores.items():
        if not isinstance(key, tuple) or len(key) != 2:
            raise InputError(f"the key {key!r} is not (system, item)", remedy='write {("system", "item"): number}')
        out[str(key[0]), str(key[1])] = _number(value, f"the score of {key!r}")
    if len(out) < len(scores):
        _refuse_twice([(str(system), str(item)) for system, item in scores], "the ratings")
    return out


def _number(value: object, what: str, file: object = None, row: int | None = None) -> float:
    if value is None or (isinstance(value, str) and value.strip() in ("", "None")):
        return math.nan
    try:
        if isinstance(value, str) or (isinstance(value, Real) and not isinstance(value, bool)):
            return float(value)
    except (ValueError, OverflowError):
        pass
    shown = f"{what} is {type(value).__name__} {value!r:.80}, not a number"
    raise InputError(shown, file=file, row=row, remedy="give a number, or leave a missing one out")


def _refuse_twice(keys: Iterable[Key], where: str, remedy: str = "keep one") -> None:
    for (system, item), count in Counter(keys).items():
        if count > 1:
            raise InputError(f"system {system!r}, item {item!r} is in {where} {count} times", remedy=remedy)


# ---- Scores from elsewhere


def join(
    table: ScoreTable,
    name: str,
    source: Corpus | Scores | str | os.PathLike[str],
    *,
    column: str | None = None,
    higher_is_better: bool = True,
) -> ScoreTable:
    """The table with one metric more, `name`, whose scores come from elsewhere; the table given stays as it is.

    source: a Corpus with `column` (one of its rows' ratings or other columns; a.b is b inside a); {(system, item):
    score}, or {system: score} for a metric of sets; or the path of an mt-metrics-eval score file, lines of
    system<TAB>score: of segments (.seg.score: a line for each item, in the order in which the table's items first
    appear) or of systems (.sys.score). The run's `joined` says how many scores had no row. Raises InputError.
    """
    if not name or name in table.columns:
        raise InputError(f"the name {name!r} is taken" if name else "a metric needs a name", remedy="choose another")
    places: list[Any] = list(table.rows)
    level, label = "item", "given"
    if isinstance(source, (str, os.PathLike)):
        label = Path(source).name
        scores = _score_file(Path(source), list(dict.fromkeys(item for _, item in table.rows)))
    elif isinstance(source, Mapping):
        scores = (
            {system: _number(value, f"the score of {system!r}") for system, value in source.items()}
            if all(isinstance(key, str) for key in source)
            else _by_row(source)
        )
    elif column is None:
        raise InputError(f"{name}: which column of the rows?", remedy="give column=, on the command line NAME=COLUMN")
    else:
        label, scores = column, _column(source, column)
    if all(isinstance(key, str) for key in scores):
        level, places = "system", list(table.systems)
    if not any(place in scores for place in places):
        what = "system" if level == "system" else "system and item"
        raise InputError(f"{name}: no score has the {what} of a row of the table", remedy=f"as in {places[:1]}")
    values = np.array([scores.get(place, math.nan) for place in places], float)
    missing = np.flatnonzero(np.isnan(values)).tolist()
    added = Column(
        ("score",),
        values[:, None],
        dict.fromkeys(missing, f"no score in {label}"),
        higher_is_better=higher_is_better,
        level=level,
    )
    digest = hashlib.sha256(values.tobytes()).hexdigest()[:8]
    joined = {
        "from": label,
        "scores": len(places) - len(missing),
        "missing": len(missing),
        "left_over": len(scores.keys() - set(places)),
    }
    return ScoreTable(
        table.rows,
        {**table.columns, name: added},
        {**table.signatures, name: f"{name}|from:{label}|values:{digest}"},
        {**table.run, "joined": {**table.run.get("joined", {}), name: joined}},
        table.version,
    )


def _column(rows: Iterable[Row], column: str) -> dict[Any, float]:
    rows = list(rows)
    _refuse_twice([(row.system, row.item) for row in rows], "the file")
    out = {}
    for number, row in enumerate(rows, 1):
        value = _lookup({**row.scores, **{f"scores.{key}": value for key, value in row.scores.items()}}, column)
        value = _lookup(row.extra, column) if value is None else value
        score = _number(value, f"the column {column!r}", row=number)
        if not math.isnan(score):
            out[row.system, row.item] = score
    if not out:
        names = dict.fromkeys(name for row in rows for name in (*row.extra, *row.scores))
        remedy = f"there are {', '.join(names)}" if names else "there are no other columns and no ratings"
        raise InputError(f"no row has a number in the column {column!r}", remedy=remedy)
    return out


def _lookup(record: Mapping[str, Any], path: str) -> Any:
    """record[path], or where that is not there record[a][b][c] of the path a.b.c."""
    if path in record:
        return record[path]
    first, _, rest = path.partition(".")
    inner = record.get(first)
    return _lookup(inner, rest) if rest and isinstance(inner, Mapping) else None


def _score_file(path: Path, items: list[str]) -> dict[Any, float]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        problem = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise InputError(f"cannot be read: {problem}", file=path, remedy="give lines of system<TAB>score") from None
    by_system: dict[str, list[float]] = {}
    for number, line in enumerate(text.rstrip("\n").split("\n"), 1):
        cells = line.rsplit(maxsplit=1)
        if len(cells) != 2:
            raise InputError("is not system<TAB>score", file=path, row=number, remedy="write both on every line")
        by_system.setdefault(cells[0].strip(), []).append(_number(cells[1], "the score", path, number))
    counts = {len(scores) for scores in by_system.values()}
    if path.name.endswith(".sys.score") or (counts == {1} and len(items) != 1 and ".seg." not in path.name):
        if counts != {1}:
            raise InputError("a system has more than one line", file=path, remedy="name segments' scores .seg.score")
        return {system: scores[0] for system, scores in by_system.items()}
    for system, scores in by_system.items():
        if len(scores) != len(items):
            problem = f"system {system!r} has {len(scores)} lines, the table has {len(items)} items"
            raise InputError(problem, file=path, remedy="give every item of the table its line, None where no score is")
    return {
        (system, item): score for system, scores in by_system.items() for item, score in zip(items, scores, strict=True)
    }
