"""nlgauge score."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nlgauge.cli.keeping import cache_of, keeping
from nlgauge.cli.terminal import PLACE, aligned, plain, read_outputs, refuse_place
from nlgauge.errors import InputError, SpecError

if TYPE_CHECKING:
    from nlgauge.table import ScoreTable, SystemScore


_MANY_ROWS = 5000


@click.command()
@click.argument("outputs", type=PLACE, required=False)
@click.option(
    "-m", "--metric", "metrics", multiple=True, help="Metric spec, e.g. InfoLM or \"InfoLM(measure='l2')\"; repeatable."
)
@click.option("-o", "--output", type=PLACE, help="Write every row's scores here (JSON Lines).")
@click.option("--candidates", type=PLACE, help="Text file, an output a line, instead of OUTPUTS.")
@click.option("--references", type=PLACE, multiple=True, help="Text file, a reference a line; repeatable.")
@click.option("--source", type=PLACE, help="Text file, a source a line.")
@click.option("--context", type=PLACE, help="Text file, a context a line.")
@click.option("--system", help="Name of the system that wrote --candidates.")
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
@click.option(
    "--precision",
    default="float32",
    show_default=True,
    help="float32; bfloat16, which pays on a GPU and on processors with units for it; or int8, without torch.",
)
@click.option(
    "--device", help="cpu, cuda, cuda:1 or mps, of models that torch runs; a GPU by default where there is one."
)
@click.option("--batch-tokens", type=click.IntRange(min=1), help="How many tokens a batch holds.")
@click.option(
    "--window", default="slide", show_default=True, help="Texts longer than the model's window: slide, cut or error."
)
@click.option("--evidence", is_flag=True, help="Keep in the output what each score rests on.")
@click.option(
    "--against", type=PLACE, help="Table of texts that metrics of sets compare outputs with, instead of references."
)
@click.option(
    "--processes", type=click.IntRange(min=1),
    help="How many metrics of strings at a time; as many as there are processors from 5,000 rows on, else one.",
)  # fmt: skip
@keeping
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of the bootstrap intervals."
)
def score(
    outputs: Path | None, metrics: Sequence[str], output: Path | None, candidates: Path | None,
    references: Sequence[Path], source: Path | None, context: Path | None, system: str | None, columns: Sequence[str],
    model: str | None, precision: str, device: str | None, batch_tokens: int | None, window: Any, evidence: bool,
    against: Path | None, processes: int | None, cache: Path | None, no_cache: bool, layout: str, seed: int,
) -> None:  # fmt: skip
    """Score a table of outputs (.jsonl, .csv, .tsv, .parquet, also .gz) or parallel text files.

    Prints each system's mean, or its value of all rows together (BLEU, say), with its 95 % bootstrap interval.
    """
    from nlgauge import Corpus, evaluate
    from nlgauge.engine.models.onnx import threads

    if not metrics:
        raise SpecError("no metric was given: add -m InfoLM, for one; nlgauge list shows them all")
    refuse_place(output)
    corpus = read_outputs(outputs, candidates, references, source, context, system, columns)
    try:
        table = evaluate(
            corpus,
            metrics=list(metrics),
            model=model,
            precision=precision,
            device=device,
            batch_tokens=batch_tokens,
            window=window,
            evidence=evidence,
            against=None if against is None else Corpus.read(against),
            progress=True,
            processes=processes or (threads() if len(corpus) >= _MANY_ROWS else 1),
            cache=cache_of(cache, no_cache),
        )
    except InputError as error:
        where = outputs if candidates is None else candidates
        raise (
            error if error.file else InputError(error.problem, file=where, row=error.row, remedy=error.remedy)
        ) from None
    if output is not None:
        table.save(output)
    _print_summary(table, layout, seed)


def _print_summary(table: ScoreTable, layout: str, seed: int) -> None:
    import json

    scores = table.by_system(seed=seed)
    if layout == "json":
        systems = [{key: plain(value) for key, value in vars(score).items()} for score in scores]
        record = {"nlgauge": table.version, "systems": systems, "run": {**table.run, **table.spent}}
        record["signatures"] = {spec: str(signature) for spec, signature in table.signatures.items()}
        click.echo(json.dumps(record, ensure_ascii=False, indent=2))
    else:
        for line in _layout(table, scores):
            click.echo(line)
    for spec, column in table.columns.items():
        what, names = ("rows", [str(n + 1) for n in range(len(table.rows))])
        if column.level == "system":
            what, names = "systems", table.systems
        for reason in dict.fromkeys(column.reasons.values()):
            found = [names[index] for index in sorted(column.reasons) if column.reasons[index] == reason]
            first = ", ".join(found[:5]) + (", ..." if len(found) > 5 else "")
            click.echo(f"{spec}: no value for {len(found)} of {len(names)} {what} ({first}): {reason}", err=True)
        for note, count in table.run.get("notes", {}).get(spec, {}).items():
            click.echo(f"{spec}: {count} of {len(names)} {what}: {note}", err=True)
    if whole := [spec for spec, column in table.columns.items() if column.sums is not None]:
        click.echo(f"of all rows of a system together, and not the mean of its rows: {', '.join(whole)}", err=True)
    for signature in table.signatures.values():
        click.echo(str(signature), err=True)


def _layout(table: ScoreTable, scores: Sequence[SystemScore]) -> list[str]:
    """A line per system; a column per metric, and a block of its own, a column per part, for a metric of several.

    An arrow says which way is better.
    """
    simple = [(spec, column.parts[0]) for spec, column in table.columns.items() if len(column.parts) == 1]
    several = [(spec, column) for spec, column in table.columns.items() if len(column.parts) > 1]
    blocks = [[(spec, f"{spec} {_arrow(table, spec)}", part) for spec, part in simple]] if simple else []
    blocks += [
        [(spec, f"{part} {_arrow(table, spec)}" if part == column.parts[0] else part, part) for part in column.parts]
        for spec, column in several
    ]
    titles = ["system"] * bool(simple) + [spec for spec, _ in several]
    found = {(score.system, score.metric, score.part): score for score in scores}
    lines: list[str] = []
    for title, heads in zip(titles, blocks, strict=True):
        cells = [[title, "n", *(head for _, head, _ in heads)]]
        for system in table.systems:
            own = [found[system, spec, part] for spec, _, part in heads]
            # Metrics may be undefined on different rows; the count is shown per system, what is missing on stderr.
            cells.append([system, str(max(score.n + score.undefined for score in own)), *map(_cell, own)])
        lines += [*[""] * bool(lines), *aligned(cells)]
    return lines


def _arrow(table: ScoreTable, spec: str) -> str:
    return "↑" if table.columns[spec].higher_is_better else "↓"


def _cell(score: SystemScore) -> str:
    if score.mean != score.mean:
        return "-"
    if score.mean.is_integer() and score.low != score.low and abs(score.mean) > 1:
        return f"{score.mean:.0f}"  # a count
    interval = f" [{score.low:.4f}, {score.high:.4f}]" if score.low == score.low else ""
    return f"{score.mean:.4f}{interval}"
