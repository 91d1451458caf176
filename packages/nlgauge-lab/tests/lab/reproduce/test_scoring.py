"""Scores for tables and pages: computed once, gone on from, the cheap and the small first, and none spoils another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.reproduce.pieces import Words
from nlgauge import Corpus, ScoreTable, SpecError, evaluate
from nlgauge.metrics import registry
from nlgauge_lab.reproduce import scoring
from nlgauge_lab.reproduce.published import Source
from nlgauge_lab.reproduce.rated import Data
from nlgauge_lab.reproduce.scoring import Job, Scores

pytestmark = pytest.mark.usefixtures("one_model", "counting")


@pytest.fixture
def corpus(folder: Path) -> Corpus:
    return Data(folder).corpus([Source("tiny")])


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, list[str]]]:
    """(rows, metrics) of every run of `evaluate`."""
    made: list[tuple[int, list[str]]] = []

    def counted(rows: Corpus, **options: Any) -> ScoreTable:
        made.append((len(rows), [str(metric) for metric in options["metrics"]]))
        return evaluate(rows, **options)

    monkeypatch.setattr(scoring, "evaluate", counted)
    return made


def test_what_is_stored_is_not_computed_again(corpus: Corpus, tmp_path: Path, runs: list[Any]) -> None:
    metrics = [Words(), registry.metric("BERTScore")]
    first = Scores(tmp_path)
    first.fill([Job(corpus, "tiny", metrics[:1])])
    assert first.computed == 18
    again = Scores(tmp_path)
    again.fill([Job(corpus, "tiny", metrics)])
    assert runs == [(9, ["Words"]), (9, ["BERTScore"])]
    words, vectors = (again.table(corpus, metric) for metric in metrics)
    assert words is not None and words.values("Words").tolist() == [6, 5, 9, 4, 3, 5, 1, 2, 2]
    whole = evaluate(corpus, metrics=["BERTScore"], cache=False)
    assert vectors is not None and vectors.signatures == whole.signatures
    np.testing.assert_array_equal(vectors.values("BERTScore"), whole.values("BERTScore"))
    Scores(tmp_path).fill([Job(corpus, "tiny", metrics)])
    assert len(runs) == 2
    without = Scores(False)
    without.fill([Job(corpus, "tiny", metrics)])
    assert runs[2:] == [(9, ["Words", "BERTScore"])] and without.computed == 18 + 27


def test_one_that_cannot_be_had_does_not_spoil_the_others(corpus: Corpus, tmp_path: Path, runs: list[Any]) -> None:
    metrics = [Words(), Words(extra="absent"), Words(of="difference"), registry.metric("Groundedness")]
    scores = Scores(tmp_path)
    scores.fill([Job(corpus, "tiny", metrics)])
    assert runs == [(9, ["Words", "Words(of='difference')"])]
    assert scores.why(corpus, metrics[1]) == "counting words needs an optional library: pip install 'nlgauge[words]'"
    assert scores.why(corpus, metrics[3]).startswith("no row has context, which Groundedness needs")
    assert scores.table(corpus, metrics[1]) is None and scores.table(corpus, metrics[0]) is not None
    scores.fill([Job(corpus, "tiny", metrics)])
    assert len(runs) == 1


def test_one_that_fails_when_it_scores_does_not_spoil_the_others(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(self: Words, *given: Any) -> Any:
        if self.of == "difference":
            raise SpecError("model 'x' counts nothing; there are others")
        return original(self, *given)

    original = Words.score_rows
    monkeypatch.setattr(Words, "score_rows", failing)
    metrics = [Words(), Words(of="difference")]
    scores = Scores(tmp_path)
    scores.fill([Job(corpus, "tiny", metrics)])
    assert scores.table(corpus, metrics[0]) is not None and scores.table(corpus, metrics[1]) is None
    assert scores.why(corpus, metrics[1]) == "model 'x' counts nothing" and scores.computed == 18
