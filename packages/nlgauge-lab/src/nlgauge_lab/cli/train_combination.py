"""nlgauge train combination."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nlgauge.cli.options import (
    COEFFICIENT,
    IN_FORMATS,
    LEVEL,
    MAP,
    ONE_ASPECT,
    PLACE,
    REPLICATES,
    RESAMPLE,
    SEED,
    example,
    ratings,
)
from nlgauge.cli.outputs import read_outputs
from nlgauge.cli.streams import remark, show_json
from nlgauge.cli.terminal import beside, show_tables
from nlgauge.data.atomic_write import refuse_place
from nlgauge.errors import SpecError
from nlgauge.show.tables import Cell, Number

if TYPE_CHECKING:
    from nlgauge_lab.combination import Combined


@click.command(
    epilog=example("nlgauge train combination --scores scores.jsonl --ratings answers.jsonl -o weights.json")
)
@click.option("--scores", type=PLACE, required=True, help="What nlgauge score -o wrote for the rated outputs.")
@ratings(required=True)
@ONE_ASPECT
@click.option("-o", "--output", type=PLACE, required=True, help="Write the weights here (JSON).")
@click.option(
    "-m", "--metric", "metrics", multiple=True, help="A metric of the scores, or 'spec part'; all by default."
)
@click.option("--method", default="nnls", show_default=True, help="nnls (no weight is negative) or ridge.")
@click.option(
    "--folds", type=click.IntRange(min=2), default=5, show_default=True, help="Into how many folds the items are split."
)
@LEVEL
@COEFFICIENT
@click.option("--predictions", type=PLACE, help="Write what was predicted out of fold here, as a scores file.")
@MAP
@RESAMPLE
@REPLICATES
@SEED
@IN_FORMATS
def combination(
    scores: Path,
    outputs: Path,
    aspect: str | None,
    output: Path,
    metrics: Sequence[str],
    predictions: Path | None,
    columns: Sequence[str],
    layout: str,
    **how: Any,
) -> None:
    """Fit weights of several metrics to ratings; -m "Combination(weights='FILE')" scores with them.

    Needs no optional library. The agreement that it prints is out of fold: weights predict only rows whose items they
    were not fitted to. In text output, weights are per standard deviation of the metric, in the unit of the ratings.
    """
    from nlgauge import ScoreTable
    from nlgauge_lab.combination import combine

    refuse_place(output, predictions)
    rated = read_outputs(outputs, columns)
    combined = combine(ScoreTable.load(scores), rated, aspect, metrics=metrics or None, **how)
    fitted = combined.combination
    fitted.save(output)
    if predictions is not None:
        combined.predictions.save(predictions)
    with beside(output), beside(predictions):
        _show(combined, layout, f"{fitted.aspect}, {how['coefficient']}, {how['level']}")
    _tell(combined, output)


def _show(combined: Combined, layout: str, head: str) -> None:
    if layout == "json":
        told = ("rows", "items", "unrated", "left_out", "penalties")
        rest = {name: getattr(combined, name) for name in told}
        show_json(
            "train combination", combined.notes, weights=combined.combination, agreements=combined.agreements, **rest
        )
        return
    weights: list[list[Cell]] = [["member", "weight"]]
    weights += [[member.name, Number(member.weight)] for member in combined.combination.members]
    agreements: list[list[Cell]] = [["out of fold", head]]
    for one in combined.agreements:
        name = combined.predictions.columns[one.metric].label(one.metric, one.part)
        agreements.append([name, Number(one.value, one.low, one.high)])
    show_tables([weights, agreements], layout)


def _tell(combined: Combined, output: Path) -> None:
    from nlgauge_lab.metrics.combination import Combination

    remark(f"fitted to {combined.rows} rows of {combined.items} items")
    if combined.unrated:
        remark(f"{combined.unrated} rows without a rating left out")
    for member, count in combined.left_out.items():
        remark(f"{count} rated rows left out, where {member} has no number")
    remark(*combined.notes)
    try:
        remark(f"score with it: -m {Combination(weights=str(output))}")
    except SpecError as error:
        remark(f"saved tables only can be combined (nlgauge_lab.combination.applied): {error}")
