"""Balls around points that reach to their k-th neighbour: exact radii and contents, computed in blocks.

The ball of a point reaches to its k-th nearest *other* point in its own set, and contains all points up to that
distance (Kynkaanniemi et al., NeurIPS 2019; Mordido and Meinel, COLING 2020, equation 2). Copies of a point are
separate points, and count as other points to each other.

The results are those of float64 distances by subtraction, including ties and copies. To save time, a float32 matrix
product gives a *lower bound* of half of every squared distance. Only comparisons that the bound cannot decide are made
in float64.

Let x and y be rounded to float32, w the width, u = 2^-24 and t = 1.1 (w + 8) u. The computed |x|^2/2 + |y|^2/2 - xy
differs from half the squared distance of the given points by at most t (|x|^2 + |y|^2), for any order of summation. Let
s(x) = t |x|^2. The products of [x, |x|^2/2 - s(x), 1] and [-y, 1, |y|^2/2 - s(y)] are lower bounds, and adding 2 s(x) +
2 s(y) gives upper bounds. Each point has its own s, so a far outlier does not affect the others.
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

# Tiles have many rows so that each column fetched from memory is used for many products.
_ROWS, _COLUMNS = 1 << 12, 1 << 10
_PAIRS = 1 << 14
_NUMBERS = 1 << 17  # fits the processor's cache
_GROUPS = 4
_FLOOR = 1e-30


@dataclass(frozen=True)
class Coverage:
    """The points of one set that are in balls of another set, for several k."""

    pairs: Integers
    """[ks]: number of (ball, point) pairs with the point in the ball"""
    points: Integers
    """[points]: index in ks of the first k for which the point is in a ball; len(ks) if there is none"""
    balls: Integers
    """[balls]: index in ks of the first k for which the ball contains a point; len(ks) if there is none"""

    @property
    def covered(self) -> Integers:
        """The number of points that are in at least one ball: [ks]."""
        return _up_to(self.points, len(self.pairs))

    @property
    def occupied(self) -> Integers:
        """The number of balls that contain at least one point: [ks]."""
        return _up_to(self.balls, len(self.pairs))


def coverage(first: Points, second: Points, ks: Sequence[int]) -> tuple[Coverage, Coverage]:
    """Return the coverage of `second` by the balls of `first`, and of `first` by the balls of `second`, in one pass.

    Args:
        first: points [n, width].
        second: points [m, width].
        ks: numbers of neighbours, ascending, each at least 1. A ball reaches to the k-th nearest neighbour. A k above a
            set's size minus 1 is reduced to this size minus 1.

    Returns:
        The coverage of `second`, and the coverage of `first`.
    """
    return between(first, squared_radii(first, ks), second, squared_radii(second, ks))


def squared_radii(points: Points, ks: Sequence[int]) -> Reals:
    """Return the squared distance of each point to its k-th nearest other point, for several k.

    Args:
        points: [n, width].
        ks: numbers of neighbours, ascending, each at least 1. A k above n - 1 is reduced to n - 1.

    Returns:
        The squared distances: [n, ks]; 0 for a single point.

    Raises:
        ValueError: points are not finite, or ks are invalid.
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
    """Return the two coverages of `coverage`, from squared radii [n, ks] and [m, ks] that do not decrease along ks."""
    left, right = _Cloud.of(first), _Cloud.of(second)
    # Copies have the same radius.
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
                chunk = i[at : at + _PAIRS], j[at : at + _PAIRS]
                bounds = low[chunk].astype(np.float64)
                left_at, right_at = chunk[0] + row, chunk[1] + column
                pairs = (right_at, left_at) if swapped else (left_at, right_at)
                tallies[swapped].add(*pairs, bounds, bounds + frame.gap(left_at, right_at), frame.half_scale)
    return tallies[0].done(), tallies[1].done()


def nearest(queries: Points, points: Points) -> tuple[Integers, Reals]:
    """Return, for each query, the index of the nearest point (the first of several) and its squared distance: [n]."""
    asked, cloud = _Cloud.of(queries), _Cloud.of(points)
    rows, columns, squares = _nearest_pairs(asked, cloud, 1)
    first = np.searchsorted(rows, np.arange(len(asked.weight)))[asked.place]
    return cloud.sample[columns[first]], squares[first]


class _Cloud(NamedTuple):
    """The distinct points of a set, in order of first appearance. They avoid the many exact ties of copies."""

    points: Points
    """[distinct, width]"""
    sample: Integers
    """[distinct]: index of the first copy of each point in the set"""
    weight: Integers
    """[distinct]: number of copies"""
    place: Integers
    """[n]: index of each point among the distinct points"""

    @classmethod
    def of(cls, points: Points) -> _Cloud:
        if points.ndim != 2 or not points.size or not np.isfinite(points).all():
            raise ValueError(f"points must be finite numbers [n, width], n and width at least 1, not {points.shape}")
        numbers: dict[bytes, int] = {}
        place = np.array([numbers.setdefault(point.tobytes(), len(numbers)) for point in points], np.int64)
        sample = np.unique(place, return_index=True)[1].astype(np.int64)
        return cls(points[sample], sample, np.bincount(place).astype(np.int64), place)


class _Frame:
    """Two sets centred and scaled in the same way, so that float32 distances are as exact as possible."""

    def __init__(self, left: _Cloud, right: _Cloud) -> None:
        # If both are the same set, it is prepared once.
        clouds = [left] if left is right else [left, right]
        centre = np.mean([cloud.points.mean(0, np.float64) for cloud in clouds], axis=0)
        moved = [cloud.points - centre for cloud in clouds]
        largest = max(float(np.abs(points).max()) for points in moved)
        # Scaling by a power of two is exact.
        scale = 2.0 ** -np.ceil(np.log2(largest)) if largest else 1.0
        self.half_scale = scale**2 / 2
        self.error = 1.1 * (left.points.shape[1] + 8) * 2.0**-24
        single = [(points * scale).astype(np.float32) for points in moved]
        norms = [np.square(points, dtype=np.float64).sum(1) for points in single]
        self.slack = [self.error * norm + _FLOOR for norm in norms]
        last = [(norm / 2 - slack).astype(np.float32)[:, None] for norm, slack in zip(norms, self.slack, strict=True)]
        units = [np.ones_like(part) for part in last]
        self._left = np.concatenate([single[0], last[0], units[0]], axis=1)
        self._right = np.concatenate([-single[-1], units[-1], last[-1]], axis=1)

    def tiles(self, triangle: bool = False) -> Iterator[tuple[int, int, NDArray[np.float32]]]:
        """Yield lower bounds of half the squared distances between parts of the left and right set, tile by tile.

        Each pair of points is in one tile alone. With `triangle`, a pair is in its tile twice, as (x, y) and as (y, x),
        if both points are columns of this tile.

        Args:
            triangle: whether both sets are the same, so that each distance is needed once.

        Yields:
            The first row, the first column, and the bounds: [rows, columns].
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
        """Return, for each row, a limit for the bounds (`tiles`) of its k nearest points.

        With a lower bound b, the distance is at most b + 2 s(x) + 2 s(y). As |y| is at most |x| + |x - y|, s(y) is at
        most 3 s(x) + 5 t b.

        Args:
            bound: for each row, a number that k of its bounds do not exceed: [rows].
            rows: the rows.

        Returns:
            The limits: [rows]. A point whose bound is above the limit is none of the k nearest.
        """
        return _rounded_up(bound + 8 * self.slack[0][rows] + 10 * self.error * np.maximum(bound, 0))

    def gap(self, left: Integers, right: Integers) -> Reals:
        """Return the upper bound less the lower bound of half the squared distance, for pairs of points.

        Args:
            left: the index of each pair's point in the left set: [pairs].
            right: the index of each pair's point in the right set: [pairs].

        Returns:
            The differences: [pairs].
        """
        gap: Reals = 2 * (self.slack[0][left] + self.slack[-1][right])
        return gap


class _Tally:
    """The counts of a `Coverage`, to which pairs of a centre and a point are added step by step."""

    def __init__(self, centres: _Cloud, radii: Reals, points: _Cloud) -> None:
        self.radii, self._centres, self._points = radii, centres, points
        never = radii.shape[1]
        self._pairs = np.zeros(never + 1, np.int64)
        self._reached = np.full(len(points.weight), never)
        self._holds = np.full(len(centres.weight), never)

    def add(self, centres: Integers, points: Integers, low: Reals, high: Reals, half_scale: float) -> None:
        """Add pairs of a centre and a point that may be in its ball. Each pair must be added once.

        Args:
            centres: the index of each pair's centre: [pairs].
            points: the index of each pair's point: [pairs].
            low: a lower bound of the pair's squared distance, times `half_scale`: [pairs].
            high: an upper bound of the pair's squared distance, times `half_scale`: [pairs].
            half_scale: the factor from squared distances to the bounds.
        """
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
    """Return all pairs that can be among the k nearest of a left point, and a few others.

    Pairs are selected by the limit that is known so far, and filtered by the final limit.

    Args:
        left: the points whose neighbours are searched.
        right: the points that may be neighbours.
        k: the number of neighbours.
        itself: whether both are the same set. Then each distance counts for its row and its column, so that half of the
            products are enough.

    Returns:
        Left indices, right indices and squared distances, sorted by left index, distance and right index.
    """
    frame = _Frame(left, right)
    best = np.full((k, len(left.weight)), np.inf, np.float32)
    pairs = []
    for row, column, low in frame.tiles(triangle=itself):
        rows = slice(row, row + len(low))
        best[:, rows] = _smallest(best[:, rows], low.T, k)
        i, j = _within(low, frame.limit(best[-1, rows], rows)[:, None])
        pairs.append((i + row, j + column, low[i, j]))
        if itself:
            low, columns = low[: max(0, column - row)], slice(column, column + low.shape[1])
            best[:, columns] = _smallest(best[:, columns], low, k)
            i, j = _within(low, frame.limit(best[-1, columns], columns))
            pairs.append((j + column, i + row, low[i, j]))
    first, second, bounds = (np.concatenate(part) for part in zip(*pairs, strict=True))
    kept = bounds <= frame.limit(best[-1], slice(None))[first]
    first, second = first[kept], second[kept]
    squares = _squares(left, first, right, second)
    order = np.lexsort((second, squares, first))
    return first[order], second[order], squares[order]


def _smallest(smallest: NDArray[np.float32], more: NDArray[np.float32], k: int) -> NDArray[np.float32]:
    """Return about the k smallest numbers of each column of `smallest` [k, n] and `more` [any, n] together: [k, n].

    To be fast, a long `more` is first reduced to the minima of groups of its rows. So some of the smallest numbers may
    be lost, and the next larger ones take their places. No returned number is too small.
    """
    while len(more) >= 2 * _GROUPS * k:
        half = len(more) // 2
        more = np.minimum(more[:half], more[half : 2 * half])
    return np.partition(np.concatenate([smallest, more]), k - 1, axis=0)[:k]


def _within(low: NDArray[np.float32], limit: NDArray[np.float32]) -> tuple[Integers, Integers]:
    """Return rows and columns of the numbers that are at most a limit, which broadcasts, in the order of rows."""
    rows, columns = np.divmod(np.flatnonzero(low <= limit), max(low.shape[1], 1))
    return rows, columns


def _squares(left: _Cloud, rows: Integers, right: _Cloud, columns: Integers) -> Reals:
    """Return the squared distances of pairs, by subtraction: [pairs]. All decisions use these distances."""
    out = np.empty(len(rows))
    step = max(1, _NUMBERS // left.points.shape[1])
    for at in range(0, len(rows), step):
        part = slice(at, at + step)
        gaps = left.points[rows[part]].astype(np.float64) - right.points[columns[part]]
        out[part] = np.square(gaps, out=gaps).sum(axis=1)
    return out


def _place(radii: Reals, values: Reals) -> Integers:
    """Return, for each value, the number of radii of its row that it exceeds: [rows, ks] and [rows] -> [rows]."""
    return np.asarray((radii < values[:, None]).sum(axis=1), np.int64)


def _rounded_up(values: Reals) -> NDArray[np.float32]:
    return np.nextafter(values.astype(np.float32), np.float32(np.inf))


def _up_to(places: Integers, size: int) -> Integers:
    return np.asarray(np.bincount(places, minlength=size + 1)[:size].cumsum(), np.int64)
