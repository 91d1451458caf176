"""Optimal transport, exact and entropic, between small weighted point clouds, many problems at once.

A problem is a cost matrix [n, m] and two sets of weights. Its plan moves one onto the other at minimal total cost.
Plans are found by the network simplex method (Ahuja, Magnanti and Orlin, Network Flows, 1993, chapter 11). Masses are
integers internally, so the sums of a plan are exact. At the end, dual prices prove that the plan is optimal.

There are two solvers. Where POT is installed (the extra `transport`), its compiled network simplex solves each problem,
and its plan is taken if its sums are exact and its dual prices prove it optimal here. All other problems are solved by
numpy, with each pivot done for all problems of a batch by array operations. numpy takes 3 to 5 times as long as POT at
25 points a side, 10 to 20 times at 60 and 100 times at 250: at 60 points its initial tree alone costs more than all of
POT's work. Where one plan alone is optimal, both solvers return it to the last digit; where several are, they may
return different ones of the same cost.

Entropic transport is computed in the log domain, so that small regularisations are stable.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Integers = NDArray[np.int64]

_CELLS = 1 << 19
_MOST = 1024
_UNITS = 1 << 40
_TOLERANCE = 1e-13
_POT_PIVOTS = 10_000_000
_SMOOTHINGS = 20
_EPS = 0.06


def plans(costs: Sequence[Matrix], a: Sequence[Vector], b: Sequence[Vector]) -> list[Matrix]:
    """Return an optimal plan for each problem.

    Args:
        costs: [n, m] each, finite.
        a: weights of the rows: [n] each, >= 0, with any positive sum; they are normalised.
        b: weights of the columns: [m] each, as `a`.

    Returns:
        Matrices [n, m] >= 0 of total mass 1, with at most n + m - 1 positive cells. The row sums of a plan are the
        normalised weights `a` and the column sums are `b`, exactly for uniform weights and else to 1e-12.

    Raises:
        ValueError: a shape, a weight or a cost is invalid.
    """
    problems = [_Problem(cost, rows, columns) for cost, rows, columns in zip(costs, a, b, strict=True)]
    by_pot = [_by_pot(problem) for problem in problems] if find_spec("ot") else [None] * len(problems)
    out = [np.empty((0, 0)) if flow is None else problems[i].plan(flow) for i, flow in enumerate(by_pot)]
    left = [i for i, flow in enumerate(by_pot) if flow is None]
    for index in _batches([problems[i].cost.shape for i in left]):
        numbers = [left[i] for i in index]
        flows = _Batch([problems[i] for i in numbers]).solve()
        for i, flow in zip(numbers, flows, strict=True):
            out[i] = problems[i].plan(problems[i].rounded(flow))
    return out


def _by_pot(problem: _Problem) -> Integers | None:
    """Return an optimal flow [n, m] by POT's network simplex, or None without a proof that it is optimal.

    The amounts are whole numbers below 2 ** 53, so POT's sums and differences of them are exact.
    """
    import ot

    cost = np.ascontiguousarray(problem.cost)
    amounts = problem.rows.astype(float), problem.columns.astype(float)
    flow, log = ot.emd(*amounts, cost, numItermax=_POT_PIVOTS, log=True, center_dual=False, check_marginals=False)
    whole: Integers = np.rint(flow).astype(np.int64)
    if not _is_optimal(problem, whole, row_prices=log["u"], column_prices=log["v"]):
        return None
    return whole


def _is_optimal(problem: _Problem, flow: Integers, row_prices: Vector, column_prices: Vector) -> bool:
    """Return whether a flow has exact sums, and prices prove that no other costs less, up to rounding."""
    if (flow < 0).any() or (flow.sum(axis=1) != problem.rows).any() or (flow.sum(axis=0) != problem.columns).any():
        return False
    gap = problem.cost - row_prices[:, None]
    gap -= column_prices
    tolerance = _TOLERANCE * np.abs(problem.cost).max()
    # By weak duality, the least possible cost is within the sum of the two of the cost of this flow.
    return bool(gap.min() >= -tolerance and np.vdot(flow, gap) <= tolerance * problem.total)


def _batches(shapes: Sequence[tuple[int, ...]]) -> Iterator[list[int]]:
    """Yield batches of problems of similar shape, as indices. A batch fits into memory and the processor's cache."""
    index: list[int] = []
    n = m = 0
    for i in sorted(range(len(shapes)), key=lambda i: (max(shapes[i]), shapes[i])):
        grown = max(n, shapes[i][0]), max(m, shapes[i][1])
        if index and (grown[0] * grown[1] * (len(index) + 1) > _CELLS or len(index) == _MOST):
            yield index
            index, grown = [], (shapes[i][0], shapes[i][1])
        index.append(i)
        n, m = grown
    if index:
        yield index


class _Problem:
    """A problem of transport with masses in integers, without points of weight 0."""

    def __init__(self, cost: Matrix, a: Vector, b: Vector) -> None:
        if cost.shape != (len(a), len(b)) or not cost.size:
            raise ValueError(f"a cost matrix {cost.shape} does not fit {len(a)} and {len(b)} weights")
        if not np.isfinite(cost).all():
            raise ValueError("a cost is not finite")
        for weights in (a, b):
            if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.sum() > 0):
                raise ValueError("weights have to be at least 0, with a positive sum")
        self._shape = cost.shape
        if (a == a[0]).all() and (b == b[0]).all():
            common = math.gcd(*cost.shape)
            supply = np.full(len(a), len(b) // common, np.int64)
            demand = np.full(len(b), len(a) // common, np.int64)
        else:
            supply, demand = _units(a), _units(b)
        self._at = np.ix_(supply > 0, demand > 0)
        self.cost = cost if supply.all() and demand.all() else cost[self._at]
        self.rows, self.columns = supply[supply > 0], demand[demand > 0]
        self.total = int(supply.sum())
        # Ties between sums of masses could lead to pivots that move nothing and repeat forever. To avoid ties, each row
        # supplies one more very small unit, and the last column takes all of these.
        self._unit = 2 * len(self.rows) + 2
        self.supply = self.rows * self._unit + 1
        self.demand = self.columns * self._unit
        self.demand[-1] += len(self.rows)

    def rounded(self, flow: Integers) -> Integers:
        """Return the flow [n, m] of this problem, rounded from the flow that is optimal for `supply` and `demand`.

        Args:
            flow: the flow for `supply` and `demand`, which may have more rows and columns, without any flow.

        Returns:
            The flow for the masses `rows` and `columns`.
        """
        n, m = self.cost.shape
        whole: Integers = (flow[:n, :m] + self._unit // 2) // self._unit
        return whole

    def plan(self, flow: Integers) -> Matrix:
        """Return the plan of all points, from the flow [n, m] of the points with weight."""
        if flow.shape == self._shape:
            return flow / self.total
        plan = np.zeros(self._shape)
        plan[self._at] = flow / self.total
        return plan


def _units(weights: Vector) -> Integers:
    units: Integers = np.rint(weights / weights.sum() * _UNITS).astype(np.int64)
    units[units.argmax()] += _UNITS - units.sum()
    return units


class _Batch:
    """Problems padded to one shape, each with a spanning tree of its rows and columns that carries a feasible flow.

    Nodes are the rows 0 ... n-1 and the columns n ... n+m-1 of all problems, in flat arrays. Every node except the root
    has a parent (`up`), the flow on the edge to it, and the cost of that edge.
    """

    def __init__(self, problems: Sequence[_Problem]) -> None:
        self.n = max(problem.cost.shape[0] for problem in problems)
        self.m = max(problem.cost.shape[1] for problem in problems)
        size = len(problems)
        self.cost = np.full((size, self.n, self.m), np.inf)
        self.supply = np.zeros((size, self.n), np.int64)
        self.demand = np.zeros((size, self.m), np.int64)
        for i, problem in enumerate(problems):
            n, m = problem.cost.shape
            self.cost[i, :n, :m] = problem.cost
            self.supply[i, :n], self.demand[i, :m] = problem.supply, problem.demand
        self.tolerance = _TOLERANCE * np.array([np.abs(problem.cost).max() for problem in problems])
        self._nodes(size)
        self.up = np.arange(size * (self.n + self.m))
        self.flow = np.zeros(len(self.up), np.int64)
        self.length = np.zeros(len(self.up))
        self.depth = np.zeros(len(self.up), np.int64)

    def _nodes(self, size: int) -> None:
        self.first = np.arange(size) * (self.n + self.m)
        self.is_row = np.tile(np.arange(self.n + self.m) < self.n, size)

    def solve(self) -> Integers:
        """Return the optimal flow of each problem: [problems, n, m]."""
        self._start()
        out = np.zeros(self.cost.shape, np.int64)
        active = np.arange(len(self.cost))
        while len(active):
            cell, gap = self._price()
            left = gap < -self.tolerance
            if not left.all():
                self._read(out, active, ~left)
                active = active[left]
                self._keep(left)
                cell = cell[left]
            if len(active):
                self._pivot(cell)
        return out

    def _read(self, out: Integers, active: Integers, done: NDArray[np.bool_]) -> None:
        """Write the flows of the problems that are done into `out`."""
        size = self.n + self.m
        child = np.flatnonzero(np.repeat(done, size) & (self.flow > 0))
        problem = child // size
        row = np.where(self.is_row[child], child, self.up[child]) - self.first[problem]
        column = np.where(self.is_row[child], self.up[child], child) - self.first[problem] - self.n
        out[active[problem], row, column] = self.flow[child]

    def _keep(self, left: NDArray[np.bool_]) -> None:
        """Remove the problems for which `left` [problems] is false."""
        shift = self.first - (np.cumsum(left) - 1) * (self.n + self.m)
        nodes = np.repeat(left, self.n + self.m)
        self.up = (self.up - np.repeat(shift, self.n + self.m))[nodes]
        self.flow, self.length, self.depth = self.flow[nodes], self.length[nodes], self.depth[nodes]
        self.cost, self.tolerance = self.cost[left], self.tolerance[left]
        self._nodes(int(left.sum()))

    def _start(self) -> None:
        """Build the initial tree from cells in the order of a smoothed plan, each with all mass that its margins allow.

        The smoothed plan comes from a few Sinkhorn rounds on exp(-cost / eps). The rounds need not converge: the plan
        must only put good cells before bad ones.
        """
        size = len(self.cost)
        finite = np.isfinite(self.cost)
        scale = np.where(finite, self.cost, 0.0).sum(axis=(1, 2)) / finite.sum(axis=(1, 2))
        least = self.cost.min(axis=2, keepdims=True)
        above = np.where(finite, self.cost - np.where(np.isfinite(least), least, 0.0), np.inf)
        worth = np.exp(-above / np.maximum(_EPS * scale, 1e-300)[:, None, None])
        # Otherwise a column far from every row would underflow to 0.
        worth = np.where(finite, np.maximum(worth, 1e-60), 0.0)
        total = self.supply.sum(axis=1, keepdims=True)
        rows, columns = self.supply / total, self.demand / total
        right = np.ones_like(columns)
        for _ in range(_SMOOTHINGS):
            left = rows / np.maximum((worth @ right[:, :, None])[:, :, 0], 1e-100)
            right = columns / np.maximum((left[:, None, :] @ worth)[:, 0], 1e-100)
        worth *= np.minimum(right, 1e100)[:, None, :]
        worth *= left[:, :, None]

        free = self.demand > 0
        best = np.where(self.supply > 0, np.inf, -1.0)  # upper bound for a row's cells in free columns
        every = np.arange(size)
        while True:
            row = best.argmax(axis=1)
            going = best[every, row] >= 0
            if not going.any():
                break
            places, row = every[going], row[going]
            values = np.where(free[places], worth[places, row], -1.0)
            column = values.argmax(axis=1)
            value = values[np.arange(len(places)), column]
            stale = value < best[places, row]
            best[places, row] = value
            places, row, column = places[~stale], row[~stale], column[~stale]
            give, take = self.supply[places, row], self.demand[places, column]
            moved = np.minimum(give, take)
            self.supply[places, row] -= moved
            self.demand[places, column] -= moved
            nodes = self.first[places] + row, self.first[places] + self.n + column
            used_up = give < take
            child, parent = np.where(used_up, nodes[0], nodes[1]), np.where(used_up, nodes[1], nodes[0])
            self.up[child], self.flow[child] = parent, moved
            self.length[child] = self.cost[places, row, column]
            best[places[used_up], row[used_up]] = -1.0
            free[places[~used_up], column[~used_up]] = False
            ended = give == take
            best[places[ended]] = -1.0
        self._measure()

    def _measure(self) -> None:
        """Compute the depths and prices of all nodes, by pointer doubling towards the root."""
        up = self.up
        self.depth = (up != np.arange(len(up))).astype(np.int64)
        self.price = self.length - self.length[up]
        self.depth += self.depth[up]
        reach = up[up]
        while (self.up[reach] != reach).any():
            self.price += self.price[reach]
            self.depth += self.depth[reach]
            reach = reach[reach]

    def _price(self) -> tuple[Integers, Vector]:
        """Return, for each problem, the cell with the lowest reduced cost, and this cost: [problems] both."""
        prices = self.price.reshape(len(self.cost), -1)
        gap = self.cost - prices[:, : self.n, None]
        gap -= prices[:, None, self.n :]
        gap = gap.reshape(len(gap), -1)
        cell = gap.argmin(axis=1)
        return cell, gap[np.arange(len(gap)), cell]

    def _pivot(self, cell: Integers) -> None:
        """Add one cell to the tree of each problem. It closes a cycle, and gets all flow that this cycle allows."""
        row, column = self.first + cell // self.m, self.first + self.n + cell % self.m
        # From both ends of the new edge to their common ancestor; flow decreases on edges in the opposite direction.
        ends = row.copy(), column.copy()
        moved = np.full(len(cell), np.iinfo(np.int64).max)
        leaving = np.full(len(cell), -1)
        from_row = np.zeros(len(cell), np.bool_)
        steps: list[tuple[Integers, Integers, NDArray[np.bool_]]] = []
        apart = np.arange(len(cell))
        while len(apart):
            x, y = ends[0][apart], ends[1][apart]
            lower = self.depth[x] - self.depth[y]
            for side, node, moves in ((0, x, lower >= 0), (1, y, lower <= 0)):
                at, node = apart[moves], node[moves]
                loses = self.is_row[node] if side == 0 else ~self.is_row[node]
                steps.append((at, node, loses))
                less = loses & (self.flow[node] < moved[at])
                moved[at[less]] = self.flow[node[less]]
                leaving[at[less]] = node[less]
                from_row[at[less]] = side == 0
                ends[side][at] = self.up[node]
            apart = apart[ends[0][apart] != ends[1][apart]]
        for at, node, loses in steps:
            self.flow[node] += np.where(loses, -moved[at], moved[at])
        # The subtree cut off by the leaving edge is attached at its end of the new edge.
        node, parent = np.where(from_row, row, column), np.where(from_row, column, row)
        every = np.arange(len(cell))
        flow, length = moved, self.cost.reshape(len(cell), -1)[every, cell]
        going = every
        while len(going):
            above, old_flow, old_length = self.up[node], self.flow[node], self.length[node]
            self.up[node], self.flow[node], self.length[node] = parent, flow, length
            more = node != leaving[going]
            going = going[more]
            parent, node, flow, length = node[more], above[more], old_flow[more], old_length[more]
        self._measure()


_ROUNDS = 500
_BETWEEN = 10
_HALVINGS = 30


class Entropic(NamedTuple):
    """A solution of entropic transport: the plan P with margins a and b that minimises <P, C> + eps KL(P || a b')."""

    plan: Matrix
    """[n, m]"""
    plan_cost: float
    """<P, C>"""
    objective: float
    """<P, C> + eps KL(P || a b')"""
    error: float
    """Sum of the absolute deviations of the plan's column sums from b; its row sums are exact"""


def entropic(cost: Matrix, a: Vector, b: Vector, regularisation: float, tolerance: float = 1e-11) -> Entropic:
    """Return an entropic plan by Sinkhorn's algorithm (Cuturi 2013) with decreasing regularisation, then Newton steps.

    Sinkhorn's algorithm alone needs tens of thousands of rounds if the regularisation is small compared with the costs.
    Newton steps on the dual prices of the columns avoid this. They are shortened until they raise the dual objective by
    more than a Sinkhorn round.

    Args:
        cost: [n, m].
        a: weights of the rows: [n], > 0, with sum 1.
        b: weights of the columns: [m], > 0, with sum 1.
        regularisation: eps > 0, in units of the cost.
        tolerance: the error of the margins at which the algorithm stops. It also stops after 500 steps.

    Returns:
        The plan, its cost, the objective, and the error of the margins.
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
        g = _better(cost, f, g=g, log_a=log_a, log_b=log_b, eps=eps, step=_newton_step(plan, gap, a, eps))
    log_plan = (f[:, None] + g - cost) / eps + log_a[:, None] + log_b
    plan = np.exp(log_plan)
    plan_cost = float((plan * cost).sum())
    divergence = float((plan * (log_plan - log_a[:, None] - log_b)).sum())
    return Entropic(plan, plan_cost, plan_cost + eps * divergence, error)


def _newton_step(plan: Matrix, gap: Vector, a: Vector, eps: float) -> Vector:
    """Return the Newton step for the column prices, with row prices that are optimal for them.

    Args:
        plan: the plan by these prices: [n, m].
        gap: what the column sums of the plan lack: [m].
        a: weights of the rows: [n].
        eps: the regularisation.
    """
    curvature = np.diag(plan.sum(axis=0)) - plan.T @ (plan / a[:, None])
    # Prices are determined up to a constant, which a step must not change.
    step: Vector = eps * np.linalg.lstsq(curvature + plan.sum() / len(gap) ** 2, gap, rcond=1e-14)[0]
    return step


def _better(cost: Matrix, f: Vector, g: Vector, log_a: Vector, log_b: Vector, eps: float, step: Vector) -> Vector:
    """Return the column prices after a Sinkhorn round, or after a shortened Newton step if that is better.

    Args:
        cost: the costs: [n, m].
        f: the prices of the rows: [n].
        g: the prices of the columns: [m].
        log_a: the logarithms of the weights of the rows: [n].
        log_b: the logarithms of the weights of the columns: [m].
        eps: the regularisation.
        step: the Newton step for the column prices: [m].
    """
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
    """Return the debiased Sinkhorn divergence (Feydy et al. 2019, equation 3), and the largest error of its margins.

    It is OT(a, b) - OT(a, a) / 2 - OT(b, b) / 2, where OT is the objective of entropic transport.

    Args:
        cost: costs between the two clouds: [n, m].
        a: weights of the first cloud: [n], > 0, with sum 1.
        b: weights of the second cloud: [m], > 0, with sum 1.
        within_a: costs within the first cloud: [n, n].
        within_b: costs within the second cloud: [m, m].
        regularisation: eps > 0, in units of the cost.

    Returns:
        The divergence, which is never negative and 0 for equal measures, and the error.
    """
    between = entropic(cost, a, b, regularisation)
    first, second = entropic(within_a, a, a, regularisation), entropic(within_b, b, b, regularisation)
    value = between.objective - first.objective / 2 - second.objective / 2
    return max(value, 0.0), max(between.error, first.error, second.error)


def _log_sum(logs: Matrix) -> Vector:
    top = logs.max(axis=1)
    total: Vector = top + np.log(np.exp(logs - top[:, None]).sum(axis=1))
    return total
