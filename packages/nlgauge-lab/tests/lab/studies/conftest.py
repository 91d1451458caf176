"""What the studies that score share: the small rated corpus, and a look into the runs that they make."""

from __future__ import annotations

from typing import Any

import pytest

from nlgauge import Corpus, ScoreTable, evaluate


@pytest.fixture(scope="session")
def corpus(records: list[dict[str, Any]]) -> Corpus:
    """Three systems, four items, rated for adequacy; ratings differ within systems too."""
    rated = [
        {
            **record,
            "context": record["references"][0],
            "scores": {"adequacy": record["scores"]["adequacy"] + number / 9},
        }
        for number, record in enumerate(records)
    ]
    return Corpus.from_records(rated)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, one_model: None) -> list[ScoreTable]:
    """The tables of all runs of `evaluate` that a study makes: there is to be one. Nothing is kept from run to run."""
    tables: list[ScoreTable] = []

    def noted(*given: Any, **options: Any) -> ScoreTable:
        tables.append(evaluate(*given, **{**options, "cache": False}))
        return tables[-1]

    for module in ("sweep", "neighbours", "synthetic"):
        monkeypatch.setattr(f"nlgauge_lab.studies.{module}.evaluate", noted)
    return tables
