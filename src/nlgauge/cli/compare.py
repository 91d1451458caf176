"""The command nlgauge compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import nlgauge
from nlgauge.cli.joining import joined
from nlgauge.cli.options import (
    ADDED,
    CLUSTER_OF_OUTPUTS,
    IN_FORMATS,
    LABEL,
    LOADING_OF_RUNS,
    PLACE,
    caching,
    example,
    labels_given,
)
from nlgauge.cli.outputs import clustered, labelled, read_outputs, scores_of
from nlgauge.cli.terminal import show
from nlgauge.errors import SpecError


@click.command(epilog=example("nlgauge compare scores.jsonl v1 v2"))
@click.argument("scores", metavar="SCORES|OUTPUTS", type=PLACE)
@click.argument("a", required=False)
@click.argument("b", required=False)
@click.option("--metric", help="Only this metric, by its spec or name; or 'spec sub-score'.")
@click.option("--parts", is_flag=True, help="Print every sub-score of the metrics, not only the deciding one.")
@click.option("--margin", type=float, help="The loss that would not matter: is A no worse than B by so much?")
@click.option("--items", type=click.IntRange(min=2), help="Plan a study of so many items: what it would show.")
@CLUSTER_OF_OUTPUTS
@ADDED
@LOADING_OF_RUNS
@caching
@LABEL
@IN_FORMATS
def compare(
    scores: Path,
    a: str | None,
    b: str | None,
    metric: str | None,
    parts: bool,
    margin: float | None,
    items: int | None,
    outputs: Path | None,
    cluster: str | None,
    columns: Sequence[str],
    add: Sequence[str],
    lower: Sequence[str],
    layout: str,
    **loading: Any,
) -> None:
    """Is system A better than system B by a scores file, or is the difference noise?

    A and B may be left out where the file holds two systems. Files of outputs (nlgauge compare v1.jsonl v2.jsonl) are
    scored first, by --metric. The default is the probability that the source supports each answer, or TokenF1 where
    rows have references only.

    The answer begins with a sentence. A table has for each metric both means over the items that both systems have,
    their difference with its 95 % interval, p (corrected by Holm for all scores shown that have a direction), the
    number of items that would show a difference of this size in 80 % of studies, and the smallest difference that the
    present items would show as often. A star marks the better system where p is below 0.05. With --margin: is A no
    worse than B by the margin, or equivalent? JSON has every score of the metrics, and the effect size.
    """
    from nlgauge.data.table.outliers import outliers
    from nlgauge.data.table.selection import selected

    if margin is not None and items is not None:
        raise SpecError("--items plans a study without --margin; with it, the column 'items needed' is the plan")
    files = [scores]
    if a is not None and b is None and Path(a).is_file():
        files, a = [scores, Path(a)], None
    now = len(files) > 1 or not nlgauge.ScoreTable.is_at(scores)
    if not now and ((outputs is None and columns) or (outputs is not None and cluster is None and not add)):
        raise SpecError("--outputs and --map are of --cluster and --add: give one of them too")
    if now and outputs is not None:
        raise SpecError("--outputs names the outputs of a scores file: leave it out")
    table, corpus = scores_of(files, columns, [_spec(metric)] if now and metric else [], loading)
    if now and metric is None:
        (spec,) = table.columns
        metric = table.columns[spec].label(spec, table.columns[spec].shown[0])
    if outputs is not None:
        corpus = read_outputs(outputs, columns, on_missing="skip")
    table, _ = labelled(clustered(joined(table, add, lower=lower, outputs=corpus, file=outputs), corpus, cluster))
    a, b = _two(table, [labels_given().get(name, name) for name in (a, b) if name is not None])
    # A metric's other parts are no further questions, so they are not corrected for where nobody asked for them.
    named = metric is not None and len(table.named(metric)[1]) == 1
    whole = parts or named or layout == "json"
    asked = table if whole else selected(table, None if metric is None else [metric])
    comparison = nlgauge.compare(asked, a, b, metric, margin=margin, items=items)
    answer = replace(comparison, columns=table.columns).to_answer()  # with the sub-scores that are not shown
    of = table.columns if metric is None else [table.named(metric)[0]]
    more = 0 if whole else sum(len(table.columns[spec].shown) for spec in of) - len(comparison)
    answer = replace(
        answer,
        record={**answer.record, "cluster": cluster},
        legend=[*answer.legend, *([f"--parts shows {more} more"] if more else [])],
        notes=[*answer.notes, *outliers(asked, (a, b))],
    )
    show(answer, layout)


def _spec(metric: str) -> str:
    """Return the spec in the value of --metric, which is a spec, or a spec and a sub-score."""
    from nlgauge import registry

    head, _, part = metric.rpartition(" ")
    return head if head.endswith(")") or (head and part in registry.metric(head).parts) else metric


def _two(table: nlgauge.ScoreTable, named: Sequence[str]) -> Sequence[str]:
    if len(named) == 2:
        return named
    if not named and len(table.systems) == 2:
        return table.systems
    held = ", ".join(table.systems[:20])
    raise SpecError(f"name the two systems to compare, A and B: the scores are of {held}")
