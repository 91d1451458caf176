"""How studies are drawn: curves, heat maps and histograms in panels, as PNG, SVG or PDF (extra `plots`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nlgauge.errors import InputError, MissingExtraError

SUFFIXES = (".png", ".svg", ".pdf")
_COLUMNS = 3
_COLOURS = ("#1f5fa8", "#c2571a", "#2f8a4c", "#8a4fa8", "#a83232", "#5c5c5c", "#b8860b", "#1a9aa8")


class Curve(NamedTuple):
    """A line in a panel, with a band where it has intervals."""

    at: Sequence[float]
    values: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


class Heat(NamedTuple):
    """A heat map: values [rows, columns], NaN left blank."""

    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float]]


def check(path: Path) -> None:
    """What would stop a figure from being written, before the long run and not after it.

    Raises InputError for the place, MissingExtraError without matplotlib.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise InputError("is no kind of figure", file=path, remedy=f"end the name in {', '.join(SUFFIXES)}")
    if path.is_dir() or not path.parent.is_dir():
        raise InputError("cannot be written", file=path, remedy="name a file in a folder that exists")
    _figure((1, 1))


def curves(
    path: Path, panels: Mapping[str, Mapping[str, Curve]], across: str, up: str, ticks: Sequence[str] | None = None
) -> None:
    """Lines by panel and label. ticks: names of the places 0, 1, ... on the horizontal axis."""
    figure, places = _panels(len(panels), (4.6, 3.4))
    for axes, (title, lines) in zip(places, panels.items(), strict=True):
        for number, (label, curve) in enumerate(lines.items()):
            colour = _COLOURS[number % len(_COLOURS)]
            style = ("-", "--", ":")[number // len(_COLOURS) % 3]
            axes.plot(curve.at, curve.values, style, color=colour, marker="o", markersize=3, label=label)
            if len(curve.low):
                axes.fill_between(curve.at, curve.low, curve.high, color=colour, alpha=0.12, linewidth=0)
        axes.set(title=title, xlabel=across, ylabel=up)
        axes.title.set_fontsize(9)
        axes.grid(alpha=0.25)
        if ticks is not None:
            axes.set_xticks(range(len(ticks)), ticks)
        if len(lines) > 1:
            axes.legend(fontsize=7)
    _save(figure, path)


def heats(
    path: Path, panels: Mapping[str, Heat], label: str, ends: tuple[float, float] | None = None, colours: str = "RdBu"
) -> None:
    """Heat maps by panel, all on one scale of colours; numbers in the cells where there is room."""
    largest = max(max(len(heat.rows), len(heat.columns)) for heat in panels.values())
    side = 1.8 + 0.42 * largest
    figure, places = _panels(len(panels), (side + 0.8, side))
    known = np.concatenate([np.ravel(np.array(heat.values, float)) for heat in panels.values()])
    known = known[np.isfinite(known)]
    low, high = ends or ((float(known.min()), float(known.max())) if len(known) else (0.0, 1.0))
    shown = None
    for axes, (title, heat) in zip(places, panels.items(), strict=True):
        values = np.array(heat.values, float)
        shown = axes.imshow(values, vmin=low, vmax=high, cmap=colours)
        axes.set_xticks(range(len(heat.columns)), heat.columns, rotation=90, fontsize=7)
        axes.set_yticks(range(len(heat.rows)), heat.rows, fontsize=7)
        axes.set_title(title, fontsize=9)
        for (i, j), value in np.ndenumerate(values):
            if np.isfinite(value) and largest <= 24:
                red, green, blue, _ = shown.cmap(shown.norm(value))
                dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.5
                text = f"{value:.2f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.2f}"
                axes.text(j, i, text, ha="center", va="center", fontsize=5.5, color="white" if dark else "black")
    if shown is not None:
        figure.colorbar(shown, ax=list(places), shrink=0.7, label=label)
    _save(figure, path)


def histograms(path: Path, shares: Mapping[str, Sequence[float]], edges: Sequence[float], across: str) -> None:
    """A histogram a name, one under the other, each at the height of its largest share."""
    figure = _figure((6, 1.2 + 0.5 * len(shares)))
    axes = figure.subplots()
    for place, values in enumerate(shares.values()):
        heights = 0.85 * np.array(values, float) / (max(values) or 1)
        axes.bar(edges[:-1], -heights, np.diff(edges), bottom=place, align="edge", color=_COLOURS[0])
    axes.set_yticks(range(len(shares)), list(shares), fontsize=7)
    axes.set_ylim(len(shares) - 0.5, -1.1)
    axes.set_xlabel(across)
    _save(figure, path)


def _figure(size: tuple[float, float]) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("drawing figures", "plots") from None
    return Figure(figsize=size, layout="constrained")


def _panels(count: int, size: tuple[float, float]) -> tuple[Any, list[Any]]:
    columns = min(max(count, 1), _COLUMNS)
    rows = -(-max(count, 1) // columns)
    figure = _figure((size[0] * columns, size[1] * rows))
    places = list(figure.subplots(rows, columns, squeeze=False).flat)
    for axes in places[count:]:
        axes.set_axis_off()
    return figure, places[:count]


def _save(figure: Any, path: Path) -> None:
    from matplotlib import rc_context

    # Equal numbers give equal files: no date, and names inside an SVG that do not change.
    kind = path.suffix.lower()
    dates = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
    with rc_context({"svg.hashsalt": "nlgauge"}):
        figure.savefig(path, dpi=150, metadata=dates[kind])
