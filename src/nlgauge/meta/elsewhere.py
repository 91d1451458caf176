"""Scores that were made elsewhere: in a column of the rows, in a mapping, or in a score file of mt-metrics-eval."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from nlgauge.data.corpus import Corpus, Row
from nlgauge.errors import InputError
from nlgauge.meta.keyed import Scores, keyed, number, refuse_twice

Place: TypeAlias = tuple[str, str | None]
"""(system, item), or (system, None) for a number of a whole system"""


class Elsewhere(NamedTuple):
    """Scores, and where they come from."""

    label: str
    scores: dict[Place, float]

    @property
    def level(self) -> str:
        """'item', or 'system' where they are of whole systems."""
        return "system" if all(item is None for _, item in self.scores) else "item"


def read(
    name: str, source: Corpus | Scores | Mapping[str, object] | str | os.PathLike[str], column: str | None,
    items: Sequence[str],
) -> Elsewhere:  # fmt: skip
    """The scores of a metric `name`; a score file's segments are those of `items`, in order. Raises InputError."""
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        return Elsewhere(path.name, _of_file(path, items))
    if isinstance(source, Mapping):
        if all(isinstance(key, str) for key in source):
            systems = {str(key): value for key, value in source.items()}
            return Elsewhere("given", {(s, None): number(v, f"the score of {s!r}") for s, v in systems.items()})
        return Elsewhere("given", dict[Place, float](keyed(source).items()))
    if column is None:
        raise InputError(f"{name}: which column of the rows?", remedy="give column=, on the command line NAME=COLUMN")
    return Elsewhere(column, _of_column(source, column))


def _of_column(rows: Iterable[Row], column: str) -> dict[Place, float]:
    rows = list(rows)
    refuse_twice([(row.system, row.item) for row in rows], "the file")
    scores: dict[Place, float] = {}
    for at, row in enumerate(rows, 1):
        value = looked_up({**row.scores, **{f"scores.{key}": value for key, value in row.scores.items()}}, column)
        value = looked_up(row.extra, column) if value is None else value
        score = number(value, f"the column {column!r}", row=at)
        if not math.isnan(score):
            scores[row.system, row.item] = score
    if not scores:
        names = dict.fromkeys(name for row in rows for name in (*row.extra, *row.scores))
        remedy = f"there are {', '.join(names)}" if names else "there are no other columns and no ratings"
        raise InputError(f"no row has a number in the column {column!r}", remedy=remedy)
    return scores


def looked_up(record: Mapping[str, object], path: str) -> object:
    """record[path], or where that is not there record[a][b][c] of the path a.b.c."""
    if path in record:
        return record[path]
    first, _, rest = path.partition(".")
    inner = record.get(first)
    return looked_up(inner, rest) if rest and isinstance(inner, Mapping) else None


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
    """The numbers of each system, in the order of the lines."""
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
