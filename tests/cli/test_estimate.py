"""nlgauge estimate: its sentences, its table and its JSON say what `nlgauge.estimate` says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import nlgauge as ng
from nlgauge import Corpus
from nlgauge.data.jsonable import values_of
from tests.command import nlgauge, refused, table_of, written
from tests.ratings.hidden import outputs

TABLE, CORPUS, _ = outputs(200, 80, docs=60)


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, Path]:
    """Scores, and the file of ratings."""
    TABLE.save(tmp_path / "scores.jsonl")
    rows = [
        {"system": row.system, "item": row.item, "candidate": "x", "scores": row.scores, **row.extra} for row in CORPUS
    ]
    return tmp_path / "scores.jsonl", written(tmp_path / "rated.jsonl", rows)


def test_the_table_and_the_sentences(place: tuple[Path, Path]) -> None:
    result = nlgauge("estimate", place[0], "--ratings", place[1], "--margin", 0.08)
    found = ng.estimate(TABLE, CORPUS, margin=0.08)
    assert result.exit_code == 0, result.stderr
    assert " ".join(result.stdout.partition("\n\n")[0].split()) == " ".join(found.answers)
    shown = " ".join(result.stdout.split())
    for one in found:
        cells = f"{one.ratings} of {one.rows} {one.estimate:.4f} [{one.low:.4f}, {one.high:.4f}]"
        cells += f" {one.alone.value:.4f} [{one.alone.low:.4f}, {one.alone.high:.4f}]"
        assert f"{one.system} {cells} {one.worth.value:.0f} [{one.worth.low:.0f}, {one.worth.high:.0f}]" in shown
    assert found[0].worth.low < found[0].worth.value < found[0].worth.high, "the effective number has an interval"
    heads = ["system", "rated", "estimate", "ratings", "alone", "effective"]
    assert heads in [line.split()[:6] for line in table_of(result.stdout)]
    assert f" {found[0].more:.0f}\n" in result.stdout and "±0.08" in result.stdout
    assert "its own mean, which is no estimate of good: a " in " ".join(result.stderr.split())


def test_json_holds_every_field(place: tuple[Path, Path]) -> None:
    result = nlgauge("estimate", place[0], "--ratings", place[1], "--cluster", "doc", "--format", "json")
    found, told = ng.estimate(TABLE, CORPUS, cluster="doc"), json.loads(result.stdout)
    assert told["answers"] == found.answers and told["notes"] == found.notes
    for one, record in zip(found, told["estimates"], strict=True):
        plain = {name: None if value != value else value for name, value in values_of(one)}
        assert record == pytest.approx(plain, nan_ok=True)
    assert found[0].effective < found[0].clusters < 60


def test_what_has_no_estimate_is_said(place: tuple[Path, Path], tmp_path: Path) -> None:
    few = [row for place, row in enumerate(Corpus.read(place[1])) if place < 200 or (row.scores and place % 9 == 0)]
    rows = [{"system": row.system, "item": row.item, "candidate": "x", "scores": row.scores} for row in few]
    result = nlgauge("estimate", place[0], "--ratings", written(tmp_path / "few.jsonl", rows))
    assert result.exit_code == 0
    assert "no estimate for b, good:" in result.stderr and "at least 20 are needed" in " ".join(result.stderr.split())
    refused("estimate", place[0], "--ratings", place[1], "--scale", 5, 1, say="the scale (5.0, 1.0) does not rise")
