"""Parallel lists, and the shapes of them that are refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set, Sized
from typing import Any

from nlgauge.data.corpus.place import kind
from nlgauge.errors import InputError


def listed(param: str, values: object) -> list[Any]:
    """One entry per candidate. Raises InputError for what is no list."""
    if isinstance(values, (str, bytes, Mapping, Set)) or not isinstance(values, Iterable):
        raise InputError(f"{param} is {kind(values)}, not a list", remedy="give a list, one entry per candidate")
    return list(values)


def check_length(param: str, values: list[Any], count: int) -> None:
    """Raise InputError for a list that has not as many entries as there are candidates."""
    if len(values) == count:
        return
    problem, remedy = f"{param} has {len(values)} entries, candidates has {count}", "give one entry per candidate"
    if param == "references":
        remedy += ", a text or a list of texts; turn one list per reference set over with list(zip(*references))"
        if values and all(
            isinstance(texts, Sized) and not isinstance(texts, str) and len(texts) == count for texts in values
        ):
            problem += (
                f"; each of the {len(values)} holds {count} texts: one list per reference set, as sacrebleu takes"
            )
    raise InputError(problem, remedy=remedy)
