"""A second source for every printed number: each field of each record beside a literal version of a few lines.

`SOURCES` has by record and field a function of the raw data, `CASES` the records of some small data sets. A field that
has no function fails by its name, and so does a record that no command's table is without. Literal versions are plain
loops, numpy and scipy; what is drawn at random (folds, exchanged rows) is taken as drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import pytest

import nlgauge
from nlgauge import ScoreTable
from nlgauge.data.table import Column, Sums, SystemScore
from nlgauge.maths.prediction_powered import Design
from nlgauge.stats.blanks import WorstCase
from nlgauge.stats.comparison import Difference
from nlgauge.stats.estimate import Estimate
from nlgauge.stats.sampling import Draw, DrawnRow

stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")

from tests.maths.test_effective import fisher_ends, unseen  # noqa: E402
from tests.maths.test_inference import (  # noqa: E402
    UNLIMITED,
    YES_NO,
    Given,
    laws,
    leave_one_out,
    literal,
    literal_p,
    pseudo_values,
    two_more,
)
from tests.maths.test_rated_means import least_weight, moves  # noqa: E402
from tests.maths.test_rated_means import literal as literal_mean  # noqa: E402

NAN = math.nan


class Raw:
    """The raw data of a record, under names of its own."""

    def __init__(self, **data: Any) -> None:
        self.__dict__.update(data)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


Sources: TypeAlias = Mapping[str, Callable[[Raw], Any]]
Cases: TypeAlias = Callable[[], Iterator[tuple[str, Any, Raw]]]


def same(found: Any, wanted: Any) -> bool:
    """Whether two values are the same but for rounding: numbers, texts, and records and tuples of them."""
    if is_dataclass(found):
        found = tuple(getattr(found, one.name) for one in fields(found))
    if isinstance(found, tuple | list):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    if isinstance(wanted, float | np.floating) and found is not None:
        return bool(found == pytest.approx(float(wanted), rel=1e-7, abs=1e-9, nan_ok=True))
    return bool(found == wanted)


def nothing(_: Raw) -> float:
    return NAN


def none(_: Raw) -> None:
    return None


# ---- The score of a system


def known(r: Raw) -> np.ndarray:
    return ~np.isnan(r.counts).any(1) if r.counts is not None else ~np.isnan(r.values)


def of_known(r: Raw) -> np.ndarray | None:
    return None if r.clusters is None else r.clusters[known(r)]


def rate(counts: np.ndarray) -> np.ndarray:
    """Edits in 100 words."""
    return 100 * counts[..., 0] / counts[..., 1]


def kish(groups: np.ndarray) -> float:
    """How many groups of equal size say as much."""
    sizes = np.unique(groups, return_counts=True)[1]
    return float(sizes.sum() ** 2 / (sizes**2).sum())


@cache
def score_ends(r: Raw) -> tuple[float, float]:
    if r.counts is None:
        return literal(Given(r.values[known(r)], r.limits, of_known(r)), 0.95)
    ends: list[float] = []
    for law in total_laws(r.counts[known(r)], rate, r.limits, of_known(r)):
        ends += stats.t.interval(0.95, law[2], law[0], law[1])
    return max(r.limits[0], min(ends)), min(r.limits[1], max(ends))


def total_laws(
    counts: np.ndarray, formula: Callable[[np.ndarray], Any], limits: tuple[float, float], clusters: np.ndarray | None,
    magnitude: float | None = None,
) -> list[tuple[float, float, float]]:  # fmt: skip
    """Student's t of a number of all items together, by leaving out items and clusters."""
    singles = np.arange(len(counts))
    made = []
    for groups in [singles] if clusters is None else [singles, np.unique(clusters, return_inverse=True)[1]]:
        sizes, sums = np.bincount(groups).astype(float), pseudo_values(counts, formula, groups)
        size = abs(formula(counts.sum(0))) if magnitude is None else magnitude
        more = two_more(sums / sizes, sizes, Given(sums / sizes, limits), size)
        sums, sizes = np.append(sums, np.array(more) * sizes.mean()), np.append(sizes, [sizes.mean()] * len(more))
        made.append(leave_one_out(sums, sizes, len(more)))
    return made


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
    ends = [end for centre, error, freedom in difference_laws(r) for end in stats.t.interval(
        0.95, freedom, centre, error)]  # fmt: skip
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
        ("score",), np.concatenate([r.a, r.b])[:, None], sums=sums, higher_is_better=sums is None,
        limits={} if sums else {"score": r.limits},
    )  # fmt: skip
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
        whole = Raw(a=rate(counts[:, 0]), b=rate(counts[:, 1]), counts=counts, clusters=clusters, margin=9.0,
                    limits=(0.0, math.inf))  # fmt: skip
        yield f"of all rows together, clusters {clusters is not None}", *compared(whole)


# ---- Estimates by scores and a few ratings of yes and no


class Ratings(Raw):
    """Ratings y, NaN where there is none, and scores x of systems, each [items]; clusters and strata of the items."""

    systems: tuple[str, ...]
    y: list[np.ndarray]
    x: list[np.ndarray]
    clusters: np.ndarray | None
    strata: np.ndarray
    margin: float | None

    @property
    def scores(self) -> list[np.ndarray]:
        """A row without a score counts with the mean."""
        return [np.where(np.isnan(x), np.nanmean(x), x) for x in self.x]

    @property
    def designs(self) -> list[Design]:
        return [Design(~np.isnan(y), self.strata, None, self.clusters) for y in self.y]

    @property
    def levels(self) -> list[np.ndarray | None]:
        """What rows of all systems share: clusters, and then items, where there are two."""
        items = np.tile(np.arange(len(self.y[0])), len(self.y)) if len(self.y) > 1 else None
        return [items] if self.clusters is None else [np.tile(self.clusters, len(self.y)), items]

    @property
    def rated(self) -> np.ndarray:
        return ~np.isnan(np.concatenate(self.y))


@cache
def weights(r: Ratings) -> list[float]:
    return [least_weight(np.nan_to_num(y), x, d) for y, x, d in zip(r.y, r.scores, r.designs, strict=True)]


@cache
def of_means(r: Ratings, weighted: bool) -> tuple[float, list[Any], np.ndarray, np.ndarray]:
    """Value, Student's t at each level, the influence of all rows, and that of the rows that were added."""
    made = [
        literal_mean(np.nan_to_num(y), x * weighted, d, w if weighted else 0.0, True)
        for y, x, d, w in zip(r.y, r.scores, r.designs, weights(r), strict=True)
    ]
    signs = (1, -1)[: len(made)]
    value, centre = (sum(sign * one[at] for sign, one in zip(signs, made, strict=True)) for at in (0, 1))
    influence = np.concatenate([sign * np.array(one[2]) for sign, one in zip(signs, made, strict=True)])
    added = np.concatenate([one[3] for one in made])
    found = []
    for level in r.levels:
        parts = np.append(influence if level is None else np.bincount(level, influence), added)
        sizes = np.ones(r.rated.sum()) if level is None else np.unique(level[r.rated], return_counts=True)[1]
        freedom = sizes.sum() ** 2 / (sizes**2).sum() - len(made) * len(set(r.strata.tolist())) + 2 * len(made)
        if len(set(sizes.tolist())) > 1:
            there = r.rated | (np.abs(influence) > 1e-12)
            there = there if level is None else np.bincount(level, there) > 0
            squares = parts[np.append(there, np.ones(len(added), bool))] ** 2
            freedom = min(freedom, 2 / ((squares**2).sum() / squares.sum() ** 2 - 1 / len(squares)))
        found.append((centre, math.sqrt((parts**2).sum()), max(1.0, freedom)))
    return value, found, influence, added


def rough_ends(r: Ratings, weighted: bool) -> tuple[float, float]:
    """The ends before the scale cuts them; the ratings alone of one system that share nothing are a share."""
    _, made, _, _ = of_means(r, weighted)
    plain = len(r.y) == 1 and not weighted and not r.strata.any()
    ends = list(literal(Given(r.y[0][r.rated], YES_NO, ends=True), 0.95)) if plain else []
    if not plain or r.clusters is not None:
        ends += [end for centre, error, freedom in made for end in stats.t.interval(0.95, freedom, centre, error)]
    return min(ends), max(ends)


def helps(r: Ratings) -> bool:
    return bool(np.diff(rough_ends(r, True))[0] < 0.975 * np.diff(rough_ends(r, False))[0])


def mean_ends(r: Ratings, weighted: bool) -> tuple[float, float, float]:
    value, (low, high), least = of_means(r, weighted)[0], rough_ends(r, weighted), -1.0 * (len(r.y) > 1)
    value = min(1.0, max(least, value))
    return value, max(least, min(low, value)), min(1.0, max(high, value))


def taken(r: Ratings) -> tuple[float, float, float]:
    return mean_ends(r, helps(r))


def worth(r: Ratings) -> float:
    of, alone = taken(r), mean_ends(r, False)
    return min(float(len(r.rated)), float(r.rated.sum()) * ((alone[2] - alone[1]) / (of[2] - of[1])) ** 2)


def worth_ends(r: Ratings) -> tuple[float, float]:
    sums, level, n = [], r.levels[0], int(r.rated.sum())
    for by in ([0.0] * len(r.y), weights(r)):
        each = [moves(np.nan_to_num(y), x, d, w) for y, x, d, w in zip(r.y, r.scores, r.designs, by, strict=True)]
        influence = np.concatenate([sign * one for sign, one in zip((1, -1), each, strict=False)])
        sums.append(influence if level is None else np.bincount(level, influence))
    of = np.arange(len(r.y[0])) if r.clusters is None else r.clusters
    once = 0.0
    for y in r.y:
        own = ~np.isnan(y)
        once += unseen(y[own]) / (own.sum() * len(set(of[own].tolist())))
    units = n if level is None else len(set(level[r.rated].tolist()))
    low, high = fisher_ends(sums[0], sums[1], once, n, units, len(r.rated))
    return min(worth(r), max(1.0, low)), max(worth(r), high)


def more(r: Ratings) -> float:
    """One rating after the other, until the interval is as short as was asked for."""
    if r.margin is None:
        return NAN
    n, best = int(r.rated.sum()), math.inf
    for weighted in (helps(r), False):
        _, low, high = mean_ends(r, weighted)
        _, _, influence, added = of_means(r, weighted)
        of_rated, rest = (influence[r.rated] ** 2).sum() + (added**2).sum(), (influence[~r.rated] ** 2).sum()
        for m in range(n, len(r.rated) + 1):
            if (high - low) / 2 * math.sqrt((of_rated * n / m + rest) / (of_rated + rest)) <= r.margin:
                best = min(best, m - n)
                break
    return float(best)


def bare(r: Ratings) -> tuple[float, float, float]:
    if len(r.y) > 1:
        return NAN, NAN, NAN
    return r.scores[0].mean(), *literal(Given(r.scores[0], UNLIMITED, r.clusters), 0.95)


ESTIMATE: Sources = {
    "system": lambda r: " - ".join(r.systems),
    "aspect": lambda r: "good",
    "metric": lambda r: "M",
    "estimate": lambda r: taken(r)[0],
    "low": lambda r: taken(r)[1],
    "high": lambda r: taken(r)[2],
    "ratings": lambda r: int(r.rated.sum()),
    "rows": lambda r: len(r.rated),
    "clusters": lambda r: len(set(np.arange(len(r.rated))[r.rated] if r.levels[0] is None else r.levels[0][r.rated])),
    "worth": worth,
    "worth_low": lambda r: worth_ends(r)[0],
    "worth_high": lambda r: worth_ends(r)[1],
    "weight": lambda r: NAN if len(r.y) > 1 else weights(r)[0] * helps(r),
    "alone": lambda r: mean_ends(r, False)[0],
    "alone_low": lambda r: mean_ends(r, False)[1],
    "alone_high": lambda r: mean_ends(r, False)[2],
    "bare": lambda r: bare(r)[0],
    "bare_low": lambda r: bare(r)[1],
    "bare_high": lambda r: bare(r)[2],
    "more": more,
    "p": lambda r: NAN if len(r.y) == 1 else literal_p(taken(r)[0], of_means(r, helps(r))[1]),
    "reason": none,
    "share": lambda r: True,
    "effective": lambda r: NAN if r.levels[0] is None else kish(r.levels[0][r.rated]),
    "blank": none,
    "wider": lambda r: 1.0,
}


def rating(rng: np.random.Generator, rows: int, n: int, noise: float, clusters: np.ndarray | None = None) -> Any:
    """Scores, and yes and no that n rows have as ratings."""
    x = rng.normal(size=rows) + (0 if clusters is None else rng.normal(size=clusters.max() + 1)[clusters])
    y = (x + noise * rng.normal(size=rows) > -0.4).astype(float)
    return np.where(rng.permutation(rows) < n, y, NAN), x


def estimated(r: Ratings, **how: Any) -> list[Estimate]:
    keys = [(system, str(item)) for system in r.systems for item in range(len(r.y[0]))]
    table = ScoreTable(keys, {"M": Column(("score",), np.concatenate(r.x)[:, None])}, {})
    table = table if r.clusters is None else table.clustered(np.tile(r.clusters, len(r.y)).tolist())
    given = {key: float(y) for key, y in zip(keys, np.concatenate(r.y), strict=True) if y == y}
    return list(nlgauge.estimate(table, {"good": given}, margin=r.margin, **how))


def estimates() -> Iterator[tuple[str, Estimate, Raw]]:
    rng = np.random.default_rng(2)
    of = np.sort(rng.integers(0, 36, 90))
    of = np.unique(of, return_inverse=True)[1]
    for name, clusters, noise, margin in (
        ("plain", None, 0.5, 0.08), ("scores that do not help", None, 9.0, 0.5), ("clustered", of, 0.6, 0.1),
        ("without a score here and there", None, 0.7, 0.001),
    ):  # fmt: skip
        drawn = [rating(rng, 90, 40, noise, clusters) for _ in range(2)]
        y, x = ([one[at] for one in drawn] for at in (0, 1))
        if "without" in name:
            x[0][rng.random(90) < 0.2] = NAN
        more = {"clusters": clusters, "strata": np.zeros(90, int), "margin": margin}
        found = estimated(Ratings(systems=("A", "B"), y=y, x=x, **more))
        for place, systems in enumerate(((0,), (1,), (0, 1))):
            own = {"systems": tuple("AB"[one] for one in systems)}
            raw = Ratings(y=[y[one] for one in systems], x=[x[one] for one in systems], **own, **more)
            yield f"{name}, {found[place].system}", found[place], raw
    y, x = rating(rng, 90, 90, 0.6)
    strata = (x > np.median(x)).astype(int) + (x > np.quantile(x, 0.8))
    y[rng.random(90) < 0.5 - 0.1 * strata] = NAN
    rows = [DrawnRow("A", str(n), 0.5, int(strata[n]), None, f"r{n:02d}" if y[n] == y[n] else None) for n in range(90)]
    raw = Ratings(systems=("A",), y=[y], x=[x], clusters=None, strata=strata, margin=None)
    table = ScoreTable([("A", str(n)) for n in range(90)], {"M": Column(("score",), x[:, None])}, {})
    given = {("sheet", str(row.name)): float(y[n]) for n, row in enumerate(rows) if row.name}
    yield "strata", nlgauge.estimate(table, {"good": given}, draw=Draw(tuple(rows)))[0], raw


# ---- The worst case of rows that raters passed by


def filled(r: Ratings, count: int, bad_first: bool) -> tuple[float, float, float]:
    """The estimate with so many blank rows bad, or good, for the first system, and the other way round for another."""
    y = [one.copy() for one in r.y]
    order = sorted(((system, n) for system, rows in enumerate(r.blank) for n in rows),
                   key=lambda one: (len(r.blank[one[0]]), one))  # fmt: skip
    for system, n in order[:count]:
        y[system][n] = float((system == 0) != bad_first)
    return taken(Ratings(**{**vars(r), "y": y}))


def tipping(r: Ratings) -> int | None:
    """One blank row after the other, until the conclusion is another."""
    value, low, high = taken(r)
    for count in range(1, sum(map(len, r.blank)) + 1):
        if len(r.y) == 1:
            if not low <= filled(r, count, True)[0] <= high:
                return count
            continue
        shown = not low <= 0 <= high
        for way in [value >= 0] if shown else [True, False]:
            other = filled(r, count, way)
            if (not other[1] <= 0 <= other[2]) != shown:
                return count
    return None


WORST_CASE: Sources = {
    "blank": lambda r: sum(map(len, r.blank)),
    "worst": lambda r: filled(r, 10**6, len(r.y) == 1 or taken(r)[0] >= 0),
    "best": lambda r: filled(r, 10**6, not (len(r.y) == 1 or taken(r)[0] >= 0)),
    "tipping": tipping,
}


def worst_cases() -> Iterator[tuple[str, WorstCase, Raw]]:
    """Of each system some rows at the beginning of the sheet are blank."""
    for name, blanks, shift in (
        ("few", (3, 2), 0.0),
        ("many", (12, 6), 0.0),
        ("a difference that is shown", (4, 9), 1.4),
    ):
        rng = np.random.default_rng(3)
        drawn = [rating(rng, 90, 45, 0.6) for _ in range(2)]
        y, x = ([one[at] for one in drawn] for at in (0, 1))
        y[1] = np.where(np.isnan(y[1]), NAN, (x[1] - shift > -0.4).astype(float))
        sheet = [(system, n) for system in (0, 1) for n in np.flatnonzero(~np.isnan(y[system])).tolist()]
        blank = tuple([n for system, n in sheet if system == own][:count] for own, count in enumerate(blanks))
        order = [(s, n) for s in (0, 1) for n in blank[s]] + [one for one in sheet if one[1] not in blank[one[0]]]
        for system, n in order[: sum(blanks)]:
            y[system][n] = NAN
        named = {one: f"r{place:03d}" for place, one in enumerate(order)}
        rows = [DrawnRow("AB"[s], str(n), 0.5, 0, None, named.get((s, n))) for s in (0, 1) for n in range(90)]
        table = ScoreTable(
            [(row.system, row.item) for row in rows], {"M": Column(("score",), np.concatenate(x)[:, None])}, {}
        )
        given = {("sheet", named[s, n]): float(y[s][n]) for s, n in order[sum(blanks) :]}
        found = nlgauge.estimate(table, {"good": given}, draw=Draw(tuple(rows)))
        for place, systems in enumerate(((0,), (1,), (0, 1))):
            more = {"clusters": None, "strata": np.zeros(90, int), "margin": None, "systems": systems}
            raw = Ratings(
                y=[y[s] for s in systems], x=[x[s] for s in systems], blank=[blank[s] for s in systems], **more
            )
            yield f"{name}, {found[place].system}", found[place].blank, raw


# ---- Every record

SOURCES: Mapping[type, Sources] = {
    SystemScore: SYSTEM_SCORE,
    Difference: DIFFERENCE,
    Estimate: ESTIMATE,
    WorstCase: WORST_CASE,
}
CASES: Mapping[type, Cases] = {
    SystemScore: system_scores,
    Difference: differences,
    Estimate: estimates,
    WorstCase: worst_cases,
}


@pytest.mark.parametrize("kind", SOURCES, ids=lambda kind: kind.__name__)
def test_every_field_is_that_of_its_literal_version(kind: type) -> None:
    sources, names = SOURCES[kind], [one.name for one in fields(kind)]
    lacking = [name for name in names if name not in sources]
    assert not lacking, f"{kind.__name__}: no second source of {', '.join(lacking)}"
    assert not sources.keys() - set(names), f"{kind.__name__} has no {sources.keys() - set(names)}"
    for name, record, raw in CASES[kind]():
        for field, source in sources.items():
            found, wanted = getattr(record, field), source(raw)
            assert same(found, wanted), f"{kind.__name__}.{field}, {name}: {found}, and literally {wanted}"
