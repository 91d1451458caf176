"""Scores in an MLflow run, read back from MLflow's own store."""

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


def test_the_example_prints_what_the_page_says(store: None) -> None:
    run_example("MLflow")
