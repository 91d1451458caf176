"""nlgauge plot: figures of a scores file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click

import nlgauge
from nlgauge.cli import options
from nlgauge.cli.options import example
from nlgauge.cli.showing import SCORES, Result, Run, of_scores, shown


@click.group(epilog=example("nlgauge plot summary scores.jsonl -o summary.png"))
def plot() -> None:
    """Draw figures of a scores file as PNG, SVG or PDF (docs/plots.md), and print their numbers."""


def _figure(*more: options.Option, asked: str) -> Callable[[Run], click.Command]:
    return shown(plot, SCORES, *more, options.LABEL, asked=asked, reads=of_scores, figure=True)


_rated = partial(_figure, options.ratings(required=False), options.ADDED)


@_figure(options.PARTS, options.CLUSTER_OF_OUTPUTS, options.ADD, asked="scores.jsonl -o summary.png")
def summary(table: nlgauge.ScoreTable, _: nlgauge.Corpus | None, **how: Any) -> Result:
    """Systems by metrics: bars with 95 % intervals.

    The best has a star; a tilde marks systems without a significant difference from it (paired test, Holm).
    """
    from nlgauge.reports.plots.spread import summary as run

    return run(table, **how)


@_figure(
    options.PARTS,
    options.ADD,
    click.option("--bins", type=click.IntRange(min=2), default=20, show_default=True),
    asked="scores.jsonl -m Faithfulness -o distributions.png",
)
def distributions(table: nlgauge.ScoreTable, _: nlgauge.Corpus | None, **how: Any) -> Result:
    """How the scores of each system are distributed, in the metric's own unit, with the median.

    `nlgauge study distributions` brings metrics and ratings to one scale.
    """
    from nlgauge.reports.plots.spread import spread

    return spread(table, **how)


@_rated(
    click.argument("x"),
    click.argument("y"),
    click.option(
        "--level",
        type=click.Choice(["row", "system"]),
        default="row",
        show_default=True,
        help="A point a row, or a point a system.",
    ),
    asked="scores.jsonl Faithfulness supported --ratings answers.jsonl -o scatter.png",
)
def scatter(table: nlgauge.ScoreTable, rated: nlgauge.Corpus | None, **how: Any) -> Result:
    """Points of X against Y, each a metric ('spec sub-score' names a sub-score) or an aspect of --ratings."""
    from nlgauge.reports.plots.scatter import scatter as run

    return run(table, source=rated, **how)


@_rated(
    options.PARTS,
    options.CLUSTER,
    options.LEVEL,
    options.COEFFICIENT,
    options.REPLICATES,
    options.SEED,
    asked="scores.jsonl --ratings answers.jsonl --level pooled -o agreement.png",
)
def agreement(table: nlgauge.ScoreTable, rated: nlgauge.Corpus | None, **how: Any) -> Result:
    """How metrics agree with people, by aspect of --ratings; without ratings, how they agree with each other."""
    if rated is None:
        from nlgauge.reports.plots.pairwise import correlation_matrix

        return correlation_matrix(table, **{name: how[name] for name in how if name not in ("replicates", "seed")})
    from nlgauge.reports.plots.pairwise import agreement as run

    return run(table, rated, **how)


@_figure(options.PARTS, options.CLUSTER_OF_OUTPUTS, options.ADD, asked="scores.jsonl -o pairwise.png")
def pairwise(table: nlgauge.ScoreTable, _: nlgauge.Corpus | None, **how: Any) -> Result:
    """Differences of every two systems by each metric, with a star for a significant one (corrected by Holm)."""
    from nlgauge.reports.plots.pairwise import pairwise as run

    return run(table, **how)


@_figure(
    click.option(
        "-m", "--metric", help="A metric of the scores, or 'spec sub-score'; may be left out where there is one."
    ),
    options.ratings(required=True),
    options.ONE_ASPECT,
    click.option("--below", type=float, metavar="X", help="Rows rated below X are bad; where ratings are not 0 or 1."),
    options.ADDED,
    asked="scores.jsonl -m Faithfulness --ratings answers.jsonl -o reliability.png",
)
def reliability(table: nlgauge.ScoreTable, rated: nlgauge.Corpus, **how: Any) -> Result:
    """Shares of good rows among the rated rows, by score: the second table of nlgauge calibrate."""
    from nlgauge.reports.plots.scatter import reliability as run

    return run(table, rated, **how)
