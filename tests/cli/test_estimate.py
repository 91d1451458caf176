"""nlgauge estimate: the records of its JSON, its table, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import nlgauge as package
from tests.command import nlgauge, refused
from tests.stats.hidden import outputs


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    table, corpus, _ = outputs(300, 120)
    table.save(tmp_path / "scores.jsonl")
    records = [
        {"system": row.system, "item": row.item, "candidate": "x", "scores": dict(row.scores), **row.extra}
        for row in corpus
    ]
    rated = tmp_path / "rated.jsonl"
    rated.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return tmp_path / "scores.jsonl", rated


def test_the_records_are_those_of_python(files: tuple[Path, Path]) -> None:
    scores, rated = files
    result = nlgauge("estimate", scores, "--ratings", rated, "--cluster", "doc", "--format", "json")
    envelope = json.loads(result.stdout)
    assert envelope["command"] == "estimate" and envelope["nlgauge"] == package.__version__
    records = envelope["estimates"]
    names = ["system", "aspect", "metric", "estimate", "low", "high", "ratings", "rows", "worth"]
    assert all(set(names) <= record.keys() for record in records)
    found = package.estimate(package.ScoreTable.load(scores), package.Corpus.read(rated), cluster="doc")
    assert [[record[name] for name in names] for record in records] == [
        [getattr(one, name) for name in names] for one in found
    ]
    assert [record["system"] for record in records] == ["a", "b", "a - b"]


def test_what_it_refuses(files: tuple[Path, Path]) -> None:
    scores, rated = files
    refused("estimate", scores, "--ratings", rated, "--cluster", "no", say="have no 'no' to be clustered by")
    refused("estimate", scores, "--ratings", rated, "--aspect", "no", say="nothing is rated for 'no'")
