"""Drawing of figures in panels, as PNG, SVG or PDF, for `nlgauge plot`, `study` and `reproduce` (extra `plots`)."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from nlgauge.data.atomic_write import atomic_bytes, refuse_place
from nlgauge.errors import InputError, MissingExtraError

SUFFIXES = (".png", ".svg", ".pdf")
_COLUMNS, _NAME = 3, 26
_PALE = "#a9c1dc"
_COLOURS = ("#1f5fa8", "#c2571a", "#2f8a4c", "#8a4fa8", "#a83232", "#5c5c5c", "#b8860b", "#1a9aa8")


class Curve(NamedTuple):
    """A line in a panel: `values` at the places `at`, with a band from `low` to `high` if these are given."""

    at: Sequence[float]
    values: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()


class Heat(NamedTuple):
    """A heat map of values [rows, columns]. A cell with NaN is blank."""

    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float]]
    labels: Sequence[Sequence[str]] = ()
    """Texts for the cells, [rows, columns]; without them, the values are written there"""


class Histograms(NamedTuple):
    """Histograms over the same bins: the shares in each bin by name, and the edges of the bins."""

    shares: Mapping[str, Sequence[float]]
    edges: Sequence[float]
    middles: Mapping[str, float] = MappingProxyType({})
    """Medians by name, for the histograms that show one"""


class Bars(NamedTuple):
    """Bars with intervals. A bar with the value NaN is left out."""

    values: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    marks: Sequence[str]
    """The mark at the end of each bar, '' for none"""


def check(path: Path) -> None:
    """Raise an error before a long run if the figure could not be written after it.

    Args:
        path: the path of the figure.

    Raises:
        InputError: the place cannot be written, or its name has no suffix of a figure.
        MissingExtraError: matplotlib is not installed.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise InputError("is no kind of figure", file=path, remedy=f"end the name in {', '.join(SUFFIXES)}")
    refuse_place(path)
    _figure((1, 1))


def curves(
    path: Path, panels: Mapping[str, Mapping[str, Curve]], across: str, up: str, ticks: Sequence[str] | None = None
) -> None:
    """Draw panels with lines.

    Args:
        path: the path of the figure.
        panels: for each title of a panel, its lines by label.
        across: the label of the horizontal axis.
        up: the label of the vertical axis.
        ticks: names of the values 0, 1, ... on the horizontal axis.
    """
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
            axes.set_xticks(range(len(ticks)), ticks, rotation=90 if sum(map(len, ticks)) > 36 else 0)
        if len(lines) > 1:
            axes.legend(fontsize=7)
    _save(figure, path)


def heats(
    path: Path, panels: Mapping[str, Heat], label: str, ends: tuple[float, float] | None = None, colours: str = "RdBu"
) -> None:
    """Draw panels with heat maps, all on one scale of colours, with numbers in the cells where they fit.

    Args:
        path: the path of the figure.
        panels: the heat map of each panel, by title.
        label: the label of the scale of colours.
        ends: the values at the ends of the scale; None for the least and the greatest value of all maps.
        colours: the name of a colour map of matplotlib.
    """
    largest = max(max(len(heat.rows), len(heat.columns)) for heat in panels.values())
    side = 1.8 + 0.42 * largest
    figure, places = _panels(len(panels), (side + 0.8, side))
    finite = np.concatenate([np.ravel(np.array(heat.values, float)) for heat in panels.values()])
    finite = finite[np.isfinite(finite)]
    low, high = ends or ((float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0))
    shown = None
    for axes, (title, heat) in zip(places, panels.items(), strict=True):
        values = np.array(heat.values, float)
        shown = axes.imshow(values, vmin=low, vmax=high, cmap=colours)
        across, down = ([_folded(name, _NAME) for name in names] for names in (heat.columns, heat.rows))
        axes.set_xticks(range(len(across)), across, rotation=90, fontsize=7)
        axes.set_yticks(range(len(down)), down, fontsize=7)
        axes.set_title(_folded(title), fontsize=9)
        for (i, j), value in np.ndenumerate(values):
            if largest <= 24 and (text := _in_cell(heat, i, j)):
                red, green, blue, _ = shown.cmap(shown.norm(value)) if np.isfinite(value) else (1, 1, 1, 1)
                dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.5
                size = 5.5 if largest > 8 else 7
                axes.text(j, i, text, ha="center", va="center", fontsize=size, color="white" if dark else "black")
    if shown is not None:
        figure.colorbar(shown, ax=list(places), shrink=0.7, label=label).ax.tick_params(labelsize=7)
    _save(figure, path)


def _in_cell(heat: Heat, i: int, j: int) -> str:
    if heat.labels:
        return heat.labels[i][j]
    value = heat.values[i][j]
    if not np.isfinite(value):
        return ""
    return f"{value:.2f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.2f}"


def histograms(path: Path, panels: Mapping[str, Histograms], across: str = "") -> None:
    """Draw panels with histograms, one below the other. All are equally high at their largest share.

    Args:
        path: the path of the figure.
        panels: the histograms of each panel, by title.
        across: the label of the horizontal axis.
    """
    most = max((len(panel.shares) for panel in panels.values()), default=0)
    figure, places = _panels(len(panels), (6 if len(panels) == 1 else 4.6, 1.2 + 0.5 * most))
    for axes, (title, panel) in zip(places, panels.items(), strict=True):
        for place, (name, values) in enumerate(panel.shares.items()):
            heights = 0.85 * np.array(values, float) / (max(values, default=0) or 1)
            axes.bar(panel.edges[:-1], -heights, np.diff(panel.edges), bottom=place, align="edge", color=_COLOURS[0])
            if name in panel.middles:
                axes.plot([panel.middles[name]] * 2, [place, place - 0.85], color=_COLOURS[1], linewidth=1.5)
        axes.set_yticks(range(len(panel.shares)), list(panel.shares), fontsize=7)
        axes.set_ylim(len(panel.shares) - 0.5, -1.1)
        axes.tick_params(labelsize=7)
        axes.set_title(_folded(title), fontsize=9)
        axes.set_xlabel(across)
    _save(figure, path)


def bars(path: Path, panels: Mapping[str, Bars], names: Sequence[str]) -> None:
    """Draw panels with a bar for each name; every panel has all names."""
    figure, places = _panels(len(panels), (4.2, 0.9 + 0.34 * len(names)))
    at = np.arange(len(names))
    for axes, (title, panel) in zip(places, panels.items(), strict=True):
        values = np.array(panel.values, float)
        finite = np.isfinite(values)
        colours = [_COLOURS[0] if "*" in mark else _PALE for mark in panel.marks]
        axes.barh(at[finite], values[finite], 0.68, color=np.array(colours)[finite])
        ends = np.clip(np.abs(np.array([panel.low, panel.high], float) - values), 0, None)
        ranged = finite & np.isfinite(ends).all(0)
        axes.errorbar(values[ranged], at[ranged], xerr=ends[:, ranged], fmt="none", color="#222222", capsize=2.5)
        for place, mark in enumerate(panel.marks):
            if mark and finite[place]:
                axes.annotate(
                    mark,
                    (max(values[place], panel.high[place] if ranged[place] else values[place]), place),
                    (4, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=8,
                )
        axes.set_yticks(at, list(names), fontsize=8)
        axes.invert_yaxis()
        axes.tick_params(labelsize=8)
        axes.margins(x=0.08)
        axes.set_title(_folded(title), fontsize=9)
        axes.grid(axis="x", alpha=0.25)
        axes.set_axisbelow(True)
    _save(figure, path)


def points(
    path: Path, groups: Mapping[str, tuple[Sequence[float], Sequence[float]]], across: str, up: str, named: bool = False
) -> None:
    """Draw points (x, y) in one colour for each group.

    Args:
        path: the path of the figure.
        groups: x and y of the points of each group, by name.
        across: the label of the horizontal axis.
        up: the label of the vertical axis.
        named: whether each point has the name of its group beside it, instead of a legend.
    """
    figure = _figure((5.2, 4.2))
    axes = figure.subplots()
    for number, (name, (x, y)) in enumerate(groups.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        shape = "osD^vP"[number // len(_COLOURS) % 6]
        axes.scatter(x, y, s=36 if named else 14, color=colour, marker=shape, alpha=0.7, linewidths=0, label=name)
        if named:
            for place in zip(x, y, strict=True):
                axes.annotate(name, place, (4, 4), textcoords="offset points", fontsize=7)
    axes.set(xlabel=_folded(across), ylabel=_folded(up))
    axes.tick_params(labelsize=8)
    axes.margins(0.15 if named else 0.05)
    axes.grid(alpha=0.25)
    if len(groups) > 1 and not named:
        axes.legend(fontsize=7)
    _save(figure, path)


def _folded(text: str, width: int = 44) -> str:
    """Return a text broken into lines of at most `width` characters, so that it fits into a panel."""
    return "\n".join(textwrap.wrap(text, width, break_long_words=False)) or text


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
    with rc_context({"svg.hashsalt": "nlgauge"}), atomic_bytes(path) as file:
        figure.savefig(file, format=kind[1:], dpi=150, metadata=dates[kind])
