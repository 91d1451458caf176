"""Scoring of a few rows at a time by the same metrics, for frameworks that call a scorer again and again."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from nlgauge import Corpus, evaluate, registry
from nlgauge.contract.base import Metric, refuse_corpus_metrics
from nlgauge.data.corpus import Row
from nlgauge.data.renamed import now_of
from nlgauge.data.source_digest import source_digest
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.column import shown_parts
from nlgauge.data.table.selection import label
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import Model
from nlgauge.errors import InputError, SpecError
from nlgauge.gate.verdict import unsupported


class Scorer:
    """A scorer that calls `nlgauge.evaluate` with the same metrics each time. Models are loaded once, at first use.

    Threads may share a scorer; it scores for one thread at a time. A copy of it in another process loads the models
    again.

    Args:
        metrics: specs or Metric objects.
        model: the model of metrics that name none.
        options: as `nlgauge.evaluate` takes them: precision, backend, device, batch_tokens, window, cache.

    Raises:
        SpecError: a metric does not exist or cannot be used.
    """

    def __init__(self, metrics: Sequence[str | Metric] | str | Metric, *, model: str | None = None, **options: Any):
        listed = [metrics] if isinstance(metrics, str | Metric) else list(metrics)
        if not listed:
            raise SpecError("no metric was given")
        self.metrics = tuple(registry.metric(metric, model=model) for metric in listed)
        self._options = options
        self._models: dict[str, Model] = {}
        self._lock = threading.Lock()

    def table(self, rows: Any, **more: Any) -> ScoreTable:
        """Return the scores of some rows.

        Args:
            rows: a Corpus, or what `Corpus.from_records` takes.
            more: further arguments of `nlgauge.evaluate`, whose docstring also names the errors.

        Returns:
            The table.
        """
        with self._lock:
            self._hold()
            return evaluate(rows, metrics=self.metrics, **self._options, **more)

    def _hold(self) -> None:
        read = {name: self._options[name] for name in ("precision", "backend", "device") if name in self._options}
        for name in {name for metric in self.metrics if (name := metric.reads) is not None} - self._models.keys():
            self._models[name] = loading.hold(name, **read)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without models, but with their digests: two scorers with different numbers differ in it."""
        with self._lock:
            self._hold()
        models = [(name, model.digest, model.files) for name, model in sorted(self._models.items())]
        made_by = [source_digest(metric.scored_by) for metric in self.metrics]
        return {"metrics": self.metrics, "options": self._options, "models": models, "made_by": made_by}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.metrics, self._options = state["metrics"], state["options"]
        self._models, self._lock = {}, threading.Lock()


class RowScore(NamedTuple):
    """The number of one row by one sub-score, or the reason why there is none."""

    value: float
    """The number; NaN where there is none"""
    reason: str | None
    """Why there is no number. `RowScorer.told` writes here also which words are not supported"""

    @property
    def number(self) -> float | None:
        """The value, or None where it is NaN or infinite, for frameworks that take None for a missing number."""
        return self.value if math.isfinite(self.value) else None


class RowScorer:
    """A scorer by one sub-score of one metric, for rows that a framework gives one by one or in batches.

    A metric whose scores depend on other rows is refused, because its scores would differ from batch to batch. Nothing
    is cached on disk unless `cache` is given, because the same generated text seldom comes twice.

    Args:
        metric: a spec or a Metric.
        part: the sub-score; by default the metric's deciding sub-score.
        options: as Scorer takes them.

    Raises:
        SpecError: the metric is a corpus-level metric, counts on the corpus, or does not have the sub-score.
    """

    def __init__(self, metric: str | Metric, *, part: str | None = None, **options: Any) -> None:
        self.scorer = Scorer([metric], **{"cache": False, **options})
        refuse_corpus_metrics(self.scorer.metrics)
        (self.metric,) = self.scorer.metrics
        if part is not None and part not in self.metric.parts:
            other = now_of(str(self.metric), part)
            moved = "" if other is None else f"; {other} has it now"
            raise SpecError(f"{self.metric} has no sub-score {part!r}; it has {', '.join(self.metric.parts)}{moved}")
        self.part = part or shown_parts(self.metric.parts, self.metric.details)[0]

    @property
    def label(self) -> str:
        """The name of the number: the metric's spec, followed by the sub-score if the metric has several."""
        return labels(self.metric)[self.metric.parts.index(self.part)]

    def refuse_distance(self, framework: str) -> None:
        """Raise SpecError for a distance, and for a sub-score that has no better direction."""
        if not self.higher_is_better:
            raise SpecError(
                f"of {self.label}, more is not better, and {framework} looks for more: choose another metric"
            )

    @property
    def higher_is_better(self) -> bool | None:
        """Whether a larger number is better; None for a sub-score that has no better direction."""
        return None if self.part in self.metric.details else self.metric.higher_is_better

    def bind(
        self,
        *,
        candidate: str,
        references: str | None = None,
        source: str | None = None,
        context: str | None = None,
        question: str | None = None,
    ) -> BoundScorer:
        """Return a function that scores a row which a framework passes as keyword arguments.

        Args:
            candidate: where the framework has the candidate: the name of an argument, or a path to a key or an
                attribute in it ("inputs.document", "sample.response").
            references: where the references are, as for `candidate`.
            source: where the source is, as for `candidate`.
            context: where the context is, as for `candidate`.
            question: where the question is, as for `candidate`.

        Returns:
            The function, which returns a `RowScore`.

        Raises:
            SpecError: the metric reads a column that has no name here.

        >>> score = RowScorer("TokenF1").bind(candidate="outputs.answer", references="gold")
        >>> score(outputs={"answer": "A cat."}, gold="A cat.").value
        1.0
        """
        named = fields_of([self.metric], references=references, source=source, context=context)
        asked = {} if question is None else {"question": question}
        return BoundScorer(self, {"candidate": candidate, **named, **asked})

    def scores(self, records: Iterable[Mapping[str, Any]]) -> list[RowScore]:
        """Return the number of each row, in order: NaN for a row that lacks a column which the metric reads.

        Args:
            records: the rows, as `Corpus.from_records` takes them.

        Returns:
            The numbers, each with the reason if it is NaN.

        Raises:
            InputError: something is wrong with a row.
        """
        if not (listed := list(records)):
            return []  # a framework may have nothing to ask
        rows = Corpus.from_records(listed)
        lacking = {number: self._lacking(row) for number, row in enumerate(rows)}
        whole = [row for number, row in enumerate(rows) if lacking[number] is None]
        table = self.scorer.table(Corpus(whole)) if whole else None
        scores = iter(row_scores(table, str(self.metric), self.part) if table is not None else ())
        return [next(scores) if why is None else RowScore(math.nan, why) for why in lacking.values()]

    def score(self, record: Mapping[str, Any]) -> RowScore:
        """Return the number of one row."""
        return self.scores([record])[0]

    def told(self, record: Mapping[str, Any]) -> RowScore:
        """Return the number of one row. Its reason says why it is NaN, or else which words are not supported."""
        (row,) = Corpus.from_records([record])
        if (why := self._lacking(row)) is not None:
            return RowScore(math.nan, why)
        table = self.scorer.table(Corpus([row]), evidence=True)
        (score,) = row_scores(table, str(self.metric), self.part)
        texts = unsupported(table.column(str(self.metric)).evidence.get(0))
        words = [
            f"words of the {text.name} that the {text.against} does not support: {', '.join(text.words)}"
            for text in texts
            if text.words
        ]
        return score if score.reason is not None else RowScore(score.value, "; ".join(words) or None)

    def _lacking(self, row: Row) -> str | None:
        lacking = [column for column in self.metric.columns if getattr(row, column) in (None, ())]
        return f"no {lacking[0].removesuffix('s')}" if lacking else None


@dataclass(frozen=True)
class BoundScorer:
    """The function that `RowScorer.bind` returns. It can be pickled; the model is not part of the pickle."""

    rows: RowScorer
    fields: Mapping[str, str]
    """By column of nlgauge: the path to this column in the arguments that the framework passes"""

    def __call__(self, /, **fields: Any) -> RowScore:
        """Return the number of one row. Its reason says why it is NaN, or else which words are not supported.

        Args:
            fields: the row's fields, by the names that `bind` was given.

        Returns:
            The number and its reason.

        Raises:
            InputError: a field is not there, or a text is of another type.
        """
        return self.rows.told({ours: _at(fields, path) for ours, path in self.fields.items()})


def _at(row: Mapping[str, Any], path: str) -> Any:
    if path in row:
        return row[path]
    value: Any = row
    passed = "the row"
    for key in path.split("."):
        if isinstance(value, Mapping):
            value = held(value, key, f"{passed} has no", "no keys")
        elif value is not None and hasattr(value, key):
            value = getattr(value, key)
        else:
            raise InputError(f"{passed} has no {key!r}", remedy=f"it is of type {type(value).__name__}")
        passed = key if passed == "the row" else f"{passed}.{key}"
    return value


def fields_of(
    metrics: Iterable[Metric], *, references: str | None, source: str | None, context: str | None
) -> dict[str, str]:
    """Return the framework's name of each column of nlgauge that was given a name.

    Args:
        metrics: the metrics that read the columns.
        references: the framework's name of the column `references`.
        source: the framework's name of the column `source`.
        context: the framework's name of the column `context`.

    Returns:
        The framework's names, by the names in nlgauge.

    Raises:
        SpecError: a metric reads a column that was not given a name.
    """
    named = {"references": references, "source": source, "context": context}
    fields = {ours: theirs for ours, theirs in named.items() if theirs is not None}
    for metric in metrics:
        for column in metric.columns:
            if column not in ("candidate", *fields):
                raise SpecError(f"{metric} reads {column}: say where it stands, {column}='THEIRS'")
    return fields


def held(mapping: Mapping[str, Any], key: str, lacking: str, nothing: str = "none") -> Any:
    """Return the value under a key. Raises InputError, whose message begins with `lacking`, if the key is not there."""
    if key not in mapping:
        raise InputError(f"{lacking} {key!r}", remedy=f"it has {', '.join(mapping.keys()) or nothing}")
    return mapping[key]


def labels(metric: Metric) -> list[str]:
    """Return the name of each sub-score of a metric, as `means` and tables write it.

    Args:
        metric: the metric.

    Returns:
        The metric's spec, followed by the sub-score if the metric has several.
    """
    return [f"{metric} {part}" for part in metric.parts] if len(metric.parts) > 1 else [str(metric)]


def plain_name(name: str) -> str:
    """Return a name with letters, digits and underscores only, for frameworks where other signs have a meaning."""
    return re.sub(r"\W+", "_", name).strip("_")


def row_scores(table: ScoreTable, metric: str, part: str) -> list[RowScore]:
    """Return the number of each row of a table, for one sub-score of a metric that scores rows."""
    reasons = table.column(metric).reasons
    return [
        RowScore(value, (reasons.get(number) or "no reason was saved") if math.isnan(value) else None)
        for number, value in enumerate(table.values(metric, part).tolist())
    ]


def means(table: ScoreTable) -> dict[str, float]:
    """Return the mean of each sub-score over the rows of a table with one system, or the metric's corpus score.

    Args:
        table: the scores.

    Returns:
        The means by the name of the sub-score (`labels`); NaN where no row has a number.

    Raises:
        InputError: the table has several systems.
    """
    if len(table.systems) != 1:
        problem = f"the rows are of {len(table.systems)} systems, and one number for all of them says nothing"
        raise InputError(problem, remedy="give one system's rows, or take table.by_system()")
    return {label(table, line.metric, line.part): line.mean for line in table.by_system()}
