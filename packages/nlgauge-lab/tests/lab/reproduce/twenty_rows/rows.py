"""Twenty rows of the rated data, and each number of a table on them, made by the command and a second time."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

from lab.reproduce.twenty_rows.network import MODEL
from nlgauge_lab.reproduce.published import Column, Entry, Table, find
from nlgauge_lab.reproduce.rated import Data
from nlgauge_lab.reproduce.rebuild import Rebuilder
from nlgauge_lab.reproduce.scoring import Scores

stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")

Rows: TypeAlias = list[dict[str, Any]]
Made: TypeAlias = Callable[[Rows, str], list[float]]
"""The numbers of some rows by a spec, larger is better"""
_SYSTEM = re.compile(r'"system": "([^"]*)"')
COEFFICIENTS = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
EVERY = "NLGAUGE_EVERY_NUMBER"
"""The environment variable for what the suite has no room for"""
TEXTS = ("candidate", "references")


def slow(reason: str) -> pytest.MarkDecorator:
    """The mark of a test that runs only where every number is asked for."""
    return pytest.mark.skipif(not os.environ.get(EVERY), reason=f"{reason}: set {EVERY}=1")


def cut(
    data: Path,
    folder: Path,
    systems: Mapping[str, int | Sequence[str]],
    items: int,
    reads: Sequence[str] = TEXTS,
    part: Callable[[str], str | None] = lambda _: "",
    least: int = 1,
) -> None:
    """Write the rows of some systems into files of the same names, for the items with the fewest words whose outputs
    differ. The items are the same in files that share their items.

    Args:
        data: the folder of the rated data.
        folder: where the files go.
        systems: by file, which systems, or how many.
        items: how many items.
        reads: the columns whose words are counted.
        part: names the part of the file that an item is of, and so many items of each part are taken; None for an item
            that may not be taken.
        least: the number of words that each text has at least.
    """
    files: dict[str, Rows] = {}
    for name, wanted in systems.items():
        with gzip.open(data / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
            lines = [(_SYSTEM.search(line)[1], line) for line in file]  # type: ignore[index]
        known = list(dict.fromkeys(system for system, _ in lines))
        chosen = known[:wanted] if isinstance(wanted, int) else wanted
        files[name] = [json.loads(line) for system, line in lines if system in chosen]
    shared = set.intersection(*({row["item"] for row in rows} for rows in files.values()))
    groups = [[name] for name in files] if not shared else [list(files)]
    for group in groups:
        words: dict[str, int] = {}
        for row in (row for name in group for row in files[name] if part(row["item"]) is not None):
            read = [row[column] or "" for column in reads]
            texts = [text for one in read for text in ([one] if isinstance(one, str) else one)]
            squares = sum(size**2 if (size := len(text.split())) >= least else 10**9 for text in texts)
            words[row["item"]] = words.get(row["item"], 0) + squares
        said: dict[str, list[str]] = {item: [] for item in words}
        for row in (row for row in files[group[0]] if row["item"] in said):
            said[row["item"]].append(row["candidate"])
        by_part: dict[str | None, list[str]] = {}
        for item in sorted(words, key=lambda item: (len(set(said[item])) < len(said[item]), words[item])):
            by_part.setdefault(part(item), []).append(item)
        few = {item for of_part in by_part.values() for item in of_part[:items]}
        for name in group:
            place = folder / f"{name}.jsonl"
            place.parent.mkdir(parents=True, exist_ok=True)
            text = "".join(json.dumps(row) + "\n" for row in files[name] if row["item"] in few)
            place.write_text(text, encoding="utf-8")


def rows_of(folder: Path, table: Table, data: str) -> Rows:
    """The rows of a table's data, without the systems and items that it leaves out.

    The weighters of the embedded model have learned from 44 of 100 items, by the order of their names' digests.
    """
    read: Rows = []
    for source in table.data[data]:
        lines = (folder / f"{source.file}.jsonl").read_text(encoding="utf-8").splitlines()
        read += [
            row
            for row in map(json.loads, lines)
            if row["system"] not in source.without and row["item"].startswith(source.items)
        ]
    if table.view == "unseen by the weighters":
        items = sorted({row["item"] for row in read}, key=lambda item: hashlib.sha256(item.encode()).hexdigest())
        read = [row for row in read if row["item"] in items[round(0.44 * len(items)) :]]
    return read


def coefficient(column: Column, rows: Rows, values: Sequence[float]) -> float:
    """A column's agreement: of systems' means, of all rows, or the mean over items of that within an item.

    Rows without a value, which are NaN, are left out.
    """
    with_value = [place for place, value in enumerate(values) if not np.isnan(value)]
    rows, values = [rows[place] for place in with_value], [values[place] for place in with_value]
    people = np.array([row["scores"][column.aspect] for row in rows])
    numbers, of = np.array(values), COEFFICIENTS[column.coefficient]
    if column.level == "pooled":
        differ = len(rows) > 0 and np.ptp(numbers) and np.ptp(people)
        return float(of(numbers, people)[0]) if differ else np.nan
    name = "system" if column.level == "system" else "item"
    groups = {row[name]: [n for n, other in enumerate(rows) if other[name] == row[name]] for row in rows}
    if name == "system":
        return float(
            of([numbers[own].mean() for own in groups.values()], [people[own].mean() for own in groups.values()])[0]
        )
    within = [
        of(numbers[own], people[own])[0] for own in groups.values() if np.ptp(people[own]) and np.ptp(numbers[own])
    ]
    return float(np.mean(within)) if within else np.nan


def ours(folder: Path, names: Sequence[str], metrics: Sequence[str]) -> dict[str, dict[str, list[float]]]:
    """By table and row, the numbers that the command makes, column by column."""
    rebuilder, tables = Rebuilder(Data(folder), Scores(False), MODEL, metrics=metrics), find(names)
    rebuilder.score(tables)
    made: dict[str, dict[str, list[float]]] = {}
    for table in tables:
        for block in rebuilder.rebuild(table).blocks:
            for name, cells in block.rows.items():
                own = [cell.ours for head, cell in zip(block.heads, cells, strict=True) if head != "average"]
                made.setdefault(table.name, {}).setdefault(name, []).extend(own)
    return made


def specs(table: Table, entry: Entry) -> dict[str, str]:
    """By data, the spec of a row."""
    return {data: spec for data in table.data if (spec := entry.on(data, None)) is not None}


def once(made: Made) -> Made:
    """The same, computed once for rows of the same systems."""
    done: dict[tuple[Any, str], list[float]] = {}

    def of(rows: Rows, spec: str) -> list[float]:
        key = (tuple((row["dataset"], row["system"], row["item"]) for row in rows), spec)
        if key not in done:
            done[key] = made(rows, spec)
        return done[key]

    return of


def compare(folder: Path, name: str, made: Mapping[str, Made], numbers: Mapping[str, Sequence[float]]) -> int:
    """Hold each number of a table of agreement to the second computation, to 1e-4; return how many there were.

    made: by the name of a metric; or by that name and the part of it, joined by a dot.
    """
    (table,), held = find([name]), 0
    together = list(dict.fromkeys(column[:3] for column in table.columns))
    columns = sorted(table.columns, key=lambda column: together.index(column[:3]))

    def named(entry: Entry, spec: str) -> str:
        return spec.partition("(")[0] + (f".{entry.part}" if entry.part else "")

    for entry in table.rows:
        by_data = {data: spec for data, spec in specs(table, entry).items() if named(entry, spec) in made}
        if not by_data or entry.view not in (None, "as given"):
            continue
        rows = {
            data: [row for row in rows_of(folder, table, data) if row["system"] not in entry.without]
            for data in by_data
        }
        values = {data: made[named(entry, spec)](rows[data], spec) for data, spec in by_data.items()}
        for number, column in zip(numbers[entry.name], columns, strict=True):
            wanted = coefficient(column, rows[column.data], values[column.data])
            if np.isnan(wanted):
                assert np.isnan(number), (name, entry.name, column)
            else:
                assert number == pytest.approx(wanted * table.scale, abs=1e-4 * table.scale), (entry.name, column)
                held += 1
    return held
