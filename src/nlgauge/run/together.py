"""Several runs in the same passes over the texts: each ends as it would have ended alone.

What the rows of all runs ask of a model is computed together, a block at a time. A run that cannot be had, or that
makes a block fail, fails alone: the others of the block are scored without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from nlgauge.data.corpus import Corpus
from nlgauge.data.table import ScoreTable
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.request import AnyRequest, Features
from nlgauge.errors import InputError
from nlgauge.metrics.base import Metric, model_of
from nlgauge.run.bound import Block, Bound
from nlgauge.run.filling import Filling
from nlgauge.run.job import Job
from nlgauge.run.part import BLOCK_WEIGHT, score_block
from nlgauge.run.scored import Scored

_STRINGS_WEIGHT = 32 << 10
"""Characters that string metrics score before it is asked again whether a run was given up: the slowest of them
take seconds for so many"""


@dataclass(eq=False)
class Run:
    """Rows and metrics, and what came of them."""

    corpus: Corpus
    metrics: Mapping[str, Metric]
    """By canonical spec"""
    asked: Mapping[str, str]
    """Canonical specs by what was asked for"""
    evidence: bool = False
    most_blocks: float | None = None
    """How much work it may ask a model for, in blocks of a run, each of which is seconds of it; None for any"""
    given_up: Callable[[], bool] = lambda: False
    """Whether nobody waits for it any more, which stays so; asked before every block"""
    table: ScoreTable | None = None
    """The scores, where there is no error and it was not given up"""
    scored: dict[str, dict[int, Scored]] = field(default_factory=dict)
    """By metric of rows and number of the row: what the table was made of"""
    error: Exception | None = None
    """Why there are no scores"""


class TooMuchWorkError(InputError):
    """A run asks for more work than it may."""


class _Part(NamedTuple):
    """The share of a run that one model computes."""

    run: Run
    job: Job
    filling: Filling


class _Piece(NamedTuple):
    """Some rows of a part."""

    part: _Part
    rows: Sequence[int]
    last: bool
    """Whether no others of the part follow"""


def score_together(
    runs: Sequence[Run], engines: Mapping[str, Engine], ended: Callable[[Run], object] = lambda run: None
) -> None:
    """Score all runs, each metric by the engine of its model; what came of each stands in it.

    No error of one run is raised: it stands in the run, whatever it is, and the others have their scores. Runs are
    scored in their order; ended: told of each as soon as no more will come of it, while later ones are still scored.
    """
    ending = _Ending(runs, ended)
    for name in (None, *engines):
        engine = None if name is None else engines[name]
        parts = _parts(runs, name, engine, ending.fillings)
        ending.look()
        for group in _groups(parts, BLOCK_WEIGHT if engine is not None else _STRINGS_WEIGHT):
            _score([piece for piece in group if _wanted(piece.part.run)], engine)
            for piece in group:
                if piece.last:
                    _attempt(piece.part.run, partial(_finish, piece.part))
                    ending.read(piece.part.run, name)
            ending.look()


class _Ending:
    """Which models each run has still to be scored by."""

    def __init__(self, runs: Sequence[Run], ended: Callable[[Run], object]) -> None:
        self.fillings = {id(run): Filling(run.corpus, run.metrics, run.asked, run.evidence) for run in runs}
        self._left = {id(run): set(map(model_of, run.metrics.values())) for run in runs}
        self._open, self._ended = list(runs), ended

    def read(self, run: Run, name: str | None) -> None:
        """Take note that all rows of a run were scored by a model."""
        self._left[id(run)].discard(name)

    def look(self) -> None:
        """End the runs of which no more will come."""
        for run in [run for run in self._open if not (_wanted(run) and self._left[id(run)])]:
            self._open.remove(run)
            _attempt(run, partial(_fill, run, self.fillings[id(run)]))
            self._ended(run)


def _wanted(run: Run) -> bool:
    return run.error is None and not run.given_up()


def _attempt(run: Run, step: Callable[[], object]) -> None:
    """Take a step of a run, unless it has failed or was given up."""
    if _wanted(run):
        try:
            step()
        except Exception as error:  # one run's error, of whatever kind, must not end the others
            run.error = error


def _parts(
    runs: Sequence[Run], name: str | None, engine: Engine | None, fillings: Mapping[int, Filling]
) -> list[_Part]:
    """What one model computes of each run; where a run cannot be had, that stands in it."""
    parts: list[_Part] = []
    for run in runs:
        metrics = {spec: metric for spec, metric in run.metrics.items() if model_of(metric) == name}
        if metrics and _wanted(run):
            try:
                job = Job(run.corpus, metrics, engine, evidence=run.evidence)
                _refuse_too_much(run, job)
            except Exception as error:  # as in _attempt
                run.error = error
            else:
                parts.append(_Part(run, job, fillings[id(run)]))
    return parts


def _refuse_too_much(run: Run, job: Job) -> None:
    if run.most_blocks is None:
        return
    blocks = job.weight(range(len(run.corpus))) / BLOCK_WEIGHT
    if blocks > run.most_blocks:
        problem = f"would take {blocks:.3g} blocks of work, and the limit is {run.most_blocks:g}"
        raise TooMuchWorkError(
            f"{', '.join([*job.bound, *job.sets])} {problem}",
            remedy="give fewer or shorter texts at a time, or cheaper metrics",
        )


def _groups(parts: Sequence[_Part], most: int) -> Iterator[list[_Piece]]:
    """The rows of all parts in groups of at most a weight, where rows allow it; evidence is kept for all or none."""
    for evidence in (False, True):
        group: list[_Piece] = []
        weight = 0
        for part in parts:
            if part.run.evidence is not evidence:
                continue
            pieces = list(_pieces(part.job, len(part.run.corpus), most))
            for number, rows in enumerate(pieces, 1):
                more = part.job.weight(rows)
                if group and weight + more > most:
                    yield group
                    group, weight = [], 0
                group.append(_Piece(part, rows, number == len(pieces)))
                weight += more
        if group:
            yield group


def _pieces(job: Job, count: int, most: int) -> Iterator[list[int]]:
    """All rows of a run in blocks of at most a weight, where rows allow it."""
    for block in job.split(range(count)):
        piece: list[int] = []
        weight = 0
        for number in block:
            more = job.weight([number])
            if piece and weight + more > most:
                yield piece
                piece, weight = [], 0
            piece.append(number)
            weight += more
        yield piece


def _score(pieces: Sequence[_Piece], engine: Engine | None) -> None:
    """Score rows of several runs in one pass; where that fails, each piece alone, to find whose fault it is."""
    if len(pieces) == 1:
        _attempt(pieces[0].part.run, lambda: _pass(pieces, engine))
    elif pieces:
        try:
            _pass(pieces, engine)
        except Exception:  # the piece that failed raises it again, alone
            for piece in pieces:
                _score([piece], engine)


def _pass(pieces: Sequence[_Piece], engine: Engine | None) -> None:
    bound: dict[str, Bound] = {}
    rows: dict[str, list[tuple[_Part, int]]] = {}
    for part, numbers, _ in pieces:
        for spec, one in part.job.bound.items():
            # What was counted on a corpus holds for its rows alone; all else that was prepared is the same in each run.
            alike = not one.metric.uses_corpus and bound.get(spec, one).metric == one.metric
            key = spec if alike else f"{spec}|{id(part)}"
            bound[key] = one
            rows.setdefault(key, []).extend((part, number) for number in numbers)
    texts = {key: [part.run.corpus[number] for part, number in some] for key, some in rows.items()}
    others = [request for piece in pieces for requests in _of_sets(piece) for request in requests]
    scored, features = score_block(bound, texts, engine, pieces[0].part.run.evidence, others)
    found: dict[tuple[int, str], dict[int, Scored]] = {}
    for key, some in rows.items():
        for (part, number), score in zip(some, scored[key], strict=True):
            found.setdefault((id(part), str(bound[key].metric)), {})[number] = score
    for piece in pieces:
        _attempt(piece.part.run, partial(_hand_out, piece, found, features))


def _of_sets(piece: _Piece) -> list[list[AnyRequest]]:
    """What the points of the rows' texts are made of, for each metric of sets."""
    rows = [piece.part.run.corpus[number] for number in piece.rows]
    return [points.requests(rows) for points in piece.part.job.sets.values()]


def _hand_out(piece: _Piece, found: Mapping[tuple[int, str], Mapping[int, Scored]], features: Features) -> None:
    """Give a run the scores of its rows, and its sets their points."""
    part, numbers, _ = piece
    for points, requests in zip(part.job.sets.values(), _of_sets(piece), strict=True):
        points.take(requests, features)
    scored = {spec: {number: found[id(part), spec][number] for number in numbers} for spec in part.job.bound}
    part.filling.take(part.job.seen(Block(numbers, scored)))
    for spec, some in scored.items():
        part.run.scored.setdefault(spec, {}).update(some)


def _finish(part: _Part) -> None:
    part.filling.take_sets(part.job)
    part.filling.take(Block((), {}), {spec: part.job.signature(spec) for spec in part.job.bound})


def _fill(run: Run, filling: Filling) -> None:
    run.table = filling.table()
