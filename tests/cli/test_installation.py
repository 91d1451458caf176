"""nlgauge list, doctor and export."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from nlgauge.engine.models import loading
from nlgauge.engine.models.loading import pocket_folder
from nlgauge.metrics import registry
from tests.command import nlgauge, refused


def test_list_shows_metrics_parameters_and_models() -> None:
    text = nlgauge("list")
    assert text.exit_code == 0
    assert "InfoLM  (lower is better)" in text.stdout
    assert "measure='fisher_rao'" in text.stdout
    assert "pocket" in text.stdout
    found = json.loads(nlgauge("list", "--format", "json").stdout)
    assert [metric["name"] for metric in found["metrics"]] == list(registry.project_metrics())
    assert "pocket" in found["models"]
    info = next(metric for metric in found["metrics"] if metric["name"] == "InfoLM")
    assert info["better"] == "lower"
    assert info["about"]
    assert info["parameters"]["measure"] == "fisher_rao"
    assert (info["cost"], info["uses_corpus"]) == ("masking", False)


def test_list_of_a_metric_is_all_that_is_to_be_said_of_it() -> None:
    shown = nlgauge("list", "BERTScore", "InfoLM").stdout
    assert shown.startswith("BERTScore  (higher is better)\n\n") and "layer:" in shown and "InfoLM  (lower is" in shown
    assert "measure='fisher_rao'  one of 'kl', 'alpha'" in shown and "parts: f1, precision, recall" in shown
    (found,) = json.loads(nlgauge("list", "Length", "--format", "json").stdout)["metrics"]
    assert found["name"] == "Length"
    refused("list", "bert-score", say="did you mean BERTScore?")
    refused("list", "Consistencyy", say="did you mean Consistency?")
    for words in ("faithfulness", "RAG evaluation", "LLM as a judge"):
        refused("list", words, say="did you mean Consistency(aligner='D')?")
    refused("list", "BLEURT", say="there are ")


def test_list_tells_what_a_metric_costs_whether_it_uses_the_corpus_and_which_parts_are_counts() -> None:
    listed = json.loads(nlgauge("list", "--format", "json").stdout)
    described = {metric["name"]: metric for metric in listed["metrics"]}
    assert (described["Length"]["cost"], described["Length"]["uses_corpus"]) == ("strings", False)
    assert described["PRD"]["uses_corpus"] is True
    assert described["MarkEvaluate"]["details"] == ["floor", "a", "b", "B1", "B2", "n", "m"]


def test_doctor_finds_a_sound_installation_sound() -> None:
    result = nlgauge("doctor")
    assert result.exit_code == 0
    assert all(line.startswith("ok  ") for line in result.stdout.splitlines())


def test_doctor_reports_a_broken_model_and_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise OSError("weights gone")

    monkeypatch.setattr(loading, "load", broken)
    result = nlgauge("doctor")
    assert result.exit_code == 1
    assert "FAIL  pocket: OSError: weights gone" in result.stdout


def test_export_writes_a_hugging_face_folder(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    result = nlgauge("export", "pocket", folder)
    assert (result.exit_code, result.stdout) == (0, f"{folder}\n")
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert config["architectures"] == ["BertForMaskedLM"]
    json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    original = load_file(pocket_folder() / "model.safetensors")
    exported = load_file(folder / "model.safetensors")
    assert {tensor.dtype for tensor in exported.values()} == {np.dtype(np.float32)}
    assert exported.keys() == original.keys()
    for name, tensor in exported.items():
        np.testing.assert_array_equal(tensor, original[name].astype(np.float32))
    assert not list(folder.glob("*.onnx"))


def test_export_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    refused("export", "pocket", tmp_path, say="not empty")
    refused("export", "pocket", tmp_path / "mine.txt", say="cannot be made")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_export_of_what_is_no_model_is_refused(tmp_path: Path) -> None:
    for model in (tmp_path, tmp_path / "absent", ""):
        refused("export", model, tmp_path / "out", say="no model")
    assert not (tmp_path / "out").exists()


def test_a_folder_of_ours_can_be_exported(tmp_path: Path) -> None:
    shutil.copytree(pocket_folder(), tmp_path / "ours")
    assert nlgauge("export", tmp_path / "ours", tmp_path / "out").exit_code == 0
    assert (tmp_path / "out" / "model.safetensors").is_file()


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
