"""How well low alignment finds words that are not supported."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def detection(supported: NDArray[np.float64], truth: NDArray[np.int64]) -> dict[str, float]:
    """How well low alignment finds unsupported words: ROC-AUC, F1 at 0.5, and the best F1 with its threshold.

    supported: confidences [words]; truth [words]: 1 supported, 0 not. NaN where all words are of one kind.
    """
    wrong = truth == 0
    if wrong.all() or not wrong.any():
        return {"auc": np.nan, "f1": np.nan, "best_f1": np.nan, "threshold": np.nan}
    order = np.argsort(supported, kind="stable")
    values, first = np.unique(supported[order], return_index=True)
    ends = np.append(first[1:], len(order))
    hits, misses = np.cumsum(wrong[order])[ends - 1], np.cumsum(~wrong[order])[ends - 1]
    # The area under the curve of hits against misses, by trapezoids: ties count one half.
    area = ((hits + np.append(0, hits[:-1])) / 2 * np.diff(misses, prepend=0)).sum()
    auc = area / (wrong.sum() * (~wrong).sum())
    f1 = 2 * hits / (hits + misses + wrong.sum())
    half = int(np.searchsorted(values, 0.5, side="left")) - 1
    best = int(f1.argmax())
    after = values[best + 1] if best + 1 < len(values) else 1.0
    return {
        "auc": round(float(auc), 4),
        "f1": round(float(f1[half]), 4) if half >= 0 else 0.0,
        "best_f1": round(float(f1[best]), 4),
        "threshold": round(float((values[best] + after) / 2), 4),
    }
