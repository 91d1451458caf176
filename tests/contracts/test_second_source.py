"""A second source for every printed number: each field of each record beside a literal version of a few lines.

`SOURCES` has by record and field a function of the raw data, `CASES` the records of some small data sets. A field that
has no function fails by its name, and so does a record that no command's table is without. Literal versions are plain
loops, numpy and scipy; what is drawn at random (folds, exchanged rows) is taken as drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import combinations, permutations, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias, get_args, get_type_hints

import numpy as np
import pytest

import nlgauge
from nlgauge import Corpus, Row, ScoreTable
from nlgauge.data.table import Column, Sums, SystemScore
from nlgauge.data.table.frame import Records
from nlgauge.maths.prediction_powered import Design
from nlgauge.stats.agreement import Agreement
from nlgauge.stats.blanks import WorstCase
from nlgauge.stats.certified import Bin, Calibration, Chosen, RatedTask
from nlgauge.stats.comparison import Difference
from nlgauge.stats.contrast import Contrast, contrast
from nlgauge.stats.estimate import Estimate
from nlgauge.stats.fitting import cross_fitted, folds_of
from nlgauge.stats.gate import Outcome, Verdict
from nlgauge.stats.gate.verdict import Regression
from nlgauge.stats.interrater import RaterAgreement, rater_agreement
from nlgauge.stats.rated import rated_rows
from nlgauge.stats.resampling import drawn, permuted
from nlgauge.stats.sampling import Draw, DrawnRow
from nlgauge.stats.scorecard import BoardLine, board
from nlgauge.stats.trust_records import Trust

stats = pytest.importorskip("scipy.stats", reason="needs the dependency group parity")
optimize = pytest.importorskip("scipy.optimize", reason="needs the dependency group parity")

from tests.maths.test_effective import fisher_ends, unseen  # noqa: E402
from tests.maths.test_inference import (  # noqa: E402
    GAIN,
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
from tests.stats.test_decisions import counted  # noqa: E402
from tests.stats.test_interrater import literal_kappa  # noqa: E402
from tests.stats.test_scorecard import a_set, card  # noqa: E402

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
    if isinstance(wanted, Near):
        return abs(found - wanted) < wanted.away
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
    ends: bool = True
    """Whether the ratings are yes and no"""

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
    if r.rated.all():
        return [0.0] * len(r.y)
    return [least_weight(np.nan_to_num(y), x, d) for y, x, d in zip(r.y, r.scores, r.designs, strict=True)]


@cache
def of_means(r: Ratings, weighted: bool) -> tuple[float, list[Any], np.ndarray, np.ndarray]:
    """Value, Student's t at each level, the influence of all rows, and that of the rows that were added."""
    made = [
        literal_mean(np.nan_to_num(y), x * weighted, d, w if weighted else 0.0, r.ends)
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
        freedom = sizes.sum() ** 2 / (sizes**2).sum() - len(made) * len(set(r.strata.tolist())) + 2 * len(made) * r.ends
        if len(set(sizes.tolist())) > 1 or not r.ends:
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
    scale = YES_NO if r.ends else UNLIMITED
    ends = list(literal(Given(r.y[0][r.rated], scale, ends=r.ends), 0.95)) if plain else []
    if not plain or r.clusters is not None:
        ends += [end for centre, error, freedom in made for end in stats.t.interval(0.95, freedom, centre, error)]
    return min(ends), max(ends)


def helps(r: Ratings) -> bool:
    if r.rated.all():
        return False
    return bool(np.diff(rough_ends(r, True))[0] < 0.975 * np.diff(rough_ends(r, False))[0])


def mean_ends(r: Ratings, weighted: bool) -> tuple[float, float, float]:
    value, (low, high), least = of_means(r, weighted)[0], rough_ends(r, weighted), -1.0 * (len(r.y) > 1)
    if not r.ends:
        return value, low, high
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
    """One blank row after the other is taken back from the worst case, until the conclusion is that of the estimate."""
    value, low, high = taken(r)
    shown, counts = not low <= 0 <= high, []
    for way in [value >= 0] if shown or len(r.y) == 1 else [True, False]:
        count = sum(map(len, r.blank))
        while count:
            other = filled(r, count, len(r.y) == 1 or way)
            if low <= other[0] <= high if len(r.y) == 1 else (not other[1] <= 0 <= other[2]) == shown:
                break
            count -= 1
        counts += [count + 1] if count < sum(map(len, r.blank)) else []
    return min(counts, default=None)


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
        ("many", (8, 5), 0.0),
        ("a difference that is shown", (3, 6), 1.4),
    ):
        rng = np.random.default_rng(3)
        drawn = [rating(rng, 60, 36, 0.6) for _ in range(2)]
        y, x = ([one[at] for one in drawn] for at in (0, 1))
        y[1] = np.where(np.isnan(y[1]), NAN, (x[1] - shift > -0.4).astype(float))
        sheet = [(system, n) for system in (0, 1) for n in np.flatnonzero(~np.isnan(y[system])).tolist()]
        blank = tuple([n for system, n in sheet if system == own][:count] for own, count in enumerate(blanks))
        order = [(s, n) for s in (0, 1) for n in blank[s]] + [one for one in sheet if one[1] not in blank[one[0]]]
        for system, n in order[: sum(blanks)]:
            y[system][n] = NAN
        named = {one: f"r{place:03d}" for place, one in enumerate(order)}
        rows = [DrawnRow("AB"[s], str(n), 0.5, 0, None, named.get((s, n))) for s in (0, 1) for n in range(60)]
        table = ScoreTable(
            [(row.system, row.item) for row in rows], {"M": Column(("score",), np.concatenate(x)[:, None])}, {}
        )
        given = {("sheet", named[s, n]): float(y[s][n]) for s, n in order[sum(blanks) :]}
        found = nlgauge.estimate(table, {"good": given}, draw=Draw(tuple(rows)))
        for place, systems in enumerate(((0,), (1,), (0, 1))):
            more = {"clusters": None, "strata": np.zeros(60, int), "margin": None, "systems": systems}
            raw = Ratings(
                y=[y[s] for s in systems], x=[x[s] for s in systems], blank=[blank[s] for s in systems], **more
            )
            yield f"{name}, {found[place].system}", found[place].blank, raw


# ---- The agreement of a metric with people, and of two metrics


def unit(r: Raw, x: np.ndarray, y: np.ndarray) -> float:
    """The coefficient of two samples."""
    there = ~np.isnan(x + y)
    if r.coefficient == "pearson":
        return float(np.corrcoef(x[there], y[there])[0, 1])
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
    return np.array(
        [unit(r, a, b) if (~np.isnan(a + b)).sum() > 1 else NAN for a, b in zip(x, y, strict=True)]
    )  # fmt: skip


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
def agreement_ends(r: Raw) -> tuple[float, float]:
    if r.replicates:
        again = [at_level(r, *(a[np.ix_(i, s)] for a in tables(r))) for i, s in random_tables(r, drawn)]
        return tuple(np.quantile(again, [0.025, 0.975]))
    ends = []
    for made, back, value in item_laws(r):
        of = [end for centre, error, freedom in made for end in stats.t.interval(0.95, freedom, centre, error)]
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
        "item": int((~np.isnan(within(r, x, y))).sum()), "pooled": int((~np.isnan(x + y)).sum()), "system": x.shape[1],
    }[r.level]  # fmt: skip


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
    of = np.repeat(np.arange(6), [1, 1, 2, 2, 3, 4])
    holes = rng.random((13, 5)) < 0.15
    holes[3] = [True, True, True, True, False]
    for level, coefficient, clusters, missing, replicates, turned in (
        ("item", "pearson", None, False, 0, False), ("item", "spearman", of, True, 0, True),
        ("pooled", "pearson", of, False, 0, True), ("pooled", "kendall", None, True, 0, False),
        ("system", "pearson", None, False, 0, False), ("system", "pearson", of, False, 0, False),
        ("item", "pearson", None, False, 80, False), ("pooled", "spearman", None, False, 80, True),
    ):  # fmt: skip
        quality = rng.normal(size=(13, 1)) + np.linspace(0, 1, 5)
        x, y = (quality + 0.7 * rng.normal(size=(13, 5)) for _ in range(2))
        x[holes & missing] = NAN
        raw = Raw(x=-x if turned else x, y=y, level=level, coefficient=coefficient, clusters=clusters, others={},
                  turned=turned, replicates=replicates)  # fmt: skip
        how = {"replicates": replicates} if replicates else {"resample": "items"}
        found = nlgauge.correlate(*with_ratings(raw), level=level, coefficient=coefficient, **how)
        yield f"{level}, {coefficient}, clusters {clusters is not None}, {replicates} draws", found[0], raw


class Near(float):
    """A number of random draws, of which others are near."""

    away = 0.1


class Nearer(Near):
    away = 0.01


def gain(r: Raw, first: str, second: str) -> float:
    return at_level(r, r.by[first], r.y) - at_level(r, r.by[second], r.y)


def gain_ends(r: Raw) -> tuple[float, float]:
    one, two = (r.by[name] for name in (r.first, r.second))
    if r.level == "item":
        return literal(Given(within(r, one, r.y) - within(r, two, r.y), (-2.0, 2.0), r.clusters), 0.95)

    def left(present: np.ndarray) -> float:
        there = present > 0.5
        return at_level(r, one[there], r.y[there]) - at_level(r, two[there], r.y[there])

    made = total_laws(np.eye(len(r.y)), left, (-2.0, 2.0), r.clusters)
    ends = [end for centre, error, freedom in made for end in stats.t.interval(0.95, freedom, centre, error)]
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


def holm_of(p: Sequence[float], place: int) -> float:
    """Each p times how many are as large or larger, and never below a smaller one's."""
    ranked = sorted(p)
    made = max(one * (len(p) - at) for at, one in enumerate(ranked[: ranked.index(p[place]) + 1]))
    return Near(min(1.0, made)) if isinstance(p[place], Near) else min(1.0, made)


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
    for level, clusters, williams in (("item", None, False), ("pooled", of, False), ("pooled", None, True)):
        y = rng.normal(size=(12, 1)) + rng.normal(size=(12, 4))
        by = {name: y + noise * rng.normal(size=(12, 4)) for name, noise in (("M", 0.9), ("N", 1.2), ("O", 2.5))}
        pairs = [("M", "N"), ("M", "O"), ("N", "O")]
        more: dict[str, Any] = {"level": level, "clusters": clusters, "williams": williams, "coefficient": "pearson"}
        raw = Raw(x=by["M"], y=y, others={name: by[name] for name in "NO"}, turned=False, **more)
        how = {"test": "williams"} if williams else {}
        found = contrast(*with_ratings(raw), level=level, resample="items", replicates=4000, **how)
        case = Raw(by=by, y=y, **more)
        for place, (first, second) in enumerate(pairs):
            raw = Raw(by=by, y=y, case=case, pairs=pairs, first=first, second=second, **more)
            yield f"{level}, {first} and {second}", found[place], raw


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


# ---- Thresholds that ratings choose


def tried(r: Raw) -> list[float]:
    """The scores that let a fortieth of the rows pass, two fortieths and so on."""
    ordered = np.sort(r.scores)
    places = [math.floor((len(ordered) - 1) * (1 - k / 40) + 1e-9) for k in range(1, 41)]
    return [one for one in dict.fromkeys(ordered[places].tolist()) if math.isfinite(one)]


def promised(r: Raw, blanks: int | None = None) -> float:
    """The last threshold of the sequence whose risk, or recall, a test bears; blanks: how many are bad."""
    best, begun = NAN, r.by == "recall"
    blanks = int(r.blank.sum()) if blanks is None else blanks
    rows = []
    for one in tried(r):
        through = r.tested & (r.scores >= one)
        bad, of_blank = int((through & r.bad).sum()), min(blanks, int((through & r.blank).sum()))
        rows.append((one, int(through.sum()), bad + of_blank, int((r.bad & r.tested).sum()) + of_blank))
    for hoped in (round(2 / r.risk), 10**9):
        for one, n, bad, every in rows:
            begun = begun or stats.binom.cdf(n // hoped, n, r.risk) <= 0.1
            p = stats.binom.cdf(bad, n, r.risk) if r.by == "risk" else stats.binom.cdf(bad, every, 1 - 0.3)
            if begun and p > 0.1:
                return best
            best = one if begun else best
    return best


def worth_of(r: Raw, scores: np.ndarray, bad: np.ndarray, threshold: float) -> float:
    found, stopped = int((bad & (scores < threshold)).sum()), int((scores < threshold).sum())
    missed = int(bad.sum()) - found
    if r.by == "f1":
        return 2 * found / max(1, stopped + found + missed)
    if r.by == "cost":
        return -(2.0 * missed + stopped - found)
    if r.by == "balanced":
        return found / bad.sum() + ((~bad).sum() - stopped + found) / (~bad).sum()
    return stopped if found >= 0.6 * stopped else -1


def chosen_on(r: Raw, rows: np.ndarray) -> float:
    """The best of all scores of rated rows, the lowest of equals."""
    return max(np.unique(r.scores[rows]).tolist(), key=lambda one: worth_of(r, r.scores[rows], r.bad[rows], one))


@cache
def of_row(r: Raw) -> tuple[float, np.ndarray]:
    """The threshold, and that by which each rated row is counted: without a promise, one of other folds."""
    if r.by in ("risk", "recall"):
        return promised(r), np.full(len(r.scores), promised(r))
    rows, each = np.flatnonzero(r.rated), np.full(len(r.scores), NAN)
    fold = folds_of(r.clusters[rows], 5, 0)
    for number in range(5):
        each[rows[fold == number]] = chosen_on(r, rows[fold != number])
    return chosen_on(r, rows), each


def part_of(some: np.ndarray, of: np.ndarray) -> float:
    return float(some.sum() / of.sum()) if of.any() else NAN


def is_chosen(r: Raw) -> bool:
    return math.isfinite(of_row(r)[0])


def stopped_by(r: Raw) -> np.ndarray:
    return r.rated & ~(r.scores >= of_row(r)[1])


def through_by(r: Raw) -> np.ndarray:
    return r.rated & (r.scores >= of_row(r)[1])


def tipping_of_promise(r: Raw) -> int | None:
    """One blank row more is bad, until no threshold is left."""
    if r.by not in ("risk", "recall") or not math.isnan(promised(r)):
        return None
    return next((n for n in range(1, int(r.blank.sum()) + 1) if math.isnan(promised(r, n))), None) if math.isfinite(
        promised(r, 0)) else None  # fmt: skip


def why(r: Raw) -> str:
    """Why no threshold keeps a promise of risk."""
    said = f"no threshold can be certified at a risk of {r.risk:g} with confidence 0.9: "
    if (tipped := tipping_of_promise(r)) is not None:
        blanks = f"{tipped} of the {r.blank.sum()} blank rows that are tested"
        return f"{said}none holds if {blanks} are bad, at worst; rate them too"
    first = next(
        one
        for one in tried(r)
        if stats.binom.cdf((n := (r.tested & (r.scores >= one)).sum()) // round(2 / r.risk), n, r.risk) <= 0.1
    )
    through = r.tested & (r.scores >= first)
    said += (
        f"{(through & r.bad).sum()} of the {through.sum()} rated rows with the best scores are bad; rate more, allow"
    )
    return f"{said} a larger risk, or take a metric that tells them better apart"


CHOSEN: Sources = {
    "by": lambda r: r.by,
    "threshold": lambda r: r.sign * of_row(r)[0],
    "passing": lambda r: float((r.scores >= of_row(r)[0]).mean()) if is_chosen(r) else NAN,
    "bad": lambda r: part_of(r.bad & through_by(r), through_by(r)) if is_chosen(r) else NAN,
    "precision": lambda r: part_of(r.bad & stopped_by(r), stopped_by(r)) if is_chosen(r) else NAN,
    "recall": lambda r: part_of(r.bad & stopped_by(r), r.bad) if is_chosen(r) else NAN,
    "honest": lambda r: r.by not in ("risk", "recall"),
    "reason": lambda r: None if is_chosen(r) else why(r),
    "tipping": tipping_of_promise,
}


def fifths(r: Raw) -> list[np.ndarray]:
    rows = np.flatnonzero(r.rated)
    rows = rows[np.argsort(r.sign * r.scores[rows], kind="stable")]
    values = r.scores[rows]
    if len(set(values.tolist())) > 5:
        return np.array_split(rows, 5)
    return [rows[values == one] for one in dict.fromkeys(values.tolist())]


def own_scores(r: Raw) -> np.ndarray:
    some = r.sign * r.scores[fifths(r)[r.fifth]]
    return some[np.isfinite(some)]


def good_ones(r: Raw) -> tuple[int, int]:
    some = fifths(r)[r.fifth]
    return int((~r.bad[some]).sum()), len(some)


def exact(k: int, n: int, tail: float) -> float:
    """Clopper and Pearson by the beta distribution."""
    if tail < 0.5:
        return float(stats.beta.ppf(tail, k, n - k + 1)) if k else 0.0
    return float(stats.beta.ppf(tail, k + 1, n - k)) if k < n else 1.0


BIN: Sources = {
    "low": lambda r: own_scores(r).min(),
    "high": lambda r: own_scores(r).max(),
    "mean": lambda r: own_scores(r).mean(),
    "n": lambda r: good_ones(r)[1],
    "good": lambda r: good_ones(r)[0] / good_ones(r)[1],
    "good_low": lambda r: exact(*good_ones(r), 0.025),
    "good_high": lambda r: exact(*good_ones(r), 0.975),
}


def each_way(r: Raw) -> list[Raw]:
    return [Raw(**{**vars(r), "by": by}) for by in ("risk", "recall", "f1", "cost", "precision")]


def literals(sources: Sources, r: Raw) -> tuple[Any, ...]:
    return tuple(source(r) for source in sources.values())


RATED_THRESHOLD: Sources = {
    "metric": lambda r: "M",
    "part": lambda r: "score",
    "direction": lambda r: "at_least" if r.sign > 0 else "at_most",
    "threshold": lambda r: r.sign * of_row(r)[0],
    "by": lambda r: r.by,
    "risk": lambda r: r.risk if r.by == "risk" else None,
    "confidence": lambda r: 0.9 if r.by in ("risk", "recall") else None,
    "n": lambda r: int(r.rated.sum()),
    "passing": CHOSEN["passing"],
    "aspect": lambda r: "good",
    "below": lambda r: 1.0,
    "signature": lambda r: "M",
    "facts": lambda r: {},
    "scores": lambda r: tuple((r.sign * r.scores[r.rated & np.isfinite(r.scores)]).tolist()),
    "recall": lambda r: 0.3 if r.by == "recall" else None,
}
CALIBRATION: Sources = {
    "metric": lambda r: "M",
    "aspect": lambda r: "good",
    "n": lambda r: int(r.rated.sum()),
    "clusters": lambda r: len(set(r.clusters[r.rated].tolist())),
    "bad": lambda r: int(r.bad.sum()),
    "blank": lambda r: int(r.blank.sum()),
    "chosen": lambda r: tuple(literals(CHOSEN, one) for one in each_way(r)),
    "reliability": lambda r: tuple(
        literals(BIN, Raw(**{**vars(r), "fifth": fifth})) for fifth in range(len(fifths(r)))
    ),
    "notes": lambda r: r.notes,
    "thresholds": lambda r: tuple(literals(RATED_THRESHOLD, one) for one in each_way(r) if is_chosen(one)),
    "agreement": lambda r: (),
}  # fmt: skip


@cache
def calibrated() -> list[tuple[str, Calibration, Raw]]:
    made = []
    for name, rows, systems, spread, sign, blanks in (
        ("plain", 240, 1, 1.4, 1, 0), ("two systems, some rows without a score", 240, 2, 1.4, 1, 0),
        ("lower is better, few scores", 240, 1, 1.4, -1, 0), ("nothing to certify", 240, 1, 0.1, 1, 0),
        ("blank rows", 240, 1, 1.6, 1, 25),
    ):  # fmt: skip
        rng = np.random.default_rng(11)
        wrong = rng.random(rows) < 0.3
        scores = rng.normal(size=rows) - 2 * spread * wrong
        scores = np.round(scores.clip(-2, 1)) if "few" in name else scores
        scores[:8] = -math.inf if "without" in name else scores[:8]
        rated, clusters = rng.permutation(rows) < 140, np.arange(rows) // systems
        keys = [(f"s{row % systems}", f"i{row // systems:03d}") for row in range(rows)]
        sheet = np.flatnonzero(rated)
        blank = np.isin(np.arange(rows), sheet[:blanks])
        rated &= ~blank
        values = np.where(np.isfinite(scores), sign * scores, NAN)
        table = ScoreTable(keys, {"M": Column(("score",), values[:, None], higher_is_better=sign > 0)}, {})
        draw = None
        given = {key: float(not wrong[row]) for row, key in enumerate(keys) if rated[row]}
        if blanks:
            names = {int(row): f"r{place:03d}" for place, row in enumerate(sheet)}
            draw = Draw(tuple(DrawnRow(*key, 140 / 240, 0, None, names.get(row)) for row, key in enumerate(keys)))
            given = {("sheet", names[row]): float(not wrong[row]) for row in np.flatnonzero(rated).tolist()}
        found = nlgauge.calibrate(
            table, {"good": given}, risk=0.15, recall=0.3, cost=2.0, precision=0.6, draw=draw, below=1
        )
        of = rated_rows(table, {"good": given}, None, draw=draw)
        task = RatedTask.of(of, "good", scores, 1.0, np.ones(rows, bool), 0)
        tested = task.rows.independent(task.rng)[0].tested  # one row of each cluster, as drawn
        assert tested.sum() == len(set(clusters[rated | blank].tolist()))
        notes = ()
        if systems > 1:
            apart = "rows of an item or a cluster are not independent, so the tests take one of each at random"
            notes = (f"{tested.sum()} of {rated.sum()} ratings are tested: {apart}",)
        if blanks:
            drawn = "good: 25 of 140 rows that were drawn are not rated; blank, because raters passed them by: 25"
            bad = "25 blank rows, which raters passed by, count as bad; all else is of rated rows"
            bad = f"in the tests of a promise {bad}"
            notes = (drawn, bad)
        raw = Raw(
            scores=scores, rated=rated, bad=wrong & rated, blank=blank, clusters=clusters, tested=tested, sign=sign,
            risk=0.15, notes=notes, by="",
        )  # fmt: skip
        made.append((name, found, raw))
    return made


def chosen() -> Iterator[tuple[str, Chosen, Raw]]:
    for name, found, raw in calibrated():
        for one, way in zip(found.chosen, each_way(raw), strict=True):
            yield f"{name}, {one.by}", one, way


def bins() -> Iterator[tuple[str, Bin, Raw]]:
    for name, found, raw in calibrated():
        for fifth, one in enumerate(found.reliability):
            yield f"{name}, {fifth}", one, Raw(**{**vars(raw), "fifth": fifth})


# ---- How far to trust a scorer


def yes_no(source: Callable[[Raw], Any], otherwise: Any = NAN) -> Callable[[Raw], Any]:
    """The number of ratings of yes and no, and what stands there for a scale."""
    return lambda r: otherwise if r.scale else source(r)


NOTHING = (NAN, NAN, NAN)


def passes(r: Raw) -> np.ndarray:
    """By the threshold itself."""
    return r.scores >= of_rule(r)


def of_rule(r: Raw) -> float:
    return of_row(r.chooses)[0] if r.own is None else r.own


def decided(r: Raw) -> np.ndarray:
    """By the threshold, or by that of other rows where the ratings chose it."""
    return r.scores >= (of_row(r.chooses)[1] if r.own is None else r.own)


def share(r: Raw, hits: np.ndarray, fitted: np.ndarray, of: np.ndarray) -> tuple[float, float, float]:
    """A share of the rows `of`: Student's t, or for all thresholds at once (Massart's inequality)."""
    hits, fitted, clusters = hits[of].astype(float), fitted[of].astype(float), r.clusters[of]
    if r.own is not None:
        return fitted.mean(), *literal(Given(fitted, YES_NO, clusters, ends=True), 0.95)
    names, n, own = sorted(set(clusters.tolist())), float(of.sum()), hits.mean()
    if len(names) < n:
        left = [hits[clusters != one].mean() for one in names]
        square = (len(names) - 1) / len(names) * sum((one - own) ** 2 for one in left)
        n = min(n, own * (1 - own) / square) if 0 < own < 1 else kish(clusters)
    half, value = math.sqrt(math.log(2 / 0.05) / (2 * n)), fitted.mean()
    return value, max(0.0, min(value, own - half)), min(1.0, max(value, own + half))


def good(r: Raw) -> np.ndarray:
    return r.rated & ~r.bad


def area(r: Raw) -> tuple[float, float, float]:
    scores, bad, of = r.scores[r.rated], r.bad[r.rated], r.clusters[r.rated]
    names, value = sorted(set(of.tolist())), counted(scores, bad)
    square = sum((counted(scores[of != one], bad[of != one]) - value) ** 2 for one in names)
    rarer = min(kish(of[bad]), kish(of[~bad]))
    n = min(3 * rarer, value * (1 - value) / (square * (len(names) - 1) / len(names)))
    z2 = stats.t.ppf(0.975, max(1.0, rarer - 1)) ** 2 / n
    low, high = sorted(np.roots([1 + z2, -2 * value - z2, value**2]).real.tolist())
    return value, low, high


def probability(r: Raw) -> np.ndarray | None:
    return (r.scores if r.sign > 0 else 1 + r.scores) if r.probable else None


def calibration(r: Raw) -> Any:
    if (p := probability(r)) is None:
        return NOTHING
    weights, gaps, errors = [], [], []
    for some in fifths(r):
        away, n = (~r.bad[some]) - p[some], len(some)
        part = ((~r.bad[some]).sum() + 2) / (n + 4)
        weights.append(n / r.rated.sum())
        gaps.append(abs(away.mean()))
        errors.append(max(away.std(ddof=1) / math.sqrt(n), math.sqrt(part * (1 - part) / n)))
    value, normal = float(np.dot(weights, gaps)), np.abs(np.random.default_rng(3).normal(size=(4000, len(gaps))))
    most = np.quantile(normal @ (np.array(weights) * errors), 0.95)
    return value, Nearer(max(0.0, value - most)), Nearer(min(1.0, value + most))


def on_a_scale(name: str) -> Callable[[Raw], float]:
    return lambda r: at_level(Raw(**{**vars(r.pairs), "coefficient": name}), *tables(r.pairs)) if r.scale else NAN


def pearson(r: Raw) -> tuple[float, float, float]:
    return (at_level(r.pairs, *tables(r.pairs)), *agreement_ends(r.pairs)) if r.scale else NOTHING


def of_gaps(x: np.ndarray, y: np.ndarray) -> float:
    """Pearson of the differences between every two outputs for one item."""
    gaps = [(a[i] - a[j], b[i] - b[j]) for a, b in zip(x, y, strict=True) for i, j in permutations(range(len(a)), 2)]
    return float(np.corrcoef(*zip(*gaps, strict=True))[0, 1])


def pdp(r: Raw) -> tuple[float, float, float]:
    if not r.scale:
        return NOTHING
    x, y = tables(r.pairs)
    made = total_laws(np.eye(len(x)), lambda c: math.atanh(of_gaps(x[c > 0.5], y[c > 0.5])), UNLIMITED, None)
    ends = [math.tanh(end) for centre, error, freedom in made for end in stats.t.interval(0.95, freedom, centre, error)]
    return of_gaps(x, y), min(ends), max(ends)


def saved(r: Raw) -> tuple[float, float, float]:
    return (worth(r.means), *worth_ends(r.means)) if not r.means.rated.all() else (worth(r.means), NAN, NAN)


def not_beaten(r: Raw) -> tuple[str, ...]:
    """Length, unless the scorer agrees better and scores exchanged at random seldom differ so."""
    if r.length is None:
        return ()
    y = np.where(r.bad, 0.0, 1.0)[r.rated][:, None]
    one, other = (a[r.rated][:, None] for a in (r.scores, r.length))
    if not np.ptp(other):  # which agrees with nothing
        return ()
    other = other * np.sign(np.corrcoef(other[:, 0], y[:, 0])[0, 1])
    of = Raw(by={"M": one, "L": other}, y=y, level="pooled", coefficient="pearson", clusters=None, williams=False)
    return () if gain(of, "M", "L") > 0 and gain_p(of, "M", "L") < 0.05 else ("Length",)


def wins(r: Raw) -> int | None:
    """Raters that the scorer, by ratings that it predicts, is as near to the others as, up to a fifth of the rows."""
    if r.raters is None:
        return None
    mean, p = r.raters.mean(0), []
    predicted = cross_fitted(r.scores[:, None], mean, r.clusters, "nnls", 5, 0).predicted >= 0.5
    for own in range(len(r.raters)):
        others = np.delete(r.raters, own, axis=0)
        metric, person = (-np.sqrt(((one - others) ** 2).mean(0)) for one in (predicted, r.raters[own]))
        gains = [*((metric >= person) * 1 - (person >= metric)), -1, 1]
        p.append(stats.ttest_1samp(gains, -0.2, alternative="greater").pvalue)
    return int((stats.false_discovery_control(p, method="by") <= 0.05).sum())


def shifts(r: Raw) -> dict[str, Given]:
    """How the anchors' scores moved, and whether they are decided as people decide more often."""
    there = r.before is not None
    if not there:
        return {}
    made = {"moved": Given(r.sign * (r.scores - r.before), GAIN, r.clusters, 1.0)}
    own, right = r.rated, [(a >= r.frozen) == ~r.bad for a in (r.scores, r.before)]
    made["righter"] = Given((right[0].astype(float) - right[1])[own], GAIN, r.clusters[own])
    return made


def shift(name: str) -> Callable[[Raw], Any]:
    return lambda r: (shifts(r)[name].values.mean(), *literal(shifts(r)[name], 0.95)) if shifts(r) else NOTHING


def shift_p(name: str) -> Callable[[Raw], float]:
    def p(r: Raw) -> float:
        every = [literal_p(one.values.mean(), laws(one)) for one in shifts(r).values()]
        return holm_of(every, list(shifts(r)).index(name)) if every else NAN

    return p


def turning(r: Raw) -> tuple[float, float, float]:
    """The share of the scores of a row that does not decide as most of them."""
    if r.again is None:
        return NOTHING
    votes = (r.again >= r.own).sum(0)
    away = np.minimum(votes, len(r.again) - votes) / len(r.again)
    return away.mean(), *literal(Given(away, YES_NO, r.clusters, ends=True), 0.95)


TRUST: Sources = {
    "metric": lambda r: "judge",
    "aspect": lambda r: "right",
    "rated": lambda r: int(r.rated.sum()),
    "rows": lambda r: len(r.scores),
    "unscored": lambda r: 0,
    "bad": yes_no(lambda r: int(r.bad.sum()), None),
    "single": nothing,
    "threshold": yes_no(lambda r: r.sign * of_rule(r)),
    "second_threshold": nothing,
    "threshold_from": yes_no(
        lambda r: "given" if r.given else "chosen on these ratings" if r.own is None else "its own", ""
    ),
    "tpr": yes_no(lambda r: share(r, ~passes(r), ~decided(r), r.bad), NOTHING),
    "tnr": yes_no(lambda r: share(r, passes(r), decided(r), good(r)), NOTHING),
    "kappa": yes_no(
        lambda r: literal_kappa([(float(a), float(not b), 1.0) for a, b in zip(decided(r)[r.rated], r.bad[r.rated],
                                                                                 strict=True)], False)
    ),
    "auroc": yes_no(area, NOTHING),
    "brier": lambda r: NAN if probability(r) is None else ((probability(r) - ~r.bad)[r.rated] ** 2).mean(),
    "ece": calibration,
    "pearson": pearson,
    "spearman": on_a_scale("spearman"),
    "kendall": on_a_scale("kendall"),
    "pdp": pdp,
    "effective": saved,
    "mean": lambda r: taken(r.means),
    "certified": yes_no(lambda r: r.sign * promised(r.promise)),
    "certified_passing": yes_no(lambda r: CHOSEN["passing"](r.promise)),
    "certified_at_once": lambda r: 0 if r.scale else 1,
    "not_certified": yes_no(lambda r: None if is_chosen(r.promise) else why(r.promise), None),
    "blank": lambda r: 0,
    "tipping": none,
    "sentinels": lambda r: () if r.length is None else ("Length",),
    "unbeaten": not_beaten,
    "stand_in": lambda r: None if r.raters is None else 2 * wins(r) >= len(r.raters),
    "won": lambda r: "" if r.raters is None else f"{wins(r)} of {len(r.raters)}",
    "repeated": lambda r: 0 if r.again is None else len(r.scores),
    "flips": turning,
    "anchors": lambda r: 0 if r.before is None else len(r.before),
    "moved": shift("moved"),
    "moved_p": shift_p("moved"),
    "frozen": lambda r: NAN if r.before is None else r.sign * r.frozen,
    "changed": lambda r: NOTHING if r.before is None else share(
        r, *[(r.scores >= r.frozen) != (r.before >= r.frozen)] * 2, np.ones(len(r.scores), bool)),
    "righter": shift("righter"),
    "righter_p": shift_p("righter"),
    "reason": none,
    "reliability": yes_no(
        lambda r: tuple(literals(BIN, Raw(**{**vars(r), "fifth": n})) for n in range(len(fifths(r)))), ()
    ),
}  # fmt: skip


def trusts() -> Iterator[tuple[str, Trust, Raw]]:
    n, plain = 160, np.zeros(160, int)
    for name in (
        "a verdict",
        "a probability of which less is better",
        "two systems",
        "raters",
        "asked again",
        "a scale",
    ):
        rng = np.random.default_rng(12)
        systems, sign = 2 if name in ("two systems", "a scale") else 1, -1 if "less" in name else 1
        clusters, keys = np.arange(n) // systems, [(f"s{row % systems}", f"i{row // systems}") for row in range(n)]
        wrong, rated = rng.random(n) < 0.35, rng.permutation(n) < 90
        scores = np.where(wrong, rng.random(n) > 0.85, rng.random(n) < 0.8).astype(float)
        more: dict[str, Any] = dict.fromkeys(
            ("before", "raters", "again", "length", "frozen", "pairs", "chooses", "given")
        )
        how: dict[str, Any] = {}
        own: float | None = 1.0
        if name in ("a probability of which less is better", "two systems"):
            scores, own = np.clip(0.6 + 0.25 * rng.normal(size=n) - 0.4 * wrong, 0, 1), None
            scores = scores - 1 if sign < 0 else 3 * scores
        values = sign * scores
        given = {"right": {key: float(not wrong[row]) for row, key in enumerate(keys) if rated[row]}}
        if name == "a scale":
            y = np.clip(np.round(3 - 2 * wrong + rng.normal(size=n)), 1, 5)
            scores = values = y + rng.normal(size=n)
            given, rated = {"right": dict(zip(keys, y.tolist(), strict=True))}, np.ones(n, bool)
            more["pairs"] = Raw(
                x=scores.reshape(-1, 2), y=y.reshape(-1, 2), level="pooled", coefficient="pearson", clusters=None,
                turned=False, replicates=0,
            )  # fmt: skip
        means = Ratings(
            systems=("all",), y=[np.where(rated, wrong, NAN)], x=[scores], clusters=clusters if systems > 1 else None,
            strata=plain, margin=None,
        )  # fmt: skip
        if name == "a scale":
            means.y, means.ends = [y], False
        table = ScoreTable(keys, {"judge": Column(("score",), values[:, None], higher_is_better=sign > 0)}, {})
        source: Any = given
        if name == "a verdict":
            more["length"] = rng.integers(1, 9, n).astype(float)
            lengths = more["length"].astype(int)
            source = Corpus([
                Row("x " * length, system=key[0], item=key[1],
                    scores={"right": given["right"][key]} if key in given["right"] else {})
                for key, length in zip(keys, lengths.tolist(), strict=True)
            ])  # fmt: skip
            more["before"], more["frozen"] = np.where(rng.random(n) < 0.12, 1 - scores, scores), 0.5
            before = replace(table, columns={"judge": Column(("score",), more["before"][:, None])})
            how = {"before": before, "outputs": source}
        if name == "raters":
            rated = np.ones(n, bool)
            more["raters"] = np.where(rng.random((3, n)) < 0.15, wrong, ~wrong).astype(float)
            means.y = [wrong.astype(float)]
            rated_by = {"right": (~wrong).astype(float), **{f"r{k}": one for k, one in enumerate(more["raters"])}}
            source = Corpus(
                [
                    Row("x", system=system, item=item, scores={name: float(of[row]) for name, of in rated_by.items()})
                    for row, (system, item) in enumerate(keys)
                ]
            )
            more["length"] = np.ones(n)
            how = {"rater_aspects": ["r0", "r1", "r2"], "aspects": ["right"]}
        if name == "asked again":
            more["again"] = np.stack([scores, *(np.where(rng.random((2, n)) < 0.15, 1 - scores, scores))])
            scores = more["again"].mean(0)
            column = Column(("score",), more["again"].reshape(-1, 1))
            table, means.x = ScoreTable(keys * 3, {"judge": column}, {}, {"repeats": "mean"}), [scores]
            own, more["given"] = 0.5, True
            how = {"thresholds": {"judge": 0.5}}
        raw = Raw(
            scores=scores, rated=rated, bad=wrong & rated, blank=np.zeros(n, bool), clusters=clusters, sign=sign,
            own=own, scale=name == "a scale", means=means, risk=0.1, probable="less" in name, **more,
        )  # fmt: skip
        if not raw.scale:
            of = rated_rows(table.per_item(), source, ["right"])
            task = RatedTask.of(of, "right", scores, 1.0, np.ones(n, bool), 0)
            tested = task.rows.independent(task.rng)[0].tested
            raw.chooses = Raw(**{**vars(raw), "tested": tested, "by": "balanced"})
            raw.promise = Raw(**{**vars(raw), "tested": tested, "by": "risk"})
        probable = ["judge"] if raw.probable else []
        found = nlgauge.trust(table, source, probabilities=probable, **how)
        yield name, found[0], raw


# ---- The gate, and a board of scorers


@cache
def interim(r: Raw) -> tuple[float, float, float]:
    """Ends and p of the first analysis of a history, of which half the level is spent: for shifts, and Student's t."""
    gaps, normal, spent = apart(r), stats.norm, 0.05 / 2 / 2  # two systems, and half of the level for the first one
    factor = 1 / (4 * normal.cdf(-math.sqrt(2)))  # of Bentkus and Dzindzalieta
    z = -normal.ppf(spent / 2 / factor)

    def beyond(shift: float) -> float:
        return abs((gaps - shift).sum()) - z * math.sqrt(((gaps - shift) ** 2).sum())

    ends = [optimize.brentq(beyond, gaps.mean(), gaps.mean() + side) for side in (-2.0, 2.0)]
    p = min(1.0, 2 * factor * normal.cdf(-abs(gaps.sum()) / math.sqrt((gaps**2).sum())) * 2)
    for centre, error, freedom in difference_laws(r):
        ends += stats.t.interval(1 - spent, freedom, centre, error)
    return max(-1.0, min(ends)), min(1.0, max(ends)), max(p, min(1.0, 2 * literal_p(gap(r), difference_laws(r))))


def regression_p(r: Raw) -> float:
    return interim(r)[2] if r.history else literal_p(gap(r), difference_laws(r))


def of_both_systems(r: Raw) -> float:
    """By Holm; in a history each system has half of the level."""
    return min(1.0, 2 * interim(r)[2]) if r.history else holm_of([regression_p(one) for one in r.systems], r.place)


REGRESSION: Sources = {
    "system": lambda r: "AB"[r.place],
    "baseline": lambda r: "AB"[r.place],
    "n": DIFFERENCE["n"],
    "now": DIFFERENCE["a"],
    "before": DIFFERENCE["b"],
    "difference": gap,
    "low": lambda r: interim(r)[0] if r.history else difference_ends(r)[0],
    "high": lambda r: interim(r)[1] if r.history else difference_ends(r)[1],
    "p": regression_p,
    "adjusted": of_both_systems,
    "worse": lambda r: not lost(r, 1) < 0.05 if r.margin else gap(r) < 0 and of_both_systems(r) < 0.05,
    "reason": none,
    "look": lambda r: 1 if r.history else None,
    "no_worse": lambda r: lost(r, 1) if r.margin else None,
    "detectable": lambda r: None if r.history else shown_by(r, both(r).sum(), 2),
}
OUTCOME: Sources = {
    "system": lambda r: "AB"[r.row // 40],
    "item": lambda r: str(r.row % 40),
    "row": lambda r: r.row + 1,
    "value": lambda r: r.value,
    "state": lambda r: "missing" if math.isnan(r.value) else "passed" if r.value >= 0.6 else "failed",
    "problem": lambda r: (
        "no value: empty" if math.isnan(r.value) else None if r.value >= 0.6 else f"{r.value:.4f} is below 0.6"
    ),
    "unsupported": lambda r: (),
    "finding": none,
    "answer": none,
    "reasons": lambda r: (),
    "quotes": lambda r: (),
    "decided_by": none,
}
VERDICT: Sources = {
    "metric": lambda r: "M",
    "part": lambda r: "score",
    "higher_is_better": lambda r: True,
    "at_least": lambda r: 0.6,
    "at_most": none,
    "significance": lambda r: 0.05,
    "outcomes": lambda r: tuple(literals(OUTCOME, one) for one in r.rows),
    "regressions": lambda r: tuple(literals(REGRESSION, one) for one in r.systems),
    "margin": lambda r: r.margin,
    "left_out": lambda r: {},
    "notes": lambda r: ("what the numbers of M depend on is not known of both runs, and was not compared",),
    "second_at_least": none,
}


@cache
def checked() -> list[tuple[str, Verdict, Raw]]:
    """A run of the systems A and B against an earlier one."""
    made, rng = [], np.random.default_rng(13)
    for margin, history in ((None, False), (0.06, False), (None, True)):
        before = [rng.beta(5, 2, 40) for _ in "AB"]
        now = [np.clip(one + 0.08 * rng.normal(size=40) - 0.06 * (n == 0), 0, 1) for n, one in enumerate(before)]
        now[1][:4] = NAN
        tables = []
        for values in (now, before):
            x = np.concatenate(values)
            reasons = dict.fromkeys(np.flatnonzero(np.isnan(x)).tolist(), "empty")
            column = Column(("score",), x[:, None], reasons, limits={"score": YES_NO})
            tables.append(ScoreTable([(s, f"{n}") for s in "AB" for n in range(40)], {"M": column}, {}))
        with TemporaryDirectory() as folder:
            path = Path(folder) / "history.jsonl" if history else None
            found = nlgauge.check(tables[0], "M", at_least=0.6, against=tables[1], margin=margin, history=path)
        systems = [
            Raw(a=a, b=b, counts=None, clusters=None, limits=YES_NO, margin=margin, history=history, place=place)
            for place, (a, b) in enumerate(zip(now, before, strict=True))
        ]
        for one in systems:
            one.systems = systems
        rows = [Raw(row=row, value=value) for row, value in enumerate(np.concatenate(now).tolist())]
        made.append((f"margin {margin}, history {history}", found, Raw(systems=systems, rows=rows, margin=margin)))
    return made


def regressions() -> Iterator[tuple[str, Regression, Raw]]:
    for name, found, raw in checked():
        for one, system in zip(found.regressions, raw.systems, strict=True):
            yield f"{name}, {one.system}", one, system


def outcomes() -> Iterator[tuple[str, Outcome, Raw]]:
    for name, found, raw in checked():
        for one, row in zip(found.outcomes, raw.rows, strict=True):
            yield f"{name}, row {one.row}", one, row


def of_items(r: Raw, scorer: str) -> np.ndarray:
    """Pearson within each item; a row without a score has the mean score."""
    x = np.where(np.isnan(r.by[scorer]), np.nanmean(r.by[scorer], 1)[:, None], r.by[scorer])
    return np.array([np.corrcoef(a, b)[0, 1] for a, b in zip(x, r.y, strict=True)])


def place_of(r: Raw) -> int:
    """A new cluster begins where a scorer differs from one of the cluster so far, the best first."""
    pairs = list(combinations(r.by, 2))
    gaps = [Given(of_items(r, a) - of_items(r, b), UNLIMITED) for a, b in pairs]
    p = [literal_p(one.values.mean(), laws(one)) for one in gaps]
    apart = {frozenset(pair) for n, pair in enumerate(pairs) if holm_of(p, n) < 0.05}
    cluster, members = 0, list[str]()
    for name in sorted(r.by, key=lambda one: -of_items(r, one).mean()):
        if not members or any(frozenset((name, other)) in apart for other in members):
            cluster, members = cluster + 1, []
        members.append(name)
        if name == r.scorer:
            break
    return cluster


BOARD_LINE: Sources = {
    "set": lambda r: "set",
    "aspect": lambda r: "quality",
    "measure": lambda r: "item",
    "scorer": lambda r: r.scorer,
    "rows": lambda r: int((~np.isnan(r.by[r.scorer])).sum()),
    "unscored": lambda r: int(np.isnan(r.by[r.scorer]).sum()),
    "value": lambda r: of_items(r, r.scorer).mean(),
    "low": lambda r: literal(Given(of_items(r, r.scorer), (-1.0, 1.0)), 0.95)[0],
    "high": lambda r: literal(Given(of_items(r, r.scorer), (-1.0, 1.0)), 0.95)[1],
    "cluster": place_of,
    "trained": lambda r: r.scorer == "alike",
}


def board_lines() -> Iterator[tuple[str, BoardLine, Raw]]:
    sets = {name: a_set(seed, noise=noise) for seed, (name, noise) in enumerate(
        {"good": 1.0, "alike": 1.0, "poor": 4.0}.items(), 1)}  # fmt: skip
    by = {name: table.values("M").reshape(40, 4) for name, (table, _) in sets.items()}
    y = np.array([row.scores["quality"] for row in sets["good"][1]]).reshape(40, 4)
    made = board(
        card(name, one, trained=("the SET of 2020",) if name == "alike" else None) for name, one in sets.items()
    )
    for one in made.lines:
        yield one.scorer, one, Raw(by=by, y=y, scorer=one.scorer)


# ---- Every record

SOURCES: Mapping[type, Sources] = {
    SystemScore: SYSTEM_SCORE,
    Difference: DIFFERENCE,
    Estimate: ESTIMATE,
    WorstCase: WORST_CASE,
    Agreement: AGREEMENT,
    Contrast: CONTRAST,
    RaterAgreement: RATER_AGREEMENT,
    Calibration: CALIBRATION,
    Chosen: CHOSEN,
    Bin: BIN,
    Trust: TRUST,
    Verdict: VERDICT,
    Regression: REGRESSION,
    Outcome: OUTCOME,
    BoardLine: BOARD_LINE,
}
CASES: Mapping[type, Cases] = {
    SystemScore: system_scores,
    Difference: differences,
    Estimate: estimates,
    WorstCase: worst_cases,
    Agreement: agreements,
    Contrast: contrasts,
    RaterAgreement: rater_agreements,
    Calibration: calibrated,
    Chosen: chosen,
    Bin: bins,
    Trust: trusts,
    Verdict: checked,
    Regression: regressions,
    Outcome: outcomes,
    BoardLine: board_lines,
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


def test_every_record_that_a_command_prints_has_its_literal_version() -> None:
    """The records of each table, and those that stand in a field of theirs."""
    kinds = [one.kind for one in Records.__subclasses__() if one.__module__.startswith("nlgauge.stats")]
    of_fields = [kind for one in SOURCES for hint in get_type_hints(one).values() for kind in (hint, *get_args(hint))]
    records = [kind for kind in of_fields if is_dataclass(kind) and kind.__module__.startswith("nlgauge.stats")]
    lacking = {kind.__name__ for kind in (*kinds, *records) if kind not in SOURCES}
    assert lacking <= {"RatedThreshold", "Unsupported"}, f"no literal version of {', '.join(lacking)}"
