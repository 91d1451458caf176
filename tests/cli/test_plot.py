"""nlgauge plot: a figure, its numbers in every form, and refusals before anything is computed."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge import ScoreTable
from nlgauge.data.table import Column
from tests.command import nlgauge

RUNS = [
    ("summary", (), ()),
    ("distributions", (), ("--bins", "4")),
    ("scatter", ("Score", "adequacy"), ("--ratings",)),
    ("scatter", ("Score", "Own"), ("--add", "Own=scores.adequacy", "--level", "system", "--ratings")),
    ("agreement", (), ("--level", "pooled", "--ratings")),
    ("agreement", (), ("--coefficient", "kendall")),
    ("pairwise", (), ("--parts",)),
]


@pytest.fixture
def scores(tmp_path: Path, records: list[dict[str, Any]]) -> Path:
    rows = [(record["system"], record["item"]) for record in records]
    values = np.random.default_rng(3).normal(size=(len(rows), 1))
    columns = {"Score": Column(("score",), values), "Other": Column(("score",), -values, higher_is_better=False)}
    path = tmp_path / "scores.jsonl"
    ScoreTable(rows, columns, {}, {"rows": len(rows)}, "0").save(path)
    return path


@pytest.mark.parametrize(("name", "names", "options"), RUNS)
def test_every_figure_is_drawn_and_its_numbers_are_printed(
    name: str, names: tuple[str, ...], options: tuple[str, ...], scores: Path, outputs: Path, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib", reason="needs nlgauge[plots]")
    run = ["plot", name, scores, *names, *options, *([outputs] if options and options[-1] == "--ratings" else [])]
    drawn = tmp_path / "figure.svg"
    result = nlgauge(*run, "-o", drawn)
    assert result.exit_code == 0, result.output
    assert drawn.read_bytes().startswith(b"<?xml")
    assert f"drawn: {drawn}" in result.stderr.splitlines()
    head = next(csv.reader(nlgauge(*run, "-o", drawn, "--format", "csv").stdout.splitlines()))
    assert head[0] and all(word in result.stdout for word in head[0].split())
    found = json.loads(nlgauge(*run, "-o", drawn, "--format", "json").stdout)
    assert found["plot"] == name
