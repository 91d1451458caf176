"""The metric of a lighteval task, by lighteval's own scoring and aggregation."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import pytest

import nlgauge
from nlgauge import InputError, SpecError
from tests.adapters.needed import needed, run_example

needed("lighteval", "lighteval")


def test_documents_score_as_by_evaluate(rows: list[dict[str, Any]]) -> None:
    from lighteval.logging.info_loggers import MetricsLogger
    from lighteval.metrics import apply_metric
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.requests import Doc

    from nlgauge.adapters.lighteval import task_metric

    docs = [
        Doc(
            query="Say.",
            choices=row["references"],
            gold_index=list(range(len(row["references"]))),
            specific={"document": row["source"]},
        )
        for row in rows
    ]
    responses = [ModelResponse(text=[row["candidate"], "Another one."]) for row in rows]
    metrics = [task_metric("TokenF1"), task_metric("Consistency", source="document"), task_metric("InfoLM")]
    outputs = apply_metric(responses, docs, metrics)
    table = nlgauge.evaluate(rows, metrics=["TokenF1", "Consistency", "InfoLM"], cache=False)
    logger = MetricsLogger()
    for output in outputs:
        logger.log("says|0", output)
    aggregations = {name: one for metric in metrics for name, one in metric.get_corpus_aggregations().items()}
    logger.aggregate({"says|0": SimpleNamespace(aggregation=lambda: aggregations)})
    labels = {"TokenF1_f1": "TokenF1 f1", "Consistency": "Consistency", "InfoLM": "InfoLM"}
    assert [one.higher_is_better for one in metrics] == [True, True, False]
    for name, label in labels.items():
        values = table[label].tolist()
        assert [output[name] for output in outputs] == pytest.approx(values, nan_ok=True, abs=1e-6)
        assert math.isnan(values[-1]), "the output without words"
        assert logger.metric_aggregated["says|0"][name] == pytest.approx(sum(values[:-1]) / 5, abs=1e-6)


def test_wrong_keys_and_metrics_are_named() -> None:
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.requests import Doc

    from nlgauge.adapters.lighteval import mean_of_scored, task_metric

    doc = Doc(query="Say.", choices=["A cat."], gold_index=0, id="7", specific={"document": "A cat."})
    asked = task_metric("Consistency", source="source")
    with pytest.raises(InputError, match=r"document 7 has no 'source' in its specific \(it has document\)"):
        asked.compute_sample(responses=[ModelResponse(text=["A cat."])], docs=[doc])
    with pytest.raises(SpecError, match="depends on the other rows"):
        task_metric("CIDEr")
    with pytest.raises(SpecError, match="Consistency reads source: say where it stands"):
        task_metric("Consistency")
    assert math.isnan(mean_of_scored([math.nan]))


def test_the_example_prints_what_the_page_says() -> None:
    run_example("lighteval")
