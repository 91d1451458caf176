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
from nlgauge_lab.reproduce.kept import NOT_SCORED
from nlgauge_lab.reproduce.published import Source
from nlgauge_lab.reproduce.rated import Data
from nlgauge_lab.reproduce.scoring import Job, Scores, read_model

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


def of_item(corpus: Corpus, *items: str) -> Corpus:
    return Corpus(tuple(row for row in corpus if row.item in items))


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


def test_an_interrupted_run_goes_on_with_what_is_missing(corpus: Corpus, tmp_path: Path) -> None:
    Scores(tmp_path).fill([Job(of_item(corpus, "a", "c"), "some", [Words()])])
    lines: list[str] = []
    scores = Scores(tmp_path, lines.append)
    scores.fill([Job(corpus, "tiny", [Words()])])
    # Two rows of item b have the texts of others.
    assert scores.computed == 2 and lines == ["tiny: 1 of 9 rows by 1 of encoding (Words)"]
    table = scores.table(corpus, Words())
    assert table is not None and table.rows == [(row.system, row.item) for row in corpus]
    assert table.values("Words", "half").tolist() == [3, 2.5, 4.5, 2, 1.5, 2.5, 0.5, 1, 1]


def test_cheap_metrics_come_first_and_of_two_corpora_the_smaller(
    corpus: Corpus, tmp_path: Path, runs: list[Any]
) -> None:
    metrics = [registry.metric(spec) for spec in ("InfoLM", "BERTScore", "Length", "InfoLM(measure='l1')")]
    jobs = [Job(corpus, "tiny", metrics), Job(of_item(corpus, "a"), "small", metrics[1:3])]
    Scores(tmp_path).fill(jobs)
    assert runs == [
        (3, ["Length"]),
        (9, ["Length"]),
        (3, ["BERTScore"]),
        (9, ["BERTScore"]),
        (9, ["InfoLM", "InfoLM(measure='l1')"]),
    ]


def test_how_far_a_metric_has_come(corpus: Corpus, tmp_path: Path) -> None:
    words, frechet = Words(), registry.metric("FrechetDistance")
    Scores(tmp_path).fill([Job(of_item(corpus, item), item, [words]) for item in "ac"])
    scores = Scores(tmp_path)
    scores.look_up(Job(corpus, "tiny", [words, frechet, Words(of="difference")]))
    some = scores.table(corpus, words)
    # Item b of two systems has the texts of other rows.
    assert some is not None and some.rows == [(row.system, row.item) for row in corpus if row.candidate.count(" ") != 2]
    assert some.values("Words").tolist() == [6, 5, 9, 4, 5, 1, 2, 2]
    for metric in (frechet, Words(of="difference")):
        assert scores.table(corpus, metric) is None and scores.why(corpus, metric) == NOT_SCORED
    assert scores.computed == 0
    scores.fill([Job(corpus, "tiny", [words, frechet])])
    for metric in (words, frechet):
        table = scores.table(corpus, metric)
        assert table is not None and len(table.rows) == 9
    assert scores.computed == 2 * 1 + 3 * 3  # one row, two parts; systems, three parts


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


def test_the_model_is_told_as_the_signature_has_it(corpus: Corpus) -> None:
    table = evaluate(of_item(corpus, "a"), metrics=["BERTScore", "Length"], cache=False)
    (model,) = read_model(table)
    assert f"|model:{model}|" in str(table.signatures["BERTScore"])
