"""A second set of weights for a model's folder, stored as what it differs by from the folder's own.

An adapted matrix is ``base + scale * delta`` with ``delta`` int8 and one scale a row: a quarter of the matrix itself.
Vectors are stored whole. A graph reads both files, and the runtime adds them up once, when the session is built
(`nlgauge.training.export`); the torch backend reads them here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save

SCALE = ".scale"
"""Ends the name of the tensor that holds a delta's scales"""


def write_delta(path: Path, base: Mapping[str, np.ndarray], tuned: Mapping[str, np.ndarray]) -> None:
    """Write what `tuned` differs by from `base`.

    tuned: float32 arrays. Those equal to the base's are left out; matrices that the base has are stored as int8 deltas
    `name` [rows, columns] with float32 `name.scale` [rows, 1]; all else is stored whole, in float32.
    """
    stored: dict[str, np.ndarray] = {}
    for name, value in tuned.items():
        wanted = np.asarray(value, np.float32)
        known = np.asarray(base[name], np.float32) if name in base else None
        if known is not None and np.array_equal(known, wanted):
            continue
        if known is None or wanted.ndim != 2:
            stored[name] = np.ascontiguousarray(wanted)
        else:
            stored[name], stored[name + SCALE] = _quantised(wanted - known)
    path.write_bytes(save(stored, metadata={"format": "pt"}))


def read_delta(path: Path, base: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The adapted tensors, float32, as the runtime computes with them; those left out are the base's."""
    stored = load_file(path)
    out: dict[str, np.ndarray] = {}
    for name, value in stored.items():
        if name + SCALE in stored:
            out[name] = np.asarray(base[name], np.float32) + value.astype(np.float32) * stored[name + SCALE]
        elif not name.endswith(SCALE):
            out[name] = value
    return out


def _quantised(delta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int8 [rows, columns] and float32 scales [rows, 1]; a row without differences has scale 0."""
    scale = np.abs(delta).max(axis=1, keepdims=True) / np.float32(127)
    steps = np.divide(delta, scale, out=np.zeros_like(delta), where=scale > 0)
    return np.rint(steps).astype(np.int8), scale.astype(np.float32)
