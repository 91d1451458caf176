"""Balls around points that reach to their k-th neighbour: radii and what lies inside, exact and in blocks.

A point's ball in its own set reaches to its k-th nearest *other* point there, and holds what lies at that distance or
nearer (Kynkaanniemi et al., NeurIPS 2019; Mordido and Meinel, COLING 2020, equation 2). Points that stand in a set
several times are several points, and each is an other point to its copies.

Everything here is what float64 distances by subtraction would give, ties and copies included. Those are computed for
few pairs only: a float32 product of matrices gives a *lower bound* of half of every squared distance, and a comparison
is made again in float64 where the bound cannot settle it.

For x, y as rounded to float32, w wide, u = 2^-24: the computed |x|^2/2 + |y|^2/2 - xy, whatever the order of its sums,
is within t (|x|^2 + |y|^2) of half the squared distance of the points as given, t = 1.1 (w + 8) u. With
s(x) = t |x|^2 set against each norm, the products of [x, |x|^2/2 - s(x), 1] and [-y, 1, |y|^2/2 - s(y)] are the bounds,
and 2 s(x) + 2 s(y) above them lie upper bounds. Each point has its own s, so a far outlier costs the others nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.floating[Any]]
Integers = NDArray[np.int64]
Reals = NDArray[np.float64]

# Tiles with many rows: each column is fetched from memory for few products otherwise.
_ROWS, _COLUMNS = 1 << 12, 1 << 10
_PAIRS = 1 << 14
_NUMBERS = 1 << 17  # that stay in the cache
_GROUPS = 4
_FLOOR = 1e-30


@dataclass(frozen=True)
class Coverage:
    """What the balls of one set hold of the points of another, for several k."""

    pairs: Integers
    """[ks]: (ball, point) pairs where the ball holds the point"""
    points: Integers
    """[points]: the place in ks of the first k at which a ball holds the point; len(ks) where none does"""
    balls: Integers
    """[balls]: the place in ks of the first k at which the ball holds a point; len(ks) where it never does"""

    @property
    def covered(self) -> Integers:
        """How many points are in at least one ball: [ks]."""
        return _up_to(self.points, len(self.pairs))

    @property
    def occupied(self) -> Integers:
        """How many balls hold at least one point: [ks]."""
        return _up_to(self.balls, len(self.pairs))


def coverage(first: Points, second: Points, ks: Sequence[int]) -> tuple[Coverage, Coverage]:
    """What the balls of `first` hold of `second`, and those of `second` of `first`, from one pass over their distances.

    first [n, width], second [m, width]; ks ascending, each at least 1. A k beyond a set's size less one is that.
    """
    return between(first, squared_radii(first, ks), second, squared_radii(second, ks))


def squared_radii(points: Points, ks: Sequence[int]) -> Reals:
    """Squared distances to the k-th nearest other points: [n, ks].

    points [n, width]; ks ascending, each at least 1. A k beyond n - 1 is n - 1, and the radius of a lone point is 0.
    Raises ValueError for points that are not finite, or other ks.
    """
    if list(ks) != sorted(ks) or not len(ks) or ks[0] < 1:
        raise ValueError(f"ks must be ascending numbers of at least 1, not {list(ks)}")
    cloud = _Cloud.of(points)
    kept = np.minimum(ks, len(points) - 1)
    if kept[-1] == 0:
        return np.zeros((1, len(ks)))
    rows, columns, squares = _nearest_pairs(cloud, cloud, int(kept[-1]) + 1, itself=True)
    others = np.minimum(cloud.weight[columns] - (columns == rows), kept[-1])
    starts = np.searchsorted(np.repeat(rows, others), np.arange(len(cloud.weight)))
    return np.repeat(squares, others)[starts[:, None] + kept - 1][cloud.place]


def between(first: Points, first_radii: Reals, second: Points, second_radii: Reals) -> tuple[Coverage, Coverage]:
    """`coverage` where the squared radii, [n, ks] and [m, ks], not falling along ks, are known."""
    left, right = _Cloud.of(first), _Cloud.of(second)
    # Copies have one radius.
    tallies = (
        _Tally(left, first_radii[left.sample], right),
        _Tally(right, second_radii[right.sample], left),
    )
    frame = _Frame(left, right)
    limits = [_rounded_up(tally.radii[:, -1] * frame.half_scale) for tally in tallies]
    for row, column, low in frame.tiles():
        rows, columns = slice(row, row + len(low)), slice(column, column + low.shape[1])
        for swapped, limit in enumerate((limits[0][rows, None], limits[1][columns])):
            i, j = _within(low, limit)
            for at in range(0, len(i), _PAIRS):
                some = i[at : at + _PAIRS], j[at : at + _PAIRS]
                bounds = low[some].astype(np.float64)
                left_at, right_at = some[0] + row, some[1] + column
                pairs = (right_at, left_at) if swapped else (left_at, right_at)
                tallies[swapped].add(*pairs, bounds, bounds + frame.gap(left_at, right_at), frame.half_scale)
    return tallies[0].done(), tallies[1].done()


def nearest(queries: Points, points: Points) -> tuple[Integers, Reals]:
    """For each query the place of the nearest point, the first of several, and the squared distance: [n], [n]."""
    asked, cloud = _Cloud.of(queries), _Cloud.of(points)
    rows, columns, squares = _nearest_pairs(asked, cloud, 1)
    first = np.searchsorted(rows, np.arange(len(asked.weight)))[asked.place]
    return cloud.sample[columns[first]], squares[first]


class _Cloud(NamedTuple):
    """The distinct points of a set, in order of first appearance: many copies would mean many exact ties."""

    points: Points
    """[distinct, width]"""
    sample: Integers
    """[distinct]: where each stands first in the set"""
    weight: Integers
    """[distinct]: how often it stands there"""
    place: Integers
    """[n]: which of the distinct points each point is"""

    @classmethod
    def of(cls, points: Points) -> _Cloud:
        if points.ndim != 2 or not points.size or not np.isfinite(points).all():
            raise ValueError(f"points must be finite numbers [n, width], n and width at least 1, not {points.shape}")
        known: dict[bytes, int] = {}
        place = np.array([known.setdefault(point.tobytes(), len(known)) for point in points], np.int64)
        sample = np.unique(place, return_index=True)[1].astype(np.int64)
        return cls(points[sample], sample, np.bincount(place).astype(np.int64), place)


class _Frame:
    """Two sets moved and scaled alike, so that float32 holds as much as it can of their distances."""

    def __init__(self, left: _Cloud, right: _Cloud) -> None:
        # One set is made ready once.
        clouds = [left] if left is right else [left, right]
        centre = np.mean([cloud.points.mean(0, np.float64) for cloud in clouds], axis=0)
        moved = [cloud.points - centre for cloud in clouds]
        largest = max(float(np.abs(points).max()) for points in moved)
        # A power of two: scaling rounds nothing.
        scale = 2.0 ** -np.ceil(np.log2(largest)) if largest else 1.0
        self.half_scale = scale**2 / 2
        self.error = 1.1 * (left.points.shape[1] + 8) * 2.0**-24
        single = [(points * scale).astype(np.float32) for points in moved]
        norms = [np.square(points, dtype=np.float64).sum(1) for points in single]
        self.slack = [self.error * norm + _FLOOR for norm in norms]
        last = [(norm / 2 - slack).astype(np.float32)[:, None] for norm, slack in zip(norms, self.slack, strict=True)]
        one = [np.ones_like(part) for part in last]
        self._left = np.concatenate([single[0], last[0], one[0]], axis=1)
        self._right = np.concatenate([-single[-1], one[-1], last[-1]], axis=1)

    def tiles(self, triangle: bool = False) -> Iterator[tuple[int, int, NDArray[np.float32]]]:
        """Lower bounds of half the squared distances of some of the left set from some of the right, in turn.

        Yields (first row, first column, [rows, columns]). triangle: of a set and itself, of which each distance is
        wanted once; none comes in two tiles, and twice only among the points that are columns of one tile.
        """
        buffer = np.empty(_ROWS * _COLUMNS, np.float32)
        for column in range(0, len(self._right), _COLUMNS):
            right = self._right[column : column + _COLUMNS]
            wanted = self._left[: column + _COLUMNS] if triangle else self._left
            for row in range(0, len(wanted), _ROWS):
                left = wanted[row : row + _ROWS]
                out = buffer[: len(left) * len(right)].reshape(len(left), len(right))
                yield row, column, np.matmul(left, right.T, out=out)

    def limit(self, bound: NDArray[np.float32], rows: slice) -> NDArray[np.float32]:
        """What the bounds of a row's k nearest do not exceed, if k bounds of the row are at most `bound`: [rows].

        A lower bound b comes with a distance of at most b + 2 s(x) + 2 s(y), and as |y| is at most |x| + |x - y|, s(y)
        is at most 3 s(x) + 5 t b.
        """
        return _rounded_up(bound + 8 * self.slack[0][rows] + 10 * self.error * np.maximum(bound, 0))

    def gap(self, left: Integers, right: Integers) -> Reals:
        """From the lower to the upper bound of pairs."""
        gap: Reals = 2 * (self.slack[0][left] + self.slack[-1][right])
        return gap


class _Tally:
    """Counts what the balls of some centres hold of some points, pair by pair."""

    def __init__(self, centres: _Cloud, radii: Reals, points: _Cloud) -> None:
        self.radii, self._centres, self._points = radii, centres, points
        never = radii.shape[1]
        self._pairs = np.zeros(never + 1, np.int64)
        self._reached = np.full(len(points.weight), never)
        self._holds = np.full(len(centres.weight), never)

    def add(self, centres: Integers, points: Integers, low: Reals, high: Reals, half_scale: float) -> None:
        """Pairs that may be in a ball, each once, with bounds of half their squared distances as scaled."""
        radii = self.radii[centres] * half_scale
        first = _place(radii, low)
        near = np.flatnonzero(first != _place(radii, high))
        squares = _squares(self._centres, centres[near], self._points, points[near])
        first[near] = _place(self.radii[centres[near]], squares)
        weights = self._centres.weight[centres] * self._points.weight[points]
        np.add.at(self._pairs, first, weights)
        np.minimum.at(self._reached, points, first)
        np.minimum.at(self._holds, centres, first)

    def done(self) -> Coverage:
        return Coverage(self._pairs[:-1].cumsum(), self._reached[self._points.place], self._holds[self._centres.place])


def _nearest_pairs(left: _Cloud, right: _Cloud, k: int, itself: bool = False) -> tuple[Integers, Integers, Reals]:
    """Every pair that can be among the k nearest of a left point, and few pairs besides.

    Returns rows, columns and squared distances, by row, then distance, then column. itself: the two are one set; a
    distance is then read as a row's and as a column's, so half of the products are enough. Pairs are taken by what is
    known of a row when they come, and held to what is known of it at the end.
    """
    frame = _Frame(left, right)
    best = np.full((k, len(left.weight)), np.inf, np.float32)
    found = []
    for row, column, low in frame.tiles(triangle=itself):
        rows = slice(row, row + len(low))
        best[:, rows] = _smallest(best[:, rows], low.T, k)
        i, j = _within(low, frame.limit(best[-1, rows], rows)[:, None])
        found.append((i + row, j + column, low[i, j]))
        if itself:
            low, columns = low[: max(0, column - row)], slice(column, column + low.shape[1])
            best[:, columns] = _smallest(best[:, columns], low, k)
            i, j = _within(low, frame.limit(best[-1, columns], columns))
            found.append((j + column, i + row, low[i, j]))
    first, second, bounds = (np.concatenate(part) for part in zip(*found, strict=True))
    kept = bounds <= frame.limit(best[-1], slice(None))[first]
    first, second = first[kept], second[kept]
    squares = _squares(left, first, right, second)
    order = np.lexsort((second, squares, first))
    return first[order], second[order], squares[order]


def _smallest(known: NDArray[np.float32], more: NDArray[np.float32], k: int) -> NDArray[np.float32]:
    """The k smallest of each column of known [k, n] and, about, of more [any, n]: [k, n].

    Only minima of groups of `more` are read: where two of the smallest share a group one is missed, and its place is
    taken by a number that is hardly larger.
    """
    while len(more) >= 2 * _GROUPS * k:
        half = len(more) // 2
        more = np.minimum(more[:half], more[half : 2 * half])
    return np.partition(np.concatenate([known, more]), k - 1, axis=0)[:k]


def _within(low: NDArray[np.float32], limit: NDArray[np.float32]) -> tuple[Integers, Integers]:
    """Rows and columns of what does not exceed a limit that broadcasts against it, row by row."""
    rows, columns = np.divmod(np.flatnonzero(low <= limit), max(low.shape[1], 1))
    return rows, columns


def _squares(left: _Cloud, rows: Integers, right: _Cloud, columns: Integers) -> Reals:
    """Squared distances of pairs by subtraction: the one place where a distance that decides is computed."""
    out = np.empty(len(rows))
    step = max(1, _NUMBERS // left.points.shape[1])
    for at in range(0, len(rows), step):
        part = slice(at, at + step)
        gaps = left.points[rows[part]].astype(np.float64) - right.points[columns[part]]
        out[part] = np.square(gaps, out=gaps).sum(axis=1)
    return out


def _place(radii: Reals, values: Reals) -> Integers:
    """How many radii of its row a value exceeds: radii [rows, ks], values [rows] -> [rows]."""
    return np.asarray((radii < values[:, None]).sum(axis=1), np.int64)


def _rounded_up(values: Reals) -> NDArray[np.float32]:
    return np.nextafter(values.astype(np.float32), np.float32(np.inf))


def _up_to(places: Integers, size: int) -> Integers:
    return np.asarray(np.bincount(places, minlength=size + 1)[:size].cumsum(), np.int64)
