"""The nlgauge command. Results on stdout, the rest on stderr; exit 0 done, 1 failed, 2 wrong use or bad input."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nlgauge._version import __version__
from nlgauge.errors import InputError, NlgaugeError, SpecError

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.table import ScoreTable, SystemScore

_PLACE = click.Path(path_type=Path)


class _Commands(click.Group):
    """Turns the errors that nlgauge raises into one line and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except NlgaugeError as error:
            click.echo(f"nlgauge: {' '.join(str(error).split())}", err=True)
            ctx.exit(2)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="nlgauge", message="%(prog)s %(version)s")
def main() -> None:
    """Measure generated text: scores you can trust and repeat, offline."""


@main.command()
@click.argument("outputs", type=_PLACE, required=False)
@click.option(
    "-m", "--metric", "metrics", multiple=True, help="Metric spec, e.g. InfoLM or \"InfoLM(measure='l2')\"; repeatable."
)
@click.option("-o", "--output", type=_PLACE, help="Write every row's scores here (JSON Lines).")
@click.option("--candidates", type=_PLACE, help="Text file, an output a line, instead of OUTPUTS.")
@click.option("--references", type=_PLACE, multiple=True, help="Text file, a reference a line; repeatable.")
@click.option("--source", type=_PLACE, help="Text file, a source a line.")
@click.option("--context", type=_PLACE, help="Text file, a context a line.")
@click.option("--system", help="Name of the system that wrote --candidates.")
@click.option(
    "--map",
    "columns",
    multiple=True,
    metavar="OURS=THEIRS",
    help="Column names; repeatable.",
)
@click.option("--model", help="Model of the metrics that name none: pocket, a Hugging Face name or a folder.")
@click.option("--precision", default="float32", show_default=True, help="float32 or bfloat16.")
@click.option(
    "--window", default="slide", show_default=True, help="Texts longer than the model's window: slide, cut or error."
)
@click.option("--evidence", is_flag=True, help="Keep in the output what each score rests on.")
@click.option(
    "--against", type=_PLACE, help="Table of texts that metrics of sets compare outputs with, instead of references."
)
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the bootstrap intervals.")
def score(
    outputs: Path | None, metrics: Sequence[str], output: Path | None, candidates: Path | None,
    references: Sequence[Path], source: Path | None, context: Path | None, system: str | None, columns: Sequence[str],
    model: str | None, precision: str, window: Any, evidence: bool, against: Path | None, layout: str, seed: int,
) -> None:  # fmt: skip
    """Score a table of outputs (.jsonl, .csv, .tsv, .parquet, also .gz) or parallel text files.

    Prints each system's mean with its 95 % bootstrap interval.
    """
    from nlgauge import Corpus, evaluate

    if not metrics:
        raise SpecError("no metric was given: add -m InfoLM, for one; nlgauge list shows them all")
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        raise InputError("cannot be written", file=output, remedy="name a file in a folder that exists")
    corpus = _read(outputs, candidates, references, source, context, system, columns)
    try:
        table = evaluate(
            corpus,
            metrics=list(metrics),
            model=model,
            precision=precision,
            window=window,
            evidence=evidence,
            against=None if against is None else Corpus.read(against),
            progress=True,
        )
    except InputError as error:
        where = outputs if candidates is None else candidates
        raise (
            error if error.file else InputError(error.problem, file=where, row=error.row, remedy=error.remedy)
        ) from None
    if output is not None:
        table.save(output)
    _print_summary(table, layout, seed)


def _read(
    outputs: Path | None, candidates: Path | None, references: Sequence[Path], source: Path | None,
    context: Path | None, system: str | None, columns: Sequence[str],
) -> Corpus:  # fmt: skip
    from nlgauge.corpus import Corpus

    if (outputs is None) == (candidates is None):
        raise SpecError("give either a table of outputs or --candidates with a text file")
    if candidates is not None:
        if columns:
            raise SpecError("--map names the columns of a table; text files have none")
        return Corpus.read_texts(candidates, references, source, context, system)
    if references or source or context or system:
        raise SpecError("--references, --source, --context and --system go with --candidates; a table has columns")
    assert outputs is not None
    pairs = [pair.partition("=") for pair in columns]
    if wrong := [ours for ours, equals, theirs in pairs if not (ours and equals and theirs)]:
        raise SpecError(f"--map {wrong[0]}: write OURS=THEIRS, as in --map candidate=prediction")
    return Corpus.read(outputs, columns={ours: theirs for ours, _, theirs in pairs})


def _print_summary(table: ScoreTable, layout: str, seed: int) -> None:
    import json

    scores = table.by_system(seed=seed)
    if layout == "json":
        systems = [{key: _plain(value) for key, value in vars(score).items()} for score in scores]
        record = {"nlgauge": table.version, "systems": systems, "signatures": table.signatures, "run": table.run}
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
    for signature in table.signatures.values():
        click.echo(signature, err=True)


def _plain(value: Any) -> Any:
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")  # as in a scores file


def _layout(table: ScoreTable, scores: Sequence[SystemScore]) -> list[str]:
    """A line per system, a column per metric and part; an arrow says which way is better."""
    heads = list(dict.fromkeys((score.metric, score.part) for score in scores))
    found = {(score.system, score.metric, score.part): score for score in scores}
    cells = [["system", "n"]]
    for spec, part in heads:
        column = table.columns[spec]
        label = spec + (f" {part}" if len(column.parts) > 1 else "")
        cells[0].append(f"{label} {'↑' if column.higher_is_better else '↓'}")
    for system in table.systems:
        own = [found[system, spec, part] for spec, part in heads]
        # Metrics may be undefined on different rows; the count is shown per system, what is missing on stderr.
        cells.append([system, str(max(score.n + score.undefined for score in own)), *map(_cell, own)])
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]


def _cell(score: SystemScore) -> str:
    if score.mean != score.mean:
        return "-"
    interval = f" [{score.low:.4f}, {score.high:.4f}]" if score.low == score.low else ""
    return f"{score.mean:.4f}{interval}"


@main.command("list")
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
def list_all(layout: str) -> None:
    """The metrics and models at hand, with their parameters."""
    import inspect
    import json

    from nlgauge.registry import built_in_metrics, offered, parameters_of

    metrics: list[dict[str, Any]] = []
    for name, kind in built_in_metrics().items():
        parameters = {name: _default(default) for name, default in parameters_of(kind).items()}
        about = (inspect.getdoc(kind) or "").splitlines()[0]
        better = "higher" if kind.higher_is_better else "lower"
        metrics.append(
            {"name": name, "about": about, "better": better, "parts": list(kind.parts), "parameters": parameters}
        )
    others = {group: [name for name, _ in offered(f"nlgauge.{group}")] for group in ("metrics", "models")}
    models = ["pocket", *others["models"]]
    if layout == "json":
        click.echo(json.dumps({"metrics": metrics, "offered": others["metrics"], "models": models}, indent=2))
        return
    for metric in metrics:
        click.echo(f"{metric['name']}  ({metric['better']} is better)  {metric['about']}")
        click.echo("    " + ", ".join(f"{key}={value!r}" for key, value in metric["parameters"].items()))
    for name in others["metrics"]:
        click.echo(f"{name}  (from an installed package)")
    click.echo(f"models: {', '.join(models)}, or any Hugging Face name or folder (pip install 'nlgauge[torch]')")


def _default(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | None) else str(value)


@main.command()
def doctor() -> None:
    """Check this installation: versions, the embedded model, and that results do not depend on batch or order."""
    from nlgauge.doctor import examine

    findings = examine()
    for finding in findings:
        click.echo(f"{'ok  ' if finding.good else 'FAIL'}  {finding.what}: {finding.detail}")
    sys.exit(0 if all(finding.good for finding in findings) else 1)


@main.command()
@click.argument("model")
@click.argument("folder", type=_PLACE)
def export(model: str, folder: Path) -> None:
    """Write MODEL (pocket, or a folder of ours) to FOLDER as a Hugging Face folder in float32."""
    from nlgauge.engine.folder import WEIGHTS_FILE, write_hugging_face
    from nlgauge.registry import pocket_folder

    source = pocket_folder() if model == "pocket" else Path(model)
    if not (source / WEIGHTS_FILE).is_file():
        raise SpecError(f"no model {model!r} to export: give pocket or a folder that holds {WEIGHTS_FILE}")
    write_hugging_face(source, folder)
    click.echo(str(folder))


@main.group()
def train() -> None:
    """Train what nlgauge scores with (needs nlgauge[train])."""


@train.command("masked-lm")
@click.option("--texts", type=_PLACE, required=True, help="Folder of .txt, .txt.gz or .txt.xz files, a passage a line.")
@click.option("--out", type=_PLACE, required=True, help="Folder for checkpoints, the curve and the finished model.")
@click.option("--config", type=_PLACE, help="Recipe (TOML); the recipe of the embedded model by default.")
@click.option("--steps", type=click.IntRange(min=1), help="Instead of the recipe's number of steps.")
def masked_lm(texts: Path, out: Path, config: Path | None, steps: int | None) -> None:
    """Train a masked LM on plain text; run again to resume after an interruption."""
    from nlgauge.errors import MissingExtraError

    try:
        from nlgauge.training.masked_lm import train as run
    except ImportError as error:
        raise MissingExtraError("training", "train") from error
    click.echo(str(run(texts, out, config, steps)))
