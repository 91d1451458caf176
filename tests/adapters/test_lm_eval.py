"""Metrics of a harness task: by themselves, and in a run of the harness on a task folder where it is installed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import nlgauge
from nlgauge import InputError, SpecError
from nlgauge.adapters.lm_eval import HarnessMetrics
from nlgauge.adapters.scorer import means, plain_name
from tests.adapters.needed import needed, run_example

METRICS = ["TokenF1", "InfoLM(measure='ab', alpha=3, beta=0.25, idf='references')", "MarkEvaluate(k=1)", "Relevance"]

TASK = """
task: recall
dataset_path: json
dataset_kwargs: {data_files: {test: FOLDER/docs.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "{{question}}"
doc_to_target: "{{answers}}"
generation_kwargs: {until: ["\\n"]}
process_results: !function utils.process_results
metric_list: !function utils.metric_list
"""
UTILS = """
from nlgauge.adapters.lm_eval import HarnessMetrics

metrics = HarnessMetrics(METRICS, references="answers", source="document")
process_results, metric_list = metrics.process_results, metrics.metric_list
"""


def docs_of(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"question": f"Say {at}", "answers": row["references"], "document": row["source"]}
        for at, row in enumerate(rows)
    ]


def test_aggregations_are_the_means_of_evaluate(rows: list[dict[str, Any]]) -> None:
    metrics = HarnessMetrics(METRICS, references="answers", source="document")
    found = [metrics.process_results(doc, [row["candidate"]]) for doc, row in zip(docs_of(rows), rows, strict=True)]
    table = nlgauge.evaluate(rows, metrics=METRICS)
    expected = {plain_name(name): value for name, value in means(table).items()}
    for some in (rows, rows[:3]):
        part = {plain_name(name): value for name, value in means(nlgauge.evaluate(some, metrics=METRICS)).items()}
        values = {
            one["metric"]: one["aggregation"]([each[one["metric"]] for each in found[: len(some)]])
            for one in metrics.metric_list
        }
        assert values == part
    assert expected.keys() == {one["metric"] for one in metrics.metric_list}
    ways = {one["metric"]: one["higher_is_better"] for one in metrics.metric_list}
    assert ways["TokenF1_f1"] is True and ways["InfoLM_measure_ab_alpha_3_beta_0_25_idf_references"] is False
    parts = HarnessMetrics("Consistency(aligner='D')", source="document").metric_list
    assert [one["higher_is_better"] for one in parts] == [True, True, None, True]


def test_what_is_missing_is_named() -> None:
    with pytest.raises(InputError, match=r"a document has no 'answers' \(it has question\)"):
        HarnessMetrics("TokenF1", references="answers").process_results({"question": "?"}, ["a"])
    with pytest.raises(SpecError, match="Consistency reads source"):
        HarnessMetrics("Consistency", references="answers")
    with pytest.raises(SpecError, match="give each metric once"):
        HarnessMetrics(["TokenF1", "TokenF1"], references="answers")


def test_the_harness_runs_a_task_with_them(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    lm_eval = needed("lm_eval", "lm_eval")
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Says(LM):  # type: ignore[misc]
        """Says what the rows hold, whatever it is asked."""

        def generate_until(self, requests: list[Any], disable_tqdm: bool = False) -> list[str]:
            return [rows[int(request.args[0].split()[1])]["candidate"] for request in requests]

        def loglikelihood(self, requests: list[Any]) -> Any:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    lines = [json.dumps(doc) + "\n" for doc in docs_of(rows)]
    (tmp_path / "docs.jsonl").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "recall.yaml").write_text(TASK.replace("FOLDER", str(tmp_path)), encoding="utf-8")
    (tmp_path / "utils.py").write_text(UTILS.replace("METRICS", repr(METRICS)), encoding="utf-8")
    manager = TaskManager(include_path=str(tmp_path), include_defaults=False)
    done = lm_eval.simple_evaluate(Says(), tasks=["recall"], task_manager=manager, log_samples=True)
    results = done["results"]["recall"]
    for name, value in means(nlgauge.evaluate(rows, metrics=METRICS)).items():
        assert results[f"{plain_name(name)},none"] == pytest.approx(value, abs=1e-9), name
    assert len(done["samples"]["recall"]) == len(rows)


def test_the_example_prints_what_the_page_says() -> None:
    run_example("lm-evaluation-harness")
