"""What Prometheus is told. Labels are routes and statuses of our own: nothing that a client wrote."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from nlgauge._version import __version__
from nlgauge.serve.batch import Job

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_COUNTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


class Measures:
    """The measures of one service, in a registry of its own."""

    def __init__(self, waiting: Callable[[], int], scoring: Callable[[], int]) -> None:
        self._registry = registry = CollectorRegistry()
        self._requests = Counter("nlgauge_requests", "Answers.", ["route", "status"], registry=registry)
        self._seconds = Histogram(
            "nlgauge_request_seconds", "From request to answer.", ["route"], buckets=_SECONDS, registry=registry
        )
        self._evaluations = Histogram(
            "nlgauge_evaluation_seconds", "Seconds of an evaluation, whose requests share it.", buckets=_SECONDS,
            registry=registry,
        )  # fmt: skip
        self._shared = Histogram(
            "nlgauge_evaluation_requests", "Requests that shared an evaluation.", buckets=_COUNTS, registry=registry
        )
        self._rows = Counter("nlgauge_rows", "Rows that were scored.", registry=registry)
        Gauge("nlgauge_waiting", "Requests that wait.", registry=registry).set_function(waiting)
        Gauge("nlgauge_scoring", "Requests that are being scored.", registry=registry).set_function(scoring)
        Gauge("nlgauge_info", "The library.", ["version"], registry=registry).labels(__version__).set(1)

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def evaluated(self, jobs: list[Job], seconds: float) -> None:
        """Count an evaluation."""
        self._evaluations.observe(seconds)
        self._shared.observe(len(jobs))
        self._rows.inc(sum(len(job.corpus) for job in jobs if job.error is None))

    def text(self) -> bytes:
        """All of them, as Prometheus reads them."""
        return generate_latest(self._registry)
