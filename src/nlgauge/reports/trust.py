"""How far to trust each scorer, as one HTML file: sentences, tables, reliability, and the most disputed rows.

The page has the same tables as the terminal.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nlgauge.answers.rated_scores import Bin
from nlgauge.answers.trust import Dispute, Trust, Trusts
from nlgauge.data.atomic_write import atomic_write
from nlgauge.data.corpus import Corpus, Row
from nlgauge.show.environment import number, places
from nlgauge.show.page import page
from nlgauge.show.tables import Cells

_FOLDER = Path(__file__).parent
_WIDE, _HIGH = 100, 60
"""The size of a figure, in units of the drawing"""


@dataclass(frozen=True)
class _Point:
    """A group of rated rows in a figure: its position, the ends of its interval, and its text."""

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
    """The scores at the left and the right end of the figure"""
    diagonal: bool
    """Whether the score is a probability, so that well calibrated points are on the diagonal"""


@dataclass(frozen=True)
class _Aspect:
    name: str
    tables: Sequence[Cells]
    figures: Sequence[_Figure]
    disputes: Sequence[tuple[Dispute, Row | None]]


def trust_page(trusts: Trusts, path: str | os.PathLike[str], outputs: Corpus | None = None) -> None:
    """Write a page that shows how far to trust each scorer, as one file that is written whole or not at all.

    Args:
        trusts: the results of the scorers.
        path: the path of the page.
        outputs: the rows with their texts, for the most disputed ones.

    Raises:
        InputError: the page cannot be written.
    """
    texts = {(row.system, row.item): row for row in outputs or ()}
    made = page(
        "trust.html",
        _FOLDER,
        command="trust",
        title="How far to trust each scorer",
        styles=[_FOLDER / "trust.css"],
        answers=trusts.answers,
        aspects=[_aspect(trusts, aspect, texts) for aspect in trusts.aspects],
        notes=[*trusts.legend, *trusts.notes],
        height=_HIGH,
        width=_WIDE,
    )
    with atomic_write(Path(path)) as file:
        file.write(made)


def _aspect(trusts: Trusts, aspect: str, texts: dict[tuple[str, str], Row]) -> _Aspect:
    lines = [scorer for scorer in trusts if scorer.aspect == aspect and not scorer.reason]
    return _Aspect(
        aspect,
        list(trusts.tables(aspect, wide=True)),
        [_figure(scorer) for scorer in lines if scorer.reliability],
        [
            (dispute, texts.get((dispute.system, dispute.item)))
            for dispute in trusts.disputes
            if dispute.aspect == aspect
        ],
    )


def _figure(scorer: Trust) -> _Figure:
    probability = scorer.brier == scorer.brier
    bins = [of for of in scorer.reliability if of.mean == of.mean]
    ends = (0.0, 1.0) if probability else _ends(bins)
    across = places([of.mean for of in bins], *ends)
    return _Figure(
        scorer.metric,
        [
            _Point(
                x=x * _WIDE / 100, y=_up(of.good.value), low=_up(of.good.low), high=_up(of.good.high), said=_said(of)
            )
            for x, of in zip(across, bins, strict=True)
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
