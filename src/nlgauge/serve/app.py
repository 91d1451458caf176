"""The application with its routes. Each route is a few lines that pass a job to a worker."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Collection, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from fastapi import FastAPI
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from nlgauge._version import __version__
from nlgauge.contract.base import RowMetric
from nlgauge.errors import InputError, NlgaugeError, SpecError
from nlgauge.serve import answers, openapi, page
from nlgauge.serve.admission import CONTENT_TYPE, Admission, Keys, Measures
from nlgauge.serve.allow_list import AllowList, listing
from nlgauge.serve.answers import Refused, Wanted, refusal
from nlgauge.serve.asking import Asking, Limits, body_of, characters_of, content_of
from nlgauge.serve.batch import Job
from nlgauge.serve.stream import Lines, Verdicts
from nlgauge.serve.worker import Score, Worker, tell

M = TypeVar("M", bound=BaseModel)
# The web framework can send traces and logs with what errors say; nothing leaves the service.
_SILENT: Any = {"tracing": False, "metrics": False, "logs": False, "operation_spans": False, "auto_configure": False}


class Service:
    """The service: the allow-list, the limits, and the workers that pass jobs on to be scored.

    Args:
        allowed: the metrics that requests may use.
        score: scores jobs.
        limits: the limits of time and size.
        score_long: scores the long jobs, at the same time as `score` scores short jobs, so that no short job waits for
            a long one. None if `score` scores all jobs.
    """

    def __init__(self, allowed: AllowList, score: Score, limits: Limits, score_long: Score | None = None) -> None:
        self.allowed, self.limits = allowed, limits
        self.asking = Asking(allowed, limits)
        self.measures = Measures(
            lambda: sum(worker.waiting for worker in self.workers),
            lambda: sum(worker.scoring for worker in self.workers),
        )
        self.worker = Worker(score, limits, self.measures.evaluated)
        self.long = self.worker if score_long is None else Worker(score_long, limits, self.measures.evaluated)
        """The worker of long requests; it may be the worker of all requests"""

    @property
    def workers(self) -> tuple[Worker, ...]:
        """All workers, each of them once."""
        return tuple(dict.fromkeys((self.worker, self.long)))

    def start(self) -> None:
        """Start all workers."""
        for worker in self.workers:
            worker.start()

    def stop(self, wait: float) -> None:
        """Accept no more jobs, and finish those that a client waits for, in at most `wait` seconds for each worker."""
        for worker in self.workers:
            worker.stop(wait)

    async def answer(self, job: Job, request: Request) -> Response:
        """Return the answer to a job.

        Args:
            job: the rows and metrics of the request.
            request: the request, which tells whether the client has left.

        Returns:
            The HTTP response.

        Raises:
            Refused: the scores are not ready in time, or the client has left before.
            Exception: the error with which the job failed.
        """
        return Response(await self.ended(job, lambda: _gone(request)), media_type="application/json")

    async def ended(self, job: Job, leaving: Callable[[], Coroutine[Any, Any, object]]) -> bytes:
        """Submit a job, wait for its end, and return the body of its answer.

        A job is given up when the client leaves, or when the time is over.

        Args:
            job: the rows and the metrics of a request.
            leaving: makes a coroutine that ends when the client has left.

        Returns:
            The body of the answer, as JSON.

        Raises:
            Refused: the scores are not there in time, or the client left before.
            Exception: the error with which the job failed.
        """
        worker = self.worker if characters_of(job.corpus) <= self.limits.short else self.long
        worker.submit(job)
        gone = asyncio.ensure_future(leaving())
        try:
            waiting = (asyncio.wrap_future(job.done), gone)
            await asyncio.wait(waiting, timeout=self.limits.seconds, return_when=asyncio.FIRST_COMPLETED)
            if gone.done() and not job.done.done():
                raise Refused(408, "the client went away before its answer was there")
        finally:
            gone.cancel()
            job.done.cancel()  # what nobody waits for is given up before its next block
        if job.error is not None:
            raise job.error
        if not job.answer:
            raise Refused(503, f"no answer within {self.limits.seconds:g} seconds (send less at a time, or try later)")
        return job.answer


async def _gone(request: Request) -> None:
    """Wait until the client has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def application(service: Service, *, keys: Keys, hosts: Collection[str] | None = None, log: bool = True) -> ASGIApp:
    """Return the application of a service.

    Args:
        service: the service.
        keys: the API keys that give access.
        hosts: the host names that requests may be sent to; None for any.
        log: whether every request is logged.

    Returns:
        The application, with all routes.
    """

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.start()
        yield
        service.stop(0)

    app = FastAPI(
        title="nlgauge",
        version=__version__,
        summary="Measures generated text.",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,  # their pages load scripts from elsewhere
        telemetry=_SILENT,
    )
    _errors(app)
    _scoring(app, service)
    _about(app, service)
    routes = {path for route in app.routes if (path := getattr(route, "path", None)) is not None}
    return Admission(app, keys=keys, measures=service.measures, routes=routes, hosts=hosts, log=log)


def _scoring(app: FastAPI, service: Service) -> None:
    asking = service.asking

    @app.post("/score", **openapi.SCORE)
    async def score(request: Request) -> Response:
        body = await _read(request, service.limits, openapi.ScoreBody)
        job = asking.job(body.rows, body.metrics, body.evidence)
        return await service.answer(job, request)

    @app.post("/explain", **openapi.EXPLAIN)
    async def explain(request: Request) -> Response:
        body = await _read(request, service.limits, openapi.ExplainBody)
        job = asking.job(body.rows, [body.metric], evidence=True, wanted=Wanted("explanations"))
        if sets := [spec for spec, metric in job.metrics.items() if not isinstance(metric, RowMetric)]:
            raise SpecError(f"{sets[0]} measures sets of texts and no single rows: ask /score for its evidence")
        return await service.answer(job, request)

    @app.post("/check", **openapi.CHECK)
    async def checked(request: Request) -> Response:
        body = await _read(request, service.limits, openapi.CheckBody)
        if body.metric is None and not body.grounded:
            raise SpecError("name a metric, or ask for grounded")
        metric = body.metric or service.allowed.grounded
        asked = body.model_dump(include={"part", "at_least", "at_most", "grounded", "strict", "allow_missing"})
        job = asking.job(body.rows, [metric], evidence=True, wanted=Wanted("verdict", asked))
        return await service.answer(job, request)

    @app.post("/stream", **openapi.STREAM)
    async def streamed(request: Request) -> Response:
        lines = Lines(request, service.limits)
        try:
            body = _checked(await lines.next() or b"{}", openapi.StreamBody)
            row = {"source": body.source, "question": body.question}
            metric = body.metric or service.allowed.grounded
            asking.job([{**row, "candidate": ""}], [metric], evidence=True)  # what is wrong with it is said at once
        except BaseException:
            lines.close()
            raise

        async def record_of(sentence: str) -> dict[str, Any]:
            wanted = Wanted("verdict", {"grounded": True})
            job = asking.job([{**row, "candidate": sentence}], [metric], evidence=True, wanted=wanted)
            (record,) = json.loads(await service.ended(job, lines.gone.wait))["rows"]
            return dict(record)

        return Verdicts(lines, lambda line: _checked(line, openapi.PieceBody).text, record_of)


async def _read(request: Request, limits: Limits, kind: type[M]) -> M:
    """Return the body of a request as an object of its pydantic model. Raises Refused and InputError."""
    return _checked(await body_of(request, limits), kind)


def _checked(body: bytes, kind: type[M]) -> M:
    """Return an object of a pydantic model from JSON. Raises InputError for JSON that does not fit the model."""
    content = content_of(body)
    try:
        return kind.model_validate(content)
    except ValidationError as bad:
        first = bad.errors(include_url=False, include_context=False, include_input=False)[0]
        place = " ".join(map(str, first["loc"]))
        problem = f"{place if len(place) <= 80 else place[:77] + '...'}: {first['msg']}"
        raise InputError(problem, remedy="see /openapi.json") from None


def _about(app: FastAPI, service: Service) -> None:
    @app.get("/metrics-list", **openapi.LIST)
    async def metrics_list() -> Response:
        return _json(listing(service.allowed))

    @app.get("/metrics", **openapi.METRICS)
    async def metrics() -> Response:
        return Response(service.measures.text(), media_type=CONTENT_TYPE)

    @app.get("/health", **openapi.HEALTH)
    async def health() -> Response:
        return _json({"status": "ok"})

    @app.get("/ready", **openapi.READY)
    async def ready() -> Response:
        if trouble := service.worker.trouble:
            raise Refused(503, trouble)
        return _json({"status": "ready"})

    @app.get("/", include_in_schema=False)
    async def paste() -> Response:
        return Response(page.HTML, media_type="text/html; charset=utf-8", headers=page.HEADERS)


def _errors(app: FastAPI) -> None:
    """Let the application answer every error with a status and one line, as the command prints it."""

    async def one_line(_: Request, error: Exception) -> Response:
        refused = refusal(error)
        if refused.status == 500:
            tell(error)
        return answers.response(refused)

    async def of_a_route(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        record = {"error": f"{error.detail.lower()} (the routes are in /openapi.json)"}
        return Response(answers.encoded(record), error.status_code, error.headers, "application/json")

    for kind in (Refused, NlgaugeError, Exception):
        app.add_exception_handler(kind, one_line)
    app.add_exception_handler(HTTPException, of_a_route)


def _json(record: dict[str, Any]) -> Response:
    return Response(answers.encoded(record), media_type="application/json")
