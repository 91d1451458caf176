"""nlgauge sample."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from nlgauge.cli.options import MAP, PLACE, SEED
from nlgauge.cli.streams import remark
from nlgauge.cli.terminal import read_outputs
from nlgauge.data.atomic_write import refuse_place
from nlgauge.errors import SpecError


@click.command(short_help="Choose rows for people to rate: a sheet or a page.")
@click.argument("outputs", type=PLACE)
@click.option("--scores", type=PLACE, help="Scores of these outputs: draw within groups of neighbouring scores.")
@click.option("-m", "--metric", help="The metric of --scores; may be left out where there is one.")
@click.option("-n", "count", type=click.IntRange(min=1), default=100, show_default=True, help="How many rows to draw.")
@click.option("--strata", type=click.IntRange(min=1), default=5, show_default=True, help="How many groups by score.")
@click.option("--allocation", type=click.Choice(("proportional", "neyman")), default="proportional", show_default=True,
              help="neyman draws more rows from groups whose scores differ more.")  # fmt: skip
@click.option("--cluster", metavar="COLUMN", help="Draw whole clusters: all rows that share its value; item, for one.")
@click.option("--aspect", default="rating", show_default=True, help="What is rated.")
@click.option("--scale", default="0-1", show_default=True, help="The ratings that the page offers, as in 1-5.")
@SEED
@MAP
@click.option("-o", "--output", type=PLACE, required=True, help="to-rate.html, .csv, .tsv or .jsonl; repeatable.",
              multiple=True)  # fmt: skip
def sample(
    outputs: Path, scores: Path | None, count: int, aspect: str, scale: str, columns: Sequence[str],
    output: Sequence[Path], **how: Any,
) -> None:  # fmt: skip
    """Draw rows for people to rate, in random order and without their systems.

    Beside -o NAME.csv (a sheet) or NAME.html (a page with keys for the ratings) it writes NAME.key.jsonl: which row is
    which, and how it was drawn. nlgauge estimate and nlgauge calibrate take the ratings with this key.
    """
    from nlgauge import ScoreTable
    from nlgauge import sample as run
    from nlgauge.show.page.sheet import write_sheet

    low, _, high = scale.partition("-")
    if not (low.isdecimal() and high.isdecimal() and 0 <= int(low) < int(high) <= 9):
        raise SpecError(f"--scale {scale}: give two whole numbers from 0 to 9, as in 0-1 or 1-5")
    key = output[0].with_name(f"{output[0].stem}.key.jsonl")
    refuse_place(*output, key)
    corpus = read_outputs(outputs, columns)
    draw = run(corpus, count, scores=None if scores is None else ScoreTable.load(scores), **how)
    for place in output:
        write_sheet(place, corpus, draw, aspect, range(int(low), int(high) + 1))
        click.echo(str(place))
    draw.save(key)
    click.echo(str(key))
    remark(f"{len(draw.sheet)} of {len(corpus)} rows were drawn; keep the key from those who rate")
