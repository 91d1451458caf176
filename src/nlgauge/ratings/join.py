"""Joins of ratings, scores and clusters from elsewhere with the rows of a table, by system and item.

If the item of a row is only its position in a file, the row is identified by its texts (`nlgauge.ratings.matching`).
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.corpus.numbers import Labels, numbers_in, provenance, texts_in
from nlgauge.data.corpus.place import REMEDY, first_repeat, refuse_repeats
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column, ScoreTable
from nlgauge.errors import InputError
from nlgauge.ratings.matching import by_position, matched
from nlgauge.stats.arrays import Float, Integers

Key: TypeAlias = tuple[str, str]
"""(system, item)"""
Scores: TypeAlias = Mapping[Key, Any]
"""Numbers, or texts that read as numbers, by (system, item); None is a missing number"""
Source: TypeAlias = "Corpus | ScoreTable | Column | Scores | Mapping[str, Scores]"
"""A source of ratings, as `ratings` describes it"""


class Grid(NamedTuple):
    """The places of a table's rows in an array [items, systems], both in order of first appearance."""

    items: list[str]
    systems: list[str]
    place: tuple[list[int], list[int]]
    """The item's number and the system's number of each row"""
    clusters: Integers | None = None
    """The number of each item's cluster; None where the table has no clusters"""

    def of(self, values: Float) -> Float:
        """Return values [rows] as an array [items, systems], with NaN where there is no row."""
        out = np.full((len(self.items), len(self.systems)), np.nan)
        out[self.place] = values
        return out


class Ratings(NamedTuple):
    """Ratings in the order of a table's rows."""

    values: dict[str, Float]
    """The ratings by aspect: [rows]; NaN for a row without one"""
    unscored: list[Key]
    """The (system, item) of each rating that belongs to no row of the table"""
    notes: tuple[str, ...] = ()
    """Notes on how the ratings were joined"""


def grid(table: ScoreTable) -> Grid:
    """Return the places of a table's rows in an array of items and systems.

    Args:
        table: the table.

    Returns:
        The grid.

    Raises:
        InputError: two rows have the same system and item, or the outputs for an item are in two clusters.
    """
    refuse_twice(table.rows, "the table", REMEDY)
    items = {item: n for n, item in enumerate(dict.fromkeys(item for _, item in table.rows))}
    systems = {system: n for n, system in enumerate(table.systems)}
    rows = [(items[item], systems[system]) for system, item in table.rows]
    return Grid(list(items), list(systems), ([i for i, _ in rows], [s for _, s in rows]), _clusters(table, items))


def _clusters(table: ScoreTable, items: Mapping[str, int]) -> Integers | None:
    if table.clusters is None:
        return None
    numbers = {name: n for n, name in enumerate(dict.fromkeys(table.clusters))}
    of: dict[int, int] = {}
    for (_, item), name in zip(table.rows, table.clusters, strict=True):
        if of.setdefault(items[item], numbers[name]) != numbers[name]:
            problem = f"the outputs for item {item!r} are of several clusters, {name!r} for one"
            raise InputError(problem, remedy="cluster by what all outputs for an item share, as its source")
    return np.array([of[n] for n in range(len(items))])


def ratings(table: ScoreTable, source: Source) -> Ratings:
    """Return ratings for the rows of a table, larger being better.

    Columns where lower is better get the opposite sign. Where the rows of the table are trials, an item with several
    rated trials has the mean of its ratings.

    Args:
        table: the table.
        source: a Corpus (its rows' `scores`); a ScoreTable, each of whose scores is an aspect; a Column of the same
            table; {(system, item): rating}; or {aspect: {(system, item): rating}}.

    Returns:
        The ratings in the order of the table's rows.

    Raises:
        InputError: a row is rated twice and the rows are no trials, or no rating belongs to a row of the table.
    """
    if isinstance(source, Column):
        if source.level != "item" or len(source.values) != len(table.rows):
            raise InputError("the column of ratings is not one of this table's rows", remedy="give a ScoreTable")
        return Ratings({"rating": turned(source, 0)}, [])
    source = matched(table, source) if isinstance(source, Corpus) else source
    aspects = aspects_of(source, "trials" in table.run or table.run.get("repeats") == "mean")
    rated = dict.fromkeys(key for scores in aspects.values() for key in scores)
    rows = set(table.rows)
    if not aspects or not rows & rated.keys():
        if not aspects:
            remedy = "ratings stand in columns called scores.NAME; --map scores.NAME=COLUMN names another"
            raise InputError("no row is rated", remedy=remedy)
        here, there = (f"{next(iter(keys))!r}" if keys else "none" for keys in (table.rows, rated))
        problem = "no row of the ratings has the system and item of a row of the table"
        raise InputError(problem, remedy=f"the first (system, item) is {here} in the table and {there} in the ratings")
    values = {
        aspect: np.array([scores.get(key, math.nan) for key in table.rows], float) for aspect, scores in aspects.items()
    }
    notes = by_position(table, source) if isinstance(source, Corpus) else []
    return Ratings(values, [key for key in rated if key not in rows], (*notes, *table.told_trials()))


def turned(column: Column, part: int) -> Float:
    """Return the numbers of one sub-score, with the opposite sign where lower is better.

    Args:
        column: the scores of a metric.
        part: the position of the sub-score in the column.

    Returns:
        The numbers, larger being better: [rows].
    """
    values: Float = column.values[:, part]
    return values if column.higher_is_better else -values


def aspects_of(
    source: Corpus | ScoreTable | Scores | Mapping[str, Scores], repeats: bool = False
) -> dict[str, dict[Key, float]]:
    """Return ratings by aspect, and then by (system, item).

    Args:
        source: where the ratings come from, as `ratings` takes it, except for a Column.
        repeats: whether a (system, item) may have several ratings, of which the mean counts.

    Returns:
        By aspect, the rating of each (system, item), larger being better.

    Raises:
        InputError: a (system, item) has several ratings and `repeats` is False, or a rating is not a number.
    """
    if isinstance(source, ScoreTable):
        source = source.per_item() if repeats else source
        refuse_twice(source.rows, "the ratings")
        return {
            column.label(spec, name): {
                key: float(value)
                for key, value in zip(source.rows, turned(column, column.parts.index(name)), strict=True)
            }
            for spec, column in source.columns.items()
            if column.level == "item"
            for name in column.scores
        }
    if isinstance(source, Mapping):
        if all(isinstance(scores, Mapping) for scores in source.values()):
            return {str(aspect): keyed(scores) for aspect, scores in source.items()}
        return {"rating": keyed(source)}
    if repeats:
        refuse_repeats([row.key for row in source if row.trial is not None], {}, "keep one")
    else:
        refuse_twice([(row.system, row.item) for row in source], "the ratings")
    ratings: dict[str, dict[Key, list[float]]] = {}
    for row in source:
        for aspect, rating in row.scores.items():
            ratings.setdefault(aspect, {}).setdefault((row.system, row.item), []).append(rating)
    return {
        aspect: {key: sum(of_key) / len(of_key) for key, of_key in by_key.items()} for aspect, by_key in ratings.items()
    }


def join(
    table: ScoreTable,
    name: str,
    source: Corpus | Scores | Mapping[str, object] | str | os.PathLike[str],
    *,
    column: str | None = None,
    labels: Labels | None = None,
    higher_is_better: bool = True,
) -> ScoreTable:
    """Return a copy of a table with a further metric, whose scores come from elsewhere.

    Args:
        table: the table.
        name: the name of the new metric.
        source: a Corpus with `column`; {(system, item): score}, or {system: score} for a corpus-level metric; or the
            path of a score file of mt-metrics-eval, with lines of system<TAB>score. A file .seg.score has a line for
            each system and item, with the items in the order of the table; a file .sys.score has a line for each
            system.
        column: the name of a rating or of another column of a Corpus; a.b is the field b inside the column a.
        labels: the numbers of the column's labels, as `nlgauge.Column` takes them.
        higher_is_better: whether a higher score is better.

    Returns:
        The table. Its `run["joined"]` has the number of joined scores, of rows without one, and of scores without a
        row.

    Raises:
        InputError: the name is taken, the source cannot be read, or none of its scores has a row.
    """
    if not name or name in table.columns:
        raise InputError(f"the name {name!r} is taken" if name else "a metric needs a name", remedy="choose another")
    source = matched(table, source) if isinstance(source, Corpus) else source
    origin, scores = read(
        name, source, column=column, items=list(dict.fromkeys(item for _, item in table.rows)), labels=labels
    )
    level = "system" if all(item is None for _, item in scores) else "item"
    places = table.places(level)
    if not any(place in scores for place in places):
        what, first = ("system", table.systems[:1]) if level == "system" else ("system and item", table.rows[:1])
        raise InputError(f"{name}: no score has the {what} of a row of the table", remedy=f"as in {first}")
    values = np.array([scores.get(place, math.nan) for place in places], float)
    missing = np.flatnonzero(np.isnan(values)).tolist()
    reasons = dict.fromkeys(missing, f"no score in {origin}")
    added = Column(("score",), values[:, None], reasons, higher_is_better=higher_is_better, level=level)
    facts: Mapping[str, object] = {"from": origin, "values": hashlib.sha256(values.tobytes()).hexdigest()[:8]}
    if isinstance(source, Corpus) and column is not None:
        facts = provenance(source, column, values)
    joined: dict[str, object] = {
        "from": origin,
        "scores": len(places) - len(missing),
        "missing": len(missing),
        "left_over": len(scores.keys() - set(places)),
    }
    if isinstance(source, Corpus) and by_position(table, source, unrated=True):
        joined["by"] = "position"
    return replace(
        table,
        columns={**table.columns, name: added},
        signatures={**table.signatures, name: Signature(name, facts)},
        run={**table.run, "joined": {**table.run.get("joined", {}), name: joined}},
    )


Place: TypeAlias = tuple[str, str | None]
"""(system, item), or (system, None) for a number of the whole system"""


def read(
    name: str,
    source: Corpus | Scores | Mapping[str, object] | str | os.PathLike[str],
    column: str | None,
    items: Sequence[str],
    labels: Labels | None = None,
) -> tuple[str, dict[Place, float]]:
    """Return the origin of a metric's scores, and the scores.

    Args:
        name: the name of the metric.
        source: as `join` takes it.
        column: as `join` takes it.
        items: the items of a score file's lines, in their order within a system.
        labels: as `join` takes them.

    Returns:
        The origin, which is the name of the file, the name of the column, or 'given'. And the score of each (system,
        item), or of each (system, None) for a corpus-level metric.

    Raises:
        InputError: the source cannot be read, or a Corpus is given without a column.
    """
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        return path.name, _of_file(path, items)
    if isinstance(source, Mapping):
        if all(isinstance(key, str) for key in source):
            return "given", {(str(s), None): number(v, f"the score of {s!r}") for s, v in source.items()}
        return "given", dict[Place, float](keyed(source).items())
    if column is None:
        raise InputError(f"{name}: which column of the rows?", remedy="give column=, on the command line NAME=COLUMN")
    return column, _of_column(source, column, labels)


def _of_column(rows: Sequence[Row], column: str, labels: Labels | None) -> dict[Place, float]:
    refuse_twice([(row.system, row.item) for row in rows], "the file")
    scores = zip(rows, numbers_in(rows, column, labels), strict=True)
    return {(row.system, row.item): score for row, score in scores if not math.isnan(score)}


def _of_file(path: Path, items: Sequence[str]) -> dict[Place, float]:
    by_system = _by_system(path)
    counts = {len(scores) for scores in by_system.values()}
    if path.name.endswith(".sys.score") or (counts == {1} and len(items) != 1 and ".seg." not in path.name):
        if counts != {1}:
            raise InputError("a system has more than one line", file=path, remedy="name segments' scores .seg.score")
        return {(system, None): scores[0] for system, scores in by_system.items()}
    for system, scores in by_system.items():
        if len(scores) != len(items):
            problem = f"system {system!r} has {len(scores)} lines, the table has {len(items)} items"
            raise InputError(problem, file=path, remedy="give every item of the table its line, None where no score is")
    return {
        (system, item): score for system, scores in by_system.items() for item, score in zip(items, scores, strict=True)
    }


def _by_system(path: Path) -> dict[str, list[float]]:
    """Return the numbers of each system in a score file, in the order of the lines."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        problem = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise InputError(f"cannot be read: {problem}", file=path, remedy="give lines of system<TAB>score") from None
    by_system: dict[str, list[float]] = {}
    for at, line in enumerate(text.rstrip("\n").split("\n"), 1):
        cells = line.rsplit(maxsplit=1)
        if len(cells) != 2:
            raise InputError("is not system<TAB>score", file=path, row=at, remedy="write both on every line")
        by_system.setdefault(cells[0].strip(), []).append(number(cells[1], "the score", path, at))
    return by_system


def keyed(scores: Scores | Mapping[str, object]) -> dict[Key, float]:
    """Return scores as numbers.

    Args:
        scores: numbers, or texts that read as numbers, by (system, item).

    Returns:
        The numbers by (system, item), NaN for a missing score.

    Raises:
        InputError: a key is not (system, item), a value is not a number, or a key is there twice.
    """
    numbers = {}
    for key, value in scores.items():
        if not isinstance(key, tuple) or len(key) != 2:
            raise InputError(f"the key {key!r} is not (system, item)", remedy='write {("system", "item"): number}')
        numbers[str(key[0]), str(key[1])] = number(value, f"the score of {key!r}")
    if len(numbers) < len(scores):
        refuse_twice([(str(key[0]), str(key[1])) for key in scores], "the ratings")
    return numbers


def number(value: object, what: str, file: object = None, row: int | None = None) -> float:
    """Return a value as a number.

    Args:
        value: a number, or a text that reads as a number; None, an empty text and "None" are missing.
        what: a name for the value in the error.
        file: the file, for the error.
        row: the row of the file, for the error.

    Returns:
        The number; NaN for a missing value.

    Raises:
        InputError: the value is not a number and not missing.
    """
    if value is None or (isinstance(value, str) and value.strip() in ("", "None")):
        return math.nan
    try:
        if isinstance(value, str) or (isinstance(value, Real) and not isinstance(value, bool)):
            return float(value)
    except (ValueError, OverflowError):
        pass
    shown = f"{what} is {type(value).__name__} {value!r:.80}, not a number"
    raise InputError(shown, file=file, row=row, remedy="give a number, or leave a missing one out")


def refuse_twice(keys: Iterable[Key], where: str, remedy: str = "keep one") -> None:
    """Raise InputError if a (system, item) occurs more than once. The error names the first with its rows.

    Args:
        keys: the (system, item) of each row.
        where: what holds the rows, for the error: "the outputs".
        remedy: what the error tells the user to do.
    """
    keys = list(keys)
    if (places := first_repeat(keys)) is not None:
        system, item = keys[places[1]]
        rows = f"rows {places[0] + 1} and {places[1] + 1}"
        raise InputError(f"system {system!r}, item {item!r} is in {where} twice ({rows})", remedy=remedy)


def by_column(table: ScoreTable, outputs: Corpus, column: str) -> ScoreTable:
    """Return a table in which rows are a cluster if their outputs have the same value in a column.

    Miller, *Adding Error Bars to Evals*, arXiv:2411.00640, section 2.2, explains why rows with the same source need
    clusters.

    Args:
        table: the table.
        outputs: the outputs of the table's rows, joined by system and item.
        column: a field of the rows (`source`, `context` or `item`), or one of their other columns; a.b is the field b
            inside the column a.

    Returns:
        The table with clusters.

    Raises:
        InputError: a row of the table has no output, or no value in the column.
    """
    outputs = matched(table, outputs)
    of_rows = column_of(table.rows, outputs, column)
    labels = [label for label in of_rows if label is not None]
    if len(labels) < len(of_rows):
        number = of_rows.index(None)
        system, item = table.rows[number]
        there = any((row.system, row.item) == (system, item) for row in outputs)
        columns = ["source", "context", "item", *dict.fromkeys(name for row in outputs for name in row.extra)]
        raise InputError(
            f"row {number + 1} of the scores, system {system!r}, item {item!r}, "
            + (f"has no {column!r}" if there else "is not among the outputs"),
            remedy=f"give every row its cluster; there are {', '.join(columns)}",
        )
    return table.clustered(labels)


def column_of(keys: Sequence[Key], outputs: Sequence[Row], name: str) -> list[str | None]:
    """Return the texts of a column of outputs, for each (system, item).

    Args:
        keys: the (system, item) of each row.
        outputs: the outputs.
        name: the name of the column, as `by_column` takes it.

    Returns:
        The text for each key; None where there is none.

    Raises:
        InputError: outputs of one system for one item have several values.
    """
    values: dict[Key, str | None] = {}
    for number, (row, value) in enumerate(zip(outputs, texts_in(outputs, name), strict=True), 1):
        if values.setdefault((row.system, row.item), value) != value:
            problem = f"the outputs of system {row.system!r} for item {row.item!r} are of several {name!r}"
            raise InputError(problem, row=number, remedy="give each output of a system an item of its own")
    return [values.get(key) for key in keys]
