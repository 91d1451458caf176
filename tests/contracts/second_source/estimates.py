"""Estimates by scores and a few ratings, and the worst case of rows that raters passed by."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import nlgauge
from nlgauge import ScoreTable
from nlgauge.answers.estimated_means import Estimate
from nlgauge.data.table import Column
from nlgauge.maths.prediction_powered import Design
from nlgauge.ratings.blanks import WorstCase
from nlgauge.ratings.sampling import Draw, DrawnRow
from tests.contracts.second_source.literal import NAN, Raw, Sources, kish, none, stats
from tests.maths.test_effective import fisher_ends, unseen
from tests.maths.test_inference import UNLIMITED, YES_NO, Given, literal, literal_p
from tests.maths.test_rated_means import least_weight, moves
from tests.maths.test_rated_means import literal as literal_mean

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
    "worth": lambda r: (worth(r), *worth_ends(r)),
    "weight": lambda r: NAN if len(r.y) > 1 else weights(r)[0] * helps(r),
    "alone": lambda r: mean_ends(r, False),
    "bare": bare,
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
        ("plain", None, 0.5, 0.08),
        ("scores that do not help", None, 9.0, 0.5),
        ("clustered", of, 0.6, 0.1),
        ("without a score here and there", None, 0.7, 0.001),
    ):
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
    order = sorted(
        ((system, n) for system, rows in enumerate(r.blank) for n in rows), key=lambda one: (len(r.blank[one[0]]), one)
    )
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
