"""Hausdorff distances between convex hulls of points in many dimensions, computed without the faces of the hulls."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Marks = NDArray[np.bool_]

_TOGETHER = 200
_STEPS = 10_000
_CLOSE = 1e-6


def hausdorff(x: Array, y: Array, regions: Marks, others: Marks, tolerance: float = 1e-3) -> Array:
    """Return the Hausdorff distance between each convex hull of points of x and the corresponding hull of points of y.

    This distance is also the largest difference of the two support functions. For every point, pairwise Frank-Wolfe
    steps (Lacoste-Julien and Jaggi 2015) approach the nearest point of the other hull. A step moves weight from the
    worst vertex of that hull to its best one, and bounds the distance from both sides. The steps for a point stop once
    the point cannot be the farthest of its hull.

    Args:
        x: points: [n, width].
        y: points: [m, width].
        regions: marks the points of x that span each hull, at least one: [hulls, n].
        others: the same for y: [hulls, m].
        tolerance: the largest relative error.

    Returns:
        Distances: [hulls]. A distance is never too large, and too small by at most `tolerance` times itself plus 1e-6.
    """
    if len(x) + len(y) > _TOGETHER and len(regions) > 1:
        each = [
            hausdorff(x[a], y[b], regions=a[None, a], others=b[None, b], tolerance=tolerance)
            for a, b in zip(regions, others, strict=True)
        ]
        return np.concatenate(each)
    points, member = np.concatenate([x, y]), np.concatenate([regions, others], axis=1)
    gram = points @ points.T
    left = np.arange(len(points)) < len(x)
    region, point = np.nonzero(member)
    vertex = member[region] & (left != left[point, None])

    half = np.where(vertex, np.diag(gram) / 2 - gram[point], np.inf)
    start = half.argmin(axis=1)
    squared = gram[point, point] + 2 * half.min(axis=1)
    weights = np.eye(len(points))[start]
    slope = np.where(vertex, gram[start] - gram[point], np.inf)
    best = np.zeros(len(member))
    for _ in range(_STEPS):
        distance = np.sqrt(np.maximum(squared, 0.0))
        rows, to = np.arange(len(point)), slope.argmin(axis=1)
        away = np.where(weights > 0, slope, -np.inf).argmax(axis=1)
        inner = (weights * gram[point]).sum(axis=1)
        reach = (gram[point, point] - inner + slope[rows, to]) / np.maximum(distance, _CLOSE)
        np.maximum.at(best, region, reach)
        open_ = distance > best[region] * (1 + tolerance) + _CLOSE
        if not open_.any():
            break
        gain = slope[rows, away] - slope[rows, to]
        curvature = gram[to, to] + gram[away, away] - 2 * gram[to, away]
        step = np.minimum(weights[rows, away], gain / np.where(curvature > 0, curvature, np.inf))
        squared += step * (step * curvature - 2 * gain)
        weights[rows, to] += step
        weights[rows, away] -= step
        slope += step[:, None] * (gram[to] - gram[away])
        if not open_.all():
            region, point, squared, weights, slope = (a[open_] for a in (region, point, squared, weights, slope))
    return best
