"""Studies that score, by their commands; the numbers themselves are held in tests/studies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import nlgauge, refused

pytestmark = pytest.mark.usefixtures("one_model")


def test_of_rated_outputs(outputs: Path, tmp_path: Path) -> None:
    for name, options, axes in (
        ("temperature", ("--temperatures", "1,2.5", "--items", 2), ["temperature"]),
        ("alpha-beta", ("--alphas", "1", "--betas", "0.5,2", "--items", 2), ["alpha", "beta"]),
        ("layers", ("-m", "BERTScore", "--layers", "0,3"), ["layer"]),
        ("ablation", ("-m", "Preservation"), ["variant", "stop-words"]),
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
    records = [{"text": f"a {what} was {seen}", "topic": topic} for topic in ("sea", "hill")
               for what in (f"{topic} cat", f"{topic} dog") for seen in ("seen", "heard")]  # fmt: skip
    texts.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    run = ("study", "synthetic", texts, "--map", "candidate=text", "--map", "system=topic", "-m", "MarkEvaluate")
    result = nlgauge(*run, "--format", "json")
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["size"] == 4 and len(found["records"]) == (2 + 5) * 3
    refused("study", "synthetic", texts, "--map", "candidate=text", "-m", "Length", say="is not a metric of sets")


def test_refusals_name_the_file(outputs: Path, tmp_path: Path) -> None:
    refused("study", "layers", outputs, "-m", "MarkEvaluate", say="takes the last layers together")
    unrated = tmp_path / "unrated.jsonl"
    unrated.write_text('{"candidate": "a", "references": ["b"]}\n', encoding="utf-8")
    assert str(unrated) in refused("study", "layers", unrated, say="no row is rated")
    refused("study", "layers", outputs, "--cache", tmp_path, "--no-cache", say="do not go together")
