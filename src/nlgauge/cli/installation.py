"""nlgauge list, doctor and export: what is installed."""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import MISSING
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nlgauge.cli.options import PLACE, SPEC, example
from nlgauge.cli.streams import show_json
from nlgauge.errors import SpecError

if TYPE_CHECKING:
    from nlgauge.contract.base import Metric


@click.command("list", epilog=example("nlgauge list Faithfulness"))
@click.argument("names", type=SPEC, metavar="[METRIC]...", nargs=-1)
@click.option("--format", "layout", type=click.Choice(["text", "json"]), default="text", show_default=True)
def list_all(names: Sequence[str], layout: str) -> None:
    """List the installed metrics and models, with their parameters. With names of metrics: all details of these.

    Metrics called published/Name repeat the published code of a paper, with its errors.
    """
    from nlgauge._plugins import LAB_METRICS, offered
    from nlgauge.engine.models.loading import COMPANIONS, companions
    from nlgauge.registry import project_metrics

    if names:
        _show(names, layout)
        return
    metrics = [_described(name, kind) for name, kind in project_metrics().items()]
    theirs = {f"{package}/{name}" for name, package in COMPANIONS.items()}
    others = [name for name, _ in offered("nlgauge.metrics") if name not in LAB_METRICS]
    models = ["pocket", *companions(), *(name for name, _ in offered("nlgauge.models") if name not in theirs)]
    if layout == "json":
        show_json("list", metrics=metrics, offered=others, models=models)
        return
    for metric in metrics:
        click.echo(f"{metric['name']}  ({metric['better']} is better)  {metric['about']}")
        click.echo("    " + ", ".join(f"{key}={value!r}" for key, value in metric["parameters"].items()))
        if metric["presets"]:
            click.echo("    presets: " + ", ".join(map(repr, metric["presets"])))
    for name in others:
        click.echo(f"{name}  (from an installed package)")
    click.echo(f"models: {', '.join(models)}, or any Hugging Face name or folder (pip install 'nlgauge[torch]')")


def _show(names: Sequence[str], layout: str) -> None:
    """Print the help of some metrics. Raises SpecError for a metric that is not known."""
    from nlgauge.contract.parameters import literal, parameters_of
    from nlgauge.registry import metric_class

    kinds = {name: metric_class(name) for name in names}
    if layout == "json":
        show_json("list", metrics=[_described(name, kind) for name, kind in kinds.items()])
        return
    for name, kind in kinds.items():
        described = _described(name, kind)
        click.echo(f"{name}  ({described['better']} is better)\n\n{inspect.getdoc(kind)}\n")
        for key, one in parameters_of(kind).items():
            default = "needed" if one.default is MISSING else literal(one.default)
            click.echo(f"  {key}={default}" + (f"  {one.values}" if one.values else ""))
            if one.help:
                click.echo(textwrap.indent(textwrap.fill(one.help, 108), "      "))
        if of := kind.short or kind.subject:
            click.echo(f"{name}:VALUE is short for {of}=VALUE")
        told = {"sub-scores": "parts", "informational sub-scores": "details", "presets": "presets"}
        for label, key in told.items():
            if described[key]:
                click.echo(f"{label}: {', '.join(described[key])}")
        if described["cost"]:
            click.echo(f"cost: {described['cost']}" + ("; uses the other rows too" if described["uses_corpus"] else ""))
        if kind.citation:
            click.echo(f"source: {kind.citation}")


def _described(name: str, kind: type[Metric]) -> dict[str, Any]:
    """Return what is to be told of a metric; parts, cost and use of the corpus are those of its default parameters."""
    from nlgauge.contract.parameters import parameters_of
    from nlgauge.registry import typical

    parameters = {key: None if one.default is MISSING else one.default for key, one in parameters_of(kind).items()}
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
def doctor(model: str | None) -> None:
    """Check this installation: versions, the embedded model, and that results do not depend on batch or order."""
    from nlgauge.cli.doctor import examine, recognised

    findings = examine() if model is None else recognised(model)
    for finding in findings:
        click.echo(f"{'ok  ' if finding.good else 'FAIL'}  {finding.what}: {finding.detail}")
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
