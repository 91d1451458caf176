"""Scores of systems and their differences, by the literal laws of means."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import nlgauge
from nlgauge import ScoreTable
from nlgauge.answers.compare import Difference
from nlgauge.data.table import Column, Sums, SystemScore
from tests.contracts.second_source.literal import NAN, Raw, Sources, kish, none, stats, total_laws
from tests.maths.test_inference import YES_NO, Given, laws, literal, literal_p

# ---- The score of a system


def known(r: Raw) -> np.ndarray:
    return ~np.isnan(r.counts).any(1) if r.counts is not None else ~np.isnan(r.values)


def of_known(r: Raw) -> np.ndarray | None:
    return None if r.clusters is None else r.clusters[known(r)]


def rate(counts: np.ndarray) -> np.ndarray:
    """Edits in 100 words."""
    return 100 * counts[..., 0] / counts[..., 1]


@cache
def score_ends(r: Raw) -> tuple[float, float]:
    if r.counts is None:
        return literal(Given(r.values[known(r)], r.limits, of_known(r)), 0.95)
    ends: list[float] = []
    for law in total_laws(r.counts[known(r)], rate, r.limits, of_known(r)):
        ends += stats.t.interval(0.95, law[2], law[0], law[1])
    return max(r.limits[0], min(ends)), min(r.limits[1], max(ends))


SYSTEM_SCORE: Sources = {
    "system": lambda r: "A",
    "metric": lambda r: "M",
    "part": lambda r: "score",
    "mean": lambda r: r.values[known(r)].mean() if r.counts is None else rate(r.counts[known(r)].sum(0)),
    "low": lambda r: score_ends(r)[0],
    "high": lambda r: score_ends(r)[1],
    "n": lambda r: int(known(r).sum()),
    "undefined": lambda r: int((~known(r)).sum()),
    "whole": lambda r: r.counts is not None,
    "clusters": lambda r: None if r.clusters is None else len(set(of_known(r).tolist())),
    "effective": lambda r: NAN if r.clusters is None else kish(of_known(r)),
}


def edits(rng: np.random.Generator, n: int) -> np.ndarray:
    """Edits and words of n outputs, of which one has nothing to add."""
    words = rng.integers(6, 30, n)
    counts = np.stack([rng.binomial(words, 0.3), words], 1).astype(float)
    counts[3] = NAN
    return counts


def of_system(values: np.ndarray, clusters: np.ndarray | None, counts: np.ndarray | None = None, **how: Any) -> Any:
    sums = None if counts is None else Sums({"name": "rate"}, counts)
    column = Column(("score",), values[:, None], sums=sums, **how)
    table = ScoreTable([("A", str(n)) for n in range(len(values))], {"M": column}, {})
    (one,) = (table if clusters is None else table.clustered(clusters.tolist())).by_system()
    low, high = (0.0, math.inf) if sums is not None else how["limits"]["score"]
    return one, Raw(values=values, clusters=clusters, counts=counts, limits=(low, high))


def system_scores() -> Iterator[tuple[str, SystemScore, Raw]]:
    rng = np.random.default_rng(0)
    of = rng.permutation(np.repeat(np.arange(9), [1, 2, 3, 3, 4, 4, 5, 6, 8]))
    words = rng.beta(5, 2, 36)
    holes = np.where(rng.random(36) < 0.2, NAN, np.where(rng.random(36) < 0.3, words, 0.95))
    shares = {"limits": {"score": YES_NO}}
    yield "plain", *of_system(words, None, **shares)
    yield "yes and no", *of_system((words > 0.55).astype(float), None, **shares)
    yield "clustered", *of_system(words, of, **shares)
    yield "mostly alike, with missing values, clustered", *of_system(holes, of, **shares)
    counts = edits(rng, 36)
    for name, clusters in (("of all rows together", None), ("of all rows together, clustered", of)):
        yield name, *of_system(rate(counts), clusters, counts, higher_is_better=False)


# ---- The difference of two systems


def both(r: Raw) -> np.ndarray:
    """Items with a number for both."""
    if r.counts is not None:
        return ~np.isnan(r.counts).any((1, 2))
    return ~np.isnan(r.a - r.b)


def of_both(r: Raw) -> np.ndarray | None:
    return None if r.clusters is None else r.clusters[both(r)]


def apart(r: Raw) -> np.ndarray:
    return (r.a - r.b)[both(r)]


@cache
def difference_laws(r: Raw) -> Any:
    there, (low, high) = both(r), r.limits
    limits = (low - high, high - low)
    if r.counts is None:
        magnitude = float(np.abs([r.a[there], r.b[there]]).max())
        return laws(Given(apart(r), limits, of_both(r), magnitude))
    counts = r.counts[there].reshape(int(there.sum()), -1)
    magnitude = max(abs(rate(r.counts[there][:, at].sum(0))) for at in (0, 1))
    return total_laws(counts, lambda c: rate(c[..., :2]) - rate(c[..., 2:]), limits, of_both(r), magnitude)


def means_of_both(r: Raw) -> tuple[float, float]:
    there = both(r)
    if r.counts is not None:
        return rate(r.counts[there][:, 0].sum(0)), rate(r.counts[there][:, 1].sum(0))
    return r.a[there].mean(), r.b[there].mean()


def gap(r: Raw) -> float:
    return means_of_both(r)[0] - means_of_both(r)[1]


def difference_ends(r: Raw) -> tuple[float, float]:
    ends = [
        end for centre, error, freedom in difference_laws(r) for end in stats.t.interval(0.95, freedom, centre, error)
    ]
    most = r.limits[1] - r.limits[0]
    return max(-most, min(*ends, gap(r))), min(most, max(*ends, gap(r)))


def shown_by(r: Raw, items: float, sides: int) -> float:
    """The difference that so many items show in 80 % of studies."""
    n, made = int(both(r).sum()), difference_laws(r)
    freedom = max(1.0, (min(one[2] for one in made) + 1) * items / n - 1)
    t = stats.t.ppf(1 - 0.05 / sides, freedom) + stats.t.ppf(0.8, freedom)
    return t * max(one[1] for one in made) * math.sqrt(n / items)


def needed(r: Raw) -> float:
    """One item after the other, until they show the difference, or the margin."""
    sides, size = (2, abs(gap(r))) if r.margin is None else (1, r.margin)
    return float(next(items for items in range(2, 100_000) if shown_by(r, items, sides) <= size))


def effect(r: Raw) -> float:
    if r.counts is None:
        return apart(r).mean() / apart(r).std(ddof=1)
    return gap(r) / (max(one[1] for one in difference_laws(r)) * math.sqrt(both(r).sum()))


def lost(r: Raw, side: int) -> float:
    return NAN if r.margin is None else literal_p(gap(r), difference_laws(r), -side * r.margin, side)


DIFFERENCE: Sources = {
    "metric": lambda r: "M",
    "part": lambda r: "score",
    "a": lambda r: means_of_both(r)[0],
    "b": lambda r: means_of_both(r)[1],
    "difference": gap,
    "low": lambda r: difference_ends(r)[0],
    "high": lambda r: difference_ends(r)[1],
    "p": lambda r: literal_p(gap(r), difference_laws(r)),
    "adjusted": lambda r: literal_p(gap(r), difference_laws(r)),
    "effect": effect,
    "n": lambda r: int(both(r).sum()),
    "undefined": lambda r: int((~both(r)).sum()),
    "needed": needed,
    "detectable": lambda r: shown_by(r, both(r).sum(), 2),
    "better": lambda r: "AB"[int((gap(r) > 0) == (r.counts is not None))],
    "reason": none,
    "whole": lambda r: r.counts is not None,
    "clusters": lambda r: None if r.clusters is None else len(set(of_both(r).tolist())),
    "effective": lambda r: NAN if r.clusters is None else kish(of_both(r)),
    "no_worse": lambda r: lost(r, -1 if r.counts is not None else 1),
    "alike": lambda r: max(lost(r, 1), lost(r, -1)),
}


def compared(r: Raw) -> tuple[Difference, Raw]:
    n, sums = len(r.a), None
    if r.counts is not None:
        sums = Sums({"name": "rate"}, np.concatenate([r.counts[:, 0], r.counts[:, 1]]))
    column = Column(
        ("score",),
        np.concatenate([r.a, r.b])[:, None],
        sums=sums,
        higher_is_better=sums is None,
        limits={} if sums else {"score": r.limits},
    )
    table = ScoreTable([(s, str(item)) for s in "AB" for item in range(n)], {"M": column}, {})
    table = table if r.clusters is None else table.clustered(r.clusters.tolist() * 2)
    (one,) = nlgauge.compare(table, "A", "B", margin=r.margin)
    return one, r


def differences() -> Iterator[tuple[str, Difference, Raw]]:
    rng = np.random.default_rng(1)
    of = rng.permutation(np.repeat(np.arange(12), [1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5, 8]))
    a, b = rng.beta(5, 2, 40), rng.beta(4, 2, 40)
    yes = [(one > 0.5).astype(float) for one in (a, b)]
    holes = np.where(rng.random(40) < 0.2, NAN, a)
    more = {"limits": YES_NO, "counts": None}
    yield "plain", *compared(Raw(a=a, b=b, clusters=None, margin=0.1, **more))
    yield "yes and no, clustered", *compared(Raw(a=yes[0], b=yes[1], clusters=of, margin=0.3, **more))
    yield "with missing values, clustered", *compared(Raw(a=holes, b=b, clusters=of, margin=None, **more))
    yield "mostly equal", *compared(Raw(a=np.where(rng.random(40) < 0.8, b, a), b=b, clusters=None, margin=0.2, **more))
    counts = np.stack([edits(rng, 40), edits(rng, 40)], 1)
    for clusters in (None, of):
        whole = Raw(
            a=rate(counts[:, 0]),
            b=rate(counts[:, 1]),
            counts=counts,
            clusters=clusters,
            margin=9.0,
            limits=(0.0, math.inf),
        )
        yield f"of all rows together, clusters {clusters is not None}", *compared(whole)
