"""Several jobs in one run: each ends as `nlgauge.evaluate` ends it alone, and fails alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import nlgauge
from nlgauge import registry
from nlgauge.contract.base import Prepared, RowMetric, Value
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.table import ScoreTable
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.request import Features
from nlgauge.engine.models import loading
from nlgauge.errors import SpecError
from nlgauge.run.block import BLOCK_WEIGHT
from nlgauge.run.plan import Plan
from nlgauge.serve import batch
from nlgauge.serve.answers import TooMuchWorkError
from nlgauge.serve.batch import Job, evaluate
from tests.run.rows import rows

pytestmark = pytest.mark.usefixtures("one_model")


def job(corpus: Corpus, *specs: str, **more: Any) -> Job:
    metrics = [registry.metric(spec) for spec in specs]
    return Job(corpus, {str(metric): metric for metric in metrics}, {}, **more)


def scored(*jobs: Job, **more: Any) -> None:
    evaluate(jobs, {"pocket": loading.load("pocket")}, **more)


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
        assert mine.sums == column.sums


OF_ROWS = ("BERTScore", "TokenF1", "Faithfulness", "CopyRate", "InfoLM(stride=4)", "BLEU")


def test_each_job_ends_as_it_ends_alone() -> None:
    """tests/contracts/test_together.py has every metric alone; here are several of them."""
    jobs = [job(rows(seed, count), *OF_ROWS) for seed, count in ((1, 1), (2, 7), (3, 4), (4, 1))]
    scored(*jobs)
    for one in jobs:
        assert one.error is None
        alike(one.table, nlgauge.evaluate(one.corpus, metrics=list(OF_ROWS), cache=False))


def test_jobs_share_a_run_unless_a_score_depends_on_other_rows() -> None:
    first = job(rows(1, 2), "BERTScore", "TokenF1")
    assert first.shares_with(job(rows(2, 3), "BERTScore", "TokenF1"))
    assert not first.shares_with(job(rows(2, 3), "BERTScore"))
    assert not first.shares_with(job(rows(2, 3), "BERTScore", "TokenF1", evidence=True))
    for spec in ("BERTScore(idf='references')", "MarkEvaluate", "PRD(clusters=2, runs=2)"):
        assert not job(rows(1, 2), spec).shares_with(job(rows(2, 3), spec))


def test_evidence_is_that_of_a_run_alone() -> None:
    spec = "Faithfulness"
    jobs = [job(rows(5, 2), spec, evidence=True), job(rows(6, 3), spec, evidence=True)]
    scored(*jobs)
    for one in jobs:
        alone = nlgauge.evaluate(one.corpus, metrics=[spec], evidence=True, cache=False)
        assert one.table is not None
        assert _words(one.table, spec) == _words(alone, spec)
        assert any(_words(alone, spec))


def _words(table: ScoreTable, spec: str) -> list[list[str]]:
    evidence = table.columns[spec].evidence
    return [[word["text"] for text in evidence[n].get("texts", []) for word in text["words"]] for n in sorted(evidence)]


def test_a_job_that_cannot_be_had_fails_alone_and_as_evaluate_does() -> None:
    good, bad = rows(8, 2), rows(9, 2, source=False)
    jobs = [job(good, "CopyRate", "BERTScore"), job(bad, "CopyRate", "BERTScore")]
    scored(*jobs)
    alike(jobs[0].table, nlgauge.evaluate(good, metrics=["CopyRate", "BERTScore"], cache=False))
    unfit = [job(good, "BARTScore"), job(bad, "BARTScore")]
    scored(*unfit)
    for one in (jobs[1], *unfit):
        assert one.table is None
        with pytest.raises(nlgauge.NlgaugeError) as alone:
            nlgauge.evaluate(one.corpus, metrics=list(one.metrics), cache=False)
        assert (type(one.error), str(one.error)) == (type(alone.value), str(alone.value))


@dataclass(frozen=True)
class Touchy(RowMetric):
    """Counts characters, and cannot stand an empty text."""

    columns = ("candidate",)

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        PASSES.append(len(rows))
        if any(not row.candidate for row in rows):
            raise ZeroDivisionError
        return [Value((float(len(row.candidate)),), notes=("counted",)) for row in rows]


PASSES: list[int] = []


@pytest.fixture(autouse=True)
def no_passes() -> None:
    PASSES.clear()


def touchy(*candidates: str) -> Job:
    return Job(Corpus.from_texts(candidates), {str(Touchy()): Touchy()}, {})


def _values(one: Job) -> list[float] | None:
    return None if one.table is None else one.table.values(str(Touchy())).tolist()


def test_a_job_that_fails_in_a_block_fails_alone() -> None:
    jobs = [touchy("a", "bc"), touchy("", "x"), touchy("defg")]
    scored(*jobs)
    assert PASSES == [5, 2, 2, 1]
    assert isinstance(jobs[1].error, ZeroDivisionError)
    assert [_values(one) for one in jobs] == [[1, 2], None, [4]]
    assert jobs[0].table is not None
    assert jobs[0].table.run["notes"] == {str(Touchy()): {"counted": 2}}, "no note is counted twice"


def test_a_job_that_was_given_up_is_not_computed_further(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "_ROWS_PER_BLOCK", 2)
    jobs = [touchy("a", "bc"), touchy(*"defgh"), touchy("ijk")]
    real = Touchy.score_rows

    def stopping(self: Touchy, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        if rows[0].candidate == "d":
            jobs[1].done.cancel()
        return real(self, rows, prepared, features)

    monkeypatch.setattr(Touchy, "score_rows", stopping)
    scored(*jobs)
    assert PASSES == [2, 2, 1], "of the second job not the second block"
    assert [_values(one) for one in jobs] == [[1, 2], None, [3]]
    assert jobs[1].error is None


def test_a_job_that_asks_for_too_much_work_is_refused_before_it_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs, seen = [job(rows(11, 40), "BERTScore"), job(rows(12, 1), "BERTScore")], list[str]()
    real = Engine.features

    def noted(engine: Engine, requests: Any, fresh: bool = False) -> Features:
        requests = list(requests)
        seen.extend(text for request in requests for text in request.texts)
        return real(engine, requests, fresh)

    monkeypatch.setattr(Engine, "features", noted)
    plan = Plan(jobs[1].corpus, jobs[1].metrics, Engine(loading.load("pocket")))
    scored(*jobs, work=2 * plan.scorer.weight(plan.corpus, [0]) / BLOCK_WEIGHT)
    assert isinstance(jobs[0].error, TooMuchWorkError)
    assert str(jobs[0].error).startswith("BERTScore would take ")
    assert jobs[1].error is None
    assert set(seen) == {jobs[1].corpus[0].candidate, *jobs[1].corpus[0].references}


def test_a_job_ends_as_soon_as_its_own_rows_are_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "_ROWS_PER_BLOCK", 2)
    ended: list[tuple[list[float] | None, int]] = []
    jobs = [touchy("a", "b"), touchy("cd", "ef", "gh"), touchy("jk")]
    scored(*jobs, ended=lambda one: ended.append((_values(one), len(PASSES))))
    assert ended == [([1, 1], 1), ([2, 2, 2], 3), ([2], 3)]


def test_a_job_whose_model_is_not_there_ends_with_an_error() -> None:
    jobs = [job(rows(seed, 2), "TokenF1", "BERTScore(model='absent')") for seed in (16, 17)]
    ended: list[Job] = []
    evaluate(jobs, {}, ended=ended.append)
    assert ended == jobs and jobs[0].table is None
    with pytest.raises(SpecError, match="no model 'absent' is loaded here"):
        raise jobs[0].error or AssertionError
