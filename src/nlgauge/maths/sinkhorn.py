"""Entropic optimal transport in the log domain, so that small regularisations are stable."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

_ROUNDS = 500
_BETWEEN = 10
_HALVINGS = 30


class Entropic(NamedTuple):
    """A solution of min <P, C> + eps KL(P || a b'), P with margins a and b."""

    plan: Matrix
    """[n, m]"""
    plan_cost: float
    """<P, C>"""
    objective: float
    """<P, C> + eps KL(P || a b')"""
    error: float
    """Sum of the absolute deviations of the plan's column sums from b; its row sums are exact"""


def entropic(cost: Matrix, a: Vector, b: Vector, regularisation: float, tolerance: float = 1e-11) -> Entropic:
    """Sinkhorn's algorithm (Cuturi 2013) with decreasing regularisation, then Newton steps.

    Sinkhorn's algorithm alone needs tens of thousands of rounds if the regularisation is small compared with the costs.
    Newton steps on the dual prices of the columns avoid this. They are shortened until they raise the dual objective by
    more than a Sinkhorn round.

    cost: [n, m]; a, b: weights [n] and [m], > 0, each with sum 1; regularisation: eps > 0, in units of the cost. It
    stops when the margins are within `tolerance`, or after 500 steps; see `error`.
    """
    log_a, log_b = np.log(a), np.log(b)
    g = np.zeros(len(b))
    eps = max(regularisation, float(cost.max()))
    for turn in range(_ROUNDS):
        f = -eps * _log_sum((g - cost) / eps + log_b)
        plan = np.exp((f[:, None] + g - cost) / eps + log_a[:, None] + log_b)
        gap = b - plan.sum(axis=0)
        error = float(np.abs(gap).sum())
        if eps > regularisation:
            if turn % _BETWEEN == _BETWEEN - 1:
                eps = max(regularisation, eps / 2)
        elif error < tolerance:
            break
        g = _better(cost, f, g, log_a, log_b, eps, _newton_step(plan, gap, a, eps))
    log_plan = (f[:, None] + g - cost) / eps + log_a[:, None] + log_b
    plan = np.exp(log_plan)
    plan_cost = float((plan * cost).sum())
    divergence = float((plan * (log_plan - log_a[:, None] - log_b)).sum())
    return Entropic(plan, plan_cost, plan_cost + eps * divergence, error)


def _newton_step(plan: Matrix, gap: Vector, a: Vector, eps: float) -> Vector:
    """The Newton step for the column prices, with row prices that are optimal for them."""
    curvature = np.diag(plan.sum(axis=0)) - plan.T @ (plan / a[:, None])
    # Prices are determined up to a constant, which a step must not change.
    step: Vector = eps * np.linalg.lstsq(curvature + plan.sum() / len(gap) ** 2, gap, rcond=1e-14)[0]
    return step


def _better(cost: Matrix, f: Vector, g: Vector, log_a: Vector, log_b: Vector, eps: float, step: Vector) -> Vector:
    """The prices after a Sinkhorn round, or after a shortened Newton step if that is better."""
    scaled: Vector = -eps * _log_sum(((f[:, None] - cost) / eps + log_a[:, None]).T)

    def worth(prices: Vector) -> float:
        return float(-eps * _log_sum((prices - cost) / eps + log_b) @ np.exp(log_a) + prices @ np.exp(log_b))

    least = worth(scaled)
    for halvings in range(_HALVINGS):
        newton: Vector = g + step / 2**halvings
        # Near the optimum the objective is flat up to rounding, and the Newton step is more exact.
        if np.isfinite(newton).all() and worth(newton) >= least - 1e-15 * abs(least):
            return newton
    return scaled


def divergence(
    cost: Matrix, a: Vector, b: Vector, within_a: Matrix, within_b: Matrix, regularisation: float
) -> tuple[float, float]:
    """Debiased Sinkhorn divergence (Feydy et al. 2019, equation 3), and the largest margin error of its parts.

    OT(a, b) - OT(a, a) / 2 - OT(b, b) / 2 with the entropic objective; never negative, and 0 for equal measures.
    cost: [n, m] between the two clouds; within_a, within_b: costs within each cloud, [n, n] and [m, m].
    """
    between = entropic(cost, a, b, regularisation)
    first, second = entropic(within_a, a, a, regularisation), entropic(within_b, b, b, regularisation)
    value = between.objective - first.objective / 2 - second.objective / 2
    return max(value, 0.0), max(between.error, first.error, second.error)


def _log_sum(logs: Matrix) -> Vector:
    top = logs.max(axis=1)
    total: Vector = top + np.log(np.exp(logs - top[:, None]).sum(axis=1))
    return total
