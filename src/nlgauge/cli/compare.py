"""nlgauge compare."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import nlgauge
from nlgauge.cli.options import (
    ADDED,
    CLUSTER_OF_OUTPUTS,
    IN_FORMATS,
    LABEL,
    LOADING,
    PLACE,
    caching,
    example,
    labels_given,
)
from nlgauge.cli.streams import remark, show_json
from nlgauge.cli.terminal import clustered, joined, labelled, read_outputs, say, scores_of, show_tables
from nlgauge.errors import SpecError
from nlgauge.render.tables import Cell, Chance, Number

if TYPE_CHECKING:
    from nlgauge.stats.comparison import Comparison, Difference


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
@LOADING
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
    """Is system A better than system B by a scores file, or is that noise?

    A and B may be left out where the file holds two systems. Outputs (nlgauge compare v1.jsonl v2.jsonl) are scored now
    by --metric; by default, by the probability that the source supports each answer.

    First a sentence. Per metric: both means over the items that both have, their difference with its 95 % interval, p
    (corrected by Holm for all scores shown that have a direction), how many items would show a difference of this size
    in 80 % of studies, and the smallest difference that these items show. A
    star marks the better of the two where p is below 0.05. With --margin: is A no worse than B by the margin, or
    equivalent? JSON has every score of the metrics, and the effect size.
    """
    from nlgauge.data.table.outliers import outliers
    from nlgauge.stats.gate.thresholds import METRIC, PART
    from nlgauge.stats.selection import selected

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
    if now and metric is None:
        metric = f"{METRIC} {PART}"
    table, corpus = scores_of(files, columns, [_spec(metric)] if now and metric else [], loading)
    if outputs is not None:
        corpus = read_outputs(outputs, columns, on_missing="skip")
    table, _ = labelled(clustered(joined(table, add, lower, corpus, outputs), corpus, cluster))
    a, b = _two(table, [labels_given().get(name, name) for name in (a, b) if name is not None])
    # A metric's other parts are no further questions, so they are not corrected for where nobody asked for them.
    named = metric is not None and len(table.named(metric)[1]) == 1
    whole = parts or named or layout == "json"
    asked = table if whole else selected(table, None if metric is None else [metric])
    comparison = nlgauge.compare(asked, a, b, metric, margin=margin, items=items)
    notes = [*_notes(comparison.records), *comparison.notes, *outliers(asked, (a, b))]
    if layout == "json":
        asked_for = {"a": a, "b": b, "cluster": cluster, "margin": margin, "items": items}
        show_json("compare", notes, answer=comparison.answer, **asked_for, differences=comparison.records)
    else:
        say([comparison.answer], layout)
        show_tables([_table(table, comparison, margin, items)], layout)
        remark(*_legend(comparison, margin))
        of = table.columns if metric is None else [table.named(metric)[0]]
        more = sum(len(table.columns[spec].shown) for spec in of) - len(comparison)
        if more and not whole:
            remark(f"--parts shows {more} more")
    remark(*notes)


def _spec(metric: str) -> str:
    """The spec of 'spec', and of 'spec sub-score'."""
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


def _table(
    table: nlgauge.ScoreTable, comparison: Comparison, margin: float | None, items: int | None
) -> list[list[Cell]]:
    """A line a metric: with a margin, what is said of it; without, p and what the items can show."""
    heads: list[Cell] = ["metric", "n", comparison.a, comparison.b, "difference"]
    if margin is None:
        shows = "shows" if items is None else f"{items:,} show"
        heads += ["p", "items needed", shows]
    else:
        heads += ["p, no worse", "p, alike", f"{comparison.a} is", "items needed"]
    return [heads, *(_cells(table, one, margin) for one in comparison)]


def _cells(table: nlgauge.ScoreTable, one: Difference, margin: float | None) -> list[Cell]:
    from nlgauge.stats.comparison import SIGNIFICANCE

    column = table.columns[one.metric]
    upwards = (one.difference > 0) == column.higher_is_better
    told = one.better is not None and one.adjusted < SIGNIFICANCE and margin is None
    needed = Number(one.needed if math.isfinite(one.needed) else math.nan, digits=0)
    cells: list[Cell] = [
        column.label(one.metric, one.part) + column.arrow(one.part),
        Number(one.n if column.level == "item" else math.nan, digits=0),
        Number(one.a, mark="best" if told and upwards else ""),
        Number(one.b, mark="best" if told and not upwards else ""),
        Number(one.difference, one.low, one.high),
    ]
    if margin is not None:
        return [*cells, Chance(one.no_worse), Chance(one.alike), _said(one), needed]
    p = one.p if math.isnan(one.adjusted) else one.adjusted
    return [*cells, Chance(p), needed, Number(one.detectable)]


def _said(one: Difference) -> str:
    """Return what the tests against a margin say of A."""
    from nlgauge.stats.comparison import SIGNIFICANCE

    if math.isnan(one.no_worse):
        return "-"
    if one.alike < SIGNIFICANCE:
        return "equivalent"
    return "no worse" if one.no_worse < SIGNIFICANCE else "not shown"


def _legend(comparison: Comparison, margin: float | None) -> Iterator[str]:
    from nlgauge.maths.intervals import unequal
    from nlgauge.stats.comparison import SIGNIFICANCE

    family = [one for one in comparison if not math.isnan(one.adjusted)]
    corrected = f", corrected by Holm for {len(family)} scores" if len(family) > 1 else ""
    if any(one.better is not None and one.adjusted < SIGNIFICANCE for one in family) and margin is None:
        yield f"* better, p < {SIGNIFICANCE}{corrected}"
    elif corrected and margin is None:
        yield f"p: {corrected[2:]}"
    if margin is not None:
        yield f"no worse: no loss of {margin:g} or more (one-sided p < {SIGNIFICANCE}); equivalent: no such gain either"
        yield "each metric is tested alone, and the margin is in its own unit"
    if groups := {one.clusters for one in comparison if one.clusters is not None}:
        said = unequal(min(groups), min(one.effective for one in comparison if one.clusters is not None))
        yield f"items in {min(groups)} clusters, each of which counts as a whole" + (f"; {said}" if said else "")


def _notes(comparison: Sequence[Difference]) -> Iterator[str]:
    """Yield what a reader has to know beside the table."""
    if wholes := list(dict.fromkeys(difference.metric for difference in comparison if difference.whole)):
        yield f"of all items together, and not means of their values: {', '.join(wholes)}"
    parts: dict[tuple[str, str], list[str]] = {}  # by metric and what is to be said of them
    for one in comparison:
        left_out = f"{one.undefined} of {one.n + one.undefined} items left out, where one of the two has no value"
        for note in (left_out if one.undefined else None, one.reason):
            if note:
                parts.setdefault((one.metric, note), []).append(one.part)
    for (metric, note), names in parts.items():
        yield f"{metric} {', '.join(names)}: {note}"
