"""nlgauge list, doctor and export: what is installed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from nlgauge.cli.terminal import PLACE
from nlgauge.errors import SpecError


@click.command("list")
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


@click.command()
def doctor() -> None:
    """Check this installation: versions, the embedded model, and that results do not depend on batch or order."""
    from nlgauge.doctor import examine

    findings = examine()
    for finding in findings:
        click.echo(f"{'ok  ' if finding.good else 'FAIL'}  {finding.what}: {finding.detail}")
    sys.exit(0 if all(finding.good for finding in findings) else 1)


@click.command()
@click.argument("model")
@click.argument("folder", type=PLACE)
def export(model: str, folder: Path) -> None:
    """Write MODEL (pocket, or a folder of ours) to FOLDER as a Hugging Face folder in float32."""
    from nlgauge.engine.folder import WEIGHTS_FILE, write_hugging_face
    from nlgauge.registry import pocket_folder

    source = pocket_folder() if model == "pocket" else Path(model)
    if not (source / WEIGHTS_FILE).is_file():
        raise SpecError(f"no model {model!r} to export: give pocket or a folder that holds {WEIGHTS_FILE}")
    write_hugging_face(source, folder)
    click.echo(str(folder))
