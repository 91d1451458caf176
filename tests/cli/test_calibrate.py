"""nlgauge calibrate: the threshold that it writes, what it says, and when it ends with exit code 1."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nlgauge.answers.rated_threshold import RatedThreshold
from tests.command import nlgauge, refused, written
from tests.ratings.hidden import outputs


@pytest.fixture
def given(tmp_path: Path) -> list[object]:
    table, corpus, _ = outputs(400, 200, systems=("a",))
    table.save(tmp_path / "scores.jsonl")
    rows = [{"system": row.system, "item": row.item, "candidate": "x", "scores": dict(row.scores)} for row in corpus]
    rated = written(tmp_path / "rated.jsonl", rows)
    return ["calibrate", tmp_path / "scores.jsonl", "--ratings", rated, "-o", tmp_path / "threshold.json"]


def test_the_threshold_is_written_with_its_promise(given: list[object], tmp_path: Path) -> None:
    result = nlgauge(*given, "--risk", 0.15)
    assert result.exit_code == 0, result.stderr
    threshold = RatedThreshold.load(tmp_path / "threshold.json")
    assert (threshold.risk, threshold.confidence, threshold.n, threshold.by) == (0.15, 0.9, 200, "risk")
    assert f"of what passes {threshold.threshold:.4g}, at most 15% is bad, with 90% confidence" in result.stderr
    assert [line.split()[0] for line in result.stdout.splitlines()[1:5]] == ["risk", "f1", "cost", "precision"]
    assert nlgauge(*given, "--by", "f1").exit_code == 0 and RatedThreshold.load(tmp_path / "threshold.json").by == "f1"


def test_no_threshold_is_no_file(given: list[object], tmp_path: Path) -> None:
    result = nlgauge(*given, "--risk", 0.01)
    assert result.exit_code == 1 and "no threshold can be certified at a risk of 0.01" in result.stderr
    assert not (tmp_path / "threshold.json").exists() and "f1" in result.stdout
    record = json.loads(nlgauge(*given, "--risk", 0.01, "--format", "json").stdout)
    assert record["chosen"][0]["threshold"] is None and len(record["reliability"]) == 5


def test_a_threshold_alone_says_what_is_checked(given: list[object], tmp_path: Path) -> None:
    assert nlgauge(*given, "--by", "f1").exit_code == 0
    (tmp_path / "out.jsonl").write_text('{"candidate": "x", "references": ["x"]}\n', encoding="utf-8")
    check = ["check", tmp_path / "out.jsonl", "--threshold", tmp_path / "threshold.json"]
    refused(*check, "--at-least", 0.5, say="--threshold names metric, part and threshold")
    refused(*check, "--no-cache", say="the threshold's TokenF1 was computed otherwise")
