"""A second set of weights for a model's folder, stored as what it differs by from the folder's own.

An adapted matrix is ``base + scale * delta`` with ``delta`` int8 and one scale a row, a quarter of the matrix itself,
or ``base + up @ down`` with both in float16, whose size is their rank's. Vectors are stored whole. A graph reads both
files, and the runtime adds them up once, when the session is built (`nlgauge.training.export`); the torch backend reads
them here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save

from nlgauge.engine.models.folder import SCALE, in_steps

DOWN, UP = ".down", ".up"
"""End the names of the tensors whose product is a difference of low rank"""


def write_delta(
    path: Path,
    base: Mapping[str, np.ndarray],
    tuned: Mapping[str, np.ndarray],
    low_rank: Mapping[str, tuple[np.ndarray, np.ndarray]] | None = None,
) -> None:
    """Write what `tuned` differs by from `base`.

    tuned: float32 arrays. Those equal to the base's are left out; matrices that the base has are stored as int8 deltas
    `name` [rows, columns] with float32 `name.scale` [rows, 1]; all else is stored whole, in float32.
    low_rank: by the name of a matrix of the base, down [rank, columns] and up [rows, rank], whose product up @ down is
    what it differs by; stored as `name.down` and `name.up` in float16, whatever `tuned` says of the name.
    """
    stored: dict[str, np.ndarray] = {}
    low_rank = low_rank or {}
    for name, value in tuned.items():
        wanted = np.asarray(value, np.float32)
        known = np.asarray(base[name], np.float32) if name in base else None
        if name in low_rank or (known is not None and np.array_equal(known, wanted)):
            continue
        if known is None or wanted.ndim != 2:
            stored[name] = np.ascontiguousarray(wanted)
        else:
            stored[name], stored[name + SCALE] = in_steps(wanted - known)
    for name, (down, up) in low_rank.items():
        stored[name + DOWN], stored[name + UP] = (np.ascontiguousarray(part, np.float16) for part in (down, up))
    path.write_bytes(save(stored, metadata={"format": "pt"}))


def read_delta(path: Path, base: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The adapted tensors, float32, as the runtime computes with them; those left out are the base's."""
    stored = load_file(path)
    out: dict[str, np.ndarray] = {}
    for name, value in stored.items():
        if name.endswith(UP):
            name = name.removesuffix(UP)
            out[name] = np.asarray(base[name], np.float32) + _widened(value) @ _widened(stored[name + DOWN])
        elif name + SCALE in stored:
            out[name] = np.asarray(base[name], np.float32) + value.astype(np.float32) * stored[name + SCALE]
        elif not name.endswith((SCALE, DOWN)):
            out[name] = value
    return out


def _widened(value: np.ndarray) -> np.ndarray:
    return value.astype(np.float32)
