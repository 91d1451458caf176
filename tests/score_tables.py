"""Small tables of scores that the tests share."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.data.signature import Signature
from nlgauge.data.table import Column, ScoreTable, Sums
from tests.by_hand import by_hand

KL, L1, PARTS = "InfoLM(measure='kl')", "InfoLM(measure='l1', stride=2)", "Parts"


def column(*values: float, **facts: Any) -> Column:
    return Column(("score",), np.array(values, dtype=float).reshape(-1, 1), **facts)


def mixed() -> ScoreTable:
    """Two systems, two metrics of one number and one of three, a missing value and an infinite one."""
    rows = [("größte Ü", "b"), ("模型 🙂", "b"), ("größte Ü", "a"), ("模型 🙂", "a"), ("größte Ü", "c")]
    parts = Column(("p", "r", "f"), np.arange(15, dtype=float).reshape(5, 3) / 7, evidence={3: {"token": "ﬁ\u2028"}})
    columns = {
        KL: column(0.5, math.nan, 1 / 3, 2e-17, math.inf, reasons={1: "no reference"}, higher_is_better=False),
        L1: column(1, 2, 3, 4, 5, higher_is_better=False),
        PARTS: parts,
    }
    signatures = {spec: Signature(spec, {"model": {"name": "none", "digest": "0" * 64}}) for spec in columns}
    return ScoreTable(rows, columns, signatures, {"rows": 5, "notes": {KL: {"a note": 1}}}, "9.9")


def one(values: list[float], system: str = "s", **facts: Any) -> ScoreTable:
    return ScoreTable(
        [(system, str(i)) for i in range(len(values))], {"M": column(*values, **facts)}, {"M": Signature("M", {"x": 1})}
    )


def counted() -> ScoreTable:
    """Edits and words of two systems; one row of B has no reference."""
    rows = [("A", "1"), ("A", "2"), ("A", "3"), ("B", "1"), ("B", "2"), ("B", "3")]
    counts = np.array([[1, 4], [0, 6], [5, 10], [2, 2], [np.nan, np.nan], [1, 8]])
    column = Column(("score",), (100 * counts[:, :1] / counts[:, 1:]), {4: "no reference"}, higher_is_better=False)
    column.sums = Sums({"name": "rate"}, counts)
    return ScoreTable(rows, {"TER": column}, {"TER": Signature("TER", {"v": 1})}, {"rows": 6}, "0")


def saved(table: ScoreTable, folder: Path) -> tuple[Path, list[dict[str, Any]]]:
    """A table's file without a seal, and the records in it."""
    path = folder / "scores.jsonl"
    table.save(path)
    by_hand(path)
    return path, [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def same(one: object, other: object) -> bool:
    """Tell whether records are equal where NaN equals NaN: for Python 3.13, records that hold it differ."""
    return repr(one) == repr(other)


def three(n: int) -> ScoreTable:
    """Top and Near are alike, Far is worse: a score, a distance, two parts with a detail, and a corpus-level metric."""
    rng = np.random.default_rng(7)
    item, noise = rng.normal(size=n), rng.normal(0, 0.3, n)
    values = np.concatenate([item + 3.02, item + 3 + noise - noise.mean(), item + noise])
    columns = {
        "Score": column(*values),
        "Distance(k=1)": column(*(9 - values), higher_is_better=False),
        "Parts": Column(("f", "words"), np.stack([values, values], 1), details=("words",)),
        "Set": column(0.5, 0.25, 0.75, level="system"),
    }
    rows = [(system, str(i)) for system in ("Top", "Near", "Far") for i in range(n)]
    return ScoreTable(rows, columns, {}, {"rows": 3 * n}, "0")
