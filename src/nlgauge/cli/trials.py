"""The command nlgauge trials."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import nlgauge
from nlgauge.cli.options import (
    CLUSTER_OF_OUTPUTS,
    IN_FORMATS,
    LABEL,
    LOADING_OF_RUNS,
    MAP,
    PLACE,
    REPEATS,
    SPEC,
    caching,
    example,
    numbers,
)
from nlgauge.cli.outputs import clustered, labelled, read_outputs, scores_of
from nlgauge.cli.terminal import beside, show
from nlgauge.data.atomic_write import refuse_place
from nlgauge.errors import SpecError


def _costs(_context: click.Context, _parameter: click.Parameter, text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        item, trial = map(float, text.split(","))
    except ValueError:
        item = trial = math.nan
    if not (math.isfinite(item) and math.isfinite(trial)):
        raise SpecError(f"--costs {text}: write what an item and what a trial costs, as in --costs 10,1")
    return item, trial


@click.command(epilog=example("nlgauge trials trials.jsonl -m \"Column('passed')\" --costs 10,1"))
@click.argument("files", metavar="SCORES|OUTPUTS...", type=PLACE, nargs=-1, required=True)
@click.option("-m", "--metric", type=SPEC, help="The score of a trial: a metric, or a column of the rows.")
@click.option(
    "--pass-at", type=float, help="A trial passes with this score or a better one; needed unless it is 0 or 1."
)
@click.option("-k", callback=numbers(int), metavar="K,...", help="Of how many trials; by default 1, 2, 4, ...")
@click.option(
    "--costs",
    callback=_costs,
    metavar="ITEM,TRIAL",
    help="What an item without its trials costs, and a trial: would more items say more, or more trials?",
)
@click.option("--allow-missing", is_flag=True, help="Leave trials without a score out, and say how many.")
@click.option("-o", "--output", type=PLACE, help="Write a page with items by trials here (HTML).")
@CLUSTER_OF_OUTPUTS
@MAP
@REPEATS
@LOADING_OF_RUNS
@caching
@LABEL
@IN_FORMATS
def trials(
    files: Sequence[Path],
    metric: str | None,
    pass_at: float | None,
    k: Sequence[int] | None,
    costs: tuple[float, float] | None,
    allow_missing: bool,
    output: Path | None,
    outputs: Path | None,
    cluster: str | None,
    columns: Sequence[str],
    layout: str,
    **how: Any,
) -> None:
    """How reliable are systems that run several times on each item?

    Rows name their trial in a column trial. For each system, the command prints the chance that at least one of k
    trials passes (pass@k), and the chance that all of k pass (pass^k), with intervals over items; the share of items
    whose trials differ; and how much of the variance is between items, and between trials. Several systems are tested
    against each other by pass^k of the largest k, on the items that they share. Each of several files of outputs
    is a system. nlgauge check --trials K is the gate.
    """
    from nlgauge.reports.trials import trials_page

    refuse_place(output)
    now = len(files) > 1 or not nlgauge.ScoreTable.is_at(files[0])
    if now and metric is None:
        raise SpecError("name the score of a trial: -m \"Column('passed')\" for a column of the rows, or a metric")
    if now and outputs is not None:
        raise SpecError("--outputs names the outputs of a scores file: leave it out")
    if outputs is not None and cluster is None:
        raise SpecError("--outputs is of --cluster: give it too")
    if not now and columns and outputs is None:
        raise SpecError("--map names columns of outputs, and a scores file has none")
    table, corpus = scores_of(files, columns, [metric] if now and metric is not None else [], how)
    if outputs is not None:
        corpus = read_outputs(outputs, columns, on_missing="skip")
    table, _ = labelled(clustered(table, corpus, cluster))
    results = nlgauge.trials(table, metric, pass_at=pass_at, k=k, costs=costs, allow_missing=allow_missing)
    if output is not None:
        trials_page(results, output)
    with beside(output):
        show(results, layout)
