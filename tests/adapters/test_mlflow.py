"""The recipe for MLflow, by MLflow itself."""

from pathlib import Path

import pytest

from tests.adapters.needed import needed, run_example

mlflow = needed("mlflow", "mlflow")


def test_the_recipe_prints_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # a folder will do, and needs no database
    monkeypatch.setenv("MLFLOW_TRACKING_URI", (tmp_path / "store").as_uri())
    monkeypatch.chdir(tmp_path)
    mlflow.set_experiment("ferries")
    run_example("MLflow")
