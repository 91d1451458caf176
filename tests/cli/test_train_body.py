"""nlgauge train body, and the larger model by its name where it is not installed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nlgauge.engine.models import loading
from tests.command import nlgauge, refused


def test_an_archive_that_is_none_is_refused_in_one_line(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs nlgauge[train]")
    pytest.importorskip("onnx", reason="training needs nlgauge[train]")
    (tmp_path / "m.zip").write_bytes(b"none")
    message = refused("train", "body", "--archive", tmp_path / "m.zip", "--out", tmp_path / "out")
    assert "is no archive of all-mpnet-base-v2" in message and not (tmp_path / "out").exists()


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="training needs nlgauge[train]")
    pytest.importorskip("onnx", reason="training needs nlgauge[train]")
    (tmp_path / "mine.txt").write_text("x")
    assert "is not empty" in refused("train", "body", "--archive", tmp_path / "m.zip", "--out", tmp_path)


@pytest.mark.parametrize("named", ["option", "environment"])
def test_the_larger_model_that_is_absent_says_what_to_install(
    named: str, outputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "find_spec", lambda name: None)
    if named == "environment":
        monkeypatch.setenv("NLGAUGE_MODEL", "base")
    model = ["--model", "base"] if named == "option" else []
    message = refused("score", outputs, "-m", "BERTScore", *model)
    assert message.strip().endswith("model 'base' is not installed: pip install nlgauge-base")
    assert "base" not in json.loads(nlgauge("list", "--format", "json").stdout)["models"]
