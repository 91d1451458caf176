"""The nlgauge command. Results on stdout, the rest on stderr; exit 0 done, 1 failed, 2 wrong use or bad input."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nlgauge._version import __version__
from nlgauge.errors import InputError, NlgaugeError, SpecError

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus
    from nlgauge.meta.agreement import Agreements
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
        lines += [*[""] * bool(lines), *_aligned(cells)]
    return lines


def _aligned(cells: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]


def _arrow(table: ScoreTable, spec: str) -> str:
    return "↑" if table.columns[spec].higher_is_better else "↓"


def _cell(score: SystemScore) -> str:
    if score.mean != score.mean:
        return "-"
    if score.mean.is_integer() and score.low != score.low and abs(score.mean) > 1:
        return f"{score.mean:.0f}"  # a count
    interval = f" [{score.low:.4f}, {score.high:.4f}]" if score.low == score.low else ""
    return f"{score.mean:.4f}{interval}"


@main.command()
@click.argument("outputs", type=_PLACE)
@click.option("-m", "--metric", "spec", help="Metric spec, e.g. Consistency.")
@click.option("--row", type=click.IntRange(min=1), help="This row alone, counted from 1.")
@click.option("--item", help="Rows of this item.")
@click.option("--system", help="Rows of this system.")
@click.option("--map", "columns", multiple=True, metavar="OURS=THEIRS", help="Column names; repeatable.")
@click.option("--model", help="Model, where the metric names none.")
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
def explain(
    outputs: Path, spec: str | None, row: int | None, item: str | None, system: str | None, columns: Sequence[str],
    model: str | None, layout: str,
) -> None:  # fmt: skip
    """Show the words that the scores of single rows rest on.

    Words that the other text bears out are green, half-way ones yellow, weakly aligned ones red and underlined; words
    that do not count have no colour. Without colours (NO_COLOR is set, or stdout is no terminal) the weakly aligned
    ones stand in [brackets]. JSON holds whatever evidence the metric has.
    """
    import json

    if spec is None:
        raise SpecError("no metric was given: add -m Consistency, for one; nlgauge list shows them all")
    corpus = _read(outputs, None, (), None, None, None, columns)
    records = _explained(corpus, _rows(corpus, outputs, row, item, system), spec, model)
    if layout == "json":
        click.echo(json.dumps({"nlgauge": __version__, "rows": records}, ensure_ascii=False, indent=2))
        return
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    for record in records:
        for line in _shown(record, colour):
            click.echo(line, color=colour)
    evidence = [record["evidence"] for record in records if record["reason"] is None]
    if evidence and not any("texts" in found for found in evidence):
        rest = "--format json writes its evidence" if any(evidence) else "it keeps no evidence"
        click.echo(f"{records[0]['metric']} has no words to show: {rest}", err=True)


def _rows(corpus: Corpus, outputs: Path, row: int | None, item: str | None, system: str | None) -> list[int]:
    if row is not None and (item is not None or system is not None):
        raise SpecError("--row names one row; leave out --item and --system")
    wanted = {"row": row, "item": item, "system": system}
    found = [
        number
        for number, one in enumerate(corpus)
        if row in (None, number + 1) and item in (None, one.item) and system in (None, one.system)
    ]
    if not found:
        asked = " and ".join(f"{name} {value}" for name, value in wanted.items() if value is not None)
        systems = ", ".join(corpus.systems[:5])
        raise InputError(f"there is no {asked}", file=outputs, remedy=f"it has {len(corpus)} rows, of {systems}")
    return found


def _explained(corpus: Corpus, rows: Sequence[int], spec: str, model: str | None) -> list[dict[str, Any]]:
    """Values and evidence of some rows; what a metric counts on the corpus is counted on the whole of it."""
    from nlgauge import registry
    from nlgauge.engine.engine import Engine
    from nlgauge.metrics.base import RowMetric

    metric = registry.metric(spec, model=model)
    if not isinstance(metric, RowMetric):
        raise SpecError(f"{metric} measures sets of texts and no single rows: see nlgauge score --evidence")
    engine = Engine(registry.model(metric.model), progress=True)
    scorer = metric.scorer(corpus, engine)
    records: dict[int, dict[str, Any]] = {}
    for group, features in engine.stream([scorer.needs(corpus[number]) for number in rows]):
        some = [corpus[rows[index]] for index in group]
        for index, one, value in zip(group, some, scorer.score(some, features), strict=True):
            records[index] = {
                "row": rows[index] + 1,
                "system": one.system,
                "item": one.item,
                "metric": str(metric),
                "values": dict(zip(metric.parts, map(_plain, value.parts), strict=True)),
                "reason": value.reason,
                "notes": list(value.notes),
                "evidence": scorer.evidence(one, features),
            }
    return [records[index] for index in range(len(rows))]


def _shown(record: Mapping[str, Any], colour: bool) -> Iterator[str]:
    """The lines of one row. A word list stands in the evidence as docs/ctc.md describes, under 'texts'."""
    several = len(record["values"]) > 1
    values = [
        (f"{part} " if several else "") + (f"{value:.4f}" if isinstance(value, float) else str(value))
        for part, value in record["values"].items()
    ]
    head = f"row {record['row']}, system {record['system']}, item {record['item']}: {record['metric']} "
    yield _harmless(head + (", ".join(values) if record["reason"] is None else f"has no value: {record['reason']}"))
    yield from (f"  note: {note}" for note in record["notes"])
    for text in record["evidence"].get("texts", []):
        yield f"  {text['name']}, against the {text['against']}:"
        yield "    " + _painted(text, colour).replace("\n", "\n    ")


def _painted(text: Mapping[str, Any], colour: bool) -> str:
    content, weak = _harmless(text["text"]), text["weak"]
    out, at = [], 0
    for word in text["words"]:
        begin, end, alignment = max(at, word["begin"]), word["end"], word["alignment"]
        piece = content[begin:end]
        if colour:
            shade = "red" if alignment < weak else "yellow" if alignment < (1 + weak) / 2 else "green"
            piece = click.style(piece, fg=shade, underline=alignment < weak or None)
        elif alignment < weak:
            piece = f"[{piece}]"
        out += [content[at:begin], piece]
        at = max(at, end)
    return "".join([*out, content[at:]])


def _harmless(text: str) -> str:
    """Control characters replaced, one by one: a text must not steer the terminal that shows it."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "\ufffd", text)


@main.command()
@click.argument("scores", type=_PLACE)
@click.option("--ratings", "outputs", type=_PLACE, required=True, help="The rated outputs: a table as for score.")
@click.option("--level", default="item", show_default=True, help="item, system or pooled; see docs/meta.md.")
@click.option(
    "--coefficient", default="pearson", show_default=True, help="pearson, spearman, kendall, ...; see docs/meta.md."
)
@click.option(
    "--add", multiple=True, metavar="NAME=COLUMN",
    help="Take a column of the rated outputs, or a .score file of mt-metrics-eval, as a metric; repeatable.",
)  # fmt: skip
@click.option("--lower", multiple=True, metavar="NAME", help="Of an added metric lower is better; repeatable.")
@click.option("--map", "columns", multiple=True, metavar="OURS=THEIRS", help="Column names; repeatable.")
@click.option(
    "--resample", default="both", show_default=True, help="What the intervals resample: items, systems or both."
)
@click.option("--replicates", type=click.IntRange(min=0), default=1000, show_default=True, help="Of interval and p.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
def correlate(
    scores: Path, outputs: Path, level: str, coefficient: str, add: Sequence[str], lower: Sequence[str],
    columns: Sequence[str], resample: str, replicates: int, seed: int, layout: str,
) -> None:  # fmt: skip
    """How the metrics of a scores file agree with people: 95 % interval and p against no agreement.

    Positive is agreement, also where lower is better.
    """
    import json

    from nlgauge import ScoreTable
    from nlgauge import correlate as run
    from nlgauge.meta.join import join

    table, rated = ScoreTable.load(scores), _read(outputs, None, (), None, None, None, columns)
    pairs = [pair.partition("=") for pair in add]
    if wrong := [name for name, equals, column in pairs if not (name and equals and column)]:
        raise SpecError(f"--add {wrong[0]}: write NAME=COLUMN, as in --add COMET=comet")
    if stray := set(lower) - {name for name, _, _ in pairs}:
        raise SpecError(f"--lower {min(stray)}: no --add has that name")
    for name, _, column in pairs:
        file = column.endswith(".score")
        try:
            table = join(
                table,
                name,
                column if file else rated,
                column=None if file else column,
                higher_is_better=name not in lower,
            )
        except InputError as error:
            raise InputError(error.problem, file=error.file or outputs, row=error.row, remedy=error.remedy) from None
    found = run(table, rated, level=level, coefficient=coefficient, resample=resample, replicates=replicates, seed=seed)
    if layout == "json":
        record = {
            "nlgauge": __version__,
            "level": level,
            "coefficient": coefficient,
            "resample": resample,
            "replicates": replicates,
            "seed": seed,
            "agreements": [_plainly(one) for one in found],
            "unrated": found.unrated,
            "unscored": found.unscored,
            "joined": table.run.get("joined", {}),
        }
        click.echo(json.dumps(record, ensure_ascii=False, indent=2))
    else:
        aspects = list(found.unrated)
        cells = [["metric", *aspects]]
        for number, one in enumerate(found):
            if number % len(aspects) == 0:
                cells.append([one.metric + (f" {one.part}" if len(table.columns[one.metric].parts) > 1 else "")])
            p = f" p={one.p:.4f}" if one.p == one.p else ""
            cells[-1].append(_with_interval(one.value, one.low, one.high) + p)
        for line in _aligned(cells):
            click.echo(line)
    _tell_agreements(table, found)


def _tell_agreements(table: ScoreTable, found: Agreements) -> None:
    if turned := dict.fromkeys(one.metric for one in found if one.turned):
        click.echo(f"lower is better, so the sign is turned: {', '.join(turned)}", err=True)
    for aspect, count in found.unrated.items():
        if count:
            click.echo(f"{aspect}: {count} of {len(table.rows)} rows have no rating", err=True)
    if found.unscored:
        first = ", ".join(f"{system}/{item}" for system, item in found.unscored[:5])
        more = ", ..." if len(found.unscored) > 5 else ""
        click.echo(f"{len(found.unscored)} rated outputs are not in the scores ({first}{more})", err=True)
    for name, joined in table.run.get("joined", {}).items():
        if joined["missing"] or joined["left_over"]:
            rest = f"{joined['missing']} without a score, {joined['left_over']} scores without a row"
            click.echo(f"{name}, from {joined['from']}: {joined['scores']} joined, {rest}", err=True)
    for one in found:
        if one.reason:
            click.echo(f"{one.metric} {one.part}, {one.aspect}: no value: {one.reason}", err=True)
        elif one.undefined:
            which = f"{one.undefined} of {one.n + one.undefined} items"
            click.echo(f"{one.metric} {one.part}, {one.aspect}: no value within {which}, left out", err=True)
    for note in found.notes:
        click.echo(note, err=True)


@main.command()
@click.argument("scores", type=_PLACE)
@click.argument("a")
@click.argument("b")
@click.option("--metric", help="This metric alone, by its spec or name.")
@click.option("--replicates", type=click.IntRange(min=0), default=1000, show_default=True, help="Of interval and p.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
def compare(scores: Path, a: str, b: str, metric: str | None, replicates: int, seed: int, layout: str) -> None:
    """Is system A better than system B by a scores file, or is that noise?

    Per metric: both means over the items that both have, their difference with its 95 % interval, p (approximate
    randomisation), effect size, and about how many items would show a difference of this size in 80 % of studies.
    """
    import json

    from nlgauge import ScoreTable
    from nlgauge import compare as run

    table = ScoreTable.load(scores)
    found = run(table, a, b, metric, replicates=replicates, seed=seed)
    if layout == "json":
        record = {"nlgauge": __version__, "a": a, "b": b, "replicates": replicates, "seed": seed}
        record["differences"] = [_plainly(one) for one in found]
        click.echo(json.dumps(record, ensure_ascii=False, indent=2))
    else:
        cells = [["metric", "n", a, b, "difference", "p", "effect", "items needed", "better"]]
        for one in found:
            column = table.columns[one.metric]
            label = one.metric + (f" {one.part}" if len(column.parts) > 1 else "")
            cells.append(
                [
                    f"{label} {'↑' if column.higher_is_better else '↓'}",
                    str(one.n) if column.level == "item" else "-",
                    _with_interval(one.a),
                    _with_interval(one.b),
                    _with_interval(one.difference, one.low, one.high),
                    _with_interval(one.p),
                    "-" if math.isnan(one.effect) else f"{one.effect:.2f}",
                    f"{one.needed:.0f}" if math.isfinite(one.needed) else "-",
                    one.better or "-",
                ]
            )
        for line in _aligned(cells):
            click.echo(line)
    for one in found:
        if one.undefined:
            items = f"{one.undefined} of {one.n + one.undefined} items"
            click.echo(f"{one.metric} {one.part}: {items} left out, where one of the two has no value", err=True)
        if one.reason:
            click.echo(f"{one.metric} {one.part}: {one.reason}", err=True)
    for note in found.notes:
        click.echo(note, err=True)


def _with_interval(value: float, low: float = math.nan, high: float = math.nan) -> str:
    return "-" if math.isnan(value) else f"{value:.4f}" + ("" if math.isnan(low) else f" [{low:.4f}, {high:.4f}]")


def _plainly(record: object) -> dict[str, Any]:
    return {key: _plain(value) for key, value in vars(record).items()}


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
