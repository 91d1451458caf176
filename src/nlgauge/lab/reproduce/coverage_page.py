"""The page of coverage in Markdown: whether the intervals of `estimate` and the bars of `calibrate` hold."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from nlgauge._version import __version__
from nlgauge.lab.reproduce.coverage import ALONE, RATINGS, TOGETHER, Cell, Tried
from nlgauge.lab.reproduce.differences import RATINGS as OF_EACH
from nlgauge.lab.reproduce.markdown import table
from nlgauge.lab.reproduce.promises import CONFIDENCE, Promise

LOW, HIGH = 0.93, 0.97
"""Where the coverage of a 95 % interval has to lie"""
_MOST_REFUSED = 0.5
"""A kind of interval counts as refused where more of the draws are"""


def page(
    made: Sequence[tuple[Tried, Sequence[Cell], Sequence[Promise]]], absent: Sequence[str], draws: int
) -> str:  # fmt: skip
    """The page in Markdown. made: of each set the intervals of means, those of differences, and the bars."""
    tried = [one for one, _, _ in made]
    differences = {one.population.title: cells for one, cells, _ in made if cells}
    kept = {one.population.title: bars for one, _, bars in made if bars}
    lines = [
        "# Do the intervals hold?", "",
        "[`nlgauge estimate`](guides/estimate.md) says what people would say of all rows, from a few ratings, with an "
        "interval of 95 %. This page asks how often such an interval holds the truth, on sets that people rated "
        "completely. [`nlgauge calibrate`](guides/certified-bar.md) gives bars with a promise, and the last section "
        "asks how often it is broken.", "",
        f"A set is taken for the whole population, so its mean rating is known. Each of {draws:,} draws makes a file "
        "of it: items (or sources) are drawn with replacement, each with all its rows, so that what hangs together "
        "stays together. Then the ratings of 50, 100 or 200 rows, drawn at random, are shown, and the others are "
        "hidden. A column *holds* is the share of intervals that held the truth. It should be 95 %, and chance alone "
        f"moves it by about {100 * 1.96 * math.sqrt(0.95 * 0.05 / draws):.1f} points. A column *±* is the mean of "
        "half their length, in the unit of the ratings.", "",
        f"Made by `nlgauge reproduce coverage` (nlgauge {__version__}): [reproduce.md](reproduce.md).", "",
    ]  # fmt: skip
    if absent:
        lines += [f"Not in this run: {', '.join(absent)}.", ""]
    lines += [*_overview(tried), "", *_outside(tried)]
    for one in tried:
        lines += _section(one)
    return "\n".join([*lines, *_differences(differences), *_promises(kept)]).rstrip() + "\n"


def _overview(tried: Sequence[Tried]) -> list[str]:
    """A line a set: where all its coverages lie, and what the best metric is worth."""
    lines = []
    for one in tried:
        held = [cell.covered for cell in one.cells if _judged(cell)]
        worth = {
            (cell.aspect, cell.metric): _worth(one, cell) for cell in one.cells if _shown(cell) and cell.ratings == 100
        }
        aspect, metric = max(worth, key=lambda key: worth[key])
        sizes = f"{len(one.population.clusters):,}", f"{one.items:,}"
        ends = f"{100 * min(held):.1f} to {100 * max(held):.1f} %"
        best = f"`{metric}`, {aspect}", f"{worth[aspect, metric]:.0f}"
        lines.append([one.population.title, *sizes, ends, *best])
    heads = ["set", "rows", "items", "intervals that hold", "best metric, at 100 ratings", "worth, in ratings"]
    return table(heads, "lrrrlr", lines)


def _judged(cell: Cell) -> bool:
    """Whether it is an interval of `estimate`, and was given in most draws."""
    return not cell.bare and cell.refused <= _MOST_REFUSED


def _shown(cell: Cell) -> bool:
    return not cell.bare and cell.metric not in (ALONE, TOGETHER)


def _worth(one: Tried, cell: Cell) -> float:
    """How many ratings alone would give an interval as short."""
    alone = next(
        other for other in one.cells
        if (other.aspect, other.metric, other.ratings) == (cell.aspect, ALONE, cell.ratings)
    )  # fmt: skip
    return cell.ratings * (alone.half / cell.half) ** 2


def _outside(tried: Sequence[Tried]) -> Iterator[str]:
    """Every interval that does not hold as often as it should, or does more often."""
    cells = [(one, cell) for one in tried for cell in one.cells if _judged(cell)]
    wrong = [(one, cell) for one, cell in cells if not LOW <= cell.covered <= HIGH]
    how = f"less than {LOW:.0%} or more than {HIGH:.0%} of the draws"
    yield f"{len(cells):,} kinds of intervals were tried, and {len(wrong)} of them hold in {how}."
    if wrong:
        yield ""
    for one, cell in wrong:
        what = f"{one.population.title}, {cell.aspect}, `{cell.metric}`, {cell.ratings} ratings"
        yield f"- {what}: {100 * cell.covered:.1f} %, ± {_number(cell.half)}"
    refused = [(one, cell) for one in tried for cell in one.cells if not cell.bare and not _judged(cell)]
    if refused:
        yield from ("", f"Where more than {_MOST_REFUSED:.0%} of the draws are refused, the tables say so:", "")
    for one, cell in refused:
        what = f"{one.population.title}, {cell.aspect}, {cell.metric}, {cell.ratings} ratings"
        yield f"- {what}: {cell.refused:.0%} of the draws"
    yield ""


def _section(one: Tried) -> Iterator[str]:
    rows = []
    groups: dict[tuple[str, str, bool], list[Cell]] = {}
    for cell in one.cells:
        groups.setdefault((cell.aspect, cell.metric, cell.bare), []).append(cell)
    for (aspect, metric, bare), cells in sorted(
        groups.items(), key=lambda pair: list(one.population.ratings).index(pair[0][0])
    ):
        name = metric if metric in (ALONE, TOGETHER) else f"`{metric}`" + (", its bare mean" if bare else "")
        rows.append([aspect, name, *(text for cell in cells for text in _numbers(cell))])
    yield from (
        f"## {one.population.title}",
        "",
        *table(["aspect", "by", *_heads(RATINGS)], "ll" + "rr" * len(RATINGS), rows),
    )
    refused = max(cell.refused for cell in one.cells if cell.refused <= _MOST_REFUSED)
    if refused > 0:
        yield from ("", f"At most {refused:.1%} of the draws got no interval.")
    yield ""


def _heads(ratings: Sequence[int]) -> list[str]:
    return [head for n in ratings for head in (f"{n}: holds", "±")]


def _numbers(cell: Cell) -> tuple[str, str]:
    return (_percent(cell.covered), _number(cell.half)) if cell.refused <= _MOST_REFUSED else ("refused", "-")


def _differences(made: Mapping[str, Sequence[Cell]]) -> Iterator[str]:
    """The intervals of two systems' difference, by set, aspect and metric."""
    if not made:
        return
    every = [cell for cells in made.values() for cell in cells if _judged(cell)]
    held = [100 * cell.covered for cell in every]
    outside = sum(not LOW <= cell.covered <= HIGH for cell in every)
    yield from (
        "## Differences of two systems", "",
        "Here each draw takes two systems of the set at random. Items are drawn with replacement, each with both "
        "systems' outputs, and the ratings of 50 or 100 outputs of each system are shown, drawn independently. The "
        "truth is the difference of the two mean ratings in the whole set. Intervals of "
        f"{len(every):,} kinds hold it in {min(held):.1f} to {max(held):.1f} % of the draws, {outside} of them in less "
        f"than {LOW:.0%} or more than {HIGH:.0%}.", "",
    )  # fmt: skip
    rows = []
    for title, cells in made.items():
        groups: dict[tuple[str, str], list[Cell]] = {}
        for cell in cells:
            groups.setdefault((cell.aspect, cell.metric), []).append(cell)
        for (aspect, metric), own in groups.items():
            name = metric if metric in (ALONE, TOGETHER) else f"`{metric}`"
            rows.append([title, aspect, name, *(text for cell in own for text in _numbers(cell))])
    yield from (*table(["set", "aspect", "by", *_heads(OF_EACH)], "lll" + "rr" * len(OF_EACH), rows), "")


def _promises(kept: Mapping[str, Sequence[Promise]]) -> Iterator[str]:
    yield from ("## Bars with a promise", "")
    if not kept:
        yield "No labelled set was in this run."
        return
    yield (
        "A bar promises that of the rows that pass it, at most the share *risk* is unsupported, with "
        f"{CONFIDENCE:.0%} confidence. So at most {1 - CONFIDENCE:.0%} of the draws may break the promise. Often the "
        "ratings certify no bar at all: then the metric does not tell good and bad rows apart well enough for so few "
        "ratings, and the command says so."
    )
    rows = []
    for title, found in kept.items():
        for one in found:
            passing = "-" if math.isnan(one.passing) else f"{one.passing:.0%}"
            shares = f"{one.risk:.0%}", f"{one.certified:.1%}", passing, f"{one.broken:.1%}"
            rows.append([title, f"`{one.metric}`", one.ratings, *shares])
    heads = ["set", "metric", "ratings", "risk", "draws with a bar", "rows that pass it", "promise broken"]
    yield from ("", *table(heads, "llrrrrr", rows))


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.1f}"


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3g}"
