"""A run that holds some thousand rows at a time: here, or on a cluster; into a table, or into a folder as it goes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from nlgauge.data.corpus import Corpus
from nlgauge.data.table import ScoreTable
from nlgauge.engine.engine import Engine
from nlgauge.engine.models import loading
from nlgauge.engine.windows import WINDOW_POLICIES, WindowPolicy
from nlgauge.errors import SpecError
from nlgauge.metrics.base import Metric, model_of
from nlgauge.run.distributed import Cluster
from nlgauge.run.distributed.worker import ModelSetting
from nlgauge.run.filling import Filling
from nlgauge.run.job import Job
from nlgauge.run.sections import Scorer, here, in_sections
from nlgauge.run.store import Store, opened
from nlgauge.run.written import Written

ROWS_PER_BLOCK = 4096


@dataclass(frozen=True)
class Streaming:
    """How a run is cut into blocks of rows, and where it goes. Raises SpecError for blocks of no rows.

    output: a folder, or None for a table in memory. ray: 'local', an address or a Cluster; None to compute here.
    """

    rows_per_block: int | None = None
    output: str | Path | None = None
    ray: str | Cluster | None = None

    def __post_init__(self) -> None:
        if self.rows_per_block is not None and self.rows_per_block < 1:
            raise SpecError(f"rows_per_block is {self.rows_per_block}; a block has at least 1 row")

    def __bool__(self) -> bool:
        return any(one is not None for one in (self.rows_per_block, self.output, self.ray))

    @property
    def cluster(self) -> Cluster | None:
        return Cluster(self.ray) if isinstance(self.ray, str) else self.ray


@dataclass(frozen=True)
class Models:
    """How the models of a run are loaded and read. Raises SpecError for a window policy that there is not."""

    precision: str = "float32"
    backend: str = "auto"
    device: str | None = None
    batch_tokens: int | None = None
    window: WindowPolicy = "slide"

    def __post_init__(self) -> None:
        if self.window not in WINDOW_POLICIES:
            raise SpecError(f"window {self.window!r} is not one of {', '.join(WINDOW_POLICIES)}")

    def engine(self, name: str, store: Store | None, progress: bool = False) -> Engine:
        load = partial(loading.load, precision=self.precision, backend=self.backend, device=self.device)
        return Engine(load(name), self.window, progress, batch_tokens=self.batch_tokens, kept=store, load=load)

    def setting(self, engine: Engine | None) -> ModelSetting | None:
        """What a worker loads to have the same engine."""
        if engine is None:
            return None
        return ModelSetting(engine.model.name, facts=engine.facts, **vars(self))


def stream(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    asked: Mapping[str, str],
    streaming: Streaming,
    models: Models,
    *,
    evidence: bool = False,
    against: Corpus | None = None,
    progress: bool = False,
    cache: bool | str | Path = True,
) -> ScoreTable:
    """Score all rows in blocks. metrics: by spec. asked: specs by what was asked for; all else as in `evaluate`."""
    began = time.monotonic()
    size = streaming.rows_per_block or ROWS_PER_BLOCK
    with opened(cache) as store:
        jobs = list(_jobs(corpus, metrics, models, store, evidence, against))
        into: AbstractContextManager[Filling | Written] = nullcontext(Filling(corpus, metrics, asked, evidence))
        if streaming.output is not None:
            into = Written(corpus, metrics, asked, evidence, streaming.output, size, jobs)
        with into as sink:
            with _scorer(jobs, streaming, models) as scorer:
                in_sections(corpus, jobs, size, sink, scorer, progress)
            ledgers = {job.engine.model.name: vars(job.engine.ledger) for job in jobs if job.engine is not None}
            return sink.end(jobs, {"seconds": round(time.monotonic() - began, 3), "models": ledgers})


def _jobs(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    models: Models,
    store: Store | None,
    evidence: bool,
    against: Corpus | None,
) -> Iterator[Job]:
    """One of the string metrics, and one of those of each model."""
    for name in dict.fromkeys(map(model_of, metrics.values())):
        some = {spec: metric for spec, metric in metrics.items() if model_of(metric) == name}
        engine = None if name is None else models.engine(name, store)
        yield Job(corpus, some, engine, store=store, evidence=evidence, against=against)


@contextmanager
def _scorer(jobs: list[Job], streaming: Streaming, models: Models) -> Iterator[Scorer]:
    if streaming.cluster is None:
        yield here(jobs)
        return
    settings = [models.setting(job.engine) for job in jobs]
    with streaming.cluster.scorer([job.bindings for job in jobs], settings) as scorer:
        yield scorer
