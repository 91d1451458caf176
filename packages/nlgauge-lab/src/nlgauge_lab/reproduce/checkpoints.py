"""The checkpoints that the papers used: from a folder of the user's, or by their names."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from nlgauge.engine.models.loading import load
from nlgauge.engine.models.published import known_names
from nlgauge.errors import NlgaugeError, SpecError
from nlgauge_lab.reproduce.published import Table


def needed(tables: Iterable[Table]) -> dict[str, list[str]]:
    """Return the names of the checkpoints that the rows of tables need, each with the tables that need it."""
    found: dict[str, list[str]] = {}
    for table in tables:
        used = (table.used(entry) for entry in table.rows if entry.spec is not None or entry.own)
        for name in dict.fromkeys(filter(None, used)):
            found.setdefault(name, []).append(table.name)
    return found


def found(names: Iterable[str], folder: Path | None) -> dict[str, str | NlgaugeError]:
    """Return by name where each checkpoint is loaded from, or why it cannot be.

    Args:
        names: Of checkpoints.
        folder: It may hold checkpoints in folders of these names; others are loaded by name if the engine knows them.
    """
    places: dict[str, str | NlgaugeError] = {}
    for name in names:
        own = None if folder is None else folder / name
        try:
            if own is not None and own.is_dir():
                place = str(own)
            elif name in known_names():
                place = name
            else:
                raise SpecError(f"{name} is no public name: put it into the folder --checkpoints, in a folder {name}")
            load(place)
        except NlgaugeError as error:
            places[name] = error
        else:
            places[name] = place
    return places
