"""A metric of a table is named by its spec, by the spelling that was asked for, or by a short one."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge.data.table import Column, ScoreTable
from nlgauge.errors import SpecError

SPECS = ("Consistency(aligner='D')", "Consistency", "ROUGE(variant='2')", "tests.other:Mine(size=2)", "TokenF1")


@pytest.fixture
def table() -> ScoreTable:
    columns = {spec: Column(("score",), np.full((1, 1), float(number))) for number, spec in enumerate(SPECS)}
    return ScoreTable([("A", "1")], columns, {})


@pytest.mark.parametrize(
    ("asked", "spec"),
    [
        ("Consistency:D", SPECS[0]),
        ('Consistency( aligner="D" )', SPECS[0]),
        ("Consistency", SPECS[1]),
        ("ROUGE:2", SPECS[2]),
        ("ROUGE", SPECS[2]),
        ("tests.other:Mine", SPECS[3]),
    ],
)
def test_a_name_finds_its_metric(table: ScoreTable, asked: str, spec: str) -> None:
    assert table.find(asked) == spec
    assert table.named(f"{asked} score") == (spec, ("score",))


@pytest.mark.parametrize("asked", ["Consistency:R", "Consistency:", "TokenF1:f1", ":D", "Other:D"])
def test_a_short_name_that_no_metric_has_is_refused(table: ScoreTable, asked: str) -> None:
    with pytest.raises(SpecError, match=f"no metric {asked} in the table: "):
        table.find(asked)
