"""Columns and sums: what makes two of them equal."""

from __future__ import annotations

import math

import numpy as np

from nlgauge.data.table.column import Column, Sums


def test_columns_are_equal_by_content_and_missing_values_are_one() -> None:
    def made(**changed: object) -> Column:
        fields = {"parts": ("a", "b"), "values": np.array([[1.0, math.nan]]), "reasons": {0: "why"}, **changed}
        return Column(**fields)  # type: ignore[arg-type]

    assert made() == made(evidence={0: ["a"]})
    others: list[dict[str, object]] = [
        {"parts": ("a", "c")}, {"values": np.array([[1.0, 2.0]])}, {"values": np.array([[1.0]])}, {"reasons": {}},
        {"level": "system"}, {"higher_is_better": False}, {"details": ("b",)},
        {"sums": Sums({"name": "rate"}, np.ones((1, 2)))},
    ]  # fmt: skip
    assert all(made() != made(**changed) for changed in others)
    assert made() != 3
