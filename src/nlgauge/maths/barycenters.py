"""Wasserstein barycenters of the layers of a text. Each layer is a point cloud with one point per token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.maths.transport import plans
from nlgauge.maths.vectors import squared_distances

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_STEPS = 100
_TOLERANCE = 1e-7
_ROUNDS = 30
_ROUNDING = 1e-12


class Barycenter(NamedTuple):
    """A free-support barycenter."""

    points: Matrix
    """[points, width]"""
    certified: bool
    """True if the token-wise mean is a fixed point: in every layer, transport from each token to itself is optimal"""
    steps: int
    """Fixed-point steps that moved the points"""


def layer_barycenters(
    clouds: Sequence[NDArray[np.float64]],
    weights: Sequence[Vector],
    target: Sequence[Vector] | None = None,
    start: str = "token_mean",
) -> list[Barycenter]:
    """Return Wasserstein-2 barycenters of the layers of many texts, by fixed-point iteration (Cuturi and Doucet 2014).

    With start='token_mean' and equal weights, the plan that moves every token to itself is nearly always optimal, and
    then the mean is the fixed point. This is proved by dual prices or, if none are found in a few rounds, by the exact
    plan. Otherwise the iteration runs.

    Args:
        clouds: the vectors of each text: [layers, tokens, width] each.
        weights: the weights of the tokens of each text, the same in every layer: [tokens] each, with sum 1.
        target: the weights of the points of each barycenter: [points] each, with sum 1. By default `weights`.
        start: where the iteration begins, 'token_mean' or 'last_layer'.

    Returns:
        A barycenter for each text.
    """
    target = weights if target is None else target
    points = [cloud.mean(axis=0) if start == "token_mean" else cloud[-1].copy() for cloud in clouds]
    same = [start == "token_mean" and np.array_equal(a, b) for a, b in zip(weights, target, strict=True)]
    moves = [
        not (still and _stays(x, cloud, mass))
        for still, x, cloud, mass in zip(same, points, clouds, weights, strict=True)
    ]
    certified = [not move for move in moves]
    steps = [0] * len(clouds)
    for turn in range(_STEPS):
        going = [i for i, move in enumerate(moves) if move]
        if not going:
            break
        costs = [squared_distances(points[i], layer) for i in going for layer in clouds[i]]
        solved = iter(
            plans(costs, [target[i] for i in going for _ in clouds[i]], [weights[i] for i in going for _ in clouds[i]])
        )
        for i in going:
            text_plans = [next(solved) for _ in clouds[i]]
            moved = np.mean([plan @ layer for plan, layer in zip(text_plans, clouds[i], strict=True)], axis=0)
            held = target[i] > 0
            new = points[i].copy()
            new[held] = moved[held] / target[i][held, None]
            shift = float(np.abs(new - points[i]).max())
            moves[i] = shift > _TOLERANCE * float(np.abs(points[i]).max())
            if moves[i]:
                points[i], steps[i] = new, steps[i] + 1
            elif turn == 0 and same[i]:
                certified[i] = True
    return [Barycenter(*fields) for fields in zip(points, certified, steps, strict=True)]


def _stays(points: Matrix, cloud: NDArray[np.float64], weights: Vector) -> bool:
    """Return whether dual prices prove that moving each point to its own vector is optimal in every layer.

    Let c[i, j] be the cost from point i to vector j, and v[j] = c[j, j] - u[j]. The prices u must satisfy u[i] - u[j]
    <= c[i, j] - c[j, j] for all i, j. They are shortest paths in a graph, found in a few rounds if there is no negative
    cycle.
    """
    held = weights > 0
    x, y = points[held], cloud[:, held]
    cross = y @ x.T
    norms = (x * x).sum(axis=1)
    at_itself = np.diagonal(cross, axis1=1, axis2=2)
    room = norms[:, None] - norms - 2 * (cross.transpose(0, 2, 1) - at_itself[:, None, :])
    prices = np.zeros(at_itself.shape)
    for _ in range(_ROUNDS):
        lower = (room + prices[:, None, :]).min(axis=2)
        if (lower >= prices - _ROUNDING).all():
            return True
        prices = np.minimum(prices, lower)
    return False
