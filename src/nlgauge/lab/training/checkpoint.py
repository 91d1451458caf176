"""What a training run leaves behind so that it can go on where it was stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch import nn

_FILE = "checkpoint.safetensors"


def save_checkpoint(
    folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer, step: int, curve: list[dict[str, Any]]
) -> None:
    """Write weights that learn, optimizer state, step and curve; a kill at any time leaves the old file or the new."""
    tensors = {}
    for name, parameter in _learning(model):
        tensors[f"model.{name}"] = parameter.detach()
        for key, value in optimizer.state.get(parameter, {}).items():
            tensors[f"{key}.{name}"] = value.detach().clone().reshape(value.shape)
    partial = folder / "checkpoint.partial"
    save_file(
        {key: value.contiguous() for key, value in tensors.items()},
        partial,
        metadata={"step": str(step), "curve": json.dumps(curve)},
    )
    partial.replace(folder / _FILE)


def load_checkpoint(
    folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer
) -> tuple[int, list[dict[str, Any]]] | None:
    """Put a run back to its last checkpoint and return step and curve; None where the folder holds none."""
    path = folder / _FILE
    if not path.exists():
        return None
    with safe_open(path, "pt") as file:
        metadata = file.metadata()
    tensors = load_file(path)
    with torch.no_grad():
        for name, parameter in _learning(model):
            parameter.copy_(tensors[f"model.{name}"])
            state = {
                key: tensors[f"{key}.{name}"].to(parameter.device)
                for key in ("step", "exp_avg", "exp_avg_sq")
                if f"{key}.{name}" in tensors
            }
            if state:
                optimizer.state[parameter] = state
    return int(metadata["step"]), json.loads(metadata["curve"])


def _learning(model: nn.Module) -> list[tuple[str, nn.Parameter]]:
    return [(name, parameter) for name, parameter in model.named_parameters() if parameter.requires_grad]
