"""The command nlgauge mcp."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from nlgauge.cli.options import LIMITED, LOADING, OFFERED, PLACE, SPEC, example
from nlgauge.cli.streams import remark
from nlgauge.errors import InputError, MissingExtraError


@click.command(epilog=example("nlgauge mcp -m Faithfulness --folder ."))
@click.option(
    "-m",
    "--metric",
    "metrics",
    type=SPEC,
    multiple=True,
    default=OFFERED,
    show_default=True,
    help="Metric that an agent may ask for; repeatable.",
)
@click.option("--any-metric", is_flag=True, help="It may ask for any metric, without naming files or models.")
@click.option(
    "--folder", type=PLACE, default=Path(), show_default=True, help="Files are read here and below, and nowhere else."
)
@LOADING
@LIMITED
def mcp(
    metrics: Sequence[str],
    any_metric: bool,
    folder: Path,
    model: str | None,
    precision: str,
    backend: str,
    device: str | None,
    **limited: Any,
) -> None:
    """Tools for an agent: check_answer, explain, compare_files, trust_scorer (docs/mcp.md).

    The command speaks the Model Context Protocol over standard input and output, and is started by the program that
    runs the agent. It works offline. The options name the metrics and models. A request cannot name a model or an
    address, and it can name only files in --folder. The limits are those of nlgauge serve.
    """
    try:
        from nlgauge.serve.mcp import Tools, server
    except ImportError:
        raise MissingExtraError("nlgauge mcp", "mcp") from None
    from nlgauge.options import RunOptions
    from nlgauge.serve.allow_list import AllowList
    from nlgauge.serve.asking import Limits
    from nlgauge.serve.evaluator import load_models, try_out

    if not folder.is_dir():
        raise InputError("this is no folder", file=folder, remedy="name the folder of the files that tools may read")
    allowed = AllowList.of(metrics, model or os.environ.get("NLGAUGE_MODEL") or None, any_metric)
    models = load_models(allowed, RunOptions(precision=precision, backend=backend, device=device))
    try_out(allowed, models)
    tools = Tools(allowed, models, Limits(**limited), folder)
    tools.worker.start()
    remark(f"nlgauge: {', '.join(allowed.named)}, over standard input and output")
    try:
        server(tools).run()
    finally:
        tools.worker.stop(0)
