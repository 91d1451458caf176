"""The command nlgauge score."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import nlgauge
from nlgauge.cli.options import (
    ADDRESS,
    AGAINST,
    CLUSTER,
    IN_FORMATS,
    LABEL,
    LOADING_OF_RUNS,
    MAP,
    PLACE,
    READING,
    REPEATS,
    SPEC,
    TEXT_FILES,
    THEN,
    caching,
    example,
    with_then,
)
from nlgauge.cli.outputs import blaming, clustered, labelled, read_outputs, tell_hard
from nlgauge.cli.streams import remark
from nlgauge.cli.terminal import beside, show, told_spent
from nlgauge.data.atomic_write import is_stream, refuse_place
from nlgauge.errors import SpecError

_A_SUM = (
    "Groundedness is a sum over a reply's words, so that long replies get more; to ask from 0 to 1 whether a source "
    "supports an answer, use -m Faithfulness"
)


@click.command(epilog=example("nlgauge score answers.jsonl -m Faithfulness -m Length -o scores.jsonl"))
@click.argument("outputs", type=ADDRESS, nargs=-1)
@click.option(
    "-m",
    "--metric",
    "metrics",
    type=SPEC,
    multiple=True,
    help='Metric spec: Faithfulness, Consistency:D or "ChrF(words=2)"; repeatable.',
)
@click.option(
    "-o",
    "--output",
    type=ADDRESS,
    help="Write every row's scores here: JSON Lines, - for stdout; in blocks a folder of Parquet, unless the name ends "
    "in .jsonl or .jsonl.gz; .otlp.jsonl makes gen_ai.evaluation.result events of OpenTelemetry, and .autojudge.jsonl "
    "a leaderboard of TREC AutoJudge.",
)
@TEXT_FILES
@MAP
@LOADING_OF_RUNS
@THEN
@READING
@click.option("--evidence", is_flag=True, help="Also write what each score is based on (evidence).")
@AGAINST
@click.option(
    "--on-missing",
    type=click.Choice(["error", "skip"]),
    default="error",
    show_default=True,
    help="Rows whose candidate is null: refuse them, or go on and give them no score.",
)
@REPEATS
@click.option(
    "--rows-per-block",
    type=click.IntRange(min=1),
    metavar="N",
    help="Hold N rows at a time in memory, and write them to the folder -o as soon as they are scored: for millions.",
)
@click.option("--ray", metavar="local|ADDRESS", help="Score on a Ray cluster, or in processes of this machine.")
@click.option("--workers", type=click.IntRange(min=1), help="With --ray: how many; as many as have room by default.")
@click.option(
    "--worker-threads", type=click.IntRange(min=1), default=1, show_default=True, help="With --ray: processors of each."
)
@click.option(
    "--worker-gpus",
    type=click.FloatRange(min=0),
    default=0,
    show_default=True,
    help="With --ray: GPUs of each, or the share of one.",
)
@caching
@click.option(
    "--anchors",
    type=PLACE,
    help="Rated rows that are scored again in each run, past the cache: nlgauge trust --before tells whether a judge "
    "has changed since an earlier run.",
)
@CLUSTER
@click.option("--parts", is_flag=True, help="Print every sub-score of the metrics, not only the deciding one.")
@LABEL
@IN_FORMATS
def score(
    outputs: Sequence[Path | str],
    metrics: Sequence[str],
    output: Path | str | None,
    candidates: Sequence[Path],
    references: Sequence[Path],
    source: Path | None,
    context: Path | None,
    systems: Sequence[str],
    columns: Sequence[str],
    against: Path | str | None,
    anchors: Path | None,
    rows_per_block: int | None,
    ray: str | None,
    workers: int | None,
    worker_threads: int,
    worker_gpus: float,
    cluster: str | None,
    parts: bool,
    layout: str,
    on_missing: Any,
    then: str | None,
    unsure: tuple[float, float] | None,
    **how: Any,
) -> None:
    """Score a table of outputs (.jsonl, .csv, .tsv, .parquet, also .gz) or parallel text files.

    OUTPUTS is a file, a folder of files, or an address such as s3://bucket/rows that pyarrow or fsspec opens; several
    may be given. Where there are several files, rows that do not name their system are of a system that is named
    after their file.

    Prints each system's mean, or its value of all rows together (BLEU, say), with its 95 % interval. The best
    has a star; a tilde marks systems without a significant difference from it (paired test, Holm).
    """
    if not metrics:
        raise SpecError("no metric was given: add -m InfoLM, for one; nlgauge list shows them all")
    metrics = with_then(metrics, then, unsure)
    in_blocks = rows_per_block is not None or ray is not None
    whole = output is None or not in_blocks or str(output).endswith((".jsonl", ".jsonl.gz")) or is_stream(output)
    file, folder = (None if output is None else Path(output), None) if whole else (None, output)
    refuse_place(file)
    if anchors is not None and output is None:
        raise SpecError("--anchors: their scores stand in the scores file: give -o scores.jsonl")
    corpus = read_outputs(
        outputs,
        columns,
        candidates=candidates,
        references=references,
        source=source,
        context=context,
        systems=systems,
        on_disk=in_blocks,
        on_missing=on_missing,
    )
    again = None if anchors is None else _anchors(anchors, columns)
    if not in_blocks:
        tell_hard(corpus, metrics, how["model"])
    files = outputs or candidates
    with blaming(files[0] if len(files) == 1 else None):
        table = nlgauge.evaluate(
            corpus,
            metrics=list(metrics),
            against=None if against is None else nlgauge.Corpus.read(against),
            anchors=again,
            progress=True,
            rows_per_block=rows_per_block,
            output=folder,
            ray=None if ray is None else nlgauge.Cluster(ray, workers, worker_threads, worker_gpus),
            **how,
        )
    if file is not None:
        table.save(file)
    table = clustered(table, corpus, cluster)
    groundedness = any(spec.partition("(")[0] == "Groundedness" for spec in table.metrics)
    table, rated = labelled(table, corpus)
    with beside(file):
        show_summary(table, layout, parts, _people(table, rated or corpus))
    if table.anchors is not None:
        remark(f"{len(table.anchors)} anchors were scored again, past the cache", *told_spent(table.anchors))
    if groundedness:
        remark(_A_SUM)
    if then is not None:
        from nlgauge.gate.thresholds import deciders, shares_decided

        decided = {spec: names for spec in table.columns if (names := deciders(table, spec))}
        remark(*(shares_decided(table, spec, names) for spec, names in decided.items()))


if TYPE_CHECKING:
    from nlgauge.answers.best import People
    from nlgauge.data.corpus import Corpus
    from nlgauge.data.table import ScoreTable


def _anchors(place: Path, columns: Sequence[str]) -> Corpus:
    """Return the rows of --anchors. Of the values of --map, only those with a column of this file are used."""
    from nlgauge.data.corpus.files import there

    named = there(place, [pair.partition("=")[2] for pair in columns])
    return read_outputs(place, [pair for pair in columns if pair.partition("=")[2] in named], tell=False)


def _people(table: ScoreTable, outputs: Corpus) -> People | None:
    """Return what people's ratings in the outputs say about the systems; None where no output is rated."""
    if not any(row.scores for row in outputs):
        return None
    from nlgauge.answers.best import of_outputs

    return of_outputs(table, outputs)


def show_summary(table: ScoreTable, layout: str, every_part: bool, people: People | None = None) -> None:
    """Print scores and what people's ratings say on stdout, and reasons, notes and signatures on stderr.

    Args:
        table: the scores.
        layout: as `nlgauge.cli.terminal.show` takes it.
        every_part: whether to print all sub-scores, and not the deciding ones alone.
        people: what people's ratings say, as `_people` returns it; None without ratings.
    """
    from nlgauge.answers.summary import Summary

    show(Summary(table, people, every_part=every_part, split=layout == "text"), layout)
    remark(*told_spent(table))
    if whole := [spec for spec, column in table.columns.items() if column.sums is not None]:
        remark(f"of all rows of a system together, and not the mean of its rows: {', '.join(whole)}")
    for signature in table.signatures.values():
        remark(str(signature))
