"""Suites with their numbers: metrics that are chosen, views, and nothing that is scored twice."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from lab.reproduce.pieces import POOLED, SUITE, written
from nlgauge import SpecError
from nlgauge.stats.agreement import Agreement
from nlgauge_lab.reproduce.kept import NOT_SCORED
from nlgauge_lab.reproduce.measuring import Key, Measured, measure
from nlgauge_lab.reproduce.rated import Data
from nlgauge_lab.reproduce.scoring import Scores
from nlgauge_lab.reproduce.suites import Group

pytestmark = pytest.mark.usefixtures("one_model", "counting")


def test_the_numbers_of_a_suite(folder: Path) -> None:
    suite = replace(SUITE, parts=("half",))
    (one,), absent = measure(Data(folder), Scores(False), replicates=0, suites=(suite,))
    assert absent == [] and (one.rows, one.items, one.systems) == (9, 3, 3)
    different = ("Words(of='difference')", "Words(of='difference') half")
    assert list(one.values) == ["Words", "Words half", "FrechetDistance", "EmbeddingAverage", *different]
    pooled = one.of(("quality", "pooled", "pearson"))
    assert pooled["Words"].value == pytest.approx(POOLED) == pooled["Words half"].value
    assert one.reading == set(one.values) and one.partial == {} and one.finished
    assert [name.partition("@")[0] for name in one.models] == ["pocket"]
    assert one.reasons["Tomorrow"] == "no metric 'Tomorrow'"


def test_what_is_kept_is_taken_and_nothing_is_scored(folder: Path) -> None:
    (one,), _ = measure(Data(folder), Scores(folder / "scores"), replicates=0, suites=(SUITE,), kept=True)
    assert one.reasons["Words"] == one.reasons["FrechetDistance"] == NOT_SCORED and not one.finished
    written(folder, limit=2, metrics=["Words"])
    scores = Scores(folder / "scores")
    (one,), _ = measure(Data(folder), scores, replicates=0, suites=(SUITE,), kept=True)
    assert scores.computed == 0 and one.waiting == ["FrechetDistance", "EmbeddingAverage"]
    # Items a and b, and two rows of item c that have the texts of others.
    assert one.partial == {"Words": 8, "Words(of='difference')": 8}


def test_metrics_can_be_chosen_and_nothing_is_scored_twice(folder: Path, published: dict[str, float]) -> None:
    text = written(folder, metrics=["Words"])
    assert "Frechet" not in text
    assert "| `Words` |" in text
    scores = Scores(folder / "scores")
    measure(Data(folder), scores, replicates=0, suites=(SUITE,), metrics=["Words"])
    assert scores.computed == 0
    with pytest.raises(SpecError, match=r"--metrics InfoLM: no suite has it; there are Emb.*, Words"):
        written(folder, metrics=["InfoLM"])


def test_a_view_changes_the_texts_and_not_the_ratings(folder: Path, published: dict[str, float]) -> None:
    records = [json.loads(line) for line in (folder / "tiny.jsonl").read_text(encoding="utf-8").splitlines()]
    records[0]["source"] = "one"
    (folder / "tiny.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    suite = replace(SUITE, view="source as reference", groups=(Group(("Words(of='difference')",)),))
    (found,), _ = measure(Data(folder), Scores(folder / "scores"), replicates=0, suites=(suite,))
    value = found.of(("quality", "pooled", "pearson"))["Words(of='difference')"].value
    # words less 1 in the first row, less 4 in the others: 5 1 5 0 -1 1 -3 -2 -2
    x, y = [5, 1, 5, 0, -1, 1, -3, -2, -2], [5, 3, 4, 4, 4, 3, 1, 2, 1]
    mean_x, mean_y = sum(x) / 9, sum(y) / 9
    product = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    spread = sum((a - mean_x) ** 2 for a in x) * sum((b - mean_y) ** 2 for b in y)
    assert value == pytest.approx(product / spread**0.5)


COLUMN: Key = ("quality", "pooled", "pearson")


def agreement(metric: str, value: float, low: float = math.nan, high: float = math.nan) -> Agreement:
    return Agreement(
        metric, "score", *COLUMN, value, low, high, p=math.nan, n=9, rows=9, undefined=0, turned=False, threshold=None,
        reason=None,
    )  # fmt: skip


def measured(*agreements: Agreement, reading: str = "ABC", **options: object) -> Measured:
    given: dict[str, object] = {"reasons": {}, "models": [], "reading": frozenset(reading), "partial": {}, **options}
    return Measured(SUITE, 9, 3, 3, {one.metric: {COLUMN: one} for one in agreements}, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "ends", "says"),
    [
        (0.95, (0.8, 0.99), "ahead by .050"),
        (0.95, (0.91, 0.99), "clearly ahead by .050"),
        (0.5, (0.3, 0.92), "behind by .400"),
        (0.5, (0.3, 0.7), "clearly behind by .400"),
    ],
)
def test_clearly_is_outside_the_interval(
    published: dict[str, float], value: float, ends: tuple[float, float], says: str
) -> None:
    verdict = measured(agreement("A", value, *ends)).verdict(COLUMN)
    assert verdict is not None and str(verdict) == says


def test_the_best_that_reads_the_model_is_ours_and_the_best_of_the_others_a_floor(published: dict[str, float]) -> None:
    one = measured(agreement("A", 0.2), agreement("B", 0.4), agreement("Length", 0.6), agreement("C", math.nan))
    (verdict,) = one.verdicts
    assert verdict.metric == "B" and verdict.floor == ("Length", 0.6)
    assert measured(agreement("Length", 0.6)).verdicts == []
    published.clear()
    assert one.verdicts == []


def test_metrics_that_have_not_scored_all_rows_take_no_part(published: dict[str, float]) -> None:
    one = measured(agreement("A", 0.2), agreement("B", 0.4), partial={"B": 6})
    assert [verdict.metric for verdict in one.verdicts] == ["A"] and not one.finished
    waiting = measured(agreement("A", 0.2), reasons={"B": NOT_SCORED, "C": "no aligner"})
    assert waiting.waiting == ["B"] and not waiting.finished
    assert measured(agreement("A", 0.2), reasons={"C": "no aligner"}).finished
