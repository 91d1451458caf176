"""The command nlgauge report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from nlgauge.cli.joining import joined, read_ratings
from nlgauge.cli.options import (
    ADDED,
    CLUSTER,
    COEFFICIENT,
    LABEL,
    PLACE,
    RATINGS_HELP,
    REPLICATES_OF_TESTS,
    SEED,
    TEXT_FILES,
    example,
)
from nlgauge.cli.outputs import clustered, labelled, loaded, read_outputs
from nlgauge.cli.streams import remark
from nlgauge.cli.terminal import beside
from nlgauge.data.atomic_write import refuse_place
from nlgauge.errors import InputError


@click.command(epilog=example("nlgauge report scores.jsonl --outputs answers.jsonl -o report.html"))
@click.argument("scores", type=PLACE)
@click.option("--outputs", type=PLACE, help="The table that was scored: its texts, and its ratings if it has any.")
@click.option("--ratings", type=PLACE, help=f"{RATINGS_HELP} In place of those of --outputs.")
@TEXT_FILES
@click.option("-o", "--output", type=PLACE, required=True, help="Where to write the page (HTML).")
@ADDED
@click.option("--title", help="By default it names the systems.")
@click.option("--level", help="Level of agreement with ratings: item, system or pooled; item from 3 systems on.")
@COEFFICIENT
@CLUSTER
@LABEL
@click.option("--history", type=PLACE, help="The file of nlgauge check --history: the page draws the score by day.")
@click.option(
    "--rows", type=click.IntRange(min=1), default=10_000, show_default=True, help="At most so many are listed."
)
@REPLICATES_OF_TESTS
@SEED
def report(
    scores: Path,
    outputs: Path | None,
    output: Path,
    candidates: Sequence[Path],
    references: Sequence[Path],
    source: Path | None,
    context: Path | None,
    systems: Sequence[str],
    columns: Sequence[str],
    cluster: str | None,
    add: Sequence[str],
    lower: Sequence[str],
    ratings: Path | None,
    **how: Any,
) -> None:
    """Write a scores file as one HTML page: which system is best, how sure that is, and where it fails.

    The page opens from disk, needs no network and can be mailed. With --outputs, or with --candidates and the other
    text files that were scored, it shows the texts of every row. Evidence, which says what scores are based on, is
    drawn there if the scores were made with --evidence.
    """
    from nlgauge import report as run
    from nlgauge.ratings.project import ProjectRatings

    refuse_place(output)
    if columns and outputs is None and not candidates:
        raise InputError("--map names the columns of the outputs", remedy="give --outputs too")
    table = loaded(scores)
    corpus = None
    if outputs or candidates or references or source or context or systems:
        corpus = read_outputs(
            outputs,
            columns,
            candidates=candidates,
            references=references,
            source=source,
            context=context,
            systems=systems,
            on_missing="skip",
            tell=False,
        )
    rated = None if ratings is None else read_ratings(ratings, ())
    with_columns, file = (rated, ratings) if corpus is None else (corpus, outputs)
    table = joined(table, add, lower=lower, outputs=with_columns, file=file)
    rated = labelled(table, rated)[1]
    table, corpus = labelled(clustered(table, corpus, cluster), corpus)
    remark(*(rated.told() if isinstance(rated, ProjectRatings) else ()))
    remark(*run(table, output, outputs=corpus, ratings=rated, **how))
    with beside(output):
        click.echo(output)
