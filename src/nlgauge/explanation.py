"""What scores rest on: those of single rows, or of whole systems where a metric measures sets."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nlgauge import evaluation, registry
from nlgauge._version import __version__
from nlgauge.atomic_write import atomic_write
from nlgauge.corpus import Corpus
from nlgauge.errors import SpecError
from nlgauge.markup.environment import HERE, digest, inlined, render
from nlgauge.markup.evidence import drawn
from nlgauge.metrics.base import Metric, RowMetric
from nlgauge.plain import jsonable

_IN_A_NOTEBOOK = 5


@dataclass(frozen=True)
class Explanation:
    """One score, of a row or of a system, and what it rests on."""

    row: int | None
    """Counted from 1; None of a system"""
    system: str
    item: str | None
    metric: str
    values: Mapping[str, float]
    """By part; NaN with a reason"""
    reason: str | None
    notes: Sequence[str]
    evidence: Mapping[str, Any]
    """As JSON has it; empty where a metric has nothing to show"""
    texts: Mapping[str, Any]
    """The row's 'candidate', 'source', 'context' and 'references', those that it has"""

    @property
    def defined(self) -> bool:
        """Whether any part has a value."""
        return not all(math.isnan(value) for value in self.values.values())

    @property
    def record(self) -> dict[str, Any]:
        """As `nlgauge explain --format json` prints it."""
        names = ("row", "system", "item", "metric", "values", "reason", "notes", "evidence")
        return {name: jsonable(getattr(self, name)) for name in names}

    def html(self, titles: bool = False) -> str:
        """The evidence drawn. titles: what is said of a word stands in its title, for a place that runs no script."""
        return drawn(self.evidence, self.texts, titles=titles)


@dataclass(frozen=True)
class Explanations(Sequence[Explanation]):
    """What `explain` found: one for each row, or for each system. A notebook draws the first ones."""

    metric: str
    records: list[Explanation]

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, index: Any) -> Any:
        return self.records[index]

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self.records)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a page of HTML, one file that needs no network. Raises InputError where it cannot be written."""
        script = inlined(HERE / "evidence.js")
        page = render(
            "explain.html",
            title=f"What {self.metric} rests on",
            metric=self.metric,
            records=self.records,
            version=__version__,
            style=inlined(HERE / "parts.css", HERE / "page.css"),
            script=script,
            policy=digest(str(script)),
        )
        with atomic_write(Path(path)) as file:
            file.write(page)

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
    columns: Mapping[str, str] | None = None,
    model: str | None = None,
    progress: bool = False,
    cache: bool | str | Path = True,
) -> Explanations:
    """What a metric's scores of some rows rest on; of each system where it measures sets.

    rows: numbers of rows, counted from 0; all where none are given. No other row is scored; what a metric counts on the
    corpus is counted on all of it. corpus, columns, model, cache: as `nlgauge.evaluate` takes them. Raises SpecError
    for rows of a metric of sets, and as `nlgauge.evaluate`.

    >>> corpus = Corpus.from_texts(["A cat sat."], references=[["The cat sat."]])
    >>> explain(corpus, "TokenF1", cache=False)[0].evidence["texts"][0]["name"]
    'candidate'
    """
    chosen, known = registry.metric(metric, model=model), evaluation.rows_of(corpus, columns)
    if isinstance(chosen, RowMetric):
        return _of_rows(known, chosen, range(len(known)) if rows is None else rows, progress, cache)
    if rows is not None:
        raise SpecError(f"{chosen} measures sets of texts and no single rows: name none")
    return _of_systems(known, chosen, progress, cache)


def _of_rows(
    corpus: Corpus, metric: Metric, rows: Sequence[int], progress: bool, cache: bool | str | Path
) -> Explanations:
    chosen, scored = evaluation.explained(corpus, metric, rows, progress=progress, cache=cache)
    records = [
        Explanation(
            number + 1, corpus[number].system, corpus[number].item, str(chosen),
            dict(zip(chosen.parts, one.value.parts, strict=True)), one.value.reason, one.value.notes,
            one.evidence or {},  # type: ignore[arg-type]  # evidence is an object of JSON
            corpus[number].texts,
        )
        for number, one in zip(rows, scored, strict=True)
    ]  # fmt: skip
    return Explanations(str(chosen), records)


def _of_systems(corpus: Corpus, metric: Metric, progress: bool, cache: bool | str | Path) -> Explanations:
    table = evaluation.evaluate(corpus, metrics=[metric], evidence=True, progress=progress, cache=cache)
    column = table.column(str(metric))
    records = [
        Explanation(
            None, system, None, str(metric), dict(zip(column.parts, values, strict=True)), column.reasons.get(number),
            (), column.evidence.get(number, {}), {},
        )
        for number, (system, values) in enumerate(zip(table.systems, column.values.tolist(), strict=True))
    ]  # fmt: skip
    return Explanations(str(metric), records)
