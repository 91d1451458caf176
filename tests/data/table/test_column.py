"""Columns and sums: what makes two of them equal."""

from __future__ import annotations

import math

import numpy as np
import pytest

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


def test_details_are_no_scores() -> None:
    column = Column(("score", "quality", "a", "n"), np.zeros((1, 4)), details=("a", "n"))
    assert column.scores == ("score", "quality")


def test_rows_without_counts_add_nothing() -> None:
    sums = Sums({"name": "rate"}, np.array([[1.0, 4], [math.nan, math.nan], [1, 6]]))
    assert sums.of(np.array([0, 1, 2])).tolist() == [[1, 4], [1, 6]]
    assert sums.value(sums.of(np.array([0, 1, 2]))).tolist() == [pytest.approx(20)]


def test_sums_are_equal_by_content() -> None:
    counts = np.array([[1.0, math.nan]])
    assert Sums({"name": "rate"}, counts) == Sums({"name": "rate"}, counts.copy())
    assert Sums({"name": "rate"}, counts) != Sums({"name": "bleu"}, counts)
    assert Sums({"name": "rate"}, counts) != Sums({"name": "rate"}, counts + 1) and Sums({}, counts) != {}
