"""From which probability on is a text called supported? The two bars of `nlgauge check --grounded`, measured.

The middle of the bars is the threshold with the best mean, over sets, of hits minus false alarms (Youden's J), so that
a set counts once, however many rows it has. Around it lie the bars between which nothing is said: they leave out a
tenth of the texts, half of it on each side, again in the mean of the sets.

Beside them stands the threshold under which a word is marked as unsupported. It is chosen by the same rule, of the
verdict that a text with a marked word is unsupported. A threshold with the best F1 of the words themselves would find
more wrong words in long answers, but would mark a word in many more true paraphrases too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.models import loading
from nlgauge.engine.models.card import write_facts
from nlgauge.errors import InputError, SpecError
from nlgauge.evaluation import evaluate
from nlgauge.render.tables import Cell, Number
from nlgauge.stats.gate.thresholds import METRIC, PART
from nlgauge_lab.training.labelled import Labelled, as_corpus, labelled_set

CHOSEN_ON = ("summedits.dev", "quintd_human.dev", "fever_symmetric.dev", "scifact.dev", "infotabs.dev")
"""Held-out sets of five kinds: no shipped aligner has read their rows"""
MEASURED_ON = ("ragtruth_qa.test", "summedits.test", "quintd_human.test", "fever_symmetric.test")
_UNSURE = 0.1


class Judged(NamedTuple):
    """Rows of a set."""

    chances: NDArray[np.float64]
    """[rows] probabilities that the source supports all of the text; NaN where there is none"""
    supported: NDArray[np.bool_]
    """[rows] what the labels say"""
    least: NDArray[np.float64]
    """[rows] the least alignment of a word of the text; NaN where there is none"""


class Bars(NamedTuple):
    """Below the first a text is called unsupported, from the second on supported. Words below the third are marked."""

    fail_below: float
    pass_from: float
    mark_below: float


def bars(sets: Sequence[Judged]) -> Bars:
    """The bars of some sets, in hundredths. Raises InputError where no set has rows of both kinds."""
    known = [one for one in sets if one.supported.any() and not one.supported.all()]
    if not known:
        raise InputError("no set has both supported and unsupported rows", remedy="give labelled rows of both kinds")
    grid = np.arange(1, 100) / 100
    middle, under = _threshold(known, [one.chances for one in known], grid)
    low = int(np.flatnonzero(under >= under[middle] - _UNSURE / 2)[0])
    high = int(np.flatnonzero(under <= under[middle] + _UNSURE / 2)[-1])
    marks, _ = _threshold(known, [one.least for one in known], grid)
    return Bars(float(grid[low]), float(grid[high]), float(grid[marks]))


def _threshold(
    sets: Sequence[Judged], numbers: Sequence[NDArray[np.float64]], grid: NDArray[np.float64]
) -> tuple[int, NDArray[np.float64]]:
    """The point of a grid under which the numbers [rows] of unsupported texts are best told from those of supported
    ones, in the mean of the sets; and at each point the share of all numbers below it."""
    pairs = list(zip(sets, numbers, strict=True))
    hits, alarms = (
        np.mean([_below(of[one.supported == kind], grid) for one, of in pairs], axis=0) for kind in (False, True)
    )
    return int((hits - alarms).argmax()), np.mean([_below(of, grid) for of in numbers], axis=0)


def rates(judged: Judged, held_to: Bars) -> dict[str, float]:
    """Rows, the share of them that is unsupported, and of what the gate says: the share of the unsupported rows that
    fail (hits), of the supported rows that fail (false alarms), and of all rows of which it cannot say."""
    chances, supported, _ = judged
    fails = chances < held_to.fail_below
    unsure = np.isnan(chances) | (~fails & (chances < held_to.pass_from))
    shares = {
        "unsupported": ~supported,
        "hits": fails[~supported],
        "false_alarms": fails[supported],
        "unsure": unsure,
    }
    return {"rows": len(chances), **{name: round(float(np.mean(share)), 4) for name, share in shares.items()}}


def measure(folder: Path, model: str, cache: Path | bool = True) -> tuple[Bars, dict[str, dict[str, float]]]:
    """The bars of a model, from the sets of a folder that they are chosen on, and what they do on all sets that are
    there, by name. Raises InputError where none of them is there."""
    rows = {name: some for name in (*CHOSEN_ON, *MEASURED_ON) if (some := labelled_set(folder, name)) is not None}
    if not any(name in rows for name in CHOSEN_ON):
        raise InputError("none of the labelled sets is there", file=folder, remedy=f"put {CHOSEN_ON[0]}.jsonl there")
    sets = {name: _judged(some, model, cache) for name, some in rows.items()}
    held_to = bars([one for name, one in sets.items() if name in CHOSEN_ON])
    return held_to, {name: rates(one, held_to) for name, one in sets.items()}


def as_cells(found: Mapping[str, Mapping[str, float]]) -> list[list[Cell]]:
    """The rates of `measure` as a table."""
    cells: list[list[Cell]] = [["set", "rows", "unsupported", "hits", "false alarms", "cannot say"]]
    shares = ("unsupported", "hits", "false_alarms", "unsure")
    for name, one in found.items():
        cells.append([name, Number(one["rows"], digits=0), *(Number(one[share], digits=3) for share in shares)])
    return cells


def write(model: str, held_to: Bars, found: Mapping[str, Mapping[str, float]]) -> Path:
    """Put bars and rates on the card of a model's folder, and return the folder. Raises SpecError without a folder."""
    folder = loading.folder_of(model)
    if not folder.is_dir():
        raise SpecError(f"model {model!r} is no folder, so its card cannot be written: name its folder")
    write_facts(folder, grounded={**held_to._asdict(), "chosen_on": [*CHOSEN_ON], "rates": found})
    return folder


def _judged(rows: Sequence[Labelled], model: str, cache: Path | bool) -> Judged:
    table = evaluate(as_corpus(rows), metrics=METRIC, model=model, evidence=True, cache=cache, progress=True)
    spec = table.metrics[0]
    least = np.full(len(rows), np.nan)
    for number, found in table.columns[spec].evidence.items():
        least[number] = min((word["alignment"] for text in found["texts"] for word in text["words"]), default=np.nan)
    return Judged(table.values(spec, PART), np.array([row.supported for row in rows]), least)


def _below(chances: NDArray[np.float64], grid: NDArray[np.float64]) -> Any:
    """The share of numbers below each point of a grid; a NaN is below none."""
    return np.mean(chances[None, :] < grid[:, None], axis=1)
