"""The Ragas metric, by Ragas itself, without a judge model."""

from __future__ import annotations

import os
from typing import Any

import pytest

import nlgauge
from nlgauge import SpecError
from tests.adapters.needed import needed, run_example

os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")  # it would tell its makers of every run
needed("ragas", "ragas")


def sample(row: dict[str, Any]) -> Any:
    from ragas import SingleTurnSample

    passages = [row["source"], "Nothing else was said."]
    return SingleTurnSample(response=row["candidate"], reference=row["references"][0], retrieved_contexts=passages)


def test_ragas_evaluates_with_it(rows: list[dict[str, Any]]) -> None:
    from ragas import EvaluationDataset, evaluate

    from nlgauge.adapters.ragas import SampleMetric

    metrics = [SampleMetric("BERTScore", part="recall"), SampleMetric("Consistency"), SampleMetric("Groundedness")]
    done = evaluate(EvaluationDataset([sample(row) for row in rows]), metrics=metrics, show_progress=False)
    joined = [
        {
            "candidate": row["candidate"],
            "references": row["references"][:1],
            "source": f"{row['source']}\nNothing else was said.",
            "context": f"{row['source']}\nNothing else was said.",
        }
        for row in rows
    ]
    table = nlgauge.evaluate(joined, metrics=["BERTScore", "Consistency", "Groundedness"])
    frame = done.to_pandas()
    for name, metric, part in (
        ("BERTScore_recall", "BERTScore", "recall"),
        ("Consistency", "Consistency", None),
        ("Groundedness", "Groundedness", None),
    ):
        values = table.values(metric, part).tolist()
        assert frame[name].tolist() == pytest.approx(values, nan_ok=True, abs=1e-6)
        assert frame[name].isna().tolist() == [False] * 5 + [True]


def test_a_sample_is_scored_alone_and_has_to_hold_what_is_read(rows: list[dict[str, Any]]) -> None:
    from ragas import EvaluationDataset, SingleTurnSample, evaluate

    from nlgauge.adapters.ragas import SampleMetric

    metric = SampleMetric("TokenF1")
    assert metric.single_turn_score(SingleTurnSample(response="A cat.", reference="A cat.")) == 1.0
    bare = EvaluationDataset([SingleTurnSample(response="A cat.")])
    with pytest.raises(ValueError, match="reference"):
        evaluate(bare, metrics=[metric], show_progress=False)
    with pytest.raises(SpecError, match="depends on the other rows"):
        SampleMetric("MarkEvaluate")


def test_the_example_prints_what_the_page_says() -> None:
    run_example("Ragas")
