"""Studies of a scores file by their commands; the numbers themselves are held in tests/studies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nlgauge import Corpus, evaluate
from tests.command import nlgauge, refused
from tests.extras import english_pipeline

pytestmark = pytest.mark.usefixtures("one_model")


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
    result = nlgauge("study", "matrix", scores, *rated, "-m", "GreedyMatching", "--add", "Own=scores.adequacy",
                     "-m", "Own", "--format", "json")  # fmt: skip
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


def test_ratings_go_with_what_is_of_them(scores: Path) -> None:
    refused("study", "matrix", scores, "--add", "A=b", say="add --ratings")
