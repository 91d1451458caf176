"""nlgauge sample."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from nlgauge.cli.options import ADDED, PLACE, RATING_LABEL, SEED
from nlgauge.cli.streams import remark
from nlgauge.cli.terminal import joined, read_outputs
from nlgauge.errors import SpecError


@click.command(short_help="Choose rows for people to rate: a folder with sheet and page.")
@click.argument("outputs", type=PLACE)
@click.option("--scores", type=PLACE, help="Scores of these outputs: draw within groups of neighbouring scores.")
@click.option("-m", "--metric", help="The metric of --scores; may be left out where there is one.")
@click.option("-n", "count", type=click.IntRange(min=1), default=100, show_default=True, help="How many rows to draw.")
@click.option("--strata", type=click.IntRange(min=1), default=5, show_default=True, help="How many groups by score.")
@click.option("--allocation", type=click.Choice(("proportional", "neyman")), default="proportional", show_default=True,
              help="neyman draws more rows from groups whose scores differ more.")  # fmt: skip
@click.option("--cluster", metavar="COLUMN", help="Draw whole clusters: all rows that share its value; item, for one.")
@click.option("--aspect", "aspects", multiple=True, help="What is rated; repeatable; rating by default.")
@click.option("--scale", "scales", multiple=True,
              help="The ratings that there are, as in 1-5; ASPECT=1-5 for one; repeatable; else 0-1.")  # fmt: skip
@RATING_LABEL
@SEED
@ADDED
@click.option("-o", "--output", type=PLACE, required=True, help="The folder to make; it must not hold anything yet.")
def sample(
    outputs: Path, scores: Path | None, metric: str | None, count: int, aspects: Sequence[str], scales: Sequence[str],
    labels: Sequence[str], columns: Sequence[str], add: Sequence[str], lower: Sequence[str], output: Path,
    seed: int, **how: Any,
) -> None:  # fmt: skip
    """Draw rows for people to rate, in random order and without their systems, and make a folder of them.

    The folder is a rating project. sheet.csv is for a spreadsheet, sheet.html is a page to rate in a browser,
    guideline.md is the beginning of a guideline for raters, and project.json says which row is which and how it was
    drawn. Put what raters send back into the folder: nlgauge estimate and nlgauge calibrate take it with --ratings.
    """
    from nlgauge import ScoreTable
    from nlgauge import sample as run
    from nlgauge.reports.page.sheet import GUIDELINE, LONGEST_CELL, PAGE, SHEET, refuse_folder, write_project
    from nlgauge.stats.labels import aspects_from
    from nlgauge.stats.matching import matched

    asked = aspects_from(list(aspects) or ["rating"], scales, labels)
    refuse_folder(output)
    corpus = read_outputs(outputs, columns)
    if scores is None and (add or lower):
        raise SpecError("--add and --lower are of the scores: add --scores")
    table = None if scores is None else joined(ScoreTable.load(scores), add, lower, corpus, outputs)
    corpus = corpus if table is None else matched(table, corpus)
    draw = run(corpus, count, scores=table, metric=metric, seed=seed, **how)
    design = {"n": count, "seed": seed, **how, "metric": metric, "scores": table is not None}
    project = write_project(output, corpus, draw, asked, design)
    for name in (SHEET, PAGE, GUIDELINE, "project.json"):
        click.echo(str(output / name))
    remark(f"{len(draw.sheet)} of {len(corpus)} rows were drawn for the project {project.id}")
    remark("keep project.json from those who rate: it names the system of each row")
    longest = max(len(text) for row in corpus for text in (row.candidate, row.source or "", row.context or ""))
    if longest > LONGEST_CELL:
        cut = f"spreadsheets cut texts after {LONGEST_CELL:,}"
        remark(f"the longest text of the outputs has {longest:,} characters, and {cut}: rate on the page")
