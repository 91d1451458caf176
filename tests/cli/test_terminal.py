"""What commands share: --cluster, which every command takes that prints an interval or a p-value."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from nlgauge import ScoreTable
from nlgauge.data.table import Column
from tests.command import nlgauge, refused, written


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Scores and rated outputs of 24 items of four pages, which decide most of both."""
    rng = np.random.default_rng(0)
    rows = [(system, str(item)) for system in "ABC" for item in range(24)]
    page = np.tile(np.repeat(rng.normal(size=4), 6), 3)
    scores = page + rng.normal(size=72) / 5
    outputs = [
        {
            "system": system,
            "item": item,
            "candidate": "some words",
            "page": f"p{int(item) // 6}",
            "scores": {"good": float(value)},
        }
        for (system, item), value in zip(rows, page + rng.normal(size=72) / 5, strict=True)
    ]
    ScoreTable(rows, {"M": Column(("score",), scores[:, None])}, {}, {"rows": 72}, "0").save(tmp_path / "scores.jsonl")
    return tmp_path / "scores.jsonl", written(tmp_path / "rated.jsonl", outputs)


def found(*run: object) -> dict:
    result = nlgauge(*run, "--format", "json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def width(record: dict) -> float:
    return record["high"] - record["low"]


def test_correlate_and_its_pairs(files: tuple[Path, Path]) -> None:
    scores, rated = files
    run = ("correlate", scores, "--ratings", rated, "--level", "pooled", "--resample", "items")
    plain, clustered = (found(*run, *more) for more in ((), ("--cluster", "page")))
    assert width(clustered["agreements"][0]) != width(plain["agreements"][0])
    assert clustered["agreements"][0]["p"] > plain["agreements"][0]["p"], "four pages are few"
    assert (plain["cluster"], clustered["cluster"]) == (None, "page")
    run = ("correlate", scores, "--ratings", rated, "--pairs", "--level", "pooled", "--add", "Again=scores.good")
    plain, clustered = (found(*run, *more)["contrasts"][0] for more in ((), ("--cluster", "page")))
    assert plain["difference"] == pytest.approx(clustered["difference"]) and width(plain) != width(clustered)


def test_the_pairs_of_correlate_are_written_too_and_are_a_question_of_their_own(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    scores, rated = files
    run = ("correlate", scores, "--ratings", rated, "--level", "pooled", "--add", "Again=scores.good")
    for name in ("pairs.json", "pairs.csv"):
        assert nlgauge(*run, "--pairs", "-o", tmp_path / name).exit_code == 0
    written_record = json.loads((tmp_path / "pairs.json").read_text(encoding="utf-8"))
    assert written_record == found(*run, "--pairs")
    assert (written_record["command"], written_record["test"]) == ("correlate", "permutation")
    assert (tmp_path / "pairs.csv").read_text(encoding="utf-8").startswith("aspect,metric,pearson")
    for option, value in (("--test", "williams"), ("--df", "n-2"), ("--correction", "none"), ("--confidence", "0.9")):
        refused(*run, option, value, say=f"{option} is for every two metrics: add --pairs")
    refused(*run, "--pairs", "--rater", "good", "--rater", "bad", say="two questions: leave one out")


def test_check_report_and_plot(files: tuple[Path, Path], tmp_path: Path) -> None:
    scores, rated = files
    baseline = tmp_path / "earlier.jsonl"
    assert nlgauge("score", rated, "-m", "Length", "-o", baseline).exit_code == 0
    refused(
        "check",
        rated,
        "-m",
        "Length",
        "--at-least",
        0,
        "--against",
        baseline,
        "--cluster",
        "page",
        say="4 clusters in common with the baseline",
    )
    page = tmp_path / "page.html"
    result = nlgauge("report", scores, "--outputs", rated, "--cluster", "page", "-o", page, "--replicates", 50)
    assert result.exit_code == 0, result.output
    refused("report", scores, "--cluster", "page", "-o", page, say="give them too")
    for option in ("--margin", "--history"):
        refused("check", rated, "-m", "Length", "--at-least", 0, option, 1, say=f"{option} is of a comparison")
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    for kind in ("summary", "pairwise"):
        run = ("plot", kind, scores, "-o", tmp_path / "figure.png")
        plain, clustered = (found(*run, *more) for more in ((), ("--outputs", rated, "--cluster", "page")))
        assert plain != clustered


def test_names_are_shown_as_labels(files: tuple[Path, Path], tmp_path: Path) -> None:
    scores = tmp_path / "labelled.jsonl"
    outputs = files[1]
    shown = nlgauge("score", outputs, "-m", "Length", "-o", scores, "--format", "latex", "--label", "Length=Ours")
    assert shown.exit_code == 0, shown.output
    assert "Ours" in shown.stdout and "Length" not in shown.stdout
    assert ScoreTable.load(scores).metrics == ["Length"], "the file keeps the names that were given"
    first = ScoreTable.load(scores).systems[0]
    page = tmp_path / "page.html"
    labels = ("--label", "Length=Ours & more", "--label", f"{first}=Mine")
    assert nlgauge("report", scores, "--outputs", outputs, "-o", page, *labels).exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert "Ours &amp; more" in text and "Mine" in text
    assert nlgauge("report", scores, "--outputs", outputs, "-o", page, *labels).stderr == ""
    other = tmp_path / "other.jsonl"
    other.write_text(outputs.read_text(encoding="utf-8").replace("some words", "other words"), encoding="utf-8")
    assert "not the ones that were scored" in nlgauge("report", scores, "--outputs", other, "-o", page, *labels).stderr
    refused("report", scores, "-o", page, "--label", "Length", say="--label Length: write NAME=LABEL")
    refused("report", scores, "-o", page, "--label", "BLEU=x", say="no metric BLEU in the table: Length")


def test_candidates_that_are_not_in_english_are_told_of(tmp_path: Path) -> None:
    texts = ["The bridge was closed.", "桥梁周一关闭。", "Мост был закрыт в понедельник."]
    rows = written(tmp_path / "rows.jsonl", [{"candidate": text, "references": ["some"]} for text in texts])
    said = "2 of 3 candidates are not in English (Chinese characters, Cyrillic)"
    assert said in nlgauge("score", rows, "-m", "SentenceMovers").stderr
    assert said in nlgauge("check", rows, "-m", "SentenceMovers", "--at-least", 0).stderr
    assert "not in English" not in nlgauge("explain", rows, "-m", "SentenceMovers", "--row", 1).stderr
    assert "not in English" not in nlgauge("score", rows, "-m", "TokenF1").stderr
