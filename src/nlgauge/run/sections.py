"""Millions of rows, some thousand at a time: what is in memory is what is being worked at.

A section is the same rows in every run of the same corpus, and is scored by a pure function of them and of what was
prepared, here or in other processes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from tqdm import tqdm

from nlgauge.data.corpus import Corpus, Row
from nlgauge.engine.engine import Engine
from nlgauge.run.bound import Bindings, Block, Found
from nlgauge.run.job import Job
from nlgauge.run.part import Part
from nlgauge.run.scored import Scored
from nlgauge.run.sets import Gathered


class Work(NamedTuple):
    """A section that is to be scored."""

    first: int
    """The number of its first row in the corpus"""
    rows: Sequence[Row]
    missing: Sequence[Mapping[str, Sequence[int]]]
    """For each job, what has to be scored: positions in `rows`, by metric"""
    damaged: Sequence[frozenset[int]]


class Done(NamedTuple):
    """What came of a section, of each job."""

    scored: Sequence[Mapping[str, Mapping[int, Scored]]]
    """By metric and position"""
    gathered: Sequence[Mapping[str, Gathered]]
    """By metric of sets"""


Scorer = Callable[[Iterable[Work]], Iterator[Done]]
"""Scores sections in their order; it asks for the next one when it has room for it"""


class Sink(Protocol):
    """Where scores go."""

    def known(self, rows: Sequence[int]) -> Block | None:
        """What is there of some rows already."""
        ...

    def take(self, scored: Block) -> None:
        """Take the scores of some rows by all metrics of rows."""
        ...


def score_work(work: Work, bindings: Sequence[Bindings], engines: Sequence[Engine | None]) -> Done:
    """Score a section. Raises InputError with the number of the row in the corpus, counted from 1."""
    scored: list[dict[str, dict[int, Scored]]] = []
    gathered: list[Mapping[str, Gathered]] = []
    positions = range(len(work.rows))
    for (bound, sets, evidence), engine, missing, damaged in zip(
        bindings, engines, work.missing, work.damaged, strict=True
    ):
        apart = {spec: one.apart() for spec, one in sets.items()}
        part = Part(work.rows, Bindings(bound, apart, evidence), engine)
        found: dict[str, dict[int, Scored]] = {spec: {} for spec in bound}
        if any(missing.values()) or apart:
            if engine is not None and engine.window == "error":
                for position in positions:
                    engine.check(part.requests([position]), work.first + position + 1)
            for block in part.computed(Found(Block(positions, {}), missing, damaged)):
                for spec, some in block.scored.items():
                    found[spec].update(some)
        scored.append(found)
        gathered.append(apart)
    return Done(scored, gathered)


def here(jobs: Sequence[Job]) -> Scorer:
    """Scores sections in this process."""
    bindings, engines = [job.bindings for job in jobs], [job.engine for job in jobs]
    return lambda works: (score_work(work, bindings, engines) for work in works)


def in_sections(corpus: Corpus, jobs: Sequence[Job], size: int, sink: Sink, scorer: Scorer, progress: bool) -> None:
    """Score all rows, `size` at a time, and give them to the sink in order.

    Raises InputError for a row that cannot be scored.
    """
    waiting: list[tuple[Sequence[int], list[Found]]] = []

    def works() -> Iterator[Work]:
        for first in range(0, len(corpus), size):
            rows = range(first, min(first + size, len(corpus)))
            known = sink.known(rows)
            found = [job.found(rows, known) for job in jobs]
            waiting.append((rows, found))
            missing = [{spec: [n - first for n in some] for spec, some in one.missing.items()} for one in found]
            damaged = [frozenset(n - first for n in one.damaged) for one in found]
            # What is known whole needs no rows, which are what a worker is sent.
            asked = any(job.sets or any(some.values()) for job, some in zip(jobs, missing, strict=True))
            yield Work(first, corpus.rows[first : rows.stop] if asked else (), missing, damaged)

    with tqdm(total=len(corpus), unit="row", disable=None if progress else True, leave=False) as bar:
        for done in scorer(works()):
            rows, found = waiting.pop(0)
            sink.take(_joined(rows, jobs, found, done))
            bar.update(len(rows))


def _joined(rows: Sequence[int], jobs: Sequence[Job], found: Sequence[Found], done: Done) -> Block:
    """All that is known of a section; what is new goes to the store."""
    whole: dict[str, dict[int, Scored]] = {}
    for job, known, scored, gathered in zip(jobs, found, done.scored, done.gathered, strict=True):
        new = Block(rows, {spec: {rows[n]: one for n, one in some.items()} for spec, some in scored.items()})
        job.keep(new)
        for spec, points in gathered.items():
            job.sets[spec].join(points)
        both = {spec: {**known.block.scored[spec], **new.scored[spec]} for spec in job.bound}
        job.seen(Block(rows, both))
        whole.update(both)
    return Block(rows, whole)
