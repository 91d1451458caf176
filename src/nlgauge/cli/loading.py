"""--precision, --backend and --device: how commands that score load their models."""

from __future__ import annotations

from collections.abc import Callable

import click


def loading(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the three options, as `precision`, `backend` and `device`."""
    command = click.option(
        "--device", help="cpu, cuda, cuda:1 or mps, of models that torch runs; a GPU by default where there is one."
    )(command)
    command = click.option(
        "--backend", default="auto", show_default=True,
        help="onnxruntime, openvino, torch, or auto: by precision, device and what is installed.",
    )(command)  # fmt: skip
    return click.option(
        "--precision", default="float32", show_default=True,
        help="float32; bfloat16, which pays on a GPU and on processors with units for it; or int8, without torch.",
    )(command)  # fmt: skip
