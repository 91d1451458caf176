"""nlgauge list, doctor and export."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from nlgauge import registry
from nlgauge.engine.models import loading
from nlgauge.engine.models.loading import pocket_folder
from nlgauge.engine.speed import Speeds, Timing
from nlgauge.run import precision
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
    assert (
        shown.startswith("BERTScore  (higher is better)\n\n")
        and "  layer=None  at least 0\n      the layer whose hidden states" in shown
        and "InfoLM  (lower is" in shown
    )
    assert "measure='fisher_rao'  one of 'kl', 'alpha'" in shown and "sub-scores: f1, precision, recall" in shown
    (found,) = json.loads(nlgauge("list", "Length", "--format", "json").stdout)["metrics"]
    assert found["name"] == "Length"
    refused("list", "bert-score", say="did you mean BERTScore?")
    refused("list", "Consistencyy", say="did you mean Consistency?")
    for words in ("faithfulness", "RAG evaluation", "LLM as a judge"):
        refused("list", words, say="did you mean Faithfulness?")
    refused("list", "BLEURT", say="there are ")


def test_doctor_finds_a_sound_installation_sound() -> None:
    result = nlgauge("doctor")
    assert result.exit_code == 0
    assert all(line.startswith("ok  ") for line in result.stdout.splitlines())


def test_list_and_doctor_are_tables_and_records_too() -> None:
    lines = list(csv.reader(nlgauge("list", "--format", "csv").stdout.splitlines()))
    assert lines[0] == ["metric", "better", "parameters", "presets", "what it measures"]
    assert [line[0] for line in lines[1 : lines.index([])]] == list(registry.project_metrics())
    assert lines[lines.index([]) + 1 :][:2] == [["model"], ["pocket"]]
    parameters = nlgauge("list", "InfoLM", "--format", "markdown").stdout.partition("\n\n")[2]
    assert "| InfoLM | measure | 'fisher\\_rao' | one of 'kl', 'alpha'" in parameters
    text = nlgauge("doctor").stdout.splitlines()
    findings = json.loads(nlgauge("doctor", "--format", "json").stdout)["findings"]
    assert [line.split(None, 1)[1] for line in text] == [f"{one['what']}: {one['detail']}" for one in findings]
    assert nlgauge("doctor", "--format", "csv").stdout.splitlines()[0] == "state,what,found"


def test_doctor_times_a_model_and_remembers_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def measured(name: str, device: str | None) -> Speeds:
        ways = [("onnxruntime", "float32", 1.0, 0.0), ("onnxruntime", "int8", 1.5, 0.0642)]
        return Speeds(
            model=name,
            changed="cosine of two sub-words",
            timings=[
                Timing(
                    backend=backend,
                    precision=kind,
                    opening=0.25,
                    seconds=0.2 / ratio,
                    times_as_fast=(ratio, ratio, ratio + change),
                    change=change,
                )
                for backend, kind, ratio, change in ways
            ],
            missing={"openvino bfloat16": "not on this processor"},
        )

    monkeypatch.setattr(precision, "measured", measured)
    monkeypatch.setenv("NLGAUGE_CACHE", str(tmp_path))
    result = nlgauge("doctor", "--speed")
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[1][:4] == ["onnxruntime", "float32", "200", "1"]
    assert lines[2] == ["onnxruntime", "int8", "133", "1.50", "-", "1.50", "-", "1.56", "0.06", "0.2"]
    assert "not timed: openvino bfloat16: not on this processor" in result.stderr
    record = json.loads(nlgauge("doctor", "--speed", "--format", "json").stdout)["speed"]
    assert record["timings"][1]["times_as_fast"] == [1.5, 1.5, 1.5642]
    assert json.loads(nlgauge("cache", "info", "--format", "json").stdout)["entries"]["speed"]["entries"] == 1
    refused("doctor", "--device", "cpu", say="--device is for --speed")


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


def test_export_overwrites_nothing_and_refuses_what_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    refused("export", "pocket", tmp_path, say="not empty")
    refused("export", "pocket", tmp_path / "mine.txt", say="cannot be made")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]

    for model in (tmp_path, tmp_path / "absent", ""):
        refused("export", model, tmp_path / "out", say="no model")
    assert not (tmp_path / "out").exists()
