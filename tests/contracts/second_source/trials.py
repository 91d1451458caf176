"""Literal versions of what trials say: by all sets of k trials, plain sums, and scipy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from itertools import combinations

import numpy as np

import nlgauge
from nlgauge.answers.trials import Passes, Plan, Reliability, Spread, Trials, trials
from tests.answers.test_trials import drawn, table
from tests.contracts.second_source.literal import NAN, Raw, Sources, none, stats

K = (1, 2, 4)
COSTS = (6.0, 2.0)


def sets(r: Raw, item: str, k: int) -> list[tuple[float, ...]]:
    return list(combinations(r.runs[r.system][item], k))


def all_of(r: Raw, k: int) -> np.ndarray:
    return np.array([np.mean([all(one) for one in sets(r, item, k)]) for item in r.runs[r.system]])


def none_of(r: Raw, k: int) -> np.ndarray:
    return np.array([np.mean([not any(one) for one in sets(r, item, k)]) for item in r.runs[r.system]])


def moments(r: Raw, failing: bool = False) -> tuple[float, float, float]:
    """The mean of the items' chances, their variance, and the mean variance of one trial."""
    runs = [np.array(one) if not failing else 1 - np.array(one) for one in r.runs[r.system].values()]
    within = float(np.mean([one.var(ddof=1) for one in runs]))
    means = np.array([one.mean() for one in runs])
    between = max(0.0, means.var(ddof=1) - float(np.mean([within / len(one) for one in runs])))
    return float(means.mean()), between, within


def beta_variance(r: Raw, n: int, k: int, failing: bool = False) -> float:
    """The variance of C(c, k) / C(n, k) over beta-binomial counts c."""
    mean, between, _ = moments(r, failing)
    share = min(max(between / (mean * (1 - mean)), 1e-3), 0.999)
    a, b = mean * (1 / share - 1), (1 - mean) * (1 / share - 1)
    chances = stats.betabinom.pmf(np.arange(n + 1), n, a, b)
    values = np.array([math.comb(c, k) / math.comb(n, k) for c in range(n + 1)])
    return float(chances @ values**2 - (chances @ values) ** 2)


def chance(r: Raw, k: int, values: np.ndarray, failing: bool = False) -> tuple[float, float, float]:
    """The mean, with Wilson's interval of as many yes and no as have its variance."""
    m, value = len(values), float(values.mean())
    if set(values.tolist()) <= {0.0, 1.0}:
        count, z = float(m), stats.norm.ppf(0.975)
        if value in (0.0, 1.0):
            beyond = 0.025 ** (1 / m)
            return (value, 0.0, 1 - beyond) if value == 0 else (value, beyond, 1.0)
    else:
        expected = np.mean([beta_variance(r, len(one), k, failing) for one in r.runs[r.system].values()])
        spread = max(float(values.var(ddof=1)), float(expected))
        count, z = m * max(1.0, value * (1 - value) / spread), stats.t.ppf(0.975, m - 1)
    middle = (value + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(value * (1 - value) / count + z * z / (4 * count**2))
    return value, middle - half, middle + half


def one_of(r: Raw) -> tuple[float, float, float]:
    value, low, high = chance(r, r.k, none_of(r, r.k), failing=True)
    return 1 - value, 1 - high, 1 - low


def flips(r: Raw) -> tuple[float, float, float]:
    return chance(r, 1, np.array([float(0 < sum(one) < len(one)) for one in r.runs[r.system].values()]))


PASSES: Sources = {
    "system": lambda r: r.system,
    "k": lambda r: r.k,
    "items": lambda r: len(r.runs[r.system]),
    "trials": lambda r: sum(map(len, r.runs[r.system].values())),
    "pass_at_k": one_of,
    "pass_hat_k": lambda r: chance(r, r.k, all_of(r, r.k)),
    "clusters": none,
}
SPREAD: Sources = {
    "system": lambda r: r.system,
    "items": lambda r: len(r.runs[r.system]),
    "fewest": lambda r: min(map(len, r.runs[r.system].values())),
    "most": lambda r: max(map(len, r.runs[r.system].values())),
    "flips": flips,
    "between_items": lambda r: moments(r)[1],
    "between_trials": lambda r: moments(r)[2],
    "judge": lambda r: NAN,
}


def of_both(r: Raw, system: str) -> float:
    shared = [item for item in r.runs[r.a] if item in r.runs[r.b]]
    whole = Raw(runs=r.runs, system=system)
    return float(
        np.mean([value for item, value in zip(r.runs[system], all_of(whole, r.k), strict=True) if item in shared])
    )


def compared(r: Raw) -> nlgauge.answers.compare.Difference:  # type: ignore[name-defined]
    """`compare`, which has literal versions of its own, of a table of the literal estimates."""
    rows = [(system, item) for system in (r.a, r.b) for item in r.runs[system]]
    values = [value for system in (r.a, r.b) for value in all_of(Raw(runs=r.runs, system=system), r.k)]
    column = nlgauge.data.table.Column(("p",), np.array(values)[:, None], limits={"p": (0.0, 1.0)})
    (found,) = nlgauge.compare(nlgauge.ScoreTable(rows, {"M": column}, {}), r.a, r.b)
    return found


def adjusted(r: Raw) -> float:
    """By Holm, for all pairs."""
    of = sorted(compared(one).p for one in r.pairs)
    least = 0.0
    for place, p in enumerate(of):
        least = max(least, min(1.0, (len(of) - place) * p))
        if p == compared(r).p:
            return least
    return NAN


RELIABILITY: Sources = {
    "a": lambda r: r.a,
    "b": lambda r: r.b,
    "k": lambda r: r.k,
    "items": lambda r: len(set(r.runs[r.a]) & set(r.runs[r.b])),
    "of_a": lambda r: of_both(r, r.a),
    "of_b": lambda r: of_both(r, r.b),
    "difference": lambda r: (of_both(r, r.a) - of_both(r, r.b), compared(r).low, compared(r).high),
    "p": lambda r: compared(r).p,
    "adjusted": adjusted,
    "better": lambda r: None if adjusted(r) >= 0.05 else r.a if of_both(r, r.a) > of_both(r, r.b) else r.b,
    "detectable": lambda r: compared(r).detectable,
    "reason": lambda r: compared(r).reason,
}


def cost(m: int, n: int) -> float:
    return m * COSTS[0] + m * n * COSTS[1]


def half(r: Raw, m: int, n: int) -> float:
    return float(stats.t.ppf(0.975, m - 1)) * math.sqrt(beta_variance(r, n, r.k) / m)


def planned(r: Raw) -> tuple[int, int]:
    m, n = len(r.runs[r.system]), max(r.k, round(np.mean([len(one) for one in r.runs[r.system].values()])))
    most = 2 * cost(m, n) + 1e-9
    if r.change == "now":
        return m, n
    if r.change == "more trials":
        return m, max(one for one in range(1, 300) if cost(m, one) <= most)
    counts = [n] if r.change == "more items" else range(r.k, 200)
    ways = [(max(one for one in range(2, 1000) if cost(one, of) <= most), of) for of in counts if cost(2, of) <= most]
    return min(ways, key=lambda way: half(r, *way))


PLAN: Sources = {
    "system": lambda r: r.system,
    "change": lambda r: r.change,
    "k": lambda r: r.k,
    "items": lambda r: planned(r)[0],
    "trials": lambda r: planned(r)[1],
    "cost": lambda r: cost(*planned(r)),
    "half": lambda r: half(r, *planned(r)),
}


@cache
def found() -> list[tuple[str, Trials, dict[str, dict[str, list[float]]]]]:
    """Systems with equal and unequal numbers of trials, and with other items."""
    equal = {"A": drawn(1, items=14, of=4), "B": drawn(2, items=14, of=4, lift=0.4)}
    few = drawn(3, items=12, of=4)
    unequal = {"A": {**drawn(4, items=12, of=6), **few}, "B": drawn(5, items=20, of=5), "C": few}
    return [
        (name, trials(table(runs), k=K, costs=COSTS), runs) for name, runs in (("equal", equal), ("unequal", unequal))
    ]


def passes() -> Iterator[tuple[str, Passes, Raw]]:
    for name, of, runs in found():
        for one in of:
            yield f"{name}, {one.system}, {one.k}", one, Raw(runs=runs, system=one.system, k=one.k)


def spreads() -> Iterator[tuple[str, Spread, Raw]]:
    for name, of, runs in found():
        for one in of.spreads:
            yield f"{name}, {one.system}", one, Raw(runs=runs, system=one.system)


def pairs() -> Iterator[tuple[str, Reliability, Raw]]:
    for name, of, runs in found():
        raws = [Raw(runs=runs, a=a, b=b, k=max(K)) for a, b in combinations(runs, 2)]
        for one, raw in zip(of.pairs, raws, strict=True):
            raw.pairs = raws
            yield f"{name}, {one.a}, {one.b}", one, raw


def plans() -> Iterator[tuple[str, Plan, Raw]]:
    for name, of, runs in found():
        for one in of.plans:
            raw = Raw(runs=runs, system=one.system, k=max(K), change=one.change)
            yield f"{name}, {one.system}, {one.change}", one, raw
