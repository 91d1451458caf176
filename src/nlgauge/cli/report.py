"""nlgauge report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from nlgauge.cli.streams import remark
from nlgauge.cli.terminal import CLUSTER, LABEL, PLACE, beside, clustered, labelled, of_text_files, read_outputs
from nlgauge.data.atomic_write import refuse_place
from nlgauge.errors import InputError


@click.command(short_help="Write a scores file as one HTML page.")
@click.argument("scores", type=PLACE)
@click.option("--outputs", type=PLACE, help="The table that was scored: its texts, and its ratings if it has any.")
@of_text_files
@click.option("-o", "--output", type=PLACE, required=True, help="Where to write the page (HTML).")
@click.option("--map", "columns", multiple=True, metavar="OURS=THEIRS", help="Column names of --outputs; repeatable.")
@click.option("--title", help="By default it names the systems.")
@click.option("--level", help="Level of agreement with ratings: item, system or pooled; item from 3 systems on.")
@click.option(
    "--coefficient", default="pearson", show_default=True, help="Coefficient of that agreement; see docs/meta.md."
)
@CLUSTER
@LABEL
@click.option("--history", type=PLACE, help="What nlgauge check --history kept: the page draws the score by day.")
@click.option(
    "--rows", type=click.IntRange(min=1), default=10_000, show_default=True, help="At most so many are listed."
)
@click.option(
    "--replicates",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="How many resamples the intervals and tests are computed from.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
def report(
    scores: Path, outputs: Path | None, output: Path, candidates: Sequence[Path], references: Sequence[Path],
    source: Path | None, context: Path | None, systems: Sequence[str], columns: Sequence[str], title: str | None,
    level: str | None, coefficient: str, cluster: str | None, history: Path | None, rows: int, replicates: int,
    seed: int,
) -> None:  # fmt: skip
    """Write a scores file as one HTML page: which system is best, how sure that is, and where it fails.

    The page opens from disk, needs no network and can be mailed. With --outputs, or with --candidates and the other
    text files that were scored, it shows the texts of every row. What scores are based on is drawn there if the scores
    were made with --evidence.
    """
    from nlgauge import ScoreTable
    from nlgauge import report as run

    refuse_place(output)
    if columns and outputs is None and not candidates:
        raise InputError("--map names the columns of the outputs", remedy="give --outputs too")
    table = ScoreTable.load(scores)
    given = outputs or candidates or references or source or context or systems
    texts = (candidates, references, source, context, systems, columns)
    corpus = read_outputs(outputs, *texts, on_missing="skip") if given else None
    table, corpus = labelled(clustered(table, corpus, cluster), corpus)
    notes = run(
        table, output, outputs=corpus, title=title, level=level, coefficient=coefficient,
        history=history, rows=rows, replicates=replicates, seed=seed,
    )  # fmt: skip
    for note in notes:
        remark(note)
    with beside(output):
        click.echo(output)
