"""The process that scores: it gives the numbers of the library, can be ended at any moment, and is replaced."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from nlgauge.errors import NlgaugeError
from nlgauge.serve.allow_list import AllowList
from nlgauge.serve.answers import Refused
from nlgauge.serve.asking import Asking, Limits
from nlgauge.serve.batch import Job, evaluate
from nlgauge.serve.evaluator import EndedError, Evaluator, Setup
from nlgauge.serve.worker import Worker

LONG = 120.0
SPECS = ("EED", "TokenF1", "Length")
ASKING = Asking(AllowList.of(SPECS, None), Limits(characters=4_000_000))
TEXT = "".join(chr(97 + n % 23) for n in range(9000))
HOSTILE = {"candidate": TEXT, "references": [TEXT[::-1]]}
"""Keeps EED busy for minutes, in one step"""


def asked(record: dict[str, Any], spec: str = "TokenF1", seconds: float = LONG) -> Job:
    job = ASKING.job([record], [spec], evidence=False)
    job.until = time.monotonic() + seconds
    return job


def plain(n: int = 0) -> dict[str, Any]:
    return {"candidate": f"Rain fell {n} times.", "references": ["Rain fell 3 times."], "mine": {"a": [n, None]}}


@contextmanager
def started(**given: Any) -> Iterator[Evaluator]:
    evaluator = Evaluator(Setup(metrics=SPECS, **given))
    evaluator.start()
    try:
        yield evaluator
    finally:
        evaluator.stop()


@pytest.fixture(scope="module")
def evaluator() -> Iterator[Evaluator]:
    with started(turn=1.0) as made:
        yield made


def score(evaluator: Evaluator, *jobs: Job, crowded: Callable[[], bool] = lambda: False) -> list[Job]:
    ended: list[Job] = []
    evaluator.score(list(jobs), ended.append, crowded)
    return ended


def pid(evaluator: Evaluator) -> int:
    assert evaluator._process is not None
    return evaluator._process.pid


def test_answers_are_those_of_this_process(evaluator: Evaluator) -> None:
    jobs, alone = [asked(plain(n)) for n in range(4)], [asked(plain(n)) for n in range(4)]
    before = pid(evaluator)
    assert score(evaluator, *jobs) == jobs
    for job in alone:
        evaluate([job], {})
    assert [job.answer for job in jobs] == [job.answer for job in alone] and jobs[0].answer.startswith(b"{")
    assert pid(evaluator) == before, "no request starts a process"


def test_what_is_wrong_with_a_row_is_said_as_in_this_process(evaluator: Evaluator) -> None:
    job = asked({"candidate": "a"})
    score(evaluator, job)
    assert isinstance(job.error, Refused) and job.error.status == 422
    assert "no row has references" in job.error.line


def test_a_request_ends_in_its_time_and_the_process_is_replaced(evaluator: Evaluator) -> None:
    score(evaluator, asked(plain()))
    before, began = pid(evaluator), time.monotonic()
    late = asked(HOSTILE, "EED", seconds=0.5)
    score(evaluator, late)
    assert time.monotonic() - began < LONG / 2
    assert late.given_up and not late.answer
    score(evaluator, after := asked(plain()))
    assert after.error is None and after.answer and pid(evaluator) != before


def test_what_nobody_waits_for_is_not_sent(evaluator: Evaluator) -> None:
    late = asked(plain(), seconds=-1.0)
    score(evaluator, late)
    assert not late.answer
    before = pid(evaluator)
    score(evaluator, after := asked(plain()))
    assert after.answer and pid(evaluator) == before


def test_an_evaluation_is_ended_after_its_turn_where_others_wait(evaluator: Evaluator) -> None:
    score(evaluator, held := asked(HOSTILE, "EED"), crowded=lambda: True)
    assert isinstance(held.error, Refused) and held.error.status == 503 and "while others waited" in held.error.line
    began = time.monotonic()
    score(evaluator, alone := asked(HOSTILE, "EED", seconds=2.5))
    assert time.monotonic() - began > 2.5 and alone.error is None, "nobody waits, and it has all of its time"


def test_those_that_shared_an_evaluation_are_answered_though_it_was_ended(evaluator: Evaluator) -> None:
    jobs = [asked(record, "EED") for record in (HOSTILE, plain(1), plain(2))]
    score(evaluator, *jobs, crowded=lambda: True)
    assert isinstance(jobs[0].error, Refused)
    assert all(job.error is None and job.answer for job in jobs[1:])


def test_others_are_answered_while_a_request_is_held() -> None:
    with started(turn=0.5) as evaluator:
        worker = Worker(evaluator.score, Limits(seconds=60))
        worker.start()
        worker.submit(hostile := asked(HOSTILE, "EED"))
        time.sleep(0.2)
        others = [asked(plain(n)) for n in range(3)]
        for job in others:
            worker.submit(job)
        for job in others:
            assert job.done.result(LONG).answer
        assert isinstance(hostile.done.result(LONG).error, Refused)
        worker.stop(10)


def test_a_client_that_goes_away_is_told_to_the_process() -> None:
    with started() as evaluator:
        rows = [{"candidate": TEXT[:350], "references": [TEXT[:350][::-1]], "item": n} for n in range(256)]
        job = ASKING.job(rows, ["EED"], evidence=False)
        job.until = time.monotonic() + LONG
        threading.Timer(0.3, job.done.cancel).start()
        before = pid(evaluator)
        began = time.monotonic()
        score(evaluator, job)
        assert not job.answer and time.monotonic() - began < LONG / 2 and job.given_up
        assert pid(evaluator) == before, "it left off by itself"


def test_a_process_that_died_is_replaced(evaluator: Evaluator) -> None:
    score(evaluator, asked(plain()))
    assert evaluator._process is not None
    evaluator._process.kill()
    score(evaluator, lost := asked(plain()))
    assert isinstance(lost.error, Refused) and lost.error.status == 503
    score(evaluator, after := asked(plain()))
    assert after.answer


@pytest.mark.skipif(sys.platform != "linux", reason="this system bounds no memory of a process")
def test_a_request_cannot_have_more_memory_than_its_limit() -> None:
    large = {"candidate": "".join(f"word{n} " for n in range(300_000)), "references": ["b a " * 1000]}
    with started(memory=8) as evaluator:
        before = pid(evaluator)
        score(evaluator, job := asked(large))
        assert isinstance(job.error, Refused) and job.error.status in (413, 503) and not job.answer
        score(evaluator, after := asked(plain(), "Length"))
        assert after.answer and pid(evaluator) != before
    with started() as evaluator:
        score(evaluator, job := asked(large))
        assert job.answer


def test_what_cannot_be_loaded_is_said_at_the_start_and_a_stopped_one_starts_no_more() -> None:
    evaluator = Evaluator(Setup(metrics=["BARTScore"]))
    with pytest.raises(NlgaugeError, match="is not an encoder-decoder model"):
        evaluator.start()
    evaluator.stop()
    with pytest.raises(EndedError):
        evaluator.start()


def test_it_takes_no_module_of_the_folder_in_which_the_service_is_started(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "queue.py").write_text("raise SystemExit('taken')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [place for place in sys.path if place])
    with started() as evaluator:
        score(evaluator, job := asked(plain()))
        assert job.answer
