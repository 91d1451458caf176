"""How metrics agree with people, which one agrees better, and how raters agree with each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from itertools import permutations, product
from typing import Any, TypeAlias

import numpy as np

import nlgauge
from nlgauge import ScoreTable
from nlgauge.answers.contrast import Contrast, contrast
from nlgauge.answers.correlate import Agreement
from nlgauge.data.table import Column
from nlgauge.stats.interrater import RaterAgreement, rater_agreement
from nlgauge.stats.resampling import drawn, permuted
from tests.contracts.second_source.literal import NAN, Near, Raw, Sources, holm_of, none, stats, total_laws
from tests.maths.test_inference import UNLIMITED, Given, laws, literal, literal_p
from tests.stats.test_coefficients import by_pairs
from tests.stats.test_interrater import literal_kappa

# ---- The agreement of a metric with people, and of two metrics


def unit(r: Raw, x: np.ndarray, y: np.ndarray) -> float:
    """The coefficient of two samples."""
    there = ~np.isnan(x + y)
    if r.coefficient == "pearson":
        return float(np.corrcoef(x[there], y[there])[0, 1])
    if r.coefficient == "accuracy":
        return by_pairs("accuracy", x, y)
    function = {"spearman": stats.spearmanr, "kendall": stats.kendalltau}[r.coefficient]
    return float(function(x[there], y[there])[0])


def at_level(r: Raw, x: np.ndarray, y: np.ndarray) -> float:
    if r.level == "item":
        return float(np.nanmean(within(r, x, y)))
    if r.level == "pooled":
        return unit(r, x.ravel(), y.ravel())
    there = ~np.isnan(x + y)
    means = [np.array([a[there[:, s], s].mean() for s in range(a.shape[1])]) for a in (x, y)]
    return unit(r, *means)


def within(r: Raw, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The coefficient of each item; NaN where two outputs at least are not rated and scored."""
    return np.array([unit(r, a, b) if (~np.isnan(a + b)).sum() > 1 else NAN for a, b in zip(x, y, strict=True)])


def tables(r: Raw) -> tuple[np.ndarray, np.ndarray]:
    return (-1 if r.turned else 1) * r.x, r.y


@cache
def item_laws(r: Raw) -> list[tuple[list[Any], Callable[[float], float], float]]:
    """By scale: Student's t, the way back from the scale, and the value on it."""
    x, y = tables(r)
    n, value = len(x), at_level(r, x, y)
    if r.level == "item":
        each = within(r, x, y)
        there = ~np.isnan(each)
        made = laws(Given(each[there], (-1.0, 1.0), None if r.clusters is None else r.clusters[there]))
        systems = float(np.median([(~np.isnan(a)).sum() for a in (x + y)[there]]))
        pairs = min(1.0, 4 / (systems * (systems - 1)))  # of two pairs of systems that agree, and two that disagree
        count = there.sum() + 2 * pairs
        centre = each[there].sum() / count
        squares = ((each[there] - centre) ** 2).sum() + pairs * ((1 - centre) ** 2 + (1 + centre) ** 2)
        return [([*made, (centre, math.sqrt(squares / (count - 1) / count), count - 1)], float, value)]

    def left(present: np.ndarray, scale: Callable[[float], float]) -> float:
        there = present > 0.5
        return scale(at_level(r, x[there], y[there]))

    made = [(total_laws(np.eye(n), lambda c: left(c, math.atanh), UNLIMITED, r.clusters), math.tanh, math.atanh(value))]
    if r.level == "system":
        made.append((total_laws(np.eye(n), lambda c: left(c, float), (-1.0, 1.0), r.clusters), float, value))
    return made


@cache
def agreement_ends(r: Raw, level: float = 0.9) -> tuple[float, float]:
    if r.replicates:
        again = [at_level(r, *(a[np.ix_(i, s)] for a in tables(r))) for i, s in random_tables(r, drawn)]
        return tuple(np.quantile(again, [(1 - level) / 2, (1 + level) / 2]))
    ends = []
    for made, back, value in item_laws(r):
        of = [end for centre, error, freedom in made for end in stats.t.interval(level, freedom, centre, error)]
        least, most = (-1.0, 1.0) if back is float else UNLIMITED
        ends += [back(max(least, min(*of, value))), back(min(most, max(*of, value)))]
    return min(ends), max(ends)


def random_tables(r: Raw, how: Callable[..., Any]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Items and systems as they were drawn, or exchanged."""
    for items, systems in how(r.x.shape, r.replicates, 0):
        yield from zip(items, systems, strict=True)


def agreement_p(r: Raw) -> float:
    if not r.replicates:
        return max(literal_p(value, made) for made, _, value in item_laws(r))
    x, y = tables(r)
    null = [at_level(r, x[np.ix_(items, systems)], y) for items, systems in random_tables(r, permuted)]
    return float((1 + (np.abs(null) >= abs(at_level(r, x, y)) - 1e-12).sum()) / (1 + len(null)))


def taken_over(r: Raw) -> int:
    x, y = tables(r)
    return {
        "item": int((~np.isnan(within(r, x, y))).sum()),
        "pooled": int((~np.isnan(x + y)).sum()),
        "system": x.shape[1],
    }[r.level]


AGREEMENT: Sources = {
    "metric": lambda r: "M",
    "part": lambda r: "score",
    "aspect": lambda r: "good",
    "level": lambda r: r.level,
    "coefficient": lambda r: r.coefficient,
    "value": lambda r: at_level(r, *tables(r)),
    "low": lambda r: agreement_ends(r)[0],
    "high": lambda r: agreement_ends(r)[1],
    "p": agreement_p,
    "n": taken_over,
    "rows": lambda r: int((~np.isnan(r.x + r.y)).sum()),
    "undefined": lambda r: int((r.level == "item") * np.isnan(within(r, *tables(r))).sum()),
    "turned": lambda r: r.turned,
    "threshold": none,
    "reason": none,
}


def with_ratings(r: Raw) -> tuple[ScoreTable, dict[str, dict[tuple[str, str], float]]]:
    """A table of the metrics x (M) and other (N), and the ratings y: each [items, systems]."""
    n, systems = r.y.shape
    keys = [(f"s{s}", str(item)) for item in range(n) for s in range(systems)]
    columns = {"M": Column(("score",), r.x.reshape(-1, 1), higher_is_better=not r.turned)}
    for name in r.others:
        columns[name] = Column(("score",), r.others[name].reshape(-1, 1))
    table = ScoreTable(keys, columns, {})
    table = table if r.clusters is None else table.clustered(np.repeat(r.clusters, systems).tolist())
    return table, {"good": {key: float(y) for key, y in zip(keys, r.y.ravel(), strict=True) if y == y}}


def agreements() -> Iterator[tuple[str, Agreement, Raw]]:
    rng = np.random.default_rng(4)
    of, pairs = np.repeat(np.arange(6), [1, 1, 2, 2, 3, 4]), np.arange(13) // 2
    holes = rng.random((13, 5)) < 0.15
    holes[3] = [True, True, True, True, False]
    for level, coefficient, clusters, missing, replicates, turned in (
        ("item", "pearson", None, False, 0, False),
        ("item", "spearman", of, True, 0, True),
        ("pooled", "pearson", of, False, 0, True),
        ("pooled", "pearson", pairs, False, 0, False),
        ("pooled", "kendall", None, True, 0, False),
        ("system", "pearson", None, False, 0, False),
        ("system", "pearson", of, False, 0, False),
        ("item", "pearson", None, False, 80, False),
        ("pooled", "spearman", None, False, 80, True),
    ):
        quality = rng.normal(size=(13, 1)) + np.linspace(0, 1, 5)
        x, y = (quality + 0.7 * rng.normal(size=(13, 5)) for _ in range(2))
        if clusters is pairs:  # a good and a bad item each, so that clusters alone would say more than items
            x = y * np.where(np.arange(13) % 2, -0.3, 1.0)[:, None] + 0.2 * rng.normal(size=(13, 5))
        x[holes & missing] = NAN
        raw = Raw(
            x=-x if turned else x,
            y=y,
            level=level,
            coefficient=coefficient,
            clusters=clusters,
            others={},
            turned=turned,
            replicates=replicates,
        )
        how = {"replicates": replicates} if replicates else {"resample": "items"}
        found = nlgauge.correlate(*with_ratings(raw), level=level, coefficient=coefficient, confidence=0.9, **how)
        yield f"{level}, {coefficient}, clusters {clusters is not None}, {replicates} draws", found[0], raw


def gain(r: Raw, first: str, second: str) -> float:
    return at_level(r, r.by[first], r.y) - at_level(r, r.by[second], r.y)


def gain_ends(r: Raw) -> tuple[float, float]:
    one, two = (r.by[name] for name in (r.first, r.second))
    if r.level == "item":
        limits = (-1.0, 1.0) if r.coefficient == "accuracy" else (-2.0, 2.0)
        return literal(Given(within(r, one, r.y) - within(r, two, r.y), limits, r.clusters), 0.9)

    def left(present: np.ndarray) -> float:
        there = present > 0.5
        return at_level(r, one[there], r.y[there]) - at_level(r, two[there], r.y[there])

    made = total_laws(np.eye(len(r.y)), left, (-2.0, 2.0), r.clusters)
    ends = [end for centre, error, freedom in made for end in stats.t.interval(0.9, freedom, centre, error)]
    return min(*ends, gain(r, r.first, r.second)), max(*ends, gain(r, r.first, r.second))


@cache
def gain_p(r: Raw, first: str, second: str) -> float:
    """Williams' test by Steiger's equation 7, or standard scores that are exchanged in random cells."""
    one, two, y = r.by[first], r.by[second], r.y
    if r.williams:
        n = y.size
        a, b, c = (np.corrcoef(u.ravel(), v.ravel())[0, 1] for u, v in ((one, y), (two, y), (one, two)))
        det = np.linalg.det([[1, a, b], [a, 1, c], [b, c, 1]])
        t = (a - b) * math.sqrt((n - 1) * (1 + c) / (2 * (n - 1) / (n - 3) * det + (a + b) ** 2 / 4 * (1 - c) ** 3))
        return float(2 * stats.t.sf(abs(t), n - 3))
    rng, seen = np.random.default_rng(9), 0
    one, two = ((a - a.mean()) / a.std() for a in (one, two))
    observed = abs(at_level(r, one, y) - at_level(r, two, y))
    of = np.arange(len(y)) if r.clusters is None else r.clusters
    for _ in range(200):
        swap = (rng.random((of.max() + 1, y.shape[1])) < 0.5)[of]
        a, b = np.where(swap, two, one), np.where(swap, one, two)
        seen += abs(at_level(r, a, y) - at_level(r, b, y)) >= observed - 1e-9
    return Near((1 + seen) / 201)


def every_gain_p(r: Raw) -> list[float]:
    return [gain_p(r.case, *pair) for pair in r.pairs]


CONTRAST: Sources = {
    "first": lambda r: (r.first, "score"),
    "second": lambda r: (r.second, "score"),
    "aspect": lambda r: "good",
    "difference": lambda r: gain(r, r.first, r.second),
    "low": lambda r: gain_ends(r)[0],
    "high": lambda r: gain_ends(r)[1],
    "p": lambda r: gain_p(r.case, r.first, r.second),
    "adjusted": lambda r: holm_of(every_gain_p(r), r.pairs.index((r.first, r.second))),
}


def contrasts() -> Iterator[tuple[str, Contrast, Raw]]:
    rng = np.random.default_rng(5)
    of = np.repeat(np.arange(5), [1, 2, 2, 3, 4])
    for level, clusters, williams, coefficient in (
        ("item", of, False, "pearson"),
        ("pooled", of, False, "pearson"),
        ("pooled", None, True, "pearson"),
        ("item", None, False, "accuracy"),
    ):
        y = rng.normal(size=(12, 1)) + rng.normal(size=(12, 4))
        by = {name: y + noise * rng.normal(size=(12, 4)) for name, noise in (("M", 0.9), ("N", 1.2), ("O", 2.5))}
        pairs = [("M", "N"), ("M", "O"), ("N", "O")]
        more: dict[str, Any] = {"level": level, "clusters": clusters, "williams": williams, "coefficient": coefficient}
        raw = Raw(x=by["M"], y=y, others={name: by[name] for name in "NO"}, turned=False, **more)
        found = contrast(
            *with_ratings(raw),
            level=level,
            coefficient=coefficient,
            resample="items",
            replicates=4000,
            confidence=0.9,
            test="williams" if williams else "permutation",
        )
        case = Raw(by=by, y=y, **more)
        for place, (first, second) in enumerate(pairs):
            raw = Raw(by=by, y=y, case=case, pairs=pairs, first=first, second=second, **more)
            yield f"{level}, {coefficient}, {first} and {second}", found[place], raw


# ---- The agreement of raters


Rows: TypeAlias = "list[tuple[list[float], float]]"
"""Ratings of a row, and how often it counts"""


def alpha(rows: Rows, level: str) -> float:
    """Krippendorff's: 1 - observed / expected disagreement, pair by pair."""
    counts: dict[float, float] = {}
    for given, weight in rows:
        for one in given:
            counts[one] = counts.get(one, 0.0) + weight

    def distance(a: float, b: float) -> float:
        if level == "nominal":
            return float(a != b)
        between = sum(count for value, count in counts.items() if min(a, b) <= value <= max(a, b))
        return (between - (counts[a] + counts[b]) / 2) ** 2 if a != b else 0.0

    total = sum(counts.values())
    observed = sum(w * distance(a, b) / (len(given) - 1) for given, w in rows for a, b in permutations(given, 2))
    expected = sum(counts[a] * counts[b] * distance(a, b) for a, b in product(counts, counts))
    return 1 - observed * (total - 1) / expected


def kappa(rows: Rows, level: str) -> float:
    return literal_kappa([(given[0], given[1], weight) for given, weight in rows], level != "nominal")


def with_ends(of: Callable[[Rows, str], float], rows: Rows, level: str) -> tuple[float, float, float]:
    """A coefficient, and a jackknife over rows and every pair of the ratings, which are two rows together."""
    pairs = list(product(sorted({one for given, _ in rows for one in given}), repeat=2))
    every = [*rows, *((list(pair), 2 / len(pairs)) for pair in pairs)]
    middle, n, square = of(every, level), len(rows) + 2.0, 0.0
    for place, (given, weight) in enumerate(every):
        rest = of([*every[:place], (given, 0.0), *every[place + 1 :]], level)
        square += (rest - middle) ** 2 / weight
    half = stats.t.ppf(0.975, n - 1) * math.sqrt((n - 1) / n * square)
    value = of(rows, level)
    return value, max(-1.0, min(value, middle - half)), min(1.0, max(value, middle + half))


def rows_of(r: Raw) -> Rows:
    rows = [[one for one in row if one == one] for row in r.given.T.tolist()]
    return [(row, 1.0) for row in rows if len(row) > 1]


RATER_AGREEMENT: Sources = {
    "aspect": lambda r: "good",
    "raters": lambda r: tuple(f"r{n}" for n in range(len(r.given))),
    "rows": lambda r: len(rows_of(r)),
    "level": lambda r: r.level,
    "alpha": lambda r: with_ends(alpha, rows_of(r), r.level),
    "kappa": lambda r: with_ends(kappa, rows_of(r), r.level) if len(r.given) == 2 else (NAN, NAN, NAN),
}


def rater_agreements() -> Iterator[tuple[str, RaterAgreement, Raw]]:
    rng = np.random.default_rng(6)
    for raters, labels, level in ((2, 2, "nominal"), (2, 5, "ordinal"), (3, 4, "ordinal")):
        truth = rng.integers(0, labels, 25)
        given = np.clip(truth + rng.integers(-1, 2, (raters, 25)) * (rng.random((raters, 25)) < 0.4), 0, labels - 1.0)
        given[rng.random((raters, 25)) < 0.15] = NAN
        of = {f"r{n}": {f"{row:02d}": v for row, v in enumerate(one) if v == v} for n, one in enumerate(given.tolist())}
        yield f"{raters} raters, {level}", rater_agreement("good", of, labels), Raw(given=given, level=level)
