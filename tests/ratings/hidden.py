"""Outputs of two systems with scores, and the ratings of some of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nlgauge import Corpus, Row, ScoreTable
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column

SPEC = "TokenF1"


def outputs(
    rows: int = 200, n: int = 80, seed: int = 0, systems: Sequence[str] = ("a", "b"), docs: int = 50
) -> tuple[ScoreTable, Corpus, dict[tuple[str, str], float]]:
    """A table, its rows with the ratings of n of each system, and all ratings. Column `doc`: what items share."""
    rng = np.random.default_rng(seed)
    keys = [(system, f"i{item}") for system in systems for item in range(rows)]
    shift = np.repeat(np.arange(len(systems)) * 0.4, rows)
    scores = rng.normal(size=len(keys))
    good = (scores + shift + 0.8 * rng.normal(size=len(keys)) > 0).astype(float)
    rated = np.concatenate([rng.permutation(rows) < n for _ in systems])
    corpus = Corpus(
        tuple(
            Row(
                "x",
                system=system,
                item=item,
                source=f"s{item}",
                scores={"good": value} if shown else {},
                extra={"doc": f"d{int(item[1:]) % docs}"},
            )
            for (system, item), value, shown in zip(keys, good.tolist(), rated.tolist(), strict=True)
        )
    )
    column = Column(("f1",), scores[:, None], {}, {}, True, "item")
    table = ScoreTable(keys, {SPEC: column}, {SPEC: Signature(SPEC, {"nlgauge": "1"})})
    return table, corpus, dict(zip(keys, good.tolist(), strict=True))
