"""How reliable systems are, as one HTML file: sentences, tables, and each item with its trials, the worst first."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nlgauge.answers.trials import Trials
from nlgauge.data.atomic_write import atomic_write
from nlgauge.show.environment import number
from nlgauge.show.page import page

_FOLDER = Path(__file__).parent
MOST_ITEMS = 1000
"""The greatest number of items of a system that the page shows: those that pass least often"""


@dataclass(frozen=True)
class _Cell:
    """The result of one trial of an item."""

    state: str
    """'passes', 'fails' or 'missing'"""
    said: str


@dataclass(frozen=True)
class _Item:
    name: str
    cells: Sequence[_Cell]
    passed: int


@dataclass(frozen=True)
class _System:
    name: str
    items: Sequence[_Item]
    left_out: int
    """Number of items that are not shown"""


def trials_page(results: Trials, path: str | os.PathLike[str], decided: Sequence[str] = ()) -> None:
    """Write a page that shows each item with its trials, as one file that is written whole or not at all.

    Args:
        results: the results of the trials.
        path: the path of the page.
        decided: sentences with the decision of a gate about the trials.

    Raises:
        InputError: the page cannot be written.
    """
    made = page(
        "trials.html",
        _FOLDER,
        command="trials",
        title="How reliable the systems are",
        styles=[_FOLDER / "trials.css"],
        answers=[*decided, *results.answers],
        tables=results.tables,
        rule=results.rule,
        systems=[_system(results, system) for system in dict.fromkeys(system for system, _ in results.passed)],
        notes=[*results.legend, *results.notes],
    )
    with atomic_write(Path(path)) as file:
        file.write(made)


def _system(results: Trials, system: str) -> _System:
    items = [
        _Item(
            name=item,
            cells=[_cell(trial, value, passes) for trial, value, passes in of],
            passed=sum(passes for *_, passes in of),
        )
        for (name, item), of in results.passed.items()
        if name == system
    ]
    items.sort(key=lambda item: item.passed / len(item.cells))
    return _System(system, items[:MOST_ITEMS], max(0, len(items) - MOST_ITEMS))


def _cell(trial: str, value: float, passes: bool) -> _Cell:
    if value != value:
        return _Cell("missing", f"trial {trial}: no score")
    state = "passes" if passes else "fails"
    return _Cell(state, f"trial {trial}: {number(value)}, {state}")
