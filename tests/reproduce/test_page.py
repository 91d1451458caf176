"""The results page, on a suite of our own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nlgauge import InputError, SpecError
from nlgauge.reproduce import page as module
from nlgauge.reproduce import scores
from nlgauge.reproduce.page import measure, page
from nlgauge.reproduce.published import Best, Source, table
from nlgauge.reproduce.rated import Data
from nlgauge.reproduce.scores import Store
from nlgauge.reproduce.suites import Group, Suite
from tests.reproduce import pieces
from tests.reproduce.pieces import POOLED, SYSTEM

pytestmark = pytest.mark.usefixtures("one_model", "counting")

SUITE = Suite(
    "tiny",
    "Tiny",
    (Source("tiny"),),
    ("quality",),
    (("pooled", "pearson"), ("system", "pearson")),
    (
        Group(("Words", "Tomorrow", "Words(extra='absent')", "FrechetDistance", "EmbeddingAverage")),
        Group(("Words(of='difference')",), ("short",)),
    ),
    notes=("A note.",),
)


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """The best published number of pooled and of system."""
    values = {"pooled": 0.9, "system": 0.5}
    made = table(pieces.table())
    monkeypatch.setattr(
        module,
        "best",
        lambda file, aspect, level, coefficient: Best(values[level], "Other", made) if level in values else None,
    )
    return values


def written(folder: Path, suites: Any = (SUITE,), limit: int | None = None, **options: Any) -> str:
    found, absent = measure(Data(folder, limit), Store(folder / "scores"), replicates=50, suites=suites, **options)
    return page(found, absent, limit, 50)


def test_who_wins_is_said_both_ways(folder: Path, published: dict[str, float]) -> None:
    text = written(folder, (replace(SUITE, groups=(Group(("Words", "Tomorrow")),)),))
    assert "| Tiny | 2 | 1 | 0 | 1 | 0 |" in text  # clearly ahead, ahead, behind, clearly behind
    assert "| **all** | 2 | 1 | 0 | 1 | 0 |" in text
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
    folder: Path, published: dict[str, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scores, "BLOCK", 2)
    suite = replace(SUITE, groups=(Group(("Words", "EmbeddingAverage", "FrechetDistance")),))
    two = written(folder, (suite,), limit=2, metrics=["Words"])  # the first block: items a and b
    text = written(folder, (suite,), kept=True)
    says = "- Tiny: of 3 metrics 0 have scored all 9 rows, 1 only 6, 2 none\n"
    assert f"**Not finished**, and not counted in who wins:\n\n{says}" in text
    assert "## Tiny (not finished)\n" in text
    assert "No number: `EmbeddingAverage`, `FrechetDistance`: not scored." in text
    assert "Who wins" not in text
    (row,) = [line for line in two[two.index("| pooled,") :].splitlines() if line.startswith("| `Words` |")][:1]
    assert row.replace("**", "").replace("`Words` |", "`Words`, 6 of 9 rows |") in text
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
    assert "Who wins" not in text


def test_a_trial_run_says_so_and_absent_data_are_named(folder: Path, published: dict[str, float]) -> None:
    absent = replace(SUITE, name="huge", sources=(Source("huge"),))
    text = written(folder, (SUITE, absent), limit=2)
    assert "**Only the first 2 items of each data set: these are not the results.**" in text
    assert "Not here: huge, whose data were not at hand." in text
    with pytest.raises(InputError, match=r"none of the rated data is there \(put huge there"):
        written(folder, (absent,))


def test_metrics_can_be_chosen_and_nothing_is_scored_twice(folder: Path, published: dict[str, float]) -> None:
    text = written(folder, metrics=["Words"])
    assert "Frechet" not in text
    assert "| `Words` |" in text
    store = Store(folder / "scores")
    measure(Data(folder), store, replicates=0, suites=(SUITE,), metrics=["Words"])
    assert store.scored == 0
    with pytest.raises(SpecError, match=r"--metrics InfoLM: no suite has it; there are Emb.*, Words"):
        written(folder, metrics=["InfoLM"])


def test_a_view_changes_the_texts_and_not_the_ratings(folder: Path, published: dict[str, float]) -> None:
    records = [json.loads(line) for line in (folder / "tiny.jsonl").read_text(encoding="utf-8").splitlines()]
    records[0]["source"] = "one"
    (folder / "tiny.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    suite = replace(SUITE, view="source as reference", groups=(Group(("Words(of='difference')",)),))
    (found,), _ = measure(Data(folder), Store(folder / "scores"), replicates=0, suites=(suite,))
    value = found.of(("quality", "pooled", "pearson"))["Words(of='difference')"].value
    # words less 1 in the first row, less 4 in the others: 5 1 5 0 -1 1 -3 -2 -2
    x, y = [5, 1, 5, 0, -1, 1, -3, -2, -2], [5, 3, 4, 4, 4, 3, 1, 2, 1]
    mean_x, mean_y = sum(x) / 9, sum(y) / 9
    product = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    spread = sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y)
    assert value == pytest.approx(product / spread**0.5)
