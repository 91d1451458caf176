"""nlgauge train aligner on a few texts: examples of every task."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.command import nlgauge, refused
from tests.extras import english_pipeline
from tests.lab.training.weak_labels.pieces import RECORDS

pytest.importorskip("torch", reason="training needs nlgauge[train]")
pytestmark = pytest.mark.usefixtures("one_model")
ROWS = {
    "summarization": [{"document": one.document * 2} for one in RECORDS],
    "reference": [{"reference": one.text} for one in RECORDS],
    "style": [{"document": one.document, "text": one.text} for one in RECORDS],
    "dialogue": [
        {"knowledge": one.document, "history": ["Tell me."], "response": one.document.split(". ")[0] + "."}
        for one in RECORDS
    ],
    "knowledge": [{"knowledge": one.document} for one in RECORDS],
}


def test_examples_of_every_task(tmp_path: Path) -> None:
    english_pipeline()
    run = ["train", "aligner", "--out", tmp_path / "out", "--attempts", 40, "--seed", 4, "--examples-only"]
    for task, rows in ROWS.items():
        (tmp_path / f"{task}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        run += ["--pairs", tmp_path / f"{task}.jsonl", "--task", task]
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        'body = "pocket"\nseed = 1\n[examples]\nattempts = 40\nheld_out = 0.3\nheld_out_attempts = 4\n'
        "[settings]\nverbatim = 0.5\n[[source]]\n",
        encoding="utf-8",
    )
    result = nlgauge(*run, "--config", recipe)
    assert result.exit_code == 0, result.output
    folder = Path(result.stdout.strip().splitlines()[-1])
    lines = gzip.decompress((folder / "train.jsonl.gz").read_bytes()).decode().splitlines()
    assert {json.loads(line)["task"] for line in lines} == set(ROWS)
    assert '"verbatim": 0.5' in (folder / "README.md").read_text(encoding="utf-8")
    refused(*run, "--task", "style", say="5 --pairs and 6 --task: give a task for each")
