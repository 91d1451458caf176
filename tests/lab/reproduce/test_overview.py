"""Who wins over all columns, on verdicts of our own."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from nlgauge.lab.reproduce.measuring import Measured
from nlgauge.lab.reproduce.overview import counted, label, short_tables, standing, winners
from nlgauge.meta.agreement import Agreement
from tests.lab.reproduce.pieces import SUITE

pytestmark = pytest.mark.usefixtures("published")  # pooled .9, system .5


def measured(model: str, pooled: float, system: float) -> Measured:
    def agreed(name: str, level: str, value: float) -> Agreement:
        return Agreement(
            name,
            "score",
            "quality",
            level,
            "pearson",
            value,
            value - 0.05,
            value + 0.05,
            math.nan,
            9,
            9,
            0,
            False,
            None,
            None,
        )

    values = {
        name: {("quality", level, "pearson"): agreed(name, level, value) for level, value in by_level.items()}
        for name, by_level in (("Words", {"pooled": pooled, "system": system}), ("Length", {"pooled": 0.3}))
    }
    return Measured(SUITE, 9, 3, 3, values, {}, [model], frozenset({"Words"}), {})


def test_counts_by_model_and_every_column_in_a_line() -> None:
    by_model = [[measured("pocket@1", 0.89, 0.6)], [measured("base@2", 0.95, 0.48)]]
    lines = short_tables(by_model)
    assert lines[2:4] == ["| pocket@1 | 2 | 1 | 0 | 1 | 0 | 1 |", "| base@2 | 2 | 0 | 1 | 1 | 0 | 1 |"]
    assert lines[5:] == [
        "| rated | level, coefficient | best published | pocket | base | best without a model |",
        "|---|---|---:|---:|---:|---:|",
        "| Tiny: quality | pooled, pearson | .900 | .890 | **.950** | .300 |",
        "| Tiny: quality | system, pearson | .500 | **.600** | .480 | - |",
    ]
    text = "\n".join(winners(by_model))
    assert "### Columns by data, on base@2" in text
    assert "- Tiny, quality (system, pearson): .480 (`Words`) against .500 (Other)" in text


def test_the_shortest_table_counts_by_data_the_columns_in_which_each_is_ahead() -> None:
    one, other = measured("pocket@1", 0.89, 0.6), measured("base@2", 0.95, 0.48)
    assert standing([[one], [other]]) == [
        "| rated data | published columns | pocket ahead | base ahead | no model ahead |",
        "|---|---:|---:|---:|---:|",
        "| Tiny | 2 | 1 | 1 | 0 |",
        "| **all in print** | **2** | **1** | **1** | **0** |",
    ]
    unfinished = replace(other, partial={"Words": 3})
    assert standing([[one], [unfinished]])[2] == "| Tiny | 2 | 1 | - | 0 |"
    words = replace(one, reading=frozenset({"Length"}))
    assert standing([[words]])[2] == "| Tiny | 1 | 0 | 0 |", "Length reads it, and Words is the floor"
    assert standing([[unfinished]]) == []


def test_one_model_needs_no_name_and_what_is_not_finished_does_not_count() -> None:
    one = measured("pocket@1", 0.89, 0.6)
    assert "### Columns by data\n" in "\n".join(winners([[one]]))
    broken = replace(one, partial={"Words": 3})
    assert counted([broken]) == [] and winners([[broken]]) == [] == short_tables([[broken]])
    both = short_tables([[one], [broken]])
    assert "| Tiny: quality | pooled, pearson | .900 | .890 | - | .300 |" in both
    assert label([one, one]) == "pocket@1" and label([]) == "no model"
