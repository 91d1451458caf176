"""Blocks of several runs are scored in the same passes over the texts: each ends as it would have ended alone.

What the rows of all runs ask of a model is computed together, a block at a time. A run that cannot be had, or that
makes a block fail, fails alone: the others of the block are scored without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import NamedTuple

from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.table import ScoreTable
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.request import AnyRequest, Features
from nlgauge.errors import InputError, SpecError
from nlgauge.metrics.base import Metric
from nlgauge.run.block import BLOCK_WEIGHT, ScoredBlock, features_of, score_rows
from nlgauge.run.plan import Plan, by_model
from nlgauge.run.results import RowResult
from nlgauge.run.sinks.table import TableBuilder

_STRINGS_WEIGHT = 32 << 10
"""Characters that string metrics score before it is asked again whether a run was given up: the slowest of them
take seconds for so many"""


class TooMuchWorkError(InputError):
    """A run asks for more work than it may."""


@dataclass(eq=False)
class JointRun:
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

    @property
    def wanted(self) -> bool:
        """Whether it has not failed and was not given up."""
        return self.error is None and not self.given_up()

    def attempt(self, step: Callable[..., object], *arguments: object) -> None:
        """Take a step unless it is not wanted any more. An error, of whatever kind, ends this run and no other."""
        if self.wanted:
            try:
                step(*arguments)
            except Exception as error:
                self.error = error


class _Piece(NamedTuple):
    """Some rows of a run, and what of them is scored by one model."""

    run: JointRun
    plan: Plan
    sink: TableBuilder
    rows: Sequence[int]
    last: bool
    """Whether no others follow"""


def score_together(
    runs: Sequence[JointRun], engines: Mapping[str, Engine], ended: Callable[[JointRun], object] = lambda run: None
) -> None:
    """Score all runs, each metric by the engine of its model; what came of each stands in it.

    No error of one run is raised: it stands in the run, whatever it is, and the others have their scores. Runs are
    scored in their order; ended: told of each as soon as no more will come of it, while later ones are still scored.
    The engines are closed.
    """
    sinks = {run: TableBuilder(run.corpus, run.metrics, run.asked, run.evidence) for run in runs}
    left = {run: by_model(run.metrics) for run in runs}
    for run in runs:
        if absent := left[run].keys() - {None, *engines}:
            run.error = SpecError(f"no model {min(map(str, absent))!r} is loaded here")

    def end() -> None:
        """End the runs of which no more will come."""
        for run in [run for run in left if not (run.wanted and left[run])]:
            del left[run]
            run.attempt(lambda run=run: setattr(run, "table", sinks[run].end({})))
            ended(run)

    with ExitStack() as held:
        for engine in engines.values():
            held.callback(engine.close)
        for name in (None, *engines):
            most = _STRINGS_WEIGHT if name is None else BLOCK_WEIGHT
            pieces: list[_Piece] = []
            for run in [run for run in left if name in left[run]]:
                run.attempt(_prepare, run, left[run][name], engines.get(name or ""), sinks[run], most, pieces)
            end()
            for group in _groups(pieces, most):
                _score([piece for piece in group if piece.run.wanted])
                for piece in group:
                    if piece.last and piece.run in left:
                        piece.run.attempt(piece.sink.finish, piece.plan)
                        del left[piece.run][name]
                end()


def _prepare(
    run: JointRun, metrics: Mapping[str, Metric], engine: Engine | None, sink: TableBuilder, most: int,
    pieces: list[_Piece],
) -> None:  # fmt: skip
    """Add what one model computes of a run. Raises as `Plan`, and TooMuchWorkError."""
    plan = Plan(run.corpus, metrics, engine, evidence=run.evidence)
    blocks = plan.scorer.weight(run.corpus) / BLOCK_WEIGHT
    if run.most_blocks is not None and blocks > run.most_blocks:
        raise TooMuchWorkError(
            f"{', '.join(plan.facts)} would take {blocks:.3g} blocks of work, and the limit is {run.most_blocks:g}",
            remedy="give fewer or shorter texts at a time, or cheaper metrics",
        )
    split = list(plan.scorer.split(run.corpus, range(len(run.corpus)), most))
    pieces += [_Piece(run, plan, sink, rows, rows is split[-1]) for rows in split]


def _groups(pieces: Sequence[_Piece], most: int) -> Iterator[list[_Piece]]:
    """Pieces in groups of at most a weight, where rows allow it."""
    group: list[_Piece] = []
    weight = 0
    for piece in pieces:
        more = piece.plan.scorer.weight(piece.run.corpus[n] for n in piece.rows)
        if group and weight + more > most:
            yield group
            group, weight = [], 0
        group.append(piece)
        weight += more
    if group:
        yield group


def _score(pieces: Sequence[_Piece]) -> None:
    """Score rows of several runs in one pass; where that fails, each piece alone, to find whose fault it is."""
    if len(pieces) == 1:
        pieces[0].run.attempt(_pass, pieces)
    elif pieces:
        try:
            _pass(pieces)
        except Exception:  # the piece that failed raises it again, alone
            for piece in pieces:
                _score([piece])


def _pass(pieces: Sequence[_Piece]) -> None:
    """Read the texts of all pieces together; then each run scores its own rows, and fails alone where it does."""
    rows = [{n: piece.run.corpus[n] for n in piece.rows} for piece in pieces]
    of_sets = [
        [points.requests(some.values()) for points in piece.plan.sets.values()]
        for piece, some in zip(pieces, rows, strict=True)
    ]
    features = features_of(
        [
            (one, row)
            for piece, some in zip(pieces, rows, strict=True)
            for one in piece.plan.metrics.values()
            for row in some.values()
        ],
        [request for some in of_sets for requests in some for request in requests],
        pieces[0].plan.engine,
    )
    for piece, some, asked in zip(pieces, rows, of_sets, strict=True):
        piece.run.attempt(_hand_out, piece, some, asked, features)


def _hand_out(
    piece: _Piece, rows: Mapping[int, Row], asked: Sequence[Sequence[AnyRequest]], features: Features
) -> None:
    """Give a run the scores of its rows, and its sets their points."""
    for points, requests in zip(piece.plan.sets.values(), asked, strict=True):
        points.take(requests, features)
    metrics = piece.plan.metrics
    scored = {spec: score_rows(one, rows, features, piece.run.evidence) for spec, one in metrics.items()}
    piece.plan.take(ScoredBlock(scored))
    piece.sink.take(scored)
    for spec, some in scored.items():
        piece.run.scored.setdefault(spec, {}).update(some)
