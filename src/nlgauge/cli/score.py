"""nlgauge score."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from nlgauge.cli.heartbeat import tell_long
from nlgauge.cli.keeping import cache_of, keeping
from nlgauge.cli.loading import loading
from nlgauge.cli.streams import remark
from nlgauge.cli.summary import show_summary
from nlgauge.cli.terminal import (
    ADDRESS,
    CLUSTER,
    IN_FORMATS,
    LABEL,
    beside,
    clustered,
    labelled,
    of_text_files,
    read_outputs,
)
from nlgauge.data.atomic_write import is_stream, refuse_place
from nlgauge.errors import InputError, SpecError

_MANY_ROWS = 5000
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
@of_text_files
@click.option(
    "--map",
    "columns",
    multiple=True,
    metavar="OURS=THEIRS",
    help="Column names; repeatable.",
)
@click.option(
    "--model",
    help="Model of the metrics that name none: pocket, base, a Hugging Face name or a folder. By default what the "
    "variable NLGAUGE_MODEL names, else pocket.",
)
@loading
@click.option("--batch-tokens", type=click.IntRange(min=1), help="How many tokens a batch holds.")
@click.option(
    "--window", default="slide", show_default=True, help="Texts longer than the model's window: slide, cut or error."
)
@click.option("--evidence", is_flag=True, help="Also write what each score is based on (evidence).")
@click.option(
    "--against", type=ADDRESS, help="Table of texts that metrics of sets compare outputs with, instead of references."
)
@click.option(
    "--on-missing", type=click.Choice(["error", "skip"]), default="error", show_default=True,
    help="Rows whose candidate is null: refuse them, or go on and give them no score.",
)  # fmt: skip
@click.option(
    "--processes", type=click.IntRange(min=1),
    help="How many string metrics at a time; as many as there are processors from 5,000 rows on, else one.",
)  # fmt: skip
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
    columns: Sequence[str], model: str | None, precision: str, backend: str, device: str | None,
    batch_tokens: int | None, window: Any, evidence: bool, against: Path | str | None, processes: int | None,
    rows_per_block: int | None, ray: str | None, workers: int | None, worker_threads: int, worker_gpus: float,
    cache: Path | None, no_cache: bool, cluster: str | None, parts: bool, layout: str, seed: int, on_missing: Any,
) -> None:  # fmt: skip
    """Score a table of outputs (.jsonl, .csv, .tsv, .parquet, also .gz) or parallel text files.

    OUTPUTS is a file, a folder of files, or an address such as s3://bucket/rows that pyarrow or fsspec opens.

    Prints each system's mean, or its value of all rows together (BLEU, say), with its 95 % bootstrap interval. The best
    has a star; a tilde marks systems without a significant difference from it (paired test, Holm).
    """
    from nlgauge import Corpus, evaluate
    from nlgauge.engine.models.onnx import threads
    from nlgauge.meta.people import of_outputs
    from nlgauge.run.executors.ray import Cluster

    if not metrics:
        raise SpecError("no metric was given: add -m InfoLM, for one; nlgauge list shows them all")
    in_blocks = rows_per_block is not None or ray is not None
    whole = output is None or not in_blocks or str(output).endswith(".jsonl") or is_stream(output)
    file, folder = (None if output is None else Path(output), None) if whole else (None, output)
    refuse_place(file)
    texts = (candidates, references, source, context, systems, columns)
    corpus = read_outputs(outputs, *texts, on_disk=in_blocks, on_missing=on_missing)
    if not in_blocks:
        tell_long(corpus)
    try:
        table = evaluate(
            corpus,
            metrics=list(metrics),
            model=model,
            precision=precision,
            backend=backend,
            device=device,
            batch_tokens=batch_tokens,
            window=window,
            evidence=evidence,
            against=None if against is None else Corpus.read(against),
            progress=True,
            processes=processes or (threads() if len(corpus) >= _MANY_ROWS and not in_blocks else 1),
            cache=cache_of(cache, no_cache),
            rows_per_block=rows_per_block,
            output=folder,
            ray=None if ray is None else Cluster(ray, workers, worker_threads, worker_gpus),
        )
    except InputError as error:
        where = outputs or (candidates[0] if len(candidates) == 1 else None)
        raise (
            error if error.file else InputError(error.problem, file=where, row=error.row, remedy=error.remedy)
        ) from None
    if file is not None:
        table.save(file)
    table = clustered(table, corpus, cluster)
    groundedness = any(spec.partition("(")[0] == "Groundedness" for spec in table.metrics)
    table, rated = labelled(table, corpus)
    with beside(file):
        show_summary(table, layout, seed, parts, of_outputs(table, rated or corpus))
    if groundedness:
        remark(_A_SUM)
