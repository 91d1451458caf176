"""A scores file that studies read."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge import Corpus, evaluate


@pytest.fixture(scope="module")
def scores(outputs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scores") / "scores.jsonl"
    evaluate(Corpus.read(outputs), metrics=["VectorExtrema", "GreedyMatching", "MarkEvaluate"]).save(path)
    return path
