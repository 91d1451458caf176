"""Columns of rated outputs beside the rows of a table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from nlgauge import Corpus, InputError
from nlgauge.meta.clusters import column_of
from nlgauge.meta.drawn import Draw, DrawnRow
from nlgauge.meta.rows_beside import rated_rows
from tests.meta.hidden import outputs


def test_columns_of_ours_and_others() -> None:
    table, corpus, _ = outputs(5, 5, systems=("a",), docs=2)
    assert column_of(table.rows, corpus, "source") == ["si0", "si1", "si2", "si3", "si4"]
    assert column_of([("a", "i3"), ("a", "none")], corpus, "doc") == ["d1", None]


def test_strata_that_all_rows_have_are_how_they_were_drawn() -> None:
    table, corpus, _ = outputs(40, 20, systems=("a",))
    rows = [replace(row, extra={"stratum": "high" if int(row.item[1:]) > 20 else "low"}) for row in corpus]
    found = rated_rows(table, Corpus(tuple(rows)), None)
    assert not found.at_random and found.strata.tolist() == [0] * 21 + [1] * 19
    assert found.design(np.arange(21, 40), np.ones(19, bool)).strata.tolist() == [0] * 19
    some = rated_rows(table, Corpus((*rows[:30], *list(corpus)[30:])), None)
    assert some.at_random


def test_a_key_brings_strata_and_clusters() -> None:
    table, _, truth = outputs(4, 4, systems=("a",))
    rows = tuple(DrawnRow("a", f"i{n}", 0.5, n // 2, f"c{n % 2}", f"r{n}") for n in range(4))
    found = rated_rows(table, {("any", f"r{n}"): truth["a", f"i{n}"] for n in range(4)}, None, draw=Draw(rows))
    assert found.strata.tolist() == [0, 0, 1, 1] and not found.at_random
    assert found.clusters is not None and found.clusters.tolist() == [0, 1, 0, 1]
    assert found.values["rating"].tolist() == list(truth.values())


def test_rated_rows_without_a_probability() -> None:
    table, corpus, _ = outputs(40, 20, systems=("a",))
    first = next(row.item for row in corpus if row.scores)
    rows = [replace(row, extra={"probability": 0.5} if row.scores and row.item != first else {}) for row in corpus]
    with pytest.raises(InputError, match="a rated row has no probability"):
        rated_rows(table, Corpus(tuple(rows)), None)
