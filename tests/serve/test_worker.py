"""The worker: what waits is scored together, what is too much is sent away, and what was taken is finished."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from nlgauge.contract.base import Prepared, RowMetric, Value
from nlgauge.data.corpus import Corpus, Row
from nlgauge.engine.features.request import Features
from nlgauge.serve import batch
from nlgauge.serve.answers import Refused
from nlgauge.serve.asking import Limits
from nlgauge.serve.batch import Job
from nlgauge.serve.worker import Worker

LONG = 30.0
GATE = threading.Event()
BEGUN = threading.Semaphore(0)


@dataclass(frozen=True)
class Slow(RowMetric):
    """Counts characters once the gate is open, and cannot stand an empty text."""

    columns = ("candidate",)

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        BEGUN.release()
        assert GATE.wait(LONG)
        if any(not row.candidate for row in rows):
            raise ZeroDivisionError("a secret word of a row")
        return [Value((float(len(row.candidate)),)) for row in rows]


def job(*candidates: str) -> Job:
    return Job(Corpus.from_texts(candidates), {str(Slow()): Slow()}, {})


def score(jobs: list[Job], ended: Callable[[Job], object], crowded: object) -> None:
    batch.evaluate(jobs, {}, float("inf"), ended)


def submitted(worker: Worker, *candidates: str) -> Job:
    worker.submit(asked := job(*candidates))
    return asked


def values(asked: Job) -> list[float]:
    done = asked.done.result(LONG)
    assert done.table is not None
    return done.table.values(str(Slow())).tolist()


@pytest.fixture(autouse=True)
def shut() -> Iterator[None]:
    global BEGUN
    GATE.clear()
    BEGUN = threading.Semaphore(0)
    yield
    GATE.set()


@contextmanager
def working(told: Callable[[list[Job], float], object] = lambda jobs, seconds: None, **limits: Any) -> Iterator[Worker]:
    worker = Worker(score, Limits(**limits), told)
    worker.start()
    yield worker
    GATE.set()
    worker.stop(60)


def test_an_evaluation_holds_so_many_rows_and_a_larger_request_alone() -> None:
    together: list[list[int]] = []
    with working(lambda jobs, seconds: together.append([len(one.corpus) for one in jobs]), batch_rows=3) as worker:
        first = submitted(worker, "a")
        assert BEGUN.acquire(timeout=LONG)
        jobs = [submitted(worker, *"x" * count) for count in (2, 1, 1, 5, 3)]
        GATE.set()
        for one in (first, *jobs):
            assert len(values(one)) == len(one.corpus)
    assert together == [[1], [2, 1], [1], [5], [3]]


def test_what_was_taken_is_finished_before_the_end() -> None:
    with working() as worker:
        taken = [submitted(worker, "a")]
        assert BEGUN.acquire(timeout=LONG)
        taken += [submitted(worker, "b" * n) for n in range(1, 4)]
        stopping = threading.Thread(target=worker.stop, args=(60,))
        stopping.start()
        while worker.trouble is None:
            time.sleep(0.001)
        with pytest.raises(Refused, match="about to stop") as refused:
            submitted(worker, "z")
        assert refused.value.status == 503
        assert not any(one.done.done() for one in taken)
        GATE.set()
        stopping.join(LONG)
        assert [values(one) for one in taken] == [[1], [1], [2], [3]]


def test_what_nobody_waits_for_is_not_scored() -> None:
    seen: list[str] = []
    told = lambda jobs, seconds: seen.extend(row.candidate for one in jobs for row in one.corpus)  # noqa: E731
    with working(told) as worker:
        first = submitted(worker, "a")
        assert BEGUN.acquire(timeout=LONG)
        left, late, kept = (submitted(worker, text) for text in ("left", "late", "kept"))
        left.done.cancel()
        late.until = 0.0
        GATE.set()
        assert values(kept) == [4]
        assert values(first) == [1]
        with pytest.raises(CancelledError):
            left.done.result(0)
    assert seen == ["a", "kept"]


def test_an_evaluation_that_breaks_as_a_whole_leaves_nobody_waiting(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*arguments: object, **named: object) -> None:
        raise MemoryError("a secret word of a row")

    monkeypatch.setattr("nlgauge.serve.batch.evaluate", broken)
    with working() as worker:
        assert isinstance(submitted(worker, "a").done.result(LONG).error, RuntimeError)
        monkeypatch.undo()
        GATE.set()
        assert values(submitted(worker, "ab")) == [2]
    errors = capfd.readouterr().err
    assert "MemoryError at " in errors and "test_worker.py" in errors
    assert "secret" not in errors


def test_an_evaluation_that_takes_longer_than_a_request_may_is_trouble() -> None:
    with working(seconds=0.5) as worker:  # a shorter time may be over before a busy machine has begun the job
        assert worker.trouble is None
        submitted(worker, "a")
        assert BEGUN.acquire(timeout=LONG)
        while worker.trouble is None:
            time.sleep(0.001)
        assert worker.trouble == "one evaluation takes longer than any request may"


def test_a_request_whose_client_is_gone_is_dropped_before_its_next_block(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fastapi", reason="needs nlgauge[serve]")
    from starlette.requests import Request

    from nlgauge.serve.allow_list import AllowList
    from nlgauge.serve.app import Service

    monkeypatch.setattr("nlgauge.serve.batch._ROWS_PER_BLOCK", 1)
    service, asked = Service(AllowList.of(["Length"], None), score, Limits()), job(*"abcdefgh")

    async def gone() -> dict[str, str]:
        assert await asyncio.to_thread(BEGUN.acquire, timeout=LONG), "the first block is being scored"
        return {"type": "http.disconnect"}

    service.worker.start()
    try:
        with pytest.raises(Refused, match="the client went away"):
            asyncio.run(service.answer(asked, Request({"type": "http"}, gone)))
        GATE.set()
        assert values(submitted(service.worker, "ij")) == [2]
    finally:
        service.worker.stop(60)
    assert BEGUN.acquire(blocking=False) and not BEGUN.acquire(blocking=False), "one block is of the other request"
    assert asked.table is None and asked.error is None


def test_a_short_request_does_not_wait_for_a_long_one() -> None:
    pytest.importorskip("fastapi", reason="needs nlgauge[serve]")
    from nlgauge.serve.allow_list import AllowList
    from nlgauge.serve.app import Service

    by: list[str] = []

    def of_short(jobs: list[Job], ended: Callable[[Job], object], crowded: object) -> None:
        by.append("short")
        score(jobs, ended, crowded)

    def of_long(jobs: list[Job], ended: Callable[[Job], object], crowded: object) -> None:
        by.append("long")
        BEGUN.release()
        assert GATE.wait(LONG)
        score(jobs, ended, crowded)

    service = Service(AllowList.of(["Length"], None), of_short, Limits(short=8), of_long)

    def asked(*texts: str) -> Job:
        return service.asking.job([{"candidate": text, "item": n} for n, text in enumerate(texts)], None, False)

    async def both() -> None:
        never = asyncio.Event().wait
        long = asyncio.ensure_future(service.ended(asked("a long one"), never))
        assert await asyncio.to_thread(BEGUN.acquire, timeout=LONG)
        assert (service.worker.scoring, service.long.scoring) == (0, 1)
        assert await service.ended(asked("four", "more"), never), "eight characters are short"
        assert not long.done()
        GATE.set()
        assert await long

    service.start()
    try:
        asyncio.run(both())
    finally:
        service.stop(60)
    assert by == ["long", "short"]


def test_a_service_with_one_way_to_score_has_one_worker() -> None:
    pytest.importorskip("fastapi", reason="needs nlgauge[serve]")
    from nlgauge.serve.allow_list import AllowList
    from nlgauge.serve.app import Service

    service = Service(AllowList.of(["Length"], None), score, Limits())
    assert service.workers == (service.worker,) and service.long is service.worker
