"""How far to trust each scorer, as one HTML file: sentences, tables, reliability, and the most disputed rows.

The tables are those of the terminal too.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nlgauge._version import __version__
from nlgauge.data.atomic_write import atomic_write
from nlgauge.data.corpus import Corpus, Row
from nlgauge.render.environment import HERE, digest, inlined, number, places, render
from nlgauge.render.tables import Cell, Cells, Number
from nlgauge.stats.certified import Bin
from nlgauge.stats.trust import Dispute, Trust, Trusts
from nlgauge.stats.trust_decisions import CHOSEN

_Column = tuple[str, Callable[[Trust], Cell]]
_NONE = "-"
_FOLDER = Path(__file__).parent
_WIDE, _HIGH = 100, 60
"""The size of a figure, in units of its own"""


@dataclass(frozen=True)
class _Point:
    """A group of the rated rows in a figure: its place, the ends of its interval, and what it says."""

    x: float
    y: float
    low: float
    high: float
    said: str


@dataclass(frozen=True)
class _Figure:
    name: str
    points: Sequence[_Point]
    ends: tuple[float, float]
    """Of the scores"""
    diagonal: bool
    """Whether the score is a probability, which should lie on the diagonal"""


@dataclass(frozen=True)
class _Aspect:
    name: str
    tables: Sequence[Cells]
    figures: Sequence[_Figure]
    disputes: Sequence[tuple[Dispute, Row | None]]


def trust_page(
    found: Trusts, path: str | os.PathLike[str], outputs: Corpus | None = None, risk: float | None = None
) -> None:
    """Write a page that shows how far to trust each scorer: one file, complete or not there at all.

    Args:
        outputs: the rows with their texts, for the most disputed ones.
        risk: of the certified thresholds.

    Raises:
        InputError: if the place cannot be written.
    """
    texts = {(row.system, row.item): row for row in outputs or ()}
    page = render(
        "trust.html",
        _FOLDER,
        title="How far to trust each scorer",
        version=__version__,
        answers=found.answers,
        aspects=[_aspect(found, aspect, texts, risk) for aspect in dict.fromkeys(one.aspect for one in found)],
        empty=empty,
        notes=[*legend(found), *found.notes],
        style=inlined(HERE / "parts.css", HERE / "page.css", _FOLDER / "trust.css"),
        script="",
        policy=digest(""),
        height=_HIGH,
        width=_WIDE,
    )
    with atomic_write(Path(path)) as file:
        file.write(page)


def _aspect(found: Trusts, aspect: str, texts: dict[tuple[str, str], Row], risk: float | None) -> _Aspect:
    lines = [one for one in found if one.aspect == aspect and not one.reason]
    return _Aspect(
        aspect,
        list(tables(found, aspect, risk, page=True)),
        [_figure(one) for one in lines if one.reliability],
        [(one, texts.get((one.system, one.item))) for one in found.disputes if one.aspect == aspect],
    )


def _figure(one: Trust) -> _Figure:
    probability = one.brier == one.brier
    known = [of for of in one.reliability if of.mean == of.mean]
    ends = (0.0, 1.0) if probability else _ends(known)
    across = places([of.mean for of in known], *ends)
    return _Figure(
        one.metric,
        [
            _Point(
                x=x * _WIDE / 100, y=_up(of.good.value), low=_up(of.good.low), high=_up(of.good.high), said=_said(of)
            )
            for x, of in zip(across, known, strict=True)
        ],
        ends,
        probability,
    )


def _ends(bins: Sequence[Bin]) -> tuple[float, float]:
    low, high = min((of.mean for of in bins), default=0.0), max((of.mean for of in bins), default=1.0)
    return (low, high) if low < high else (low - 0.5, low + 0.5)


def _up(share: float) -> float:
    return round(_HIGH * (0.96 - 0.92 * share), 2)


def _said(of: Bin) -> str:
    return f"score {number(of.mean, 2)}: {of.good.value:.0%} good of {of.n} ({of.good.low:.0%} to {of.good.high:.0%})"


def tables(found: Trusts, aspect: str, risk: float | None = None, page: bool = False) -> Iterator[list[list[Cell]]]:
    """Yield tables with a line for each scorer. Columns in which no scorer has anything are left out.

    Args:
        risk: of the certified threshold, for its head.
        page: whether there is room for more columns than a terminal has.
    """
    lines = [one for one in found if one.aspect == aspect and not one.reason]
    decided = [one for one in lines if one.bad is not None]
    decisions: list[_Column] = [
        ("bad stopped (TPR)", _three("tpr")),
        ("good passed (TNR)", _three("tnr")),
        ("kappa", _one("kappa")),
        ("AUROC", _three("auroc")),
    ]
    likely: list[_Column] = [("Brier", _one("brier", 3)), ("ECE", _three("ece"))]
    scales: list[_Column] = [
        ("Pearson", _three("pearson")),
        ("Spearman", _one("spearman")),
        ("Kendall", _one("kendall")),
        ("PDP", _three("pdp")),
    ]
    ratings: list[_Column] = [
        ("rated", _one("rated", 0)),
        ("effective", _three("effective", 0)),
        ("threshold", _one("threshold", 4)),
        ("threshold of the second model", _one("second_threshold", 4)),
        *([("threshold is", lambda one: one.threshold_from or _NONE)] if page else []),
        ("certified" if risk is None else f"certified at risk {risk:g}", _one("certified", 4)),
        *([("pass the certified", _one("certified_passing"))] if page else []),
        ("not better than", lambda one: ", ".join(one.unbeaten) or _NONE),
        *([("bad of all rows" if decided else "mean of all rows", _three("mean"))] if page else []),
    ]
    runs: list[_Column] = [
        ("may stand in", _stands),
        ("changes its mind", _three("flips")),
        ("moved", lambda one: Number(*one.moved, one.moved_p)),
        ("decided otherwise", _three("changed")),
        ("right decisions", lambda one: Number(*one.righter, one.righter_p, digits=2)),
    ]
    for some, columns in (
        (decided, decisions),
        ([one for one in decided if not math.isnan(one.brier)], likely),
        ([one for one in lines if one.bad is None], scales),
        (lines, ratings),
        ([one for one in lines if one.won or one.repeated or one.anchors], runs),
    ):
        shown = [(head, cell) for head, cell in columns if any(not empty(cell(one)) for one in some)]
        if shown:
            heads: list[Cell] = [aspect, *(head for head, _ in shown)]
            yield [heads, *([one.metric, *(cell(one) for _, cell in shown)] for one in some)]


def empty(cell: Cell) -> bool:
    """Whether a cell says nothing."""
    return cell == _NONE if isinstance(cell, str) else math.isnan(cell.value)


def _one(name: str, digits: int = 2) -> Callable[[Trust], Cell]:
    return lambda one: Number(getattr(one, name), digits=digits)


def _three(name: str, digits: int = 2) -> Callable[[Trust], Cell]:
    def cell(one: Trust) -> Cell:
        value, low, high = getattr(one, name)
        return Number(value, low, high, digits=digits)

    return cell


def _stands(one: Trust) -> Cell:
    if not one.won:
        return _NONE
    return f"{'not known' if one.stand_in is None else 'yes' if one.stand_in else 'no'} ({one.won})"


def legend(found: Trusts) -> Sequence[str]:
    """Return what the numbers are of, a sentence each."""
    several = len({one.aspect for one in found}) > 1
    said = []
    for one in found:
        name = f"{one.metric}, {one.aspect}" if several else one.metric
        if one.reason:
            said.append(f"{name}: {one.reason}")
        if one.unscored and not one.reason:
            said.append(f"{name}: {one.unscored} of {one.rated} rated rows have no score")
        if one.not_certified:
            said.append(f"{name}: {one.not_certified}")
        if one.threshold_from == CHOSEN:
            said.append(
                f"{name}: the threshold has the best balanced accuracy on these ratings; TPR, TNR and kappa are "
                "cross-fitted, and the intervals hold for any threshold; --threshold gives another"
            )
    return said
