"""Studies by their commands; the numbers themselves are held in lab/studies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nlgauge import Corpus, evaluate
from tests.command import nlgauge, refused
from tests.extras import english_pipeline

pytestmark = pytest.mark.usefixtures("one_model")


@pytest.fixture(scope="module")
def scores(outputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scores") / "scores.jsonl"
    evaluate(Corpus.read(outputs), metrics=["VectorExtrema", "GreedyMatching", "MarkEvaluate"]).save(path)
    return path


def test_of_a_scores_file(scores: Path, outputs: Path, tmp_path: Path) -> None:
    rated = ("--ratings", outputs)
    for name, options, first in (
        ("matrix", (), ["pearson, system", "", "1"]),
        ("matrix", (*rated, "--level", "pooled", "--coefficient", "kendall"), ["kendall, pooled"]),
        ("distributions", (*rated, "--bins", 4), ["scaled to [0, 1]", "n"]),
        ("significance", (*rated, "--level", "pooled", "--df", "n-2"), ["adequacy", "pearson", "cluster"]),
    ):
        result = nlgauge("study", name, scores, *options)
        assert result.exit_code == 0, result.stderr
        assert all(cell in result.stdout.splitlines()[0] for cell in first)
    result = nlgauge(
        "study",
        "matrix",
        scores,
        *rated,
        "-m",
        "GreedyMatching",
        "--add",
        "Own=scores.adequacy",
        "-m",
        "Own",
        "--format",
        "json",
    )
    found = json.loads(result.stdout)
    assert found["study"] == "matrix" and found["names"] == ["GreedyMatching", "Own", "adequacy"]
    assert found["values"][1][2] == pytest.approx(1)


def test_parts_of_speech_of_a_scores_file_with_evidence(outputs: Path, scores: Path, tmp_path: Path) -> None:
    pipeline = english_pipeline()
    path = tmp_path / "shown.jsonl"
    evaluate(Corpus.read(outputs), metrics="Consistency(layer=0)", evidence=True).save(path)
    result = nlgauge("study", "parts-of-speech", path, "--tagger", pipeline)
    assert result.exit_code == 0, result.stderr
    assert "Consistency(layer=0), candidate" in result.stdout and "NOUN" in result.stdout
    result = nlgauge("study", "parts-of-speech", scores, "--tagger", pipeline)
    assert result.exit_code == 2 and "no metric shows its words" in result.stderr


def test_of_rated_outputs(outputs: Path, tmp_path: Path) -> None:
    for name, options, axes in (
        ("temperature", ("--temperatures", "1,2.5", "--items", 2), ["temperature"]),
        ("alpha-beta", ("--alphas", "1", "--betas", "0.5,2", "--items", 2), ["alpha", "beta"]),
        ("layers", ("-m", "BERTScore", "--layers", "0,3"), ["layer"]),
        ("ablation", ("-m", "Preservation"), ["variant", "stop-words"]),
        ("barycenters", ("-m", "BaryScore(layers=1)", "--weights", "lm", "--items", 2), ["mean"]),
        ("scorings", ("-m", "MaskEval(weights='candidate')", "--items", 2), ["scoring"]),
    ):
        run = ("study", name, outputs, *options, "--replicates", 0, "--level", "pooled")
        result = nlgauge(*run, "--format", "json")
        assert result.exit_code == 0, result.stderr
        found = json.loads(result.stdout)
        assert (found["study"], found["axes"]) == (name, axes)
        assert found["rows"] == (6 if "--items" in options else 12)
        assert all(list(point["setting"]) == axes for point in found["points"])
        assert found["signatures"]
    result = nlgauge("study", "layers", outputs, "-m", "BERTScore", "--layers", "0,3", "--replicates", 20)
    head, *rows = result.stdout.splitlines()
    assert head.split() == ["pearson,", "system", "layer", "adequacy"] and len(rows) == 2
    assert "and 1 more signatures, in --format json" in result.stderr


def test_neighbours(outputs: Path) -> None:
    result = nlgauge("study", "neighbours", outputs, "-k", "1,2", "--against", outputs, "--format", "json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert {one["k"] for one in found["records"]} == {1, 2}
    assert found["agreement"]["axes"] == ["K"]
    assert "against:" in next(iter(found["signatures"].values()))


def test_synthetic(tmp_path: Path) -> None:
    texts = tmp_path / "texts.jsonl"
    records = [
        {"text": f"a {what} was {seen}", "topic": topic}
        for topic in ("sea", "hill")
        for what in (f"{topic} cat", f"{topic} dog")
        for seen in ("seen", "heard")
    ]
    texts.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    run = ("study", "synthetic", texts, "--map", "candidate=text", "--map", "system=topic", "-m", "MarkEvaluate")
    result = nlgauge(*run, "--format", "json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["size"] == 4 and len(found["records"]) == (2 + 5) * 3
    refused("study", "synthetic", texts, "--map", "candidate=text", "-m", "Length", say="is not a corpus-level metric")


def test_refusals_name_the_file(scores: Path, outputs: Path, tmp_path: Path) -> None:
    refused("study", "matrix", scores, "--map", "candidate=b", say="add --ratings")
    refused("study", "temperature", outputs, "--temperatures", "1;2", say="write numbers with commas")
    refused("study", "neighbours", outputs, "-k", "1.5", say="write whole numbers with commas")
    refused("study", "layers", outputs, "-m", "MarkEvaluate", say="takes the last layers together")
    unrated = tmp_path / "unrated.jsonl"
    unrated.write_text('{"candidate": "a", "references": ["b"]}\n', encoding="utf-8")
    assert str(unrated) in refused("study", "layers", unrated, say="no row is rated")
    refused("study", "layers", outputs, "--cache", tmp_path, "--no-cache", say="do not go together")


def test_of_sentences_of_ones_own(tmp_path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("S: Two came.\nQ: Who came?\nP: A pair.\nnumber: {Two|Three} came.\n", encoding="utf-8")
    run = ("study", "probes", "-m", "CopyRate", "--probes", path, "--setting", "source", "--replicates", 0)
    result = nlgauge(*run, "--format", "json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert (found["study"], found["sources"], found["statements"]) == ("probes", 1, 1)
    assert found["records"][0]["twin"]["value"] == 1
    result = nlgauge(*run)
    assert result.exit_code == 0 and result.stdout.startswith("error against") and "CopyRate" in result.stdout


def test_figures(scores: Path, outputs: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    result = nlgauge("study", "matrix", scores, "-o", tmp_path / "matrix.svg")
    assert result.exit_code == 0, result.stderr
    assert f"drawn: {tmp_path / 'matrix.svg'}" in result.stderr
    assert (tmp_path / "matrix.svg").read_text(encoding="utf-8").startswith("<?xml")
    refused("study", "matrix", scores, "-o", tmp_path / "matrix.txt", say="end the name in .png")
