"""Several runs in the same passes: each ends as `nlgauge.evaluate` ends it alone, and fails alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.table import ScoreTable
from nlgauge.engine.engine import Engine
from nlgauge.engine.models import loading
from nlgauge.errors import SpecError
from nlgauge.metrics import registry
from nlgauge.run.executors.together import JointRun, score_together
from tests.extras import lacking

pytestmark = pytest.mark.usefixtures("one_model")

WORDS = ("rain", "fell", "on", "the", "old", "bridge", "and", "a", "train", "was", "late", "again", "today")


def rows(seed: int, count: int, source: bool = True) -> Corpus:
    generator = np.random.default_rng(seed)

    def text() -> str:
        return " ".join(generator.choice(WORDS, size=generator.integers(1, 12))).capitalize() + "."

    return Corpus(
        tuple(
            Row(
                text() if generator.random() < 0.9 else "",
                tuple(text() for _ in range(generator.integers(1, 3))),
                source=text() if source else None,
                context=text() if source else None,
                system=f"s{n % 2}",
                item=str(n // 2),
            )
            for n in range(count)
        )
    )


def run(corpus: Corpus, *specs: str, **more: Any) -> JointRun:
    metrics = [registry.metric(spec) for spec in specs]
    return JointRun(corpus, {str(metric): metric for metric in metrics}, {}, **more)


def scored(*runs: JointRun) -> None:
    score_together(runs, {"pocket": Engine(loading.load("pocket"))})


def alike(table: ScoreTable | None, other: ScoreTable) -> None:
    assert table is not None
    assert table.rows == other.rows
    assert table.signatures == other.signatures
    assert table.run["notes"] == other.run["notes"]
    assert table.metrics == other.metrics
    for spec, column in other.columns.items():
        mine = table.columns[spec]
        assert (mine.reasons, mine.level, mine.parts) == (column.reasons, column.level, column.parts)
        np.testing.assert_allclose(mine.values, column.values, rtol=1e-4, atol=1e-5)
        assert (mine.sums is None) == (column.sums is None)
        if mine.sums is not None and column.sums is not None:
            assert mine.sums == column.sums


OF_ROWS = ("BERTScore", "TokenF1", "Consistency(aligner='D')", "CopyRate", "InfoLM(stride=4)")
OF_A_CORPUS = tuple(
    spec
    for spec in ("CIDEr", "BERTScore(idf='references')", "MarkEvaluate", "PRD(clusters=2, runs=2)")
    if lacking(registry.metric(spec).libraries) is None
)


def test_each_run_ends_as_it_ends_alone() -> None:
    corpora = [rows(seed, count) for seed, count in ((1, 1), (2, 7), (3, 4), (4, 1))]
    asked = [OF_ROWS[:3], OF_ROWS, (*OF_A_CORPUS, "BERTScore"), ("TokenF1", "BERTScore(idf='references')")]
    runs = [run(corpus, *specs) for corpus, specs in zip(corpora, asked, strict=True)]
    scored(*runs)
    for one, specs in zip(runs, asked, strict=True):
        assert one.error is None
        alike(one.table, nlgauge.evaluate(one.corpus, metrics=list(specs), cache=False))


def _words(table: ScoreTable, spec: str) -> list[list[str]]:
    evidence = table.columns[spec].evidence
    return [[word["text"] for text in evidence[n].get("texts", []) for word in text["words"]] for n in sorted(evidence)]


def test_a_run_whose_model_is_not_there_ends_with_an_error() -> None:
    runs = [run(rows(16, 2), "TokenF1", "BERTScore(model='absent')"), run(rows(17, 2), "TokenF1")]
    ended: list[JointRun] = []
    score_together(runs, {}, ended.append)
    assert ended == runs and runs[0].table is None and runs[1].error is None
    with pytest.raises(SpecError, match="no model 'absent' is loaded here"):
        raise runs[0].error or AssertionError
