"""The command nlgauge serve."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nlgauge.cli.options import LIMITED, LOADING, OFFERED, PLACE, SPEC, example
from nlgauge.cli.streams import remark
from nlgauge.errors import MissingExtraError, SpecError

if TYPE_CHECKING:
    from nlgauge.serve.admission import Keys

_WORKER_S = 1.0
"""Seconds that the worker has to end after every request is answered; a step that takes longer is stopped"""
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@click.command(epilog=example("nlgauge serve -m Faithfulness --port 8000"))
@click.option(
    "-m",
    "--metric",
    "metrics",
    type=SPEC,
    multiple=True,
    default=OFFERED,
    show_default=True,
    help="Metric that requests may ask for; repeatable.",
)
@click.option("--any-metric", is_flag=True, help="Requests may ask for any metric, without naming files or models.")
@LOADING
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: a free one.")
@click.option("--keys", type=PLACE, help="File of API keys, one a line; else those of NLGAUGE_SERVE_KEYS.")
@click.option("--no-keys", is_flag=True, help="Listen on an address that others reach, and let everybody in.")
@click.option(
    "--allowed-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="Name that requests may be sent to; repeatable. This machine's own on loopback, any elsewhere.",
)
@click.option("--body", type=click.IntRange(min=1), default=1 << 20, show_default=True, help="Bytes of a request.")
@LIMITED
@click.option(
    "--turn",
    type=click.FloatRange(min=0, min_open=True),
    default=20.0,
    show_default=True,
    help="Seconds that an evaluation may take while other requests wait.",
)
@click.option(
    "--memory",
    type=click.IntRange(min=256),
    default=4096,
    show_default=True,
    help="MiB that requests may take beside the models (Linux).",
)
@click.option(
    "--connections", type=click.IntRange(min=1), default=1000, show_default=True, help="Connections that may be open."
)
@click.option("--quiet", is_flag=True, help="Write no line for each request.")
def serve(
    metrics: Sequence[str],
    any_metric: bool,
    model: str | None,
    precision: str,
    backend: str,
    device: str | None,
    host: str,
    port: int,
    keys: Path | None,
    no_keys: bool,
    hosts: Sequence[str],
    turn: float,
    memory: int,
    quiet: bool,
    **limited: Any,
) -> None:
    """Serve scores over HTTP: /score, /explain, /check, and a page at / (docs/serve.md).

    The options name the metrics and models; no request can name a file, an address or a model. At SIGINT or SIGTERM the
    service answers all requests that it has accepted, and ends at most 6 seconds after --seconds, whatever is running.
    """
    try:
        from nlgauge.serve import server
        from nlgauge.serve.app import Service, application
    except ImportError:
        raise MissingExtraError("nlgauge serve", "serve") from None
    from nlgauge.serve.allow_list import AllowList
    from nlgauge.serve.asking import Limits
    from nlgauge.serve.evaluator import Evaluator, Setup

    local = host in _LOOPBACK
    fitting = _keys(keys, no_keys, local, host)
    limits = Limits(**limited)
    model = model or os.environ.get("NLGAUGE_MODEL") or None
    allowed = AllowList.of(metrics, model, any_metric)
    setup = Setup(
        metrics=list(metrics),
        model=model,
        any_metric=any_metric,
        precision=precision,
        backend=backend,
        device=device,
        work=limits.work,
        memory=memory,
        turn=turn,
    )
    evaluator, of_long = Evaluator(setup), Evaluator(setup)
    evaluator.start()  # the other one starts with the first long request
    names = {name.lower() for name in hosts} or (set(_LOOPBACK) if local else None)
    service = Service(allowed, evaluator.score, limits, of_long.score)
    try:
        app = application(service, keys=fitting, hosts=names, log=not quiet)
        sock = server.listening(host, port)
        where = f"http://{f'[{host}]' if ':' in host else host}:{sock.getsockname()[1]}"
        remark(f"nlgauge: {', '.join(allowed.named)}, on {where}")
        whole = server.run(server.configured(app, limits), sock)
        service.stop(_WORKER_S)
    finally:
        evaluator.stop()
        of_long.stop()
    server.tell_stopped(whole)
    if not whole:
        sys.exit(1)


def _keys(file: Path | None, none: bool, local: bool, host: str) -> Keys:
    """Return the API keys that the service accepts.

    Args:
        file: the file of keys, --keys; None without one.
        none: whether --no-keys is given.
        local: whether only this machine can reach the address.
        host: the address, for the error.

    Returns:
        The keys; no keys where they are not needed and not given.

    Raises:
        SpecError: there are no keys, and other machines can reach the address, unless --no-keys allows that; or both
            keys and --no-keys are given.
    """
    from nlgauge.serve.admission import VARIABLE, read_keys

    if none and file is not None:
        raise SpecError("--keys and --no-keys do not go together; leave one out")
    keys = read_keys(file)
    if none and keys:
        raise SpecError(f"--no-keys, and {VARIABLE} holds keys: leave one out")
    if not (keys or local or none):
        raise SpecError(f"others reach {host}: give API keys by --keys FILE or {VARIABLE}, or --no-keys to let all in")
    return keys
