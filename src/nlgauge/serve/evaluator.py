"""The process that holds the models and does all work on texts, and how the service talks to it.

The service can end this process at any moment. So a time limit holds, however long a pattern, a library or a model
takes for a text. The process is started when the service starts, runs one evaluation after another, and is replaced
after it was ended. Both sides write lines of JSON, and no line can contain code.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import IO, Any

from nlgauge.data.corpus import Corpus, Row
from nlgauge.engine.models.capabilities import Model
from nlgauge.errors import NlgaugeError
from nlgauge.options import RunOptions
from nlgauge.serve.allow_list import AllowList
from nlgauge.serve.answers import Refused, Wanted, refusal
from nlgauge.serve.batch import Job, evaluate
from nlgauge.serve.worker import tell

_BEGIN = "import sys; sys.path[:] = sys.argv[1:]; from nlgauge.serve.evaluator import main; main()"
"""The code that the process starts with. Its arguments are the module paths of this process, to which the folder where
a user starts the service is not added"""
_GRACE_S = 1.0
"""The seconds that an evaluation has to end by itself after no client waits any more"""
_ASK_S = 0.05
"""The seconds after which the service looks again whether clients still wait"""
_COLUMNS = tuple(field.name for field in fields(Row))


@dataclass(frozen=True, kw_only=True)
class Setup:
    """The first message to the process: the metrics and models to load, and the limits."""

    metrics: Sequence[str]
    model: str | None = None
    any_metric: bool = False
    precision: str = "float32"
    backend: str = "auto"
    device: str | None = None
    work: float = 2.0
    """The largest work for one model in a request, in blocks that each take seconds"""
    memory: int = 4096
    """The memory in MiB that requests may take in addition to the models"""
    turn: float = 20.0
    """The largest number of seconds that an evaluation may take while other requests wait"""


class EndedError(NlgaugeError):
    """An error for a process that ended before it had answered."""


class Evaluator:
    """The side of the service: it starts the process that evaluates, sends jobs to it and receives their results.

    Args:
        setup: the first message to the process.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._process: subprocess.Popen[bytes] | None = None
        self._heard: queue.SimpleQueue[tuple[Mapping[str, Any], bytes] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._stopped = False

    def start(self) -> None:
        """Start the process, and wait until its models are loaded.

        Raises:
            NlgaugeError: a model cannot be loaded, or a metric cannot score rows.
        """
        with self._lock:
            if self._stopped:
                raise EndedError
            heard: queue.SimpleQueue[tuple[Mapping[str, Any], bytes] | None] = queue.SimpleQueue()
            self._heard = heard
            self._process = process = subprocess.Popen(
                [sys.executable, "-c", _BEGIN, *(place or str(Path.cwd()) for place in sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        assert process.stdout is not None
        threading.Thread(target=_listen, args=(process.stdout, heard), daemon=True).start()
        self._say(asdict(self._setup))
        first = heard.get()
        if first is None:
            raise EndedError("the process that scores ended before its models were loaded")
        if "failed" in first[0]:
            self._end()
            raise NlgaugeError(first[0]["failed"])

    def stop(self) -> None:
        """End the process at once, and start no new one."""
        self._stopped = True
        self._end()

    def score(
        self, jobs: Sequence[Job], ended: Callable[[Job], object], crowded: Callable[[], bool] = lambda: False
    ) -> None:
        """Score jobs that share a run. Each job ends with its answer or its error.

        The process is ended if an evaluation takes longer than the clients of its jobs wait, or longer than
        `Setup.turn` while other jobs wait. The jobs that shared the evaluation are then scored one by one. The first of
        them comes last, because it is the most likely to have taken the time.

        Args:
            jobs: at least one job.
            ended: called with each job as soon as it has ended.
            crowded: returns whether other jobs wait.
        """
        trouble = self._together(jobs, ended, crowded)
        left = [job for job in jobs if job.wanted]
        if trouble is None:
            return
        if len(jobs) > 1:
            for job in (*left[1:], *left[:1]):
                self.score([job], ended, crowded)
        elif left:
            left[0].end(Refused(503, trouble))
            ended(left[0])

    def _together(self, jobs: Sequence[Job], ended: Callable[[Job], object], crowded: Callable[[], bool]) -> str | None:
        """Score jobs in one run. The arguments are those of `score`.

        Returns:
            None after the run; or, if the process ended before it had answered all jobs, the reason.
        """
        try:
            if self._process is None:
                self.start()
            numbers = {number: job for number, job in enumerate(jobs) if job.wanted}
            if not numbers:
                return None
            gone: set[int] = set()
            self._say({"jobs": {number: _record(job) for number, job in numbers.items()}})
            began = time.monotonic()
            while True:
                try:
                    message = self._heard.get(timeout=_ASK_S)
                except queue.Empty:
                    now = time.monotonic()
                    others = len(numbers) > 1 or crowded()
                    if others and now - began > self._setup.turn:
                        raise EndedError(_TURN.format(self._setup.turn)) from None
                    if now > max((job.until for job in numbers.values()), default=began) + _GRACE_S:
                        raise EndedError(_LATE) from None
                    left = {number for number, job in numbers.items() if job.given_up}
                    if left - gone:
                        self._say({"gone": sorted(left - gone)})
                        gone |= left
                    continue
                if message is None:
                    raise EndedError
                record, body = message
                if "ended" in record:
                    if record["spent"]:
                        self._end()
                    return None
                job = numbers.pop(record["job"])
                began = time.monotonic()
                if record["status"] == 200:
                    job.answer = body
                    job.end()
                else:
                    job.end(Refused(record["status"], record["line"], record["row"]))
                ended(job)
        except (EndedError, OSError, NlgaugeError) as error:
            self._end()
            return str(error) or _DIED

    def _say(self, record: Mapping[str, Any]) -> None:
        process = self._process
        if process is None or process.stdin is None:
            raise EndedError
        try:
            process.stdin.write(json.dumps(record).encode("ascii") + b"\n")
            process.stdin.flush()
        except (OSError, ValueError):  # it ended, or its pipe is closed
            raise EndedError from None

    def _end(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()


_LATE = "the scores were not there in time (send less at a time, or try later)"
_TURN = "the evaluation took longer than {:g} seconds while others waited (send less at a time, or try later)"
_DIED = "the process that scores ended while it scored this request (send less at a time, or try later)"


def _listen(pipe: IO[bytes], heard: queue.SimpleQueue[tuple[Mapping[str, Any], bytes] | None]) -> None:
    """Put each message of the process into a queue as a record and a body, and None after the last message."""
    try:
        with pipe:
            while line := pipe.readline():
                record = json.loads(line)
                heard.put((record, pipe.read(record.get("size", 0))))
    except (OSError, ValueError):  # it was ended within a line
        pass
    heard.put(None)


def _record(job: Job) -> dict[str, Any]:
    assert job.wanted_as is not None
    return {
        "rows": [[getattr(row, column) for column in _COLUMNS] for row in job.corpus],
        "metrics": list(job.metrics),
        "asked": job.asked,
        "evidence": job.evidence,
        "seconds": max(0.0, job.until - time.monotonic()),
        "wanted_as": job.wanted_as,
    }


def _job(record: Mapping[str, Any], allowed: AllowList) -> Job:
    rows = (Row(candidate, tuple(references), *others) for candidate, references, *others in record["rows"])
    metrics = {spec: allowed.metric(spec) for spec in record["metrics"]}
    kind, options = record["wanted_as"]
    until = time.monotonic() + record["seconds"]
    return Job(
        Corpus(tuple(rows)),
        metrics,
        record["asked"],
        evidence=record["evidence"],
        until=until,
        wanted_as=Wanted(kind, options),
    )


def main() -> None:
    """Load the models that the first line names, then score the jobs of the next lines until the service ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # which the terminal sends to the service too, and that decides
    heard, said = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    setup = Setup(**json.loads(heard.readline()))
    allowed = AllowList.of(setup.metrics, setup.model, setup.any_metric)
    try:
        options = RunOptions(precision=setup.precision, backend=setup.backend, device=setup.device)
        models = load_models(allowed, options)
        try_out(allowed, models)
    except NlgaugeError as error:
        _send(said, {"failed": str(error)})
        return
    groups: queue.SimpleQueue[dict[int, Job]] = queue.SimpleQueue()
    threading.Thread(target=_hear, args=(heard, allowed, groups), daemon=True).start()
    bound_memory(setup.memory)
    _send(said, {"ready": True})
    try:
        while True:
            _score(groups.get(), models, setup.work, said)
    except BaseException as error:  # which may say words of a row
        tell(error)
        os._exit(1)


def _hear(heard: IO[bytes], allowed: AllowList, groups: queue.SimpleQueue[dict[int, Job]]) -> None:
    """Read the messages of the service, and queue its jobs. This process ends when the service has ended.

    Args:
        heard: the stream of messages.
        allowed: the metrics that requests may use.
        groups: a queue that gets the jobs of each run, by their numbers.
    """
    try:
        jobs: dict[int, Job] = {}
        while line := heard.readline():
            message = json.loads(line)
            for number in message.get("gone", ()):
                if number in jobs:
                    jobs[number].done.cancel()
            if "jobs" in message:
                jobs = {int(number): _job(record, allowed) for number, record in message["jobs"].items()}
                groups.put(jobs)
    except Exception as error:
        tell(error)
    finally:
        os._exit(0)


def _score(jobs: Mapping[int, Job], models: Mapping[str, Model], work: float, said: IO[bytes]) -> None:
    numbers = {id(job): number for number, job in jobs.items()}
    spent = False

    def ended(job: Job) -> None:
        nonlocal spent
        number = numbers[id(job)]
        if job.error is None:
            _send(said, {"job": number, "status": 200, "size": len(job.answer)}, job.answer)
            return
        spent = spent or isinstance(job.error, MemoryError)  # of which not all is given back
        refused = refusal(job.error)
        if refused.status == 500:
            tell(job.error)
        _send(said, {"job": number, "status": refused.status, "line": refused.line, "row": refused.row})

    evaluate(list(jobs.values()), models, work, ended)
    _send(said, {"ended": True, "spent": spent})


def _send(said: IO[bytes], record: Mapping[str, Any], body: bytes = b"") -> None:
    said.write(json.dumps(record).encode("ascii") + b"\n" + body)
    said.flush()


def bound_memory(mebibytes: int) -> bool:
    """Limit the memory that this process may take beyond what it has now. Return False if the system cannot do this."""
    try:
        import resource

        held = next(
            int(line.split()[1]) << 10
            for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines()
            if line.startswith("VmData:")
        )
        resource.setrlimit(resource.RLIMIT_DATA, (held + (mebibytes << 20),) * 2)
    except (ImportError, OSError, ValueError, StopIteration):
        return False
    return True


_SAMPLE = {
    "candidate": "The ferry was late again.",
    "references": ["Once more the ferry was late."],
    "source": "The morning ferry left an hour late, for the third time this week.",
    "context": "How was the ferry?",
}


def load_models(allowed: AllowList, options: RunOptions) -> dict[str, Model]:
    """Return every model that a request may use, by name. Raises what `nlgauge.engine.models.loading.load` raises."""
    return {name: options.load(name) for name in allowed.models}


def try_out(allowed: AllowList, models: dict[str, Model]) -> None:
    """Score a sample row by every named metric, so that each metric reads now the files that it needs at first use.

    Args:
        allowed: the metrics.
        models: the models by name.

    Raises:
        Exception: the error of a metric, for instance for a missing library.
    """
    job = Job(Corpus.from_records([_SAMPLE]), allowed.named, allowed.asked, evidence=True)
    evaluate([job], models)
    if job.error is not None:
        raise job.error
