"""The results page, on a suite of our own."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from lab.reproduce.pieces import POOLED, SUITE, SYSTEM, written
from nlgauge import InputError
from nlgauge.engine.models.loading import pocket_folder
from nlgauge.stats.agreement import Agreement
from nlgauge_lab.reproduce.measuring import Measured, measure
from nlgauge_lab.reproduce.page import counted, label, page, short_tables, standing, winners
from nlgauge_lab.reproduce.published import Source
from nlgauge_lab.reproduce.rated import Data
from nlgauge_lab.reproduce.scoring import Scores
from nlgauge_lab.reproduce.suites import Group

PLACES = round(POOLED * 1000)

pytestmark = pytest.mark.usefixtures("one_model", "counting")


def test_who_wins_is_said_both_ways(folder: Path, published: dict[str, float]) -> None:
    text = written(folder, (replace(SUITE, groups=(Group(("Words", "Tomorrow")),)),))
    assert "| Tiny | 2 | 1 | 0 | 1 | 0 |" in text  # clearly ahead, ahead, behind, clearly behind
    assert "| **all in print** | **2** | **1** | **0** | **1** | **0** |" in text
    lines = [line for line in text.splitlines() if line.startswith("| quality |")]
    pooled, system = f".{round(POOLED * 1000)}", f".{round(SYSTEM * 1000)}"
    assert lines[0].startswith(f"| quality | pooled, pearson | Other (made-up) | .900 | `Words` | {pooled} [")
    assert "] | behind by .185 | - | - |" in lines[0]
    assert lines[1].startswith(f"| quality | system, pearson | Other (made-up) | .500 | `Words` | {system} [")
    assert "] | clearly ahead by .402 | - | - |" in lines[1]
    assert (
        "Behind, but within the interval:\n\n"
        f"- Tiny, quality (pooled, pearson): {pooled} (`Words`) against .900 (Other)\n" in text
    )
    assert "clearly lose" not in text


def test_far_from_the_published_number_is_clearly_so(folder: Path, published: dict[str, float]) -> None:
    published.update(pooled=-0.9, system=1.5)
    text = written(folder, (replace(SUITE, groups=(Group(("Words",)),)),))
    assert "| Tiny | 2 | 1 | 0 | 0 | 1 |" in text
    assert "**Where we clearly lose**, the widest gap first:\n\n- Tiny, quality (system, pearson): .902" in text
    assert "within the interval:" not in text


def test_what_reads_no_model_is_a_floor_and_no_winner(folder: Path, published: dict[str, float]) -> None:
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


def test_parts_are_reported_beside_the_first(folder: Path, published: dict[str, float]) -> None:
    text = written(folder, (replace(SUITE, parts=("half",), groups=(Group(("EmbeddingAverage", "Words")),)),))
    first, half = (
        next(line for line in text.splitlines() if line.startswith(f"| `{name}` |")) for name in ("Words", "Words half")
    )
    assert first.replace("`Words`", "").replace("**", "") == half.replace("`Words half`", "").replace("**", "")
    assert text.index("| `Words` |") < text.index("| `Words half` |")


def test_every_metric_has_a_row_or_a_reason(folder: Path, published: dict[str, float]) -> None:
    text = written(folder)
    part = text[text.index("## Tiny") :]
    assert "9 rows: 3 items, 3 systems.\nA note." in part
    assert "‡ Without short." in part
    pooled, system = part.split("| system, pearson | quality |")
    assert "| `Words` | **." in pooled
    assert "| `Words(of='difference')` ‡ | .171" in pooled  # long and middle: .1715, as without the subtraction
    assert "`FrechetDistance`" not in pooled  # it has a number a system
    assert "`FrechetDistance`" in system
    assert "| best published | .900 Other (made-up) |" in pooled
    assert "No number: `EmbeddingAverage`: the metric is constant" in part
    assert "No number: `Tomorrow`: no metric 'Tomorrow'." in part
    assert "No number: `Words(extra='absent')`: counting words needs an optional library" in part


def test_nothing_published_is_no_verdict(folder: Path, published: dict[str, float]) -> None:
    published.clear()
    text = written(folder)
    assert "Who wins" not in text
    assert "best published |" not in text


def test_a_trial_run_says_so_and_absent_data_are_named(folder: Path, published: dict[str, float]) -> None:
    absent = replace(SUITE, name="huge", sources=(Source("huge"),))
    text = written(folder, (SUITE, absent), limit=2)
    assert "**Only the first 2 items of each data set: these are not the results.**" in text
    assert "Not here: huge, whose data were not at hand." in text
    with pytest.raises(InputError, match=r"none of the rated data is there \(put huge there"):
        written(folder, (absent,))


def test_two_models_stand_beside_each_other(folder: Path, tmp_path: Path, published: dict[str, float]) -> None:
    """The second model is the first one under another name, in a folder of its own."""
    copy = tmp_path / "other"
    copy.symlink_to(pocket_folder())
    suite = replace(SUITE, groups=(Group(("EmbeddingAverage(references='mean')", "Words", "Length", "Tomorrow")),))
    scores = Scores(folder / "scores")
    by_model = []
    for model in (None, str(copy)):
        measured, absent = measure(Data(folder), scores, model, replicates=50, suites=(suite,))
        by_model.append(measured)
    text = page(by_model, absent, None, 50)
    first, second = (next(name for one in measured for name in one.models) for measured in by_model)
    assert first.startswith("pocket@") and second.startswith(f"{copy}@")
    assert f"public human ratings, on {first}, {second} and" in text
    for name in (first, second):
        assert f"| {name} | 2 | 1 | 0 | 1 | 0 | 0 |" in text
        assert f"### Columns by data, on {name}\n" in text
    assert f"| Tiny: quality | pooled, pearson | .900 | .{PLACES} | .{PLACES} | .{PLACES} |" in text
    pooled = text.split("| pooled, pearson | quality |")[1].split("| system, pearson |")[0]
    assert pooled.count("| `Words`, pocket | ") == pooled.count(f"| `Words`, {copy} | ") == 1
    assert pooled.count("| `Length` | ") == 1
    assert text.count("No number: `Tomorrow`: no metric 'Tomorrow'.") == 1
    assert "\n".join(short_tables(by_model)) in text


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


@pytest.mark.usefixtures("published")
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


@pytest.mark.usefixtures("published")
def test_one_model_needs_no_name_and_what_is_not_finished_does_not_count() -> None:
    one = measured("pocket@1", 0.89, 0.6)
    assert "### Columns by data\n" in "\n".join(winners([[one]]))
    broken = replace(one, partial={"Words": 3})
    assert counted([broken]) == [] and winners([[broken]]) == [] == short_tables([[broken]])
    both = short_tables([[one], [broken]])
    assert "| Tiny: quality | pooled, pearson | .900 | .890 | - | .300 |" in both
    assert label([one, one]) == "pocket@1" and label([]) == "no model"
