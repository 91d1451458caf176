"""nlgauge calibrate."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

import nlgauge
from nlgauge.cli.options import IN_FORMATS, ONE_ASPECT, PLACE
from nlgauge.cli.streams import remark, show_json
from nlgauge.cli.terminal import on_some_ratings, show_tables
from nlgauge.data.atomic_write import refuse_place
from nlgauge.errors import SpecError
from nlgauge.render.tables import Cell, Number

_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
_WAYS = ("risk", "recall", "f1", "cost", "precision")


@click.command(short_help="Choose a threshold for check, from scores and a few ratings.")
@on_some_ratings
@click.option("-m", "--metric", help="A metric of the scores, with its part; may be left out where there is one.")
@ONE_ASPECT
@click.option("--below", type=float, metavar="X", help="Rows rated below X are bad; where ratings are not 0 or 1.")
@click.option("--risk", type=_SHARE, default=0.1, show_default=True, help="At most this share of passing rows is bad.")
@click.option("--recall", type=_SHARE, metavar="X", help="Promise too that at least this share of bad rows is stopped.")
@click.option("--confidence", type=_SHARE, default=0.9, show_default=True, help="Confidence that a promise is kept.")
@click.option("--by", type=click.Choice(_WAYS), help="Which threshold -o writes; recall with --recall, else risk.")
@click.option("--system", metavar="NAME", help="Rows of this system alone.")
@click.option("--cost", type=click.FloatRange(min=0, min_open=True), default=1.0, show_default=True,
              help="What a bad row that passes costs, a good one that is stopped costing 1.")  # fmt: skip
@click.option("--precision", type=_SHARE, default=0.9, show_default=True,
              help="At least this share of stopped rows is bad.")  # fmt: skip
@click.option("-o", "--output", type=PLACE, help="Write the threshold here, for nlgauge check --threshold.")
@IN_FORMATS
def calibrate(
    table: nlgauge.ScoreTable, rated: nlgauge.Corpus, risk: float, recall: float | None, confidence: float,
    by: str | None, output: Path | None, layout: str, **how: Any,
) -> None:  # fmt: skip
    """A threshold with a promise: of the rows that pass it, at most the share --risk is bad, with --confidence.

    With --recall there is one more: of the bad rows, at least that share is stopped. Where the ratings cannot certify
    one, it says so, writes nothing and ends with exit code 1. Three thresholds without a promise stand beside it, and
    how many rows are good at which score. docs/guides/estimate.md explains it.
    """
    from nlgauge.reports.plots.scatter import Reliability

    refuse_place(output)
    by = by or ("risk" if recall is None else "recall")
    if by == "recall" and recall is None:
        raise SpecError("--by recall: say with --recall which share of the bad rows is to be stopped")
    found = nlgauge.calibrate(table, rated, risk=risk, recall=recall, confidence=confidence, **how)
    if layout == "json":
        show_json("calibrate", **{name: value for name, value in vars(found).items() if name != "thresholds"})
    else:
        thresholds: list[list[Cell]] = [
            ["threshold by", "threshold", "rows that pass", "bad among these", "bad rows stopped"]
        ]
        for one in found.chosen:
            shares = [Number(share, digits=3) for share in (one.passing, one.bad, one.recall)]
            thresholds.append([one.by, Number(one.threshold), *shares])
        show_tables([thresholds, *Reliability.of(found).tables()], layout)
    remark(f"{found.metric}, {found.aspect}: {found.bad} of {found.n} rated rows are bad", *found.notes)
    missing = next((one.reason for one in found.chosen if one.by == by and one.reason), None)
    if missing:
        remark(missing)
        sys.exit(1)
    threshold = found.threshold(by)
    if threshold.confidence is not None:
        promise = f"of what passes {threshold.threshold:.4g}, at most {risk:.0%} is bad"
        if threshold.recall is not None:
            promise = f"of what is bad, at least {threshold.recall:.0%} does not pass {threshold.threshold:.4g}"
        remark(f"{promise}, with {confidence:.0%} confidence; {threshold.passing:.0%} of the scored rows pass")
    remark("f1, cost and precision: without a promise; what they do is of rows they were not chosen on")
    if output is not None:
        threshold.save(output)
