"""nlgauge estimate."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

import nlgauge
from nlgauge.cli.options import ASPECT, IN_FORMATS
from nlgauge.cli.streams import remark, show_json
from nlgauge.cli.terminal import on_some_ratings, say, show_tables, with_interval
from nlgauge.render.tables import Cell, Number

if TYPE_CHECKING:
    from nlgauge.stats.estimate import Estimates


@click.command(short_help="Estimate the mean rating of all outputs, from a few.")
@on_some_ratings
@click.option("-m", "--metric", "metrics", multiple=True, help="A metric of the scores; repeatable; all by default.")
@ASPECT
@click.option("--below", type=float, metavar="X", help="Estimate the share of rows that are rated below X.")
@click.option("--margin", type=click.FloatRange(min=0, min_open=True), metavar="X",
              help="Say how many further ratings make the interval plus or minus X.")  # fmt: skip
@click.option("--confidence", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95,
              show_default=True)  # fmt: skip
@click.option("--scale", type=float, nargs=2, metavar="LOW HIGH",
              help="The least and the greatest rating that there can be, as in --scale 1 5.")  # fmt: skip
@IN_FORMATS
def estimate(
    table: nlgauge.ScoreTable, rated: nlgauge.Corpus, metrics: Sequence[str], aspects: Sequence[str],
    below: float | None, margin: float | None, layout: str, **how: Any,
) -> None:  # fmt: skip
    """Each system's mean rating with a valid interval, from the scores of all rows and the ratings of some.

    First a sentence for each system. Beside the estimate stand what the ratings alone say, and the effective number of
    ratings: how many would give an interval as short without the metric. The rated rows have to be drawn at random, or
    by nlgauge sample. docs/guides/estimate.md explains it.
    """
    found = nlgauge.estimate(
        table, rated, metrics=metrics or None, aspects=aspects or None, below=below, margin=margin, **how
    )
    if layout == "json":
        show_json("estimate", found.notes, answers=found.answers, estimates=found.records)
    else:
        say(found.answers, layout)
        groups = dict.fromkeys((one.aspect, one.metric) for one in found)
        more: list[Cell] = [] if margin is None else [f"more for ±{margin:g}"]
        heads = ["rated", "estimate", "ratings alone", "effective", *more]
        share = "" if below is None else f" below {below:g}"
        names = [f"{aspect}{share}, by {metric}" for aspect, metric in groups]
        corners = names if len(names) > 1 else ["system"]
        show_tables(
            [[[corner, *heads], *_lines(found, group, margin)] for corner, group in zip(corners, groups, strict=True)],
            layout,
        )
        remark(*(names if len(names) == 1 else ()), *_legend(found))
    remark(*found.notes)


def _lines(found: Estimates, group: tuple[str, str], margin: float | None) -> Iterator[list[Cell]]:
    for one in found:
        if (one.aspect, one.metric) == group:
            wanted: Cell = "more rows" if math.isinf(one.more) else Number(one.more, digits=0)
            yield [
                one.system,
                f"{one.ratings} of {one.rows}",
                Number(one.estimate, one.low, one.high),
                Number(one.alone, one.alone_low, one.alone_high),
                Number(one.worth, digits=0),
                *([] if margin is None else [wanted]),
            ]


def _legend(found: Estimates) -> Iterator[str]:
    """What the bare metric says, and what has no number."""
    from nlgauge.maths.intervals import unequal

    for aspect, metric in dict.fromkeys((one.aspect, one.metric) for one in found):
        bare = [one for one in found if (one.aspect, one.metric) == (aspect, metric) and not math.isnan(one.bare)]
        if bare:
            means = ", ".join(f"{one.system} {with_interval(one.bare, one.bare_low, one.bare_high)}" for one in bare)
            yield f"{metric}: its own mean, which is no estimate of {aspect}: {means}"
    clustered = [one for one in found if not math.isnan(one.effective)]
    fewest = min(clustered, key=lambda one: one.effective, default=None)
    if fewest is not None and (said := unequal(fewest.clusters, fewest.effective)):
        yield f"{fewest.system}: the ratings' {said}"
    for reason in dict.fromkeys(one.reason for one in found if one.reason):
        yield f"no estimate for {reason}"
