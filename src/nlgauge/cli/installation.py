"""The commands nlgauge list, doctor and export, about what is installed."""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import MISSING
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nlgauge.cli.options import IN_FORMATS, PLACE, SPEC, example
from nlgauge.cli.streams import printed
from nlgauge.cli.terminal import show
from nlgauge.errors import SpecError
from nlgauge.show.answer import Answer
from nlgauge.show.lines import Line, TextLine
from nlgauge.show.tables import NONE

if TYPE_CHECKING:
    from nlgauge.contract.base import Metric


@click.command("list", epilog=example("nlgauge list Faithfulness", "nlgauge list --schema compare"))
@click.argument("names", type=SPEC, metavar="[METRIC]...", nargs=-1)
@click.option("--schema", metavar="COMMAND", help="Print the JSON Schema of what a command prints with --format json.")
@IN_FORMATS
def list_all(names: Sequence[str], schema: str | None, layout: str) -> None:
    """List the installed metrics and models, with their parameters; or all details of the metrics named.

    Metrics called published/Name repeat the published code of a paper, with its errors.
    """
    if schema is not None:
        from nlgauge.cli import schemas

        if names:
            raise SpecError("--schema is of a command, without names of metrics")
        click.echo(printed(schemas.schema(schema)))
        return
    show(_details(names) if names else _installed(), layout)


def _installed() -> Answer:
    """Return the answer that lists the metrics and models of this installation."""
    from nlgauge._plugins import LAB_METRICS, offered
    from nlgauge.engine.models.loading import COMPANIONS, companions
    from nlgauge.registry import project_metrics

    metrics = [_described(name, kind) for name, kind in project_metrics().items()]
    theirs = {f"{package}/{name}" for name, package in COMPANIONS.items()}
    others = [name for name, _ in offered("nlgauge.metrics") if name not in LAB_METRICS]
    models = ["pocket", *companions(), *(name for name, _ in offered("nlgauge.models") if name not in theirs)]
    lines: list[Line] = []
    cells: list[list[str]] = [["metric", "better", "parameters", "presets", "what it measures"]]
    for metric in metrics:
        parameters = ", ".join(f"{key}={value!r}" for key, value in metric["parameters"].items())
        presets = ", ".join(map(repr, metric["presets"]))
        lines += [
            f"{metric['name']}  ({metric['better']} is better)  {metric['about']}",
            f"    {parameters}",
            *([f"    presets: {presets}"] if presets else []),
        ]
        cells.append([metric["name"], metric["better"], parameters or NONE, presets or NONE, metric["about"]])
    for name in others:
        lines.append(f"{name}  (from an installed package)")
        cells.append([name, NONE, NONE, NONE, "from an installed package"])
    any_model = "or any Hugging Face name or folder (pip install 'nlgauge[torch]')"
    lines.append(f"models: {', '.join(models)}, {any_model}")
    return Answer(
        command="list",
        record={"metrics": metrics, "offered": others, "models": models},
        tables=[cells, [["model"], *([model] for model in models)]],
        lines=lines,
    )


def _details(names: Sequence[str]) -> Answer:
    """Return the answer with all details of the named metrics. Raises SpecError for an unknown metric."""
    from nlgauge.contract.parameters import literal, parameters_of
    from nlgauge.registry import metric_class

    described: list[dict[str, Any]] = []
    lines: list[Line] = []
    metrics: list[list[str]] = [["metric", "better", *_LISTS, "cost", "source"]]
    cells: list[list[str]] = [["metric", "parameter", "default", "values", "what it is"]]
    for name, kind in {name: metric_class(name) for name in names}.items():
        metric = _described(name, kind)
        described.append(metric)
        lines.append(f"{name}  ({metric['better']} is better)\n\n{inspect.getdoc(kind)}\n")
        for key, parameter in parameters_of(kind).items():
            default = "needed" if parameter.default is MISSING else literal(parameter.default)
            lines.append(f"  {key}={default}" + (f"  {parameter.values}" if parameter.values else ""))
            if parameter.help:
                lines.append(TextLine(textwrap.fill(parameter.help, 108), "      "))
            cells.append([name, key, default, parameter.values or NONE, parameter.help or NONE])
        if short := kind.short or kind.subject:
            lines.append(f"{name}:VALUE is short for {short}=VALUE")
        lists = {label: ", ".join(metric[key]) for label, key in _LISTS.items()}
        lines += [f"{label}: {members}" for label, members in lists.items() if members]
        cost = metric["cost"] and metric["cost"] + ("; uses the other rows too" if metric["uses_corpus"] else "")
        more = {"cost": cost, "source": kind.citation}
        lines += [f"{label}: {said}" for label, said in more.items() if said]
        metrics.append([name, metric["better"], *(said or NONE for said in (lists | more).values())])
    return Answer(command="list", record={"metrics": described}, tables=[metrics, cells], lines=lines)


_LISTS = {"sub-scores": "parts", "informational sub-scores": "details", "presets": "presets"}
"""Titles of the lists of names in the description of a metric, and their keys"""


def _described(name: str, kind: type[Metric]) -> dict[str, Any]:
    """Return facts about a metric. Its sub-scores, cost and use of the corpus are those with default parameters."""
    from nlgauge.contract.parameters import parameters_of
    from nlgauge.registry import typical

    parameters = {
        key: None if parameter.default is MISSING else parameter.default
        for key, parameter in parameters_of(kind).items()
    }
    described: dict[str, Any] = {
        "name": name,
        "about": (inspect.getdoc(kind) or "").partition("\n")[0],
        "parameters": parameters,
        "presets": {preset: dict(settings) for preset, settings in kind.presets.items()},
    }
    default = typical(kind)
    made: Metric | type[Metric] = default or kind
    needs = {"cost": default and default.cost, "uses_corpus": default and default.uses_corpus}
    better = "neither" if set(made.parts) <= set(made.details) else "higher" if made.higher_is_better else "lower"
    return {**described, "better": better, "parts": list(made.parts), "details": list(made.details), **needs}


@click.command(epilog=example("nlgauge doctor"))
@click.option("--model", help="Say what this model is and how it reads texts, instead of looking at the embedded one.")
@click.option(
    "--speed",
    is_flag=True,
    help="Time the model by each backend and precision, in some seconds; --precision auto then chooses by these times.",
)
@click.option("--device", help="With --speed: the device of models that torch runs, as nlgauge score takes it.")
@IN_FORMATS
def doctor(model: str | None, speed: bool, device: str | None, layout: str) -> None:
    """Check this installation: versions, the embedded model, and that results do not depend on batch or order."""
    from nlgauge.cli.doctor import examine, recognised, timed

    if speed:
        show(timed(model or "pocket", device), layout)
        return
    if device is not None:
        raise SpecError("--device is for --speed")
    findings = examine() if model is None else recognised(model)
    states = ["ok" if finding.good else "FAIL" for finding in findings]
    cells = [[state, finding.what, finding.detail] for state, finding in zip(states, findings, strict=True)]
    answer = Answer(
        command="doctor",
        record={"findings": [vars(finding) for finding in findings]},
        tables=[[["state", "what", "found"], *cells]],
        lines=[f"{state:4}  {what}: {detail}" for state, what, detail in cells],
    )
    show(answer, layout)
    sys.exit(0 if all(finding.good for finding in findings) else 1)


@click.command(epilog=example("nlgauge export pocket pocket-folder"))
@click.argument("model")
@click.argument("folder", type=PLACE)
@click.option(
    "--tokenizer",
    type=PLACE,
    help="For HHEM-2.1-Open: folder with the tokenizer.json of google/flan-t5-base; for CTC the folder of the encoder.",
)
def export(model: str, folder: Path, tokenizer: Path | None) -> None:
    """Write MODEL to FOLDER, in a form that other programs read.

    pocket, and a folder that is a plain BERT, become a folder in Hugging Face format, in float32. A detector (nli:...,
    minicheck:..., and so on) becomes a folder that onnxruntime reads without torch. The folder of HHEM-2.1-Open, or the
    file of an aligner of CTC (D or R, .ckpt), becomes a folder for --model FOLDER; no code in it is run.
    """
    from nlgauge.engine.models.convert import convert, is_converted
    from nlgauge.engine.models.folder import WEIGHTS_FILE, write_hugging_face
    from nlgauge.engine.models.loading import folder_of, is_detector, load

    if is_converted(Path(model)):
        convert(Path(model), folder, tokenizer)
    elif tokenizer is not None:
        raise SpecError("--tokenizer is for HHEM-2.1-Open and for the file of an aligner of CTC: leave it out")
    elif is_detector(model):
        from nlgauge.engine.models.detector import export_detector

        export_detector(load(model, backend="torch", device="cpu"), folder)
    else:
        source = folder_of(model)
        if not (source / WEIGHTS_FILE).is_file():
            raise SpecError(f"no model {model!r} to export: give pocket or a folder that holds {WEIGHTS_FILE}")
        write_hugging_face(source, folder)
    click.echo(str(folder))
