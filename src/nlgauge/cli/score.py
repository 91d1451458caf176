"""nlgauge score."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import nlgauge
from nlgauge.cli.options import ADDRESS, AGAINST, CLUSTER, IN_FORMATS, LABEL, LOADING, MAP, READING, TEXT_FILES, keeping
from nlgauge.cli.streams import remark
from nlgauge.cli.summary import show_summary
from nlgauge.cli.terminal import beside, blaming, clustered, labelled, read_outputs
from nlgauge.data.atomic_write import is_stream, refuse_place
from nlgauge.errors import SpecError

_MANY_ROWS = 5000
_LONG = 100_000
"""Characters: a text that keeps a metric of a model busy for a minute"""
_A_SUM = (
    "Groundedness is a sum over a reply's words, so that long replies get more; whether a source supports an answer, "
    "from 0 to 1, says -m \"Consistency(aligner='D')\""
)


@click.command(short_help="Score a table of outputs, or text files.")
@click.argument("outputs", type=ADDRESS, required=False)
@click.option(
    "-m", "--metric", "metrics", multiple=True, help="Metric spec, e.g. InfoLM or \"InfoLM(measure='l2')\"; repeatable."
)
@click.option(
    "-o", "--output", type=ADDRESS,
    help="Write every row's scores here: JSON Lines, - for stdout; in blocks a folder of Parquet, unless the name ends "
    "in .jsonl.",
)  # fmt: skip
@TEXT_FILES
@MAP
@LOADING
@READING
@click.option("--evidence", is_flag=True, help="Also write what each score is based on (evidence).")
@AGAINST
@click.option(
    "--on-missing", type=click.Choice(["error", "skip"]), default="error", show_default=True,
    help="Rows whose candidate is null: refuse them, or go on and give them no score.",
)  # fmt: skip
@click.option(
    "--processes", type=click.IntRange(min=1),
    help="How many string metrics at a time; as many as there are processors from 5,000 rows on, else one.",
)  # fmt: skip
@click.option(
    "--rows-per-block", type=click.IntRange(min=1), metavar="N",
    help="Hold N rows at a time in memory, and write them to the folder -o as soon as they are scored: for millions.",
)  # fmt: skip
@click.option("--ray", metavar="local|ADDRESS", help="Score on a Ray cluster, or in processes of this machine.")
@click.option("--workers", type=click.IntRange(min=1), help="With --ray: how many; as many as have room by default.")
@click.option(
    "--worker-threads", type=click.IntRange(min=1), default=1, show_default=True, help="With --ray: processors of each."
)
@click.option(
    "--worker-gpus", type=click.FloatRange(min=0), default=0, show_default=True,
    help="With --ray: GPUs of each, or the share of one.",
)  # fmt: skip
@keeping
@CLUSTER
@click.option("--parts", is_flag=True, help="Print every part of the metrics, not only the first.")
@LABEL
@IN_FORMATS
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the bootstrap intervals."
)
def score(
    outputs: Path | str | None, metrics: Sequence[str], output: Path | str | None, candidates: Sequence[Path],
    references: Sequence[Path], source: Path | None, context: Path | None, systems: Sequence[str],
    columns: Sequence[str], against: Path | str | None, processes: int | None, rows_per_block: int | None,
    ray: str | None, workers: int | None, worker_threads: int, worker_gpus: float, cluster: str | None, parts: bool,
    layout: str, seed: int, on_missing: Any, **how: Any,
) -> None:  # fmt: skip
    """Score a table of outputs (.jsonl, .csv, .tsv, .parquet, also .gz) or parallel text files.

    OUTPUTS is a file, a folder of files, or an address such as s3://bucket/rows that pyarrow or fsspec opens.

    Prints each system's mean, or its value of all rows together (BLEU, say), with its 95 % bootstrap interval. The best
    has a star; a tilde marks systems without a significant difference from it (paired test, Holm).
    """
    from nlgauge.engine.models.onnx import threads
    from nlgauge.meta.people import of_outputs
    from nlgauge.run.executors.ray import Cluster

    if not metrics:
        raise SpecError("no metric was given: add -m InfoLM, for one; nlgauge list shows them all")
    in_blocks = rows_per_block is not None or ray is not None
    whole = output is None or not in_blocks or str(output).endswith(".jsonl") or is_stream(output)
    file, folder = (None if output is None else Path(output), None) if whole else (None, output)
    refuse_place(file)
    corpus = read_outputs(
        outputs, columns, candidates=candidates, references=references, source=source, context=context,
        systems=systems, on_disk=in_blocks, on_missing=on_missing,
    )  # fmt: skip
    if not in_blocks:
        _tell_long(corpus)
    with blaming(outputs or (candidates[0] if len(candidates) == 1 else None)):
        table = nlgauge.evaluate(
            corpus,
            metrics=list(metrics),
            against=None if against is None else nlgauge.Corpus.read(against),
            progress=True,
            processes=processes or (threads() if len(corpus) >= _MANY_ROWS and not in_blocks else 1),
            rows_per_block=rows_per_block,
            output=folder,
            ray=None if ray is None else Cluster(ray, workers, worker_threads, worker_gpus),
            **how,
        )
    if file is not None:
        table.save(file)
    table = clustered(table, corpus, cluster)
    groundedness = any(spec.partition("(")[0] == "Groundedness" for spec in table.metrics)
    table, rated = labelled(table, corpus)
    with beside(file):
        show_summary(table, layout, seed, parts, of_outputs(table, rated or corpus))
    if groundedness:
        remark(_A_SUM)


def _tell_long(corpus: nlgauge.Corpus) -> None:
    """Which candidates will take long, before they do."""
    long = [(number, len(row.candidate)) for number, row in enumerate(corpus, 1) if len(row.candidate) > _LONG]
    if long:
        number, size = max(long, key=lambda one: one[1])
        more = f", and {len(long) - 1} more are long" if len(long) > 1 else ""
        which = f"row {number} has a candidate of {size:,} characters{more}"
        remark(f"{which}: a metric that reads a model may take minutes; is the file split into rows as it should be?")
