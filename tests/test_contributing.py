"""The sample of CONTRIBUTING.md is a metric as it stands: it scores."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

import nlgauge
from nlgauge.cli import _OWN

ROOT = Path(__file__).parents[1]


def test_the_sample_scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "length_ratio.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    metric = importlib.import_module("length_ratio").LengthRatio()
    table = nlgauge.evaluate(candidates=["A red car.", ""], references=[["A car."], ["A car."]], metrics=metric)
    (spec,) = table.metrics
    assert table.values(spec)[0] == 4 / 3
    assert table.columns[spec].reasons == {1: "the candidate has no words"}


def test_each_command_has_its_reason() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = page.partition("## Why each command stands")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([a-z]+)` \|", table, re.MULTILINE) == list(_OWN)
