"""How the scores of each system spread: histograms over all rows, whatever part of them the page lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nlgauge.data.table import ScoreTable
from nlgauge.show.page.scored import Scale

_BINS = 30


def histograms(table: ScoreTable, scales: Sequence[Scale]) -> list[dict[str, Any] | None]:
    """By scale, the edges of its bins and each system's counts in them; None where there is nothing to spread."""
    where = [table.rows_of(system) for system in table.systems]
    return [_histogram(scale, where) for scale in scales]


def _histogram(scale: Scale, where: Sequence[Any]) -> dict[str, Any] | None:
    finite = scale.values[np.isfinite(scale.values)]
    if not len(finite):
        return None
    edges = np.histogram_bin_edges(finite, _bins(finite))
    systems = []
    for rows in where:
        own = scale.values[rows]
        known = own[np.isfinite(own)]
        counts, _ = np.histogram(known, edges)
        systems.append(
            {"counts": counts.tolist(), "mean": float(known.mean()) if len(known) else None, "n": len(known)}
        )
    return {"edges": [float(f"{edge:.6g}") for edge in edges], "systems": systems}


def _bins(finite: Any) -> int:
    """A bin a value where there are few values, as ratings have."""
    return int(min(_BINS, max(2, len(np.unique(finite)))))
