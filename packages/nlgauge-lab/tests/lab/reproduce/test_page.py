"""The results page, on a suite of our own."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from lab.reproduce.pieces import POOLED, SUITE, written
from nlgauge.stats.agreement import Agreement
from nlgauge_lab.reproduce.measuring import Measured
from nlgauge_lab.reproduce.page import counted, label, short_tables, winners
from nlgauge_lab.reproduce.suites import Group

pytestmark = pytest.mark.usefixtures("one_model", "counting")


def test_what_reads_no_model_is_a_baseline_and_no_winner(folder: Path, published: dict[str, float]) -> None:
    text = written(folder, (replace(SUITE, groups=(Group(("Words(of='difference')", "Length")),)),))
    assert f"| .900 | `Words(of='difference')` | .{round(POOLED * 1000)} [" in text
    assert f"| behind by .185 | `Length` | .{round(POOLED * 1000)} |" in text
    only = written(folder, (replace(SUITE, groups=(Group(("Length",)),)),))
    assert "Who wins" not in only
    assert "| `Length` | **." in only


def test_the_page_of_a_run_that_was_broken_off_counts_rows_and_names_no_winner(
    folder: Path, published: dict[str, float]
) -> None:
    suite = replace(SUITE, groups=(Group(("Words", "EmbeddingAverage", "FrechetDistance")),))
    written(folder, (suite,), limit=2, metrics=["Words"])  # items a and b; two rows of c have the texts of others
    text = written(folder, (suite,), kept=True)
    says = "- Tiny: of 3 metrics 0 have scored all 9 rows, 1 only 8, 2 none\n"
    assert f"**Not finished**, and not counted in who wins:\n\n{says}" in text
    assert "## Tiny (not finished)\n" in text
    assert "No number: `EmbeddingAverage`, `FrechetDistance`: not scored." in text
    assert "Who wins" not in text
    assert "| `Words`, 8 of 9 rows | ." in text
    some = written(folder, (suite,), metrics=["Words"])
    assert "Not finished" not in some
    assert "| Tiny | 2 |" in some
    again = written(folder, (suite,), kept=True)
    assert "of 3 metrics 1 have scored all 9 rows, 2 none\n" in again
    assert "Who wins" not in again
    assert "| quality | pooled, pearson | Other (made-up) | .900 | `Words` |" in again
    whole = written(folder, (suite,))
    assert "Not finished" not in whole
    assert "| Tiny | 2 |" in whole


def test_nothing_published_is_no_verdict(folder: Path, published: dict[str, float]) -> None:
    published.clear()
    text = written(folder)
    assert "Who wins" not in text
    assert "best published |" not in text


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


@pytest.mark.usefixtures("published")
def test_one_model_needs_no_name_and_what_is_not_finished_does_not_count() -> None:
    one = measured("pocket@1", 0.89, 0.6)
    assert "### Columns by data\n" in "\n".join(winners([[one]]))
    broken = replace(one, partial={"Words": 3})
    assert counted([broken]) == [] and winners([[broken]]) == [] == short_tables([[broken]])
    both = short_tables([[one], [broken]])
    assert "| Tiny: quality | pooled, pearson | .900 | .890 | - | .300 |" in both
    assert label([one, one]) == "pocket@1" and label([]) == "no model"
