"""nlgauge train combination."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nlgauge._version import __version__
from nlgauge.cli.streams import remark, show_json
from nlgauge.cli.terminal import IN_FORMATS, PLACE, beside, read_outputs, show_tables
from nlgauge.data.atomic_write import refuse_place
from nlgauge.data.to_json import plainly
from nlgauge.errors import SpecError
from nlgauge.show.tables import Cell, Number

if TYPE_CHECKING:
    from nlgauge.meta.combination import Combined


@click.command()
@click.option("--scores", type=PLACE, required=True, help="What nlgauge score -o wrote for the rated outputs.")
@click.option("--ratings", "outputs", type=PLACE, required=True, help="The rated outputs: a table as for score.")
@click.option("--aspect", help="Which rating to fit to; may be left out where there is one.")
@click.option("-o", "--output", type=PLACE, required=True, help="Write the weights here (JSON).")
@click.option(
    "-m", "--metric", "metrics", multiple=True, help="A metric of the scores, or 'spec part'; all by default."
)
@click.option("--method", default="nnls", show_default=True, help="nnls (no weight is negative) or ridge.")
@click.option(
    "--folds", type=click.IntRange(min=2), default=5, show_default=True, help="Into how many folds the items are split."
)
@click.option("--level", default="item", show_default=True, help="Level of the agreement: item, system or pooled.")
@click.option(
    "--coefficient", default="pearson", show_default=True, help="Coefficient of the agreement; see docs/meta.md."
)
@click.option("--predictions", type=PLACE, help="Write what was predicted out of fold here, as a scores file.")
@click.option("--map", "columns", multiple=True, metavar="OURS=THEIRS", help="Column names; repeatable.")
@click.option("--resample", default="both", show_default=True, help="What intervals resample: items, systems or both.")
@click.option("--replicates", type=click.IntRange(min=0), default=1000, show_default=True, help="How many resamples.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@IN_FORMATS
def combination(
    scores: Path, outputs: Path, aspect: str | None, output: Path, metrics: Sequence[str], method: str, folds: int,
    level: str, coefficient: str, predictions: Path | None, columns: Sequence[str], resample: str, replicates: int,
    seed: int, layout: str,
) -> None:  # fmt: skip
    """Fit weights of several metrics to ratings; -m "Combination(weights='FILE')" scores with them.

    Needs no optional library. Agreement is that of rows whose items the weights were not fitted to. In text output,
    weights are per standard deviation of the metric, in the unit of the ratings.
    """
    from nlgauge import ScoreTable
    from nlgauge.meta.combination import combine

    refuse_place(output, predictions)
    rated = read_outputs(outputs, (), (), None, None, (), columns)
    combined = combine(
        ScoreTable.load(scores), rated, aspect, metrics=metrics or None, method=method, folds=folds, level=level,
        coefficient=coefficient, resample=resample, replicates=replicates, seed=seed,
    )  # fmt: skip
    fitted = combined.combination
    fitted.save(output)
    if predictions is not None:
        combined.predictions.save(predictions)
    with beside(output), beside(predictions):
        _show(combined, layout, f"{fitted.aspect}, {coefficient}, {level}")
    _tell(combined, output)


def _show(combined: Combined, layout: str, head: str) -> None:

    if layout == "json":
        fitted = combined.combination
        record = {
            "nlgauge": __version__,
            "weights": {**plainly(fitted), "members": [plainly(member) for member in fitted.members]},
            "agreements": [plainly(one) for one in combined.agreements],
            "rows": combined.rows,
            "items": combined.items,
            "unrated": combined.unrated,
            "left_out": combined.left_out,
            "penalties": combined.penalties,
            "notes": combined.notes,
        }
        show_json(record)
    else:
        show_tables(_tables(combined, head), layout)


def _tables(combined: Combined, head: str) -> list[list[list[Cell]]]:
    """The weights; and the agreement of what was predicted out of fold."""
    weights: list[list[Cell]] = [[m.name, Number(m.weight)] for m in combined.combination.members]
    cells: list[list[Cell]] = [["out of fold", head]]
    for one in combined.agreements:
        several = len(combined.predictions.columns[one.metric].parts) > 1
        cells.append([one.metric + (f" {one.part}" if several else ""), Number(one.value, one.low, one.high)])
    return [[["member", "weight"], *weights], cells]


def _tell(combined: Combined, output: Path) -> None:
    from nlgauge.metrics.combination import Combination

    remark(f"fitted to {combined.rows} rows of {combined.items} items")
    if combined.unrated:
        remark(f"{combined.unrated} rows without a rating left out")
    for member, count in combined.left_out.items():
        remark(f"{count} rated rows left out, where {member} has no number")
    for note in combined.notes:
        remark(note)
    try:
        remark(f"score with it: -m {Combination(weights=str(output))}")
    except SpecError as error:
        remark(f"saved tables only can be combined (meta.combination.applied): {error}")
