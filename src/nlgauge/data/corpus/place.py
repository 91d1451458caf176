"""The file and row of a value and how an error shows the value; paths into records; and rows that repeat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

from nlgauge.data.corpus.json_cells import held_in
from nlgauge.errors import InputError

JSON_REMEDY = 'write one object like {"candidate": "..."} a line in .jsonl, a list of them in .json'
_DEEPEST = 3


class InputPlace(NamedTuple):
    """The file of a value and its row, counted from 1, for an error about the value."""

    file: str | None
    row: int | None = None

    def error(self, problem: str, remedy: str) -> InputError:
        return InputError(problem, file=self.file, row=self.row, remedy=remedy)


_SHOWN = 100


def shown(value: object) -> str:
    """Return a value as an error shows it: on one line, and cut where it is long."""
    if isinstance(value, str):
        value = value[: _SHOWN + 1]
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a class of the caller's, numbers of thousands of digits, lists in lists in lists: anything
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def kind(value: object) -> str:
    return "null" if absent(value) else f"{type(value).__name__} {shown(value)}"


def absent(value: object) -> bool:
    if isinstance(value, str):
        return False
    # pandas' own markers are told by name, because pandas is optional.
    nan = isinstance(value, Real) and value != value
    return value is None or nan or type(value).__name__ in ("NAType", "NaTType")


def refuse_repeated(names: Sequence[object], file: str | None) -> None:
    name, count = Counter(names).most_common(1)[0] if names else (None, 0)
    if count > 1:
        raise InputError(f"the column {shown(name)} is given twice", file=file, remedy="rename or remove one")


def looked_up(record: object, path: str, otherwise: object = None) -> object:
    """Return record[path]; or, where no key is the whole path, the value record[a][b][c] for a path a.b.c.

    A whole number in a path is an index into a list, from 0: choices.0.message.content. A text that holds JSON, as a
    cell of a table may, is parsed on the way.

    Args:
        record: a mapping or a list, or a text that holds one of them as JSON.
        path: keys and indexes, with a full stop between them.
        otherwise: the value to return where the record has no such path.

    Returns:
        The value.
    """
    if isinstance(record, str):
        record = held_in(record)
    if isinstance(record, Mapping) and path in record:
        return record[path]
    first, dot, rest = path.partition(".")
    if isinstance(record, Mapping) and dot:
        return looked_up(record[first], rest, otherwise) if first in record else otherwise
    if isinstance(record, Sequence) and not isinstance(record, str | bytes) and first.isdecimal():
        if int(first) >= len(record):
            return otherwise
        entry = record[int(first)]
        return looked_up(entry, rest, otherwise) if dot else entry
    return otherwise


def paths_in(record: Mapping[Any, object], depth: int = _DEEPEST) -> Iterator[str]:
    """Yield each key of a record, followed by the paths into its value where that is a record too: a, a.b, a.b.c.

    Args:
        record: the record.
        depth: the greatest number of keys in a path.

    Returns:
        An iterator over the paths.
    """
    for name, value in record.items():
        yield str(name)
        if isinstance(value, Mapping) and depth > 1:
            yield from (f"{name}.{path}" for path in paths_in(value, depth - 1))


REMEDY = (
    "give each output of a system an item of its own, or each run on an item a name in a column trial; --repeats mean, "
    "in Python repeats='mean', numbers the rows of an item as trials in their order"
)


def first_repeat(keys: Iterable[Hashable]) -> tuple[int, int] | None:
    """Return the positions, counted from 0, of two equal keys: of a key and its first repeat. None if all differ."""
    places: dict[Hashable, int] = {}
    for number, key in enumerate(keys):
        if (before := places.setdefault(key, number)) != number:
            return before, number
    return None


def refuse_repeats(
    keys: Iterable[tuple[str, str, str | None]], files: Mapping[str, int], remedy: str = REMEDY, *, meant: bool = False
) -> None:
    """Raise InputError where two rows have one (system, item, trial), or only some rows of a system name a trial.

    Args:
        keys: system, item and trial of each row, in order.
        files: the number of rows from each file, in order; empty where it is not known.
        remedy: what the error tells the user to do.
        meant: whether several rows of one system and item are allowed where no row names a trial.

    Raises:
        InputError: there are such rows; the error names two of them.
    """
    keys = list(keys)
    named = {system for system, _, trial in keys if trial is not None}
    if meant and not named:
        return
    if len(set(keys)) < len(keys) and (repeat := first_repeat(keys)) is not None:
        system, item, trial = keys[repeat[1]]
        which = "" if trial is None else f", trial {trial!r}"
        raise _refused(f"system {system!r}, item {item!r}{which} is there twice", *repeat, files=files, remedy=remedy)
    for number, (system, _, trial) in enumerate(keys):
        if trial is None and system in named:
            other = next(n for n, key in enumerate(keys) if key[0] == system and key[2] is not None)
            problem = f"the row of system {system!r} names no trial"
            every = "give every row of the system its trial, or none"
            raise _refused(problem, other, number, files=files, remedy=every, beside="names one")


def _refused(
    problem: str, first: int, second: int, *, files: Mapping[str, int], remedy: str, beside: str = "has them too"
) -> InputError:
    """Return the error about two rows. Its place is the second row.

    Args:
        problem: what is wrong with the second row.
        first: the index of the first row.
        second: the index of the second row.
        files: the number of rows from each file, in order.
        remedy: what the error tells the user to do.
        beside: what the error says of the first row, after its place.

    Returns:
        The error.
    """
    (file, row), (other, before) = _place(second, files), _place(first, files)
    where = f"row {before}" if file == other else f"{other}, row {before}"
    return InputError(f"{problem}: {where} {beside}", file=file, row=row, remedy=remedy)


def _place(number: int, files: Mapping[str, int]) -> tuple[str | None, int]:
    """Return the file of a row, None where it is not known, and the row's number in that file, counted from 1."""
    first = 0
    for file, count in files.items():
        if number < first + count:
            return file, number - first + 1
        first += count
    return None, number + 1
