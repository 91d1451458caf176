"""`explain`: what the scores of rows are based on, or the scores of systems by a corpus-level metric."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge import evaluation, registry
from nlgauge.contract.base import Metric, RowMetric, Value
from nlgauge.data.atomic_write import atomic_write
from nlgauge.data.corpus import Corpus
from nlgauge.data.corpus.records import Columns
from nlgauge.data.jsonable import jsonable
from nlgauge.data.jsonable import plain as as_json
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.frame import Records
from nlgauge.engine.windows import WindowPolicy
from nlgauge.errors import InputError, SpecError
from nlgauge.options import RunOptions
from nlgauge.run.results import RowResult
from nlgauge.run.runner import run
from nlgauge.run.sinks import RowCollector
from nlgauge.show.answer import Answer, Answered
from nlgauge.show.environment import HERE, inlined, render
from nlgauge.show.evidence import drawn
from nlgauge.show.evidence_lines import evidence_lines
from nlgauge.show.lines import Line, TextLine
from nlgauge.show.numbers import fixed
from nlgauge.show.page import page
from nlgauge.show.tables import NONE, Cell, Number

_IN_A_NOTEBOOK = 5
_ROUNDING = 1e-5
"""The tolerance, relative and absolute, of scores: rows in other batches than in the run differ in their last digits"""


@dataclass(frozen=True)
class Explanation:
    """A score of a row or of a system, and what the score is based on."""

    row: int | None
    """The number of the row, counted from 1; None for a system"""
    system: str
    item: str | None
    metric: str
    values: Mapping[str, float]
    """The score by sub-score; NaN has a reason"""
    reason: str | None
    notes: Sequence[str]
    evidence: Mapping[str, Any]
    """The evidence as JSON values; empty where the metric has nothing to show"""
    texts: Mapping[str, Any]
    """The row's 'candidate', 'source', 'context' and 'references', as far as it has them"""

    @property
    def defined(self) -> bool:
        """Whether any sub-score has a value."""
        return not all(math.isnan(value) for value in self.values.values())

    @property
    def record(self) -> dict[str, Any]:
        """The record that `nlgauge explain --format json` prints."""
        names = ("row", "system", "item", "metric", "values", "reason", "notes", "evidence")
        return {name: jsonable(getattr(self, name)) for name in names}

    def lines(self) -> Iterator[Line]:
        """Yield the score and its evidence as lines of text output."""
        place = f"system {self.system}"
        if self.row is not None:
            place = f"row {self.row}, {place}, item {self.item}"
        if self.defined:
            said = ", ".join(
                f"{part} {_number(value)}" if len(self.values) > 1 else _number(value)
                for part, value in self.values.items()
            )
            said += f" ({self.reason})" if self.reason else ""
        else:
            said = f"has no value: {self.reason}"
        yield f"{place}: {self.metric} {said}"
        yield from (TextLine(f"note: {note}", "  ") for note in self.notes)
        yield from evidence_lines(self.evidence, "  ")

    def html(self, titles: bool = False) -> str:
        """Return the evidence as a drawing in HTML.

        Args:
            titles: whether the remarks about a word are in the word's `title`, for a page that runs no script.

        Returns:
            A piece of HTML.
        """
        return drawn(self.evidence, self.texts, titles=titles)


def _number(value: float) -> str:
    shown = as_json(value)
    return "none" if shown is None else fixed(shown) if isinstance(shown, float) else str(shown)


@dataclass(frozen=True, repr=False)
class Explanations(Answered, Records[Explanation]):
    """The result of `explain`: an explanation for each row, or for each system. A notebook shows the first ones."""

    kind = Explanation
    metric: str
    records: list[Explanation]

    def to_answer(self) -> Answer:
        """Return the answer that commands show: its text has the evidence, and its table has the values alone."""
        head: list[Cell] = ["row", "system", "item", *(self.records[0].values if self.records else ()), "reason"]
        cells: list[list[Cell]] = [
            [
                Number(math.nan if record.row is None else record.row, digits=0),
                record.system,
                record.item or NONE,
                *map(Number, record.values.values()),
                record.reason or NONE,
            ]
            for record in self.records
        ]
        evidence = [record.evidence for record in self.records if record.reason is None]
        nothing = bool(evidence) and not any(evidence)
        return Answer(
            command="explain",
            record={"rows": [record.record for record in self.records]},
            tables=[[head, *cells]],
            keys=3,
            lines=[line for record in self.records for line in record.lines()],
            notes=[f"{self.metric} has nothing to show of these rows"] if nothing else [],
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write an HTML page, which is one file that needs no network. Raises InputError if it cannot be written."""
        made = page(
            "explain.html",
            command="explain",
            title=f"Why {self.metric} gave these scores",
            scripts=[HERE / "evidence.js"],
            records=self.records,
        )
        with atomic_write(Path(path)) as file:
            file.write(made)

    def _repr_html_(self) -> str:
        return render(
            "notebook.html",
            records=self.records[:_IN_A_NOTEBOOK],
            more=len(self.records) - _IN_A_NOTEBOOK,
            style=inlined(HERE / "parts.css"),
        )


def explain(
    corpus: Corpus | Iterable[Mapping[str, Any]],
    metric: str | Metric,
    rows: Sequence[int] | None = None,
    *,
    columns: Columns | None = None,
    model: str | None = None,
    precision: str = "float32",
    backend: str = "auto",
    device: str | None = None,
    batch_tokens: int | None = None,
    window: WindowPolicy = "slide",
    against: Corpus | None = None,
    scores: ScoreTable | None = None,
    progress: bool = False,
    cache: bool | str | Path = True,
) -> Explanations:
    """Return what a metric's scores of rows are based on, or its scores of systems for a corpus-level metric.

    Args:
        corpus: as `nlgauge.evaluate` takes it.
        metric: a spec or a Metric.
        rows: the numbers of the rows to explain, counted from 1; all rows by default. Only these are scored, but a
            metric that counts on the corpus counts on all rows.
        columns: as `nlgauge.evaluate` takes them.
        model: as `nlgauge.evaluate` takes it.
        precision: as `nlgauge.evaluate` takes it.
        backend: as `nlgauge.evaluate` takes it.
        device: as `nlgauge.evaluate` takes it.
        batch_tokens: as `nlgauge.evaluate` takes it.
        window: as `nlgauge.evaluate` takes it.
        against: as `nlgauge.evaluate` takes it.
        scores: a table of scores of the same rows. Its scores are explained, with the metric's parameters in the table,
            and with the model, precision, window and device of the signature.
        progress: as `nlgauge.evaluate` takes it.
        cache: as `nlgauge.evaluate` takes it.

    Returns:
        An explanation for each row, or for each system.

    Raises:
        SpecError: rows are named for a corpus-level metric, or as `nlgauge.evaluate`.
        InputError: the table is of other rows, its numbers differ from those that are computed here, or as
            `nlgauge.evaluate`.

    >>> corpus = Corpus.from_texts(["A cat sat."], references=[["The cat sat."]])
    >>> explain(corpus, "TokenF1", cache=False)[0].evidence["texts"][0]["name"]
    'candidate'
    """
    every_row = evaluation.rows_of(corpus, columns)
    options = RunOptions(
        model=model,
        precision=precision,
        backend=backend,
        device=device,
        batch_tokens=batch_tokens,
        window=window,
        evidence=True,
        progress=progress,
        cache=cache,
    )
    if scores is not None:
        metric, options = _as_scored(scores, metric, every_row, options)
    chosen = registry.metric(metric, model=options.model)
    if isinstance(chosen, RowMetric):
        wanted = _numbers(every_row, rows)
        there = [number for number, row in enumerate(every_row) if not row.missing]
        asked = [at for at, number in enumerate(there) if number in set(wanted)]
        scored = run(every_row.present, {str(chosen): chosen}, options, RowCollector(), rows=asked).get(str(chosen), {})
        none = RowResult(Value((math.nan,) * len(chosen.parts), evaluation.NO_CANDIDATE))
        by_number = {there[at]: result for at, result in scored.items()}
        explanations = of_rows(every_row, chosen, [(number, by_number.get(number, none)) for number in wanted])
    elif rows is not None:
        raise SpecError(f"{chosen} measures sets of texts and no single rows: name none")
    else:
        explanations = _of_systems(every_row.present, chosen, options, against)
    if scores is not None:
        _refuse_others(explanations, scores, str(metric))
    return explanations


def _as_scored(scores: ScoreTable, metric: str | Metric, corpus: Corpus, options: RunOptions) -> tuple[str, RunOptions]:
    """Return the spec of a metric and the options by which a table was scored. Raises SpecError and InputError."""
    if scores.run.get("corpus", corpus.digest) != corpus.digest:
        raise InputError("the scores are of other rows", remedy="give the outputs that were scored")
    spec = scores.find(metric)
    facts = scores.signatures[spec].facts
    if "model" not in facts:
        return spec, replace(options, model=None)
    precision, backend, named = str(facts["precision"]), str(facts["backend"]), facts["model"]
    runtime, library = re.search(r" on (\S+)", backend), backend.partition("-")[0]
    chosen = library == "openvino" or (library == "torch" and precision == "bfloat16")  # else auto comes to the same
    return spec, replace(
        options,
        model=named["name"] if isinstance(named, dict) else None,
        precision=precision,
        backend=library if chosen and options.backend == "auto" else options.backend,
        window=str(facts["window"]).partition("@")[0],  # type: ignore[arg-type]
        device=options.device or (runtime.group(1) if runtime else None),
    )


def _refuse_others(explanations: Explanations, scores: ScoreTable, spec: str) -> None:
    """Raise InputError if the scores of explanations differ from those of a table."""
    column = scores.columns[spec]
    for at, record in enumerate(explanations):
        row = record.row - 1 if record.row is not None else at
        there = dict(zip(column.parts, column.values[row].tolist(), strict=True))
        for part, value in record.values.items():
            if not np.isclose(value, there.get(part, math.nan), _ROUNDING, _ROUNDING, equal_nan=True):
                raise InputError(
                    f"{spec} {part} is {there.get(part)} in the scores and {value} here: the code, the model or the "
                    "settings are others",
                    row=record.row,
                    remedy="score the outputs again, and compare the signatures",
                )


def _numbers(corpus: Corpus, rows: Sequence[int] | None) -> Sequence[int]:
    """Return the places of rows, from 0, for their numbers, from 1. Raises InputError for a row that is not there."""
    if wrong := [row for row in rows or () if not 1 <= row <= len(corpus)]:
        raise InputError(f"there is no row {wrong[0]}", remedy=f"rows are counted from 1; there are {len(corpus)}")
    return range(len(corpus)) if rows is None else [row - 1 for row in rows]


def of_rows(corpus: Corpus, metric: Metric, scored: Iterable[tuple[int, RowResult]]) -> Explanations:
    """Return explanations of the results of some rows, which come with the numbers of the rows from 0."""
    records = [
        Explanation(
            row=number + 1,
            system=corpus[number].system,
            item=corpus[number].item,
            metric=str(metric),
            values=dict(zip(metric.parts, map(float, result.value.parts), strict=True)),
            reason=result.value.reason,
            notes=result.value.notes,
            evidence=result.evidence or {},  # type: ignore[arg-type]  # evidence is an object of JSON
            texts=corpus[number].texts,
        )
        for number, result in scored
    ]
    return Explanations(str(metric), records)


def _of_systems(corpus: Corpus, metric: Metric, options: RunOptions, against: Corpus | None) -> Explanations:
    table = evaluation.table_of(corpus, {str(metric): metric}, asked={}, options=options, against=against)
    column = table.column(str(metric))
    records = [
        Explanation(
            row=None,
            system=system,
            item=None,
            metric=str(metric),
            values=dict(zip(column.parts, values, strict=True)),
            reason=column.reasons.get(number),
            notes=(),
            evidence=column.evidence.get(number, {}),
            texts={},
        )
        for number, (system, values) in enumerate(zip(table.systems, column.values.tolist(), strict=True))
    ]
    return Explanations(str(metric), records)
