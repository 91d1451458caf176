"""One service for all tests of it, small limits where a test needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import Model
from nlgauge.serve import batch
from nlgauge.serve.allow_list import AllowList
from nlgauge.serve.asking import Limits
from nlgauge.serve.batch import Job

SPECS = ("Faithfulness", "BERTScore", "TokenF1")
HOST = "127.0.0.1"


@pytest.fixture(scope="session")
def allowed() -> AllowList:
    return AllowList.of(SPECS, None, any_metric=True)


@pytest.fixture(scope="session")
def models() -> dict[str, Model]:
    return {"pocket": loading.load("pocket")}


@pytest.fixture(scope="session")
def serving(allowed: AllowList, models: dict[str, Model]) -> Callable[..., AbstractContextManager[Any]]:
    """Starts a service in this process, and gives a client of it."""
    for library in ("fastapi", "uvicorn", "prometheus_client"):
        pytest.importorskip(library, reason="needs nlgauge[serve]")
    pytest.importorskip("httpx", reason="needs the dependency group dev")
    from starlette.testclient import TestClient

    from nlgauge.serve.admission import Keys
    from nlgauge.serve.app import Service, application

    @contextmanager
    def started(
        limits: Limits | None = None, allowed: AllowList = allowed, keys: tuple[str, ...] = (), log: bool = False
    ) -> Iterator[Any]:
        limits = limits or Limits()

        def score(jobs: list[Job], ended: Callable[[Job], object], crowded: object) -> None:
            batch.evaluate(jobs, models, limits.work, ended)

        service = Service(allowed, score, limits)
        app = application(service, keys=Keys(keys), hosts={HOST}, log=log)
        with TestClient(app, base_url=f"http://{HOST}") as client:
            client.service = service
            yield client

    return started


@pytest.fixture(scope="session")
def client(serving: Callable[..., AbstractContextManager[Any]]) -> Iterator[Any]:
    with serving() as client:
        yield client
