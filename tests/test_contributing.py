"""The sample of CONTRIBUTING.md is a metric as it stands: it scores, and the linters have nothing to say of it."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import nlgauge

ROOT = Path(__file__).parents[1]


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    path = tmp_path / "length_ratio.py"
    path.write_text(code, encoding="utf-8")
    return path


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def test_the_sample_scores(sample: Path) -> None:
    metric = loaded(sample).LengthRatio()
    table = nlgauge.evaluate(candidates=["A red car.", ""], references=[["A car."], ["A car."]], metrics=metric)
    (spec,) = table.metrics
    assert table.values(spec)[0] == 4 / 3
    assert table.columns[spec].reasons == {1: "the candidate has no words"}


@pytest.mark.parametrize(
    "check", [["ruff", "check"], ["ruff", "format", "--check"], ["mypy", "--strict"]], ids=" ".join
)
def test_the_linters_have_nothing_to_say_of_the_sample(sample: Path, check: list[str]) -> None:
    pytest.importorskip(check[0], reason="needs the dependency group dev")
    options = ["--config", str(ROOT / "pyproject.toml")] if check[0] == "ruff" else ["--follow-imports=silent"]
    done = subprocess.run(
        [sys.executable, "-m", *check, *options, str(sample)], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
