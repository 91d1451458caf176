"""Scores in an MLflow run, read back from MLflow's own store, and rows that MLflow scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.data.table import Column
from tests.adapters.needed import needed, run_example

mlflow = needed("mlflow", "mlflow")
needed("mlflow", "pandas")

METRICS = ["TokenF1", "InfoLM(measure='ab', alpha=3, beta=0.25)"]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # a folder will do, and needs no database
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "store").as_uri())
    mlflow.set_experiment("summaries")


def test_a_run_holds_means_rows_and_the_scores_file(store: None, records: list[dict[str, Any]], tmp_path: Path) -> None:
    from nlgauge.adapters.mlflow import log_scores

    table = nlgauge.evaluate(records, metrics=METRICS)
    with mlflow.start_run() as run:
        logged = log_scores(table)
    values = mlflow.get_run(run.info.run_id).data.metrics
    assert values == pytest.approx(logged)
    assert len(values) == 3 * 5
    (expected,) = (one.mean for one in table.by_system() if (one.system, one.part) == ("short", "recall"))
    assert values["nlgauge/short/TokenF1 recall"] == expected
    assert "nlgauge/copy/InfoLM measure ab alpha 3 beta 0.25" in values
    rows = mlflow.load_table("nlgauge/table.json", run_ids=[run.info.run_id])
    assert len(rows) == len(table.to_pandas())
    path = mlflow.artifacts.download_artifacts(run_id=run.info.run_id, artifact_path="nlgauge/scores.jsonl")
    assert nlgauge.ScoreTable.load(path) == table


def test_another_run_and_what_has_no_number(store: None) -> None:
    from nlgauge.adapters.mlflow import log_scores

    with mlflow.start_run() as run:
        pass
    table = nlgauge.evaluate(
        [{"candidate": "", "references": ["A cat."], "source": "..."}], metrics=["Length", "InfoLM"]
    )
    logged = log_scores(table, name="draft", run_id=run.info.run_id)
    assert logged == mlflow.get_run(run.info.run_id).data.metrics
    assert not any("InfoLM" in name for name in logged)
    found = mlflow.load_table("draft/table.json", run_ids=[run.info.run_id])
    assert found[found["metric"] == "InfoLM"]["reason"].tolist() == ["the candidate has no words"]


def test_an_infinite_value_is_not_logged_as_a_number(store: None) -> None:
    from nlgauge.adapters.mlflow import log_scores

    columns = {"Far": Column(("score",), np.array([[np.inf]])), "Near": Column(("score",), np.array([[1.0]]))}
    with mlflow.start_run() as run:
        assert log_scores(nlgauge.ScoreTable([("system", "1")], columns, {})) == {"nlgauge/Near": 1.0}
    found = mlflow.load_table("nlgauge/table.json", run_ids=[run.info.run_id])
    assert found["metric"].tolist() == ["Far", "Near"]


def test_every_row_scores_as_by_evaluate(store: None, rows: list[dict[str, Any]]) -> None:
    from nlgauge.adapters.mlflow import scorer

    scorers = [
        scorer("TokenF1", references="expectations.answers"),
        scorer("InfoLM(measure='l2')", references="expectations.answers"),
        scorer("Consistency", source="inputs.document"),
    ]
    data = [
        {
            "inputs": {"document": row["source"]},
            "outputs": row["candidate"],
            "expectations": {"answers": row["references"]},
        }
        for row in rows
    ]
    done = mlflow.genai.evaluate(data=data, scorers=scorers)
    table = nlgauge.evaluate(rows, metrics=["TokenF1", "InfoLM(measure='l2')", "Consistency"], cache=False)
    names = {"TokenF1 f1": "TokenF1 f1", "InfoLM measure l2": "InfoLM(measure='l2')", "Consistency": "Consistency"}
    for name, label in names.items():
        values = table[label][:-1]
        assert done.metrics[f"{name}/mean"] == pytest.approx(values.mean(), abs=1e-6), "without the empty output"
        (found,) = (one for one in scorers if one.name == name)
        empty = found(inputs=data[-1]["inputs"], outputs="", expectations=data[-1]["expectations"])
        assert (empty.value, empty.error.error_message) == (None, "the candidate has no words")


def test_the_example_prints_what_the_page_says(store: None) -> None:
    run_example("MLflow")
