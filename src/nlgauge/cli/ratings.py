"""The commands nlgauge sample, estimate and calibrate, which use people's ratings of some rows."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import nlgauge
from nlgauge.cli.joining import joined, on_some_ratings
from nlgauge.cli.options import ADDED, ASPECT, IN_FORMATS, ONE_ASPECT, PLACE, RATING_LABEL, SEED, example
from nlgauge.cli.outputs import loaded, read_outputs
from nlgauge.cli.streams import remark
from nlgauge.cli.terminal import show
from nlgauge.data.atomic_write import refuse_place
from nlgauge.errors import SpecError


@click.command(epilog=example("nlgauge sample answers.jsonl --scores scores.jsonl -m Faithfulness -n 50 -o ratings"))
@click.argument("outputs", type=PLACE)
@click.option("--scores", type=PLACE, help="Scores of these outputs: draw within groups of neighbouring scores.")
@click.option("-m", "--metric", help="The metric of --scores; may be left out where there is one.")
@click.option("-n", "count", type=click.IntRange(min=1), default=100, show_default=True, help="How many rows to draw.")
@click.option("--strata", type=click.IntRange(min=1), default=5, show_default=True, help="How many groups by score.")
@click.option(
    "--allocation",
    type=click.Choice(("proportional", "neyman")),
    default="proportional",
    show_default=True,
    help="neyman draws more rows from groups whose scores differ more.",
)
@click.option("--cluster", metavar="COLUMN", help="Draw whole clusters: all rows that share its value; item, for one.")
@click.option("--aspect", "aspects", multiple=True, help="What is rated; repeatable; rating by default.")
@click.option(
    "--scale",
    "scales",
    multiple=True,
    help="The ratings that there are, as in 1-5; ASPECT=1-5 for one; repeatable; else 0-1.",
)
@RATING_LABEL
@SEED
@ADDED
@click.option("-o", "--output", type=PLACE, required=True, help="The folder to make; it must not hold anything yet.")
def sample(
    outputs: Path,
    scores: Path | None,
    metric: str | None,
    count: int,
    aspects: Sequence[str],
    scales: Sequence[str],
    labels: Sequence[str],
    columns: Sequence[str],
    add: Sequence[str],
    lower: Sequence[str],
    output: Path,
    seed: int,
    **how: Any,
) -> None:
    """Draw rows for people to rate, in random order and without their systems, and make a folder of them.

    The folder is a rating project. sheet.csv is for a spreadsheet, sheet.html is a page to rate in a browser,
    guideline.md is the beginning of a guideline for raters, and project.json says which row is which and how it was
    drawn. Put what raters send back into the folder: nlgauge estimate and nlgauge calibrate take it with --ratings.
    """
    from nlgauge import sample as run
    from nlgauge.ratings.labels import aspects_from
    from nlgauge.ratings.matching import matched
    from nlgauge.ratings.trials import each_trial
    from nlgauge.reports.page.sheet import GUIDELINE, LONGEST_CELL, PAGE, SHEET, refuse_folder, write_project

    asked = aspects_from(list(aspects) or ["rating"], scales, labels)
    refuse_folder(output)
    corpus = read_outputs(outputs, columns)
    if scores is None and (add or lower):
        raise SpecError("--add and --lower are of the scores: add --scores")
    table = None
    if scores is not None:
        rows = each_trial(corpus)
        table = joined(loaded(scores).per_trial(), add, lower=lower, outputs=rows, file=outputs)
        corpus = corpus if any(row.trial is not None for row in corpus) else matched(table, corpus)
    draw = run(corpus, count, scores=table, metric=metric, seed=seed, **how)
    design = {"n": count, "seed": seed, **how, "metric": metric, "scores": table is not None}
    project = write_project(output, corpus, draw=draw, aspects=asked, design=design)
    for name in (SHEET, PAGE, GUIDELINE, "project.json"):
        click.echo(str(output / name))
    remark(f"{len(draw.sheet)} of {len(corpus)} rows were drawn for the project {project.id}")
    remark("keep project.json from those who rate: it names the system of each row")
    longest = max(len(text) for row in corpus for text in (row.candidate, row.source or "", row.context or ""))
    if longest > LONGEST_CELL:
        cut = f"spreadsheets cut texts after {LONGEST_CELL:,}"
        remark(f"the longest text of the outputs has {longest:,} characters, and {cut}: rate on the page")


@click.command(epilog=example("nlgauge estimate scores.jsonl --ratings answers.jsonl -m Faithfulness"))
@on_some_ratings
@click.option("-m", "--metric", "metrics", multiple=True, help="A metric of the scores; repeatable; all by default.")
@ASPECT
@click.option("--below", type=float, metavar="X", help="Estimate the share of rows that are rated below X.")
@click.option(
    "--margin",
    type=click.FloatRange(min=0, min_open=True),
    metavar="X",
    help="Say how many further ratings make the interval plus or minus X.",
)
@click.option(
    "--confidence", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True
)
@click.option(
    "--scale",
    type=float,
    nargs=2,
    metavar="LOW HIGH",
    help="The least and the greatest rating that there can be, as in --scale 1 5.",
)
@IN_FORMATS
def estimate(
    table: nlgauge.ScoreTable,
    rated: nlgauge.Corpus,
    metrics: Sequence[str],
    aspects: Sequence[str],
    below: float | None,
    margin: float | None,
    layout: str,
    **how: Any,
) -> None:
    """Each system's mean rating with a valid interval, from the scores of all rows and the ratings of some.

    The answer begins with a sentence for each system and difference. The tables have the estimate, the mean by the
    ratings alone, and the effective number of ratings with its interval: the number that would give an interval as
    short without the metric. The rated rows have to be drawn at random, or by nlgauge sample. docs/guides/estimate.md
    explains it.
    """
    estimates = nlgauge.estimate(
        table, rated, metrics=metrics or None, aspects=aspects or None, below=below, margin=margin, **how
    )
    show(estimates, layout)


_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)
_WAYS = ("risk", "recall", "f1", "cost", "precision")


@click.command(
    epilog=example("nlgauge calibrate scores.jsonl --ratings answers.jsonl -m Faithfulness -o threshold.json")
)
@on_some_ratings
@click.option("-m", "--metric", help="A metric of the scores, with its sub-score; may be left out where there is one.")
@ONE_ASPECT
@click.option("--below", type=float, metavar="X", help="Rows rated below X are bad; where ratings are not 0 or 1.")
@click.option("--risk", type=_SHARE, default=0.1, show_default=True, help="At most this share of passing rows is bad.")
@click.option("--recall", type=_SHARE, metavar="X", help="Promise too that at least this share of bad rows is stopped.")
@click.option("--confidence", type=_SHARE, default=0.9, show_default=True, help="Confidence that a promise holds.")
@click.option("--by", type=click.Choice(_WAYS), help="Which threshold -o writes; recall with --recall, else risk.")
@click.option("--system", metavar="NAME", help="Rows of this system alone.")
@click.option(
    "--cost",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    show_default=True,
    help="What a bad row that passes costs, a good one that is stopped costing 1.",
)
@click.option(
    "--precision", type=_SHARE, default=0.9, show_default=True, help="At least this share of stopped rows is bad."
)
@click.option("--bands", is_flag=True, help="Judge no answers in other words than their source that it cannot read.")
@click.option("-o", "--output", type=PLACE, help="Write the threshold here, for nlgauge check --threshold.")
@IN_FORMATS
def calibrate(
    table: nlgauge.ScoreTable,
    rated: nlgauge.Corpus,
    risk: float,
    recall: float | None,
    confidence: float,
    by: str | None,
    output: Path | None,
    layout: str,
    **how: Any,
) -> None:
    """A threshold with a promise: of the rows that pass it, at most the share --risk is bad, with --confidence.

    With --recall there is a second promise: of the bad rows, at least that share is stopped. Where the ratings cannot
    certify such a threshold, the command says so, writes nothing and ends with exit code 1. It also prints three
    thresholds without a promise, and the share of good rows by score. docs/guides/estimate.md explains it.
    """
    refuse_place(output)
    by = by or ("risk" if recall is None else "recall")
    if by == "recall" and recall is None:
        raise SpecError("--by recall: say with --recall which share of the bad rows is to be stopped")
    calibration = nlgauge.calibrate(table, rated, risk=risk, recall=recall, confidence=confidence, **how)
    show(calibration, layout)
    missing = next((choice.reason for choice in calibration.chosen if choice.by == by and choice.reason), None)
    if missing:
        remark(missing)
        sys.exit(1)
    threshold = calibration.threshold(by)
    if threshold.confidence is not None:
        promise = f"of what passes {threshold.threshold:.4g}, at most {risk:.0%} is bad"
        if threshold.recall is not None:
            promise = f"of what is bad, at least {threshold.recall:.0%} does not pass {threshold.threshold:.4g}"
        remark(f"{promise}, with {confidence:.0%} confidence; {threshold.passing:.0%} of the scored rows pass")
    remark("f1, cost and precision: without a promise; what they do is of rows they were not chosen on")
    if output is not None:
        threshold.save(output)
