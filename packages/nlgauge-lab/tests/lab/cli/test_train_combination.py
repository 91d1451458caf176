"""nlgauge train combination: from scores and ratings to a file that scores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nlgauge import Corpus, ScoreTable, evaluate
from nlgauge.data.signature import Signature
from nlgauge_lab.combination import combine
from nlgauge_lab.combination_file import CombinationFile
from tests.command import nlgauge

pytestmark = pytest.mark.usefixtures("one_model")


@pytest.fixture(scope="module")
def scores(outputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scores") / "scores.jsonl"
    evaluate(Corpus.read(outputs), metrics=["VectorExtrema", "GreedyMatching"]).save(path)
    return path


def test_from_scores_to_scoring(scores: Path, outputs: Path, tmp_path: Path) -> None:
    weights, oof = tmp_path / "weights.json", tmp_path / "oof.jsonl"
    run = ("train", "combination", "--scores", scores, "--ratings", outputs, "--aspect", "adequacy", "-o", weights)
    result = nlgauge(*run, "--predictions", oof, "--replicates", 50)
    assert result.exit_code == 0, result.stderr
    expected = combine(ScoreTable.load(scores), Corpus.read(outputs), "adequacy", replicates=50)
    assert CombinationFile.load(weights) == expected.combination
    members, agreements = (block.splitlines() for block in result.stdout.split("\n\n"))
    assert members[0].split() == ["member", "weight"] and len(members) == 3
    assert agreements[0].split() == ["out", "of", "fold", "adequacy,", "pearson,", "item"]
    assert [line.split()[0] for line in agreements[1:]] == [
        "Combination",
        "EqualWeights",
        "VectorExtrema",
        "GreedyMatching",
    ]
    assert "fitted to 12 rows of 4 items" in result.stderr
    assert f"score with it: -m Combination(weights={str(weights)!r})" in result.stderr
    assert ScoreTable.load(oof).values("Combination").tolist() == expected.predictions.values("Combination").tolist()
    scored = nlgauge("score", outputs, "-m", f"Combination(weights={str(weights)!r})", "-m", "VectorExtrema")
    assert scored.exit_code == 0
    assert f"|weights:{expected.combination.digest[:8]}|" in scored.stderr


def test_json(scores: Path, outputs: Path, tmp_path: Path) -> None:
    run = ("train", "combination", "--scores", scores, "--ratings", outputs, "-o", tmp_path / "weights.json")
    result = nlgauge(*run, "--method", "ridge", "-m", "VectorExtrema", "--replicates", 0, "--format", "json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["weights"]["method"] == "ridge" and len(found["penalties"]) == 4, "no more folds than items"
    assert [one["metric"] for one in found["agreements"]] == ["Combination", "EqualWeights", "VectorExtrema"]
    assert found["agreements"][0]["low"] is None
    assert [member["metric"] for member in found["weights"]["members"]] == ["VectorExtrema"]


def test_what_is_left_out_is_told(scores: Path, outputs: Path, tmp_path: Path) -> None:
    table = ScoreTable.load(scores)
    table.columns["VectorExtrema"].values[0] = float("nan")
    table.columns["VectorExtrema"].reasons[0] = "gone"
    table.columns["COMET"] = table.columns["GreedyMatching"]
    table.signatures["COMET"] = Signature("COMET", {"from": "file"})
    table.save(tmp_path / "holes.jsonl")
    run = ("train", "combination", "--scores", tmp_path / "holes.jsonl", "--ratings", outputs)
    result = nlgauge(*run, "-o", tmp_path / "weights.json", "--replicates", 0)
    assert result.exit_code == 0, result.stderr
    assert "1 rated rows left out, where VectorExtrema score has no number" in result.stderr
    only = nlgauge(*run, "-o", tmp_path / "weights.json", "-m", "COMET", "--replicates", 0)
    assert "saved tables only can be combined" in only.stderr and "no metric 'COMET'" in only.stderr
