"""Blocks of several runs are scored in the same passes over the texts: each ends as it would have ended alone.

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
from nlgauge.errors import InputError, SpecError
from nlgauge.metrics.base import Metric
from nlgauge.run.block import BLOCK_WEIGHT, Block, PreparedMetric, score_block
from nlgauge.run.plan import Plan, by_model
from nlgauge.run.results import RowResult
from nlgauge.run.sinks.table import TableBuilder

_STRINGS_WEIGHT = 32 << 10
"""Characters that metrics of strings score before it is asked again whether a run was given up: the slowest of them
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
    scored: dict[str, dict[int, RowResult]] = field(default_factory=dict)
    """By metric of rows and number of the row: what the table was made of"""
    error: Exception | None = None
    """Why there are no scores"""


class TooMuchWorkError(InputError):
    """A run asks for more work than it may."""


class _Part(NamedTuple):
    """The share of a run that one model computes."""

    run: Run
    plan: Plan
    builder: TableBuilder


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
    The engines are closed.
    """
    ending = _Ending(runs, engines, ended)
    for name in (None, *engines):
        engine = None if name is None else engines[name]
        try:
            parts = [part for run in runs for part in _parts(run, name, engine, ending.builders)]
            ending.look()
            for group in _groups(parts, BLOCK_WEIGHT if engine is not None else _STRINGS_WEIGHT):
                _score([piece for piece in group if _wanted(piece.part.run)])
                for piece in group:
                    if piece.last:
                        _attempt(piece.part.run, partial(piece.part.builder.finish, piece.part.plan))
                        ending.read(piece.part.run, name)
                ending.look()
        finally:
            if engine is not None:
                engine.close()


class _Ending:
    """Which models each run has still to be scored by."""

    def __init__(self, runs: Sequence[Run], engines: Mapping[str, Engine], ended: Callable[[Run], object]) -> None:
        self.builders = {id(run): TableBuilder(run.corpus, run.metrics, run.asked, run.evidence) for run in runs}
        self._left = {id(run): set(by_model(run.metrics)) for run in runs}
        self._open, self._ended = list(runs), ended
        for run in runs:
            if absent := self._left[id(run)] - {None, *engines}:
                run.error = SpecError(f"no model {min(map(str, absent))!r} is loaded here")

    def read(self, run: Run, name: str | None) -> None:
        """Take note that all rows of a run were scored by a model."""
        self._left[id(run)].discard(name)

    def look(self) -> None:
        """End the runs of which no more will come."""
        for run in [run for run in self._open if not (_wanted(run) and self._left[id(run)])]:
            self._open.remove(run)
            _attempt(run, partial(_fill, run, self.builders[id(run)]))
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


def _parts(run: Run, name: str | None, engine: Engine | None, builders: Mapping[int, TableBuilder]) -> list[_Part]:
    """What one model computes of a run; where that cannot be had, why stands in the run."""
    parts: list[_Part] = []
    metrics = by_model(run.metrics).get(name)

    def prepare() -> None:
        plan = Plan(run.corpus, metrics or {}, engine, evidence=run.evidence)
        _refuse_too_much(run, plan)
        parts.append(_Part(run, plan, builders[id(run)]))

    if metrics:
        _attempt(run, prepare)
    return parts


def _refuse_too_much(run: Run, plan: Plan) -> None:
    if run.most_blocks is None:
        return
    blocks = plan.scorer.weight(run.corpus) / BLOCK_WEIGHT
    if blocks > run.most_blocks:
        problem = f"would take {blocks:.3g} blocks of work, and the limit is {run.most_blocks:g}"
        raise TooMuchWorkError(
            f"{', '.join(plan.facts)} {problem}", remedy="give fewer or shorter texts at a time, or cheaper metrics"
        )


def _groups(parts: Sequence[_Part], most: int) -> Iterator[list[_Piece]]:
    """The rows of all parts in groups of at most a weight, where rows allow it; evidence is kept for all or none."""
    for evidence in (False, True):
        group: list[_Piece] = []
        weight = 0
        for part in parts:
            if part.run.evidence is not evidence:
                continue
            blocks = list(part.plan.scorer.split(part.run.corpus, range(len(part.run.corpus)), most))
            for number, rows in enumerate(blocks, 1):
                more = part.plan.scorer.weight(part.run.corpus[n] for n in rows)
                if group and weight + more > most:
                    yield group
                    group, weight = [], 0
                group.append(_Piece(part, rows, number == len(blocks)))
                weight += more
        if group:
            yield group


def _score(pieces: Sequence[_Piece]) -> None:
    """Score rows of several runs in one pass; where that fails, each piece alone, to find whose fault it is."""
    if len(pieces) == 1:
        _attempt(pieces[0].part.run, lambda: _pass(pieces))
    elif pieces:
        try:
            _pass(pieces)
        except Exception:  # the piece that failed raises it again, alone
            for piece in pieces:
                _score([piece])


def _pass(pieces: Sequence[_Piece]) -> None:
    metrics: dict[str, PreparedMetric] = {}
    rows: dict[str, list[tuple[int, int]]] = {}
    """By key: the piece and the number of each row"""
    for at, (part, numbers, _) in enumerate(pieces):
        for spec, one in part.plan.metrics.items():
            # What was counted on a corpus holds for its rows alone; all else that was prepared is the same in each run.
            alike = not one.metric.uses_corpus and metrics.get(spec, one).metric == one.metric
            key = spec if alike else f"{spec}|{id(part)}"
            metrics[key] = one
            rows.setdefault(key, []).extend((at, number) for number in numbers)
    texts = {key: [pieces[at].part.run.corpus[number] for at, number in some] for key, some in rows.items()}
    others = [request for piece in pieces for requests in _of_sets(piece) for request in requests]
    first = pieces[0].part
    scored, features = score_block(metrics, texts, first.plan.engine, first.run.evidence, others)
    found: list[dict[str, dict[int, RowResult]]] = [{spec: {} for spec in piece.part.plan.metrics} for piece in pieces]
    for key, some in rows.items():
        for (at, number), result in zip(some, scored[key], strict=True):
            found[at][str(metrics[key].metric)][number] = result
    for piece, results in zip(pieces, found, strict=True):
        _attempt(piece.part.run, partial(_hand_out, piece, results, features))


def _of_sets(piece: _Piece) -> list[list[AnyRequest]]:
    """What the points of the rows' texts are made of, for each metric of sets."""
    rows = [piece.part.run.corpus[number] for number in piece.rows]
    return [points.requests(rows) for points in piece.part.plan.sets.values()]


def _hand_out(piece: _Piece, scored: Mapping[str, dict[int, RowResult]], features: Features) -> None:
    """Give a run the scores of its rows, and its sets their points."""
    part = piece.part
    for points, requests in zip(part.plan.sets.values(), _of_sets(piece), strict=True):
        points.take(requests, features)
    part.plan.take(Block(scored))
    part.builder.take(scored)
    for spec, some in scored.items():
        part.run.scored.setdefault(spec, {}).update(some)


def _fill(run: Run, builder: TableBuilder) -> None:
    run.table = builder.end({})
