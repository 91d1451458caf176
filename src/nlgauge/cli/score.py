"""nlgauge score."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
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
    LOADING,
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
from nlgauge.cli.streams import remark, show_json
from nlgauge.cli.terminal import beside, blaming, clustered, labelled, read_outputs, show_tables, tell_hard, told_spent
from nlgauge.data.atomic_write import is_stream, refuse_place
from nlgauge.errors import SpecError
from nlgauge.render.tables import Cell, Number

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
    "in .jsonl; .otlp.jsonl makes gen_ai.evaluation.result events of OpenTelemetry.",
)
@TEXT_FILES
@MAP
@LOADING
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
    may be given. Where there are several files, rows that do not name their system are of a system that is called as
    their file is.

    Prints each system's mean, or its value of all rows together (BLEU, say), with its 95 % interval. The best
    has a star; a tilde marks systems without a significant difference from it (paired test, Holm).
    """
    if not metrics:
        raise SpecError("no metric was given: add -m InfoLM, for one; nlgauge list shows them all")
    metrics = with_then(metrics, then, unsure)
    in_blocks = rows_per_block is not None or ray is not None
    whole = output is None or not in_blocks or str(output).endswith(".jsonl") or is_stream(output)
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
    given = outputs or candidates
    with blaming(given[0] if len(given) == 1 else None):
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
        from nlgauge.stats.gate.thresholds import shares_decided

        remark(*(note for spec in table.columns for note in shares_decided(table, spec)))


if TYPE_CHECKING:
    from nlgauge.data.corpus import Corpus
    from nlgauge.data.table import ScoreTable, SystemScore
    from nlgauge.stats.best import Best, People

_MOST_REASONS = 10
"""Reasons of a metric that are printed: a judge may give each row its own"""


def _anchors(place: Path, columns: Sequence[str]) -> Corpus:
    """Return the rows of --anchors, whose columns --map names where they have these."""
    from nlgauge.data.corpus.files import there

    found = there(place, [pair.partition("=")[2] for pair in columns])
    return read_outputs(place, [pair for pair in columns if pair.partition("=")[2] in found], tell=False)


def _people(table: ScoreTable, outputs: Corpus) -> People | None:
    """Return what people say of outputs that hold ratings; None where none is rated."""
    if not any(row.scores for row in outputs):
        return None
    from nlgauge.stats.best import of_outputs

    return of_outputs(table, outputs)


def show_summary(own: ScoreTable, layout: str, every_part: bool, people: People | None = None) -> None:
    """Numbers on stdout, of what people say first; reasons, notes and signatures on stderr."""
    from nlgauge.data.table.outliers import outliers

    rows, own = own, own.per_item()
    table = replace(own, columns={**({} if people is None else people.table.columns), **own.columns})
    rated, systems = [] if people is None else people.by_system(), own.by_system()
    notes = [*({} if people is None else people.notes).items()]
    said = [f"{name}: {note}" for name, note in notes]
    if len(rows) > len(own):
        said.append(f"{len(rows)} rows are of {len(own)} outputs: the mean over its repeats stands for each")
    said += [*_missing(rows), *outliers(rows), *_other_items(own), *_unequal(systems)]
    if layout == "json":
        estimates = [{**vars(one), "note": people.notes.get(one.metric)} for one in rated] if people else []
        run = {**table.run, **table.spent}
        show_json("score", said, systems=systems, people=estimates, run=run, signatures=table.signatures)
    else:
        parts = {spec: one.parts if every_part else one.shown[:1] for spec, one in table.columns.items()}
        shown = [score for score in (*rated, *systems) if score.part in parts[score.metric]]
        found = _best(table, shown, people)
        tables = [_cells(table, own, found, title) for title, own in _tables(table, shown, layout, every_part)]
        show_tables(tables, layout, keys=2)
        remark(*_legend(found))
        if hidden := [spec for spec, column in table.columns.items() if len(parts[spec]) < len(column.parts)]:
            remark(f"--parts shows more of {', '.join(hidden)}")
    remark(*said, *told_spent(rows))
    if whole := [spec for spec, column in table.columns.items() if column.sums is not None]:
        remark(f"of all rows of a system together, and not the mean of its rows: {', '.join(whole)}")
    for signature in table.signatures.values():
        remark(str(signature))


def _best(table: ScoreTable, scores: Sequence[SystemScore], people: People | None) -> dict[tuple[str, str], Best]:
    """Return the best by each sub-score, and the systems that do not differ significantly from it."""
    if len(table.systems) < 2:
        return {}
    from nlgauge.stats.best import by_part, compared

    tests = compared(table)
    if people is None:
        return by_part(table, scores, tests)
    estimated = [score for score in scores if score.metric in people.estimates]
    rest = [score for score in scores if score.metric not in people.estimates]
    return by_part(table, estimated, people.test) | by_part(table, rest, tests)


def _other_items(table: ScoreTable) -> Iterator[str]:
    if len(table.systems) > 1:
        from nlgauge.stats.best import other_items

        yield from other_items(table)


def _tables(
    table: ScoreTable, scores: Sequence[SystemScore], layout: str, every_part: bool
) -> Iterator[tuple[str, Sequence[SystemScore]]]:
    """Yield what stands in one table, and the head of its first column: the metric's where a table is of one alone.

    Parts of several metrics make a table too wide to be read, but not too wide for a program.
    """
    several = {spec for spec, column in table.columns.items() if len(column.parts) > 1}
    if not every_part or layout != "text":
        yield "system", scores
        return
    if simple := [score for score in scores if score.metric not in several]:
        yield "system", simple
    for spec in table.columns:
        if spec in several:
            yield spec, [score for score in scores if score.metric == spec]


def _cells(
    table: ScoreTable, scores: Sequence[SystemScore], best: Mapping[tuple[str, str], Best], title: str
) -> list[list[Cell]]:
    """A row a system, a column a sub-score. An arrow says which way is better."""
    columns: dict[tuple[str, str], dict[str, SystemScore]] = {}
    for score in scores:
        columns.setdefault((score.metric, score.part), {})[score.system] = score
    of = table.columns
    heads = [(part if spec == title else of[spec].label(spec, part)) + of[spec].arrow(part) for spec, part in columns]
    cells: list[list[Cell]] = [[title, "n", *heads]]
    for system in table.systems:
        own = [scores[system] for scores in columns.values()]
        # Metrics may have no value on different rows: the least number stands here, and what is missing on stderr.
        count = Number(min(score.n for score in own), digits=0)
        cells.append([system, count, *(_number(score, best.get((score.metric, score.part))) for score in own)])
    return cells


def _number(score: SystemScore, best: Best | None) -> Number:
    counted = score.mean.is_integer() and math.isnan(score.low) and abs(score.mean) > 1
    return Number(
        score.mean, score.low, score.high, digits=0 if counted else 4, mark=best.mark(score.system) if best else ""
    )


def _legend(best: Mapping[tuple[str, str], Best]) -> Iterator[str]:
    """Yield what the marks mean, where there are some."""
    if not best:
        return
    correction = "corrected by Holm"
    if any(one.alike for one in best.values()):
        yield f"* best; ~ no significant difference from the best (paired test, p >= 0.05, {correction})"
    elif any(one.behind for one in best.values()):
        yield f"* best; the others are significantly worse (paired test, p < 0.05, {correction})"
    elif any(one.systems for one in best.values()):
        yield "* best: these systems are equal"
    reasons: dict[str, list[str]] = {}
    for (spec, _), one in best.items():
        if one.reason and spec not in reasons.setdefault(one.reason, []):
            reasons[one.reason].append(spec)
    yield from (f"no system is called best by {', '.join(specs)}: {reason}" for reason, specs in reasons.items())


def _unequal(systems: Sequence[SystemScore]) -> Iterator[str]:
    """Yield how many clusters the items are of where these are of unequal size, and say as much as fewer."""
    from nlgauge.maths.inference import FEWEST
    from nlgauge.maths.intervals import unequal

    clustered = [one for one in systems if one.clusters is not None]
    one = min(clustered, key=lambda score: score.effective, default=None)
    if one is not None and one.clusters is not None and (said := unequal(one.clusters, one.effective)):
        yield f"{one.system}: {said}" + (", and give no interval" if one.effective < FEWEST else "")


def _missing(table: ScoreTable) -> Iterator[str]:
    """Yield which rows, or systems, have no value and why, and what there is to be noted of how many."""
    for spec, column in table.columns.items():
        what, names = ("rows", [str(n + 1) for n in range(len(table.rows))])
        if column.level == "system":
            what, names = "systems", table.systems
        reasons = list(dict.fromkeys(column.reasons.values()))
        for reason in reasons[:_MOST_REASONS]:
            found = [names[index] for index in sorted(column.reasons) if column.reasons[index] == reason]
            first = ", ".join(found[:5]) + (", ..." if len(found) > 5 else "")
            yield f"{spec}: no value for {len(found)} of {len(names)} {what} ({first}): {reason}"
        if rest := sum(reason not in reasons[:_MOST_REASONS] for reason in column.reasons.values()):
            yield f"{spec}: no value for {rest} more {what}, whose reasons stand in the file of -o"
        noted = table.run.get("noted", {}).get(spec, {})
        for note, count in table.run.get("notes", {}).get(spec, {}).items():
            first = ", ".join(names[number - 1] for number in noted.get(note, []))
            first += ", ..." if len(noted.get(note, [])) < count else ""
            yield f"{spec}: {count} of {len(names)} {what}{f' ({first})' if note in noted else ''}: {note}"
