"""Measures of how well low scores find unsupported words or texts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def detection(supported: NDArray[np.float64], truth: NDArray[np.int64], threshold: float = 0.5) -> dict[str, float]:
    """Return how well low confidence finds unsupported items.

    Args:
        supported: confidence of each item that it is supported: [n].
        truth: 1 if the item is supported, else 0: [n].
        threshold: items with lower confidence are taken to be unsupported.

    Returns:
        `auc`: the area under the ROC curve. `f1`: F1 of the unsupported items at `threshold`. `best_f1` and
        `threshold`: the best F1 and its threshold, which are chosen on these same items. All are NaN if `truth` has
        only one value.
    """
    wrong = truth == 0
    if wrong.all() or not wrong.any():
        return {"auc": np.nan, "f1": np.nan, "best_f1": np.nan, "threshold": np.nan}
    order = np.argsort(supported, kind="stable")
    values, first = np.unique(supported[order], return_index=True)
    ends = np.append(first[1:], len(order))
    hits, misses = np.cumsum(wrong[order])[ends - 1], np.cumsum(~wrong[order])[ends - 1]
    # The area under the curve by trapezoids: ties count one half.
    area = ((hits + np.append(0, hits[:-1])) / 2 * np.diff(misses, prepend=0)).sum()
    auc = area / (wrong.sum() * (~wrong).sum())
    f1 = 2 * hits / (hits + misses + wrong.sum())
    under = int(np.searchsorted(values, threshold, side="left")) - 1
    best = int(f1.argmax())
    after = values[best + 1] if best + 1 < len(values) else max(1.0, values[best])
    return {
        "auc": round(float(auc), 4),
        "f1": round(float(f1[under]), 4) if under >= 0 else 0.0,
        "best_f1": round(float(f1[best]), 4),
        "threshold": round(float((values[best] + after) / 2), 4),
    }


def resampled_area(
    supported: NDArray[np.float64],
    truth: NDArray[np.int64],
    sources: NDArray[np.int64],
    replicates: int,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of the area under the ROC curve.

    Sources are resampled, each with all its rows.

    Args:
        supported: confidence of each row that it is supported: [n].
        truth: 1 if the row is supported, else 0: [n].
        sources: number of the source of each row: [n].
        replicates: number of resamples.
        rng: draws the sources.

    Returns:
        The lower and the upper end. They are NaN if there is only one source, or if no resample has an area.
    """
    rows_of = [np.flatnonzero(sources == source) for source in np.unique(sources)]
    areas = []
    for _ in range(replicates if len(rows_of) > 1 else 0):
        rows = np.concatenate([rows_of[n] for n in rng.integers(len(rows_of), size=len(rows_of))])
        areas.append(detection(supported[rows], truth[rows])["auc"])
    known = [area for area in areas if not np.isnan(area)]
    return (np.nan, np.nan) if not known else tuple(np.quantile(known, (0.025, 0.975)).tolist())
