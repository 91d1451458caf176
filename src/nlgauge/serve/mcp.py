"""Tools for an agent over the Model Context Protocol: check an answer, compare files, trust a scorer, explain a score.

`server` makes a server of the official SDK, which speaks over standard input and output. Everything is computed on this
machine, and no tool opens a network address. The metrics and their models are named when the server starts, and
requests are held to the limits of the service (`nlgauge.serve.asking.Limits`). Files are read in one folder and below
it, and nowhere else.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from nlgauge._version import __version__
from nlgauge.answers.compare import compare
from nlgauge.answers.trust import trust
from nlgauge.data.corpus import Corpus
from nlgauge.data.corpus.corpus import called_after
from nlgauge.data.jsonable import jsonable
from nlgauge.data.table import ScoreTable
from nlgauge.engine.models.capabilities import Model
from nlgauge.errors import InputError, SpecError
from nlgauge.gate import check
from nlgauge.gate.thresholds import grounded_by
from nlgauge.gate.verdict import SAID
from nlgauge.ratings.project import RatingProject, is_project
from nlgauge.serve import answers
from nlgauge.serve.allow_list import AllowList
from nlgauge.serve.answers import Refused, refusal
from nlgauge.serve.asking import Asking, Limits
from nlgauge.serve.batch import Job, evaluate
from nlgauge.serve.worker import Worker, tell
from nlgauge.show.answer import Answer

T = TypeVar("T")
Record = dict[str, Any]
LARGEST_FILE = 32 << 20
"""The largest size in bytes of a file that a tool reads"""
ABOUT = """Measures generated text on this machine, without any network.
- check_answer: after you wrote an answer from a source, and before you send it: does the source support it?
- explain: why a metric gave a text its score, word by word.
- compare_files: is one version of a system better than another, or is that noise?
- trust_scorer: may a metric or a judge decide about rows, by people's ratings of some of them?
A finding "doubtful" is no proof of an error: read the answer again. Numbers without an interval that holds no 0 are no
difference."""
_READ_ONLY = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False, destructive_hint=False)


class Tools:
    """The tools that an agent may call.

    Args:
        allowed: the metrics that requests may use.
        models: the models by name; no other model is ever loaded.
        limits: the limits of one request.
        folder: the folder in which files are read.
    """

    def __init__(self, allowed: AllowList, models: Mapping[str, Model], limits: Limits, folder: Path) -> None:
        self._allowed, self._limits = allowed, limits
        self._asking = Asking(allowed, limits)
        self._folder = folder.resolve()
        self.worker = Worker(lambda jobs, ended, _: evaluate(jobs, models, limits.work, ended), limits)

    async def check_answer(self, answer: str, source: str, question: str | None = None) -> Record:
        """Say whether a source supports all that an answer claims.

        Args:
            answer: the text to be checked.
            source: all texts that may support the answer: passages, a document, the output of a tool.
            question: the question that the answer answers. It does not count as support.

        Returns:
            `finding`: supported, doubtful, contradicted, not found, abstained, false refusal or no claim; what the
                finding means; the probability that the source supports the whole answer, with its two thresholds; the
                differences from the source, the words without support, and the sentences that the answer was compared
                with.
        """
        row = {"candidate": answer, "source": source, **({} if question is None else {"question": question})}
        job = await self._scored(self._asking.job([row], [self._allowed.grounded], evidence=True, wanted=None))
        table = _table(job)
        (spec,) = table.columns
        outcome = check(table, spec, grounded=True, strict="doubtful").with_answers([answer]).outcomes[0]
        limits = grounded_by(table, spec)
        finding = outcome.finding or outcome.state
        return {
            "finding": finding,
            "means": outcome.why if outcome.finding is None else SAID[outcome.finding],
            "probability": outcome.value,
            "fails_below": limits.at_least,
            "passes_from": limits.sure,
            "why": outcome.why,
            "differences": outcome.reasons,
            "unsupported_words": [word for text in outcome.unsupported for word in text.words],
            "compared_with": outcome.quotes,
            "signature": str(table.signatures[spec]),
        }

    async def explain(
        self,
        answer: str,
        metric: str | None = None,
        source: str | None = None,
        question: str | None = None,
        references: list[str] | None = None,
    ) -> Record:
        """Say what a metric's score of a text is based on, word by word.

        Args:
            answer: the text.
            metric: a metric that the server offers; by default the metric that checks answers.
            source: what the text was made from, for metrics that read a source.
            question: the question that the text answers.
            references: texts written by people, for metrics that read references.

        Returns:
            The record of the row that `nlgauge explain --format json` prints.
        """
        columns = {"source": source, "question": question, "references": references}
        row = {"candidate": answer, **{name: value for name, value in columns.items() if value is not None}}
        job = self._asking.job([row], [metric or self._allowed.grounded], evidence=True, wanted=None)
        done = await self._scored(job)
        return answers.explanations(done.corpus, done.metrics, done.scored)

    async def compare_files(
        self,
        file: str,
        other: str | None = None,
        metric: str | None = None,
        a: str | None = None,
        b: str | None = None,
        margin: float | None = None,
        columns: dict[str, str] | None = None,
    ) -> Record:
        """Say whether one system is better than another, or whether the difference may be noise.

        Args:
            file: outputs of one system or of both, or a file of scores, in the folder of the server.
            other: outputs of the other system, if they are in another file.
            metric: a metric that the server offers, or one of the file of scores. By default, it is the metric that
                checks answers; for a file of scores, all its metrics.
            a: the first system, needed if the files hold more than two systems.
            b: the second system, as for `a`.
            margin: the loss that would not matter, in units of the score. With it, the answer says whether `a` is no
                worse than `b`, up to this margin.
            columns: the names of columns in nlgauge, with their names in the files, such as {"source": "passages"}.

        Returns:
            A sentence, and for each score both means, the difference with its 95 % interval, p, and how many items are
            needed to detect such a difference.
        """
        files = [self._file(name) for name in (file, other) if name is not None]
        table = await self._scores(files, metric, columns)
        two = [name for name in (a, b) if name is not None] or table.systems
        if len(two) != 2:
            raise SpecError(f"name the two systems to compare, a and b: the files hold {', '.join(table.systems[:20])}")
        first, second = two
        named = metric if ScoreTable.is_at(files[0]) else None
        return _record(await self._in_time(lambda: compare(table, first, second, named, margin=margin).to_answer()))

    async def trust_scorer(
        self,
        file: str,
        ratings: str | None = None,
        metric: str | None = None,
        columns: dict[str, str] | None = None,
    ) -> Record:
        """Say how far to trust a metric or a judge, from people's ratings of some rows.

        Args:
            file: outputs, or a file of scores, in the folder of the server.
            ratings: rated outputs, or the folder that `nlgauge sample` made; by default the outputs themselves.
            metric: a metric that the server offers, if the file holds outputs; by default the metric that checks
                answers.
            columns: the names of columns in nlgauge, with their names in the files, such as {"scores.right":
                "verdict"}.

        Returns:
            A sentence for each scorer, and numbers with their intervals: the share of bad rows that it stops, the share
                of good rows that it lets pass, AUROC, calibration, and the effective number of ratings.
        """
        outputs = self._file(file)
        table = await self._scores([outputs], metric, columns)
        place = outputs if ratings is None else self._file(ratings, project=True)

        def rated() -> Corpus:
            return RatingProject.load(place).ratings() if is_project(place) else _read(place, columns)

        return _record(await self._in_time(lambda: trust(table, rated()).to_answer()))

    async def _scores(self, files: list[Path], metric: str | None, columns: dict[str, str] | None) -> ScoreTable:
        """Return the table of a scores file, or the scores of outputs. Two files of one system become two systems."""
        held = [file for file in files if ScoreTable.is_at(file)]
        if held and len(files) > 1:
            raise SpecError(f"{held[0].name} holds scores: give outputs alone, or one file of scores alone")
        if held:
            return await self._in_time(lambda: ScoreTable.load(held[0]))
        corpora = await self._in_time(lambda: [_read(file, columns) for file in files])
        if len(files) > 1 and len({tuple(corpus.systems) for corpus in corpora}) == 1 == len(corpora[0].systems):
            names = called_after([file.name for file in files])
            corpora = [
                Corpus([replace(row, system=name) for row in rows]) for name, rows in zip(names, corpora, strict=True)
            ]
        corpus = self._asking.held(Corpus([row for rows in corpora for row in rows]))
        job = Job(corpus, *self._asking.metrics([metric or self._allowed.grounded]))
        return _table(await self._scored(job))

    def _file(self, name: str, project: bool = False) -> Path:
        """Return the path of a file in the folder of the server.

        Args:
            name: the path as the agent writes it, relative to the folder of the server.
            project: whether the path may also be the folder of a rating project.

        Returns:
            The path.

        Raises:
            SpecError: the path, or a file of the project, is outside of the folder of the server.
            InputError: there is no such file, or it is too large.
        """
        place = (self._folder / name).resolve()
        if "://" in name or not place.is_relative_to(self._folder):
            raise SpecError(f"{name} is not in the folder of the server, where files are read: name one that is there")
        if project and is_project(place):
            if stray := [file for file in place.rglob("*") if not file.resolve().is_relative_to(self._folder)]:
                raise SpecError(f"{stray[0].name} leads out of the folder of the server")
            return place
        if not place.is_file():
            raise InputError("there is no such file", file=name, remedy="name a file in the folder of the server")
        if place.stat().st_size > LARGEST_FILE:
            problem = f"the file has {place.stat().st_size:,} bytes, and the limit is {LARGEST_FILE:,}"
            raise InputError(problem, file=name, remedy="run the command nlgauge on it")
        return place

    async def _scored(self, job: Job) -> Job:
        """Return a job after it is scored. Raises the error of the job, and Refused if it takes too long."""
        self.worker.submit(job)
        try:
            await asyncio.wait_for(asyncio.wrap_future(job.done), self._limits.seconds)
        except asyncio.TimeoutError:
            raise self._late() from None
        finally:
            job.done.cancel()  # what nobody waits for is given up before its next block
        if job.error is not None:
            raise job.error
        if job.table is None:
            raise self._late()
        return job

    async def _in_time(self, work: Callable[[], T]) -> T:
        """Return the result of work in a thread beside the event loop. Raises Refused if it takes too long."""
        try:
            return await asyncio.wait_for(asyncio.to_thread(work), self._limits.seconds)
        except asyncio.TimeoutError:
            raise self._late() from None

    def _late(self) -> Refused:
        return Refused(503, f"no answer within {self._limits.seconds:g} seconds (ask for less at a time)")


def server(tools: Tools) -> MCPServer:
    """Return a server of the SDK that offers the tools. Its `run()` communicates over standard input and output."""
    made = MCPServer("nlgauge", version=__version__, instructions=ABOUT, log_level="ERROR")
    for tool in (tools.check_answer, tools.explain, tools.compare_files, tools.trust_scorer):
        made.tool(description=inspect.getdoc(tool), annotations=_READ_ONLY)(_told(tool))
    return made


def _told(tool: Callable[..., Awaitable[Record]]) -> Callable[..., Awaitable[Record]]:
    """Return a tool with errors of one line, which an agent can act on, and with numbers that JSON can write."""

    @functools.wraps(tool)
    async def call(**arguments: Any) -> Record:
        try:
            return dict(jsonable(await tool(**arguments)))
        except Exception as error:
            refused = refusal(error)
            if refused.status == 500:
                tell(error)
            raise ToolError(refused.line) from None

    return call


def _read(file: Path, columns: dict[str, str] | None) -> Corpus:
    return Corpus.read(file, columns=columns, on_missing="skip").present


def _table(job: Job) -> ScoreTable:
    assert job.table is not None, "a job without a table is refused"
    return job.table


def _record(answer: Answer) -> Record:
    """Return an answer as `--format json` prints it, with its sentences first."""
    return {"said": list(answer.sentences), **answer.record, "notes": [*answer.notes]}
