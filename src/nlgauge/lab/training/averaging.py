"""The mean of several aligners of one body, weight by weight (Wortsman et al. 2022, "Model soups").

What went on from one aligner with other shares of the data finds more in some sets and less in others; their mean is
often as good as the better one in each, at the cost of neither time nor size.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from nlgauge.engine.models.adaptation import DOWN, UP, read_delta, write_delta
from nlgauge.engine.models.card import ALIGNER_FILE, ALIGNER_QUESTION
from nlgauge.engine.models.folder import WEIGHTS_FILE, copy_folder, read_weights
from nlgauge.errors import InputError
from nlgauge.lab.training.export import write_graph

_HEADS = "aligner."


def average(folders: Sequence[Path], out: Path, weights: Sequence[float] | None = None) -> Path:
    """Write a model's folder whose aligner is the mean of those of some folders; returns it.

    weights: how much each counts; all alike if None. What only some have, such as a later head, is the mean of theirs,
    but the mean reads the question only if all do. Differences of low rank are averaged factor by factor, which means
    something where the runs began with the same. Threshold and temperature are averaged too: measure them again on
    held-out rows (`nlgauge.lab.training.calibration`).

    Raises InputError for fewer than two folders, one without an aligner, and unlike bodies or shapes.
    """
    if len(folders) < 2:
        raise InputError(f"{len(folders)} aligners have no mean", remedy="give two folders or more")
    for folder in folders:
        if not (folder / ALIGNER_FILE).is_file():
            raise InputError(f"has no {ALIGNER_FILE}", file=folder, remedy="give folders with an aligner of their own")
    base = read_weights(folders[0] / WEIGHTS_FILE)
    for folder in folders[1:]:
        other = read_weights(folder / WEIGHTS_FILE)
        if base.keys() != other.keys() or any(not np.array_equal(base[name], other[name]) for name in base):
            raise InputError(f"its body is another than that of {folders[0]}", file=folder, remedy="average one body's")
    shares = [1.0] * len(folders) if weights is None else weights
    low = _means([_factors(read_weights(folder / ALIGNER_FILE)) for folder in folders], folders, shares)
    whole = _means([read_delta(folder / ALIGNER_FILE, base) for folder in folders], folders, shares)
    names = [name.removesuffix(DOWN) for name in low if name.endswith(DOWN)]
    copy_folder(folders[0], out)
    write_delta(out / ALIGNER_FILE, base, whole, {name: (low[name + DOWN], low[name + UP]) for name in names})
    write_graph(out, "aligner.onnx")
    return out


def _factors(stored: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: value for name, value in stored.items() if name.endswith((DOWN, UP))}


def _means(
    found: Sequence[dict[str, np.ndarray]], folders: Sequence[Path], shares: Sequence[float]
) -> dict[str, np.ndarray]:
    """The mean of each weight over the aligners that have it; unlike shapes and adapted layers are refused."""
    for folder, one in zip(folders[1:], found[1:], strict=True):
        common = found[0].keys() & one.keys()
        body = {name for name in found[0].keys() ^ one.keys() if not name.startswith(_HEADS)}
        if body or any(found[0][name].shape != one[name].shape for name in common):
            remedy = "average aligners that one run began, of one rank"
            raise InputError(f"its aligner has other weights than that of {folders[0]}", file=folder, remedy=remedy)
    means = {}
    for name in dict.fromkeys(name for one in found for name in one):
        own = [(one[name], share) for one, share in zip(found, shares, strict=True) if name in one]
        if name != ALIGNER_QUESTION or len(own) == len(found):
            means[name] = np.average([value for value, _ in own], axis=0, weights=[share for _, share in own])
    return means
