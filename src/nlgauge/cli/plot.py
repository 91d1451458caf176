"""nlgauge plot: figures of a scores file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from nlgauge.cli.study.showing import check_figure, read_scores, show
from nlgauge.cli.terminal import (
    ADDED,
    CLUSTER,
    IN_FORMATS,
    LABEL,
    MAP,
    PARTS,
    PLACE,
    REPLICATES,
    SEED,
    Option,
    ratings,
    read_rated,
    tell_joined,
    together,
)

_SCORES = click.argument("scores", type=PLACE)
_RATINGS = together(ratings(required=False), ADDED)
_CLUSTERS = together(
    click.option("--outputs", type=PLACE, help="The table that was scored: it has the column of --cluster."), CLUSTER
)
_DRAWN = together(
    click.option(
        "-o", "--output", type=PLACE, required=True, help="The figure: .png, .svg or .pdf (needs nlgauge[plots])."
    ),
    LABEL,
    IN_FORMATS,
)


def _options(*more: Option) -> Option:
    return together(_SCORES, PARTS, *more, _DRAWN)


@click.group(short_help="Draw figures of a scores file: PNG, SVG or PDF.")
def plot() -> None:
    """Draw figures of a scores file as PNG, SVG or PDF (docs/plots.md), and print their numbers."""


@plot.command()
@_options(_CLUSTERS, SEED)
def summary(
    scores: Path, metrics: Sequence[str], parts: bool, outputs: Path | None, cluster: str | None, seed: int,
    output: Path, layout: str,
) -> None:  # fmt: skip
    """Systems by metrics: bars with 95 % intervals.

    The best has a star; a tilde marks systems without a significant difference from it (paired test, Holm).
    """
    from nlgauge.show.plots.summary import summary as run

    check_figure(output)
    table, _ = read_scores(scores, outputs, (), (), (), cluster)
    show("summary", run(table, metrics=metrics or None, every_part=parts, seed=seed), output, layout, kind="plot")


@plot.command()
@_options(click.option("--bins", type=click.IntRange(min=2), default=20, show_default=True))
def distributions(scores: Path, metrics: Sequence[str], parts: bool, bins: int, output: Path, layout: str) -> None:
    """How the scores of each system are distributed, in the metric's own unit, with the median.

    `nlgauge study distributions` brings metrics and ratings to one scale.
    """
    from nlgauge.show.plots.spread import spread as run

    check_figure(output)
    table, _ = read_scores(scores, None, (), (), ())
    result = run(table, metrics=metrics or None, every_part=parts, bins=bins)
    show("distributions", result, output, layout, kind="plot")


@plot.command()
@together(
    _SCORES,
    click.argument("x"),
    click.argument("y"),
    _RATINGS,
    click.option("--level", type=click.Choice(["row", "system"]), default="row", show_default=True,
                 help="A point a row, or a point a system."),
    _DRAWN,
)  # fmt: skip
def scatter(
    scores: Path, x: str, y: str, outputs: Path | None, add: Sequence[str], lower: Sequence[str],
    columns: Sequence[str], level: str, output: Path, layout: str,
) -> None:  # fmt: skip
    """X against Y: metrics ('spec part' names a part), or aspects of --ratings."""
    from nlgauge.show.plots.scatter import scatter as run

    check_figure(output)
    table, rated = read_scores(scores, outputs, columns, add, lower)
    show("scatter", run(table, x, y, rated, level=level), output, layout, kind="plot")
    tell_joined(table)


@plot.command()
@_options(
    _RATINGS,
    CLUSTER,
    click.option("--level", default="item", show_default=True, help="item, system or pooled; see docs/meta.md."),
    click.option("--coefficient", default="pearson", show_default=True, help="See docs/meta.md."),
    REPLICATES,
    SEED,
)
def agreement(
    scores: Path, metrics: Sequence[str], parts: bool, outputs: Path | None, add: Sequence[str], lower: Sequence[str],
    columns: Sequence[str], cluster: str | None, level: str, coefficient: str, replicates: int, seed: int,
    output: Path, layout: str,
) -> None:  # fmt: skip
    """How metrics agree with people, by aspect of --ratings; without ratings, how they agree with each other."""
    from nlgauge.cli.study.showing import Result

    check_figure(output)
    table, rated = read_scores(scores, outputs, columns, add, lower, cluster)
    if rated is None:
        from nlgauge.show.matrix import correlation_matrix

        result: Result = correlation_matrix(
            table, metrics=metrics or None, every_part=parts, level=level, coefficient=coefficient
        )
    else:
        from nlgauge.show.plots.agreement import agreement as run

        result = run(
            table, rated, metrics=metrics or None, every_part=parts, level=level, coefficient=coefficient,
            replicates=replicates, seed=seed,
        )  # fmt: skip
    show("agreement", result, output, layout, kind="plot")
    tell_joined(table)


@plot.command()
@_options(_CLUSTERS, REPLICATES, SEED)
def pairwise(
    scores: Path, metrics: Sequence[str], parts: bool, outputs: Path | None, cluster: str | None, replicates: int,
    seed: int, output: Path, layout: str,
) -> None:  # fmt: skip
    """Every two systems by each metric: the difference, starred where it is beyond chance (corrected by Holm)."""
    from nlgauge.show.plots.pairwise import pairwise as run

    check_figure(output)
    table, _ = read_scores(scores, outputs, (), (), (), cluster)
    result = run(table, metrics=metrics or None, every_part=parts, replicates=replicates, seed=seed)
    show("pairwise", result, output, layout, kind="plot")


@plot.command()
@together(
    _SCORES,
    click.option("-m", "--metric", help="A metric of the scores, with its part; may be left out where there is one."),
    click.option("--ratings", "outputs", type=PLACE, required=True, help="The rated outputs: a table as for score."),
    click.option("--aspect", help="An aspect of the ratings; may be left out where there is one."),
    click.option("--below", type=float, metavar="X", help="Rows rated below X are bad; where ratings are not 0 or 1."),
    MAP,
    _DRAWN,
)
def reliability(
    scores: Path, metric: str | None, outputs: Path, aspect: str | None, below: float | None, columns: Sequence[str],
    output: Path, layout: str,
) -> None:  # fmt: skip
    """Which share of the rated rows is good, by score: the second table of nlgauge calibrate."""
    from nlgauge.show.plots.reliability import reliability as run

    check_figure(output)
    table, rated = read_rated(scores, outputs, columns)
    result = run(table, rated, metric=metric, aspect=aspect, below=below)
    show("reliability", result, output, layout, kind="plot")
