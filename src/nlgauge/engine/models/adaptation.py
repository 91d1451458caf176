"""A second set of weights in a model's folder, stored as differences from the folder's own weights.

An adapted matrix is ``base + scale * delta``, where ``delta`` is int8 with one scale per row, or ``base + up @ down``
with two matrices of low rank, in float16 or in int8 with one scale per row. Vectors are stored whole. A graph reads
both files, and the runtime adds them once, when the session is built (`nlgauge_lab.training.export`). For the torch
backend, this file adds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save

from nlgauge.engine.models.folder import SCALE, in_steps, read_weights

DOWN, UP = ".down", ".up"
"""Suffixes of the tensors whose product is a low-rank difference"""


def write_delta(
    path: Path,
    base: Mapping[str, np.ndarray],
    tuned: Mapping[str, np.ndarray],
    low_rank: Mapping[str, tuple[np.ndarray, np.ndarray]] | None = None,
    in_8_bits: bool = False,
) -> None:
    """Write the differences of `tuned` from `base`.

    Args:
        path: the file.
        base: float32 arrays by name.
        tuned: float32 arrays by name. Arrays equal to the base's are left out. Matrices that the base has are stored as
            int8 differences `name` [rows, columns] with float32 `name.scale` [rows, 1]. All others are stored whole, in
            float32.
        low_rank: for a matrix of the base by name, down [rank, columns] and up [rows, rank]. Their product up @ down is
            the difference. They are stored as `name.down` and `name.up` in float16, and `tuned` is ignored for this
            name.
        in_8_bits: store low-rank matrices, and matrices that the base lacks, as int8 with float32 scales too.
    """
    stored: dict[str, np.ndarray] = {}
    low_rank = low_rank or {}

    def put(name: str, matrix: np.ndarray) -> None:
        stored[name], stored[name + SCALE] = in_steps(np.asarray(matrix, np.float32))

    for name, value in tuned.items():
        wanted = np.asarray(value, np.float32)
        before = np.asarray(base[name], np.float32) if name in base else None
        if name in low_rank or (before is not None and np.array_equal(before, wanted)):
            continue
        if wanted.ndim == 2 and (before is not None or in_8_bits):
            put(name, wanted if before is None else wanted - before)
        else:
            stored[name] = np.ascontiguousarray(wanted)
    for name, (down, up) in low_rank.items():
        for end, part in ((DOWN, down), (UP, up)):
            if in_8_bits:
                put(name + end, part)
            else:
                stored[name + end] = np.ascontiguousarray(part, np.float16)
    path.write_bytes(save(stored, metadata={"format": "pt"}))


def read_delta(path: Path, base: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the adapted tensors as float32. Tensors that the file does not change are those of the base."""
    stored = read_weights(path)
    with safe_open(path, "np") as file:
        differences = {name.removesuffix(SCALE) for name in set(file.keys()) if name.endswith(SCALE)}
    out: dict[str, np.ndarray] = {}
    for name, value in stored.items():
        if name.endswith(UP):
            name = name.removesuffix(UP)
            out[name] = np.asarray(base[name], np.float32) + value @ stored[name + DOWN]
        elif name in differences and name in base:
            out[name] = np.asarray(base[name], np.float32) + value
        elif not name.endswith(DOWN):
            out[name] = value
    return out
