"""Rows of one system and item: where they stand, and whether that is meant."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from nlgauge.errors import InputError

REMEDY = (
    "give each output of a system an item of its own; where several outputs for an item are meant, --repeats mean, in "
    "Python repeats='mean', makes their mean stand for the item"
)


def first_repeat(keys: Iterable[Hashable]) -> tuple[int, int] | None:
    """Return the numbers of the first key that was there before, counted from 0: of its first place and of this one."""
    places: dict[Hashable, int] = {}
    for number, key in enumerate(keys):
        if (before := places.setdefault(key, number)) != number:
            return before, number
    return None


def refuse_repeats(keys: Iterable[tuple[str, str]], files: Mapping[str, int], remedy: str = REMEDY) -> None:
    """Raise InputError, which names both rows, for a (system, item) that is there twice.

    files: how many of the rows each file gave, in their order; empty where that is not known.
    """
    keys = list(keys)
    if len(set(keys)) == len(keys) or (found := first_repeat(keys)) is None:
        return
    system, item = keys[found[1]]
    (file, row), (other, before) = _place(found[1], files), _place(found[0], files)
    where = f"row {before}" if file == other else f"{other}, row {before}"
    problem = f"system {system!r}, item {item!r} is there twice: {where} has them too"
    raise InputError(problem, file=file, row=row, remedy=remedy)


def _place(number: int, files: Mapping[str, int]) -> tuple[str | None, int]:
    """The file of a row, where it is known, and its row there, counted from 1."""
    first = 0
    for file, count in files.items():
        if number < first + count:
            return file, number - first + 1
        first += count
    return None, number + 1
