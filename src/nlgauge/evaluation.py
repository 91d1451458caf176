"""The whole flow in one screen: rows and metrics in, one table out."""

from __future__ import annotations

import gc
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge import registry
from nlgauge._version import __version__
from nlgauge.corpus import Corpus
from nlgauge.engine.engine import Engine, Features, Need
from nlgauge.engine.features import TokenVectors
from nlgauge.engine.windows import WINDOW_POLICIES, WindowPolicy
from nlgauge.errors import SpecError
from nlgauge.metrics.base import Metric, ModelMetric, RowMetric, Scorer, SetMetric, SetText, TextMetric, Value
from nlgauge.table import Column, ScoreTable, Sums


def evaluate(
    corpus: Corpus | Iterable[Mapping[str, Any]] | None = None,
    *,
    metrics: Sequence[str | Metric] | str | Metric,
    candidates: Sequence[str] | None = None,
    references: Sequence[Sequence[str] | str] | None = None,
    sources: Sequence[str] | None = None,
    contexts: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    items: Sequence[object] | None = None,
    model: str | None = None,
    precision: str = "float32",
    window: WindowPolicy = "slide",
    evidence: bool = False,
    against: Corpus | None = None,
    progress: bool = False,
    processes: int = 1,
) -> ScoreTable:
    """Score every row by every metric, and every system by the metrics of sets.

    corpus: a Corpus, or records or a data frame of its columns; or give the columns one by one as lists.
    metrics: specs or Metric objects. model: for the metrics that name none. precision: 'float32' gives the same
    numbers on every machine; 'bfloat16' needs torch, and pays on a GPU and on processors with units for it alone.
    window: what to do with texts longer than the model's window: 'slide', 'cut' or 'error'.
    evidence: keep what each score rests on. against: a corpus whose candidates metrics of sets compare a system's
    outputs with, instead of the references of its rows. progress: a bar on stderr, when that is a terminal.
    processes: how many metrics of strings are scored at a time; more than one starts Python anew, so a script that asks
    for it has to stand under ``if __name__ == "__main__":``. Models use all processors in any case.

    Raises InputError for rows that cannot be scored as given, SpecError for a metric or model that cannot be had.

    >>> table = evaluate(candidates=["A cat sat."], references=[["The cat sat."]], metrics=["InfoLM"])
    >>> table.values("InfoLM").shape
    (1,)
    """
    rows = _corpus(corpus, candidates, references, sources, contexts, systems, items)
    chosen, asked = _metrics(metrics, model)
    if window not in WINDOW_POLICIES:
        raise SpecError(f"window {window!r} is not one of {', '.join(WINDOW_POLICIES)}")
    began = time.monotonic()
    table = ScoreTable([(row.system, row.item) for row in rows], {}, {}, version=__version__)
    notes: dict[str, Counter[str]] = {}
    models: dict[str, Any] = {}
    strings = {spec: metric for spec, metric in chosen.items() if isinstance(metric, TextMetric)}
    for spec, scores in zip(strings, _text_scores(list(strings.values()), rows, processes), strict=True):
        table.columns[spec], notes[spec] = scores.column, scores.notes
        table.signatures[spec] = _signature(spec, scores.signature)
    reading = {spec: metric for spec, metric in chosen.items() if isinstance(metric, ModelMetric)}
    for name in dict.fromkeys(metric.model for metric in reading.values()):
        engine = Engine(registry.model(name, precision), window, progress)
        group = {spec: metric for spec, metric in reading.items() if metric.model == name}
        scorers = {spec: m.scorer(rows, engine) for spec, m in group.items() if isinstance(m, RowMetric)}
        sets = {spec: _Sets(m, engine, rows, against) for spec, m in group.items() if isinstance(m, SetMetric)}
        table.columns.update({spec: _column(group[spec], len(rows)) for spec in scorers})
        needs = [[need for scorer in scorers.values() for need in scorer.needs(row)] for row in rows]
        for some in sets.values():
            some.add_needs(needs)
        for indices, features in engine.stream(needs):
            _score([i for i in indices if i < len(rows)], rows, features, scorers, table, notes, evidence)
            for some in sets.values():
                some.take(indices, features)
        for spec, some in sets.items():
            table.columns[spec] = some.column(evidence, notes.setdefault(spec, Counter()))
        facts = {spec: scorer.signature for spec, scorer in scorers.items()}
        facts.update({spec: some.signature for spec, some in sets.items()})
        table.signatures.update({spec: _signature(spec, {**_read_by(engine), **facts[spec]}) for spec in group})
        models[name] = vars(engine.ledger)
    table.columns = {spec: table.columns[spec] for spec in chosen}
    table.signatures = {spec: table.signatures[spec] for spec in chosen}
    table.run = {
        "rows": len(rows),
        "corpus": rows.digest,
        "models": models,
        "notes": {spec: dict(counted) for spec, counted in notes.items() if counted},
        "asked": asked,
        "seconds": round(time.monotonic() - began, 3),
    }
    return table


def _score(
    indices: Sequence[int],
    rows: Corpus,
    features: Features,
    scorers: Mapping[str, Scorer],
    table: ScoreTable,
    notes: dict[str, Counter[str]],
    evidence: bool,
) -> None:
    """Fill the columns of the metrics of rows for the rows whose features have come."""
    some = [rows[index] for index in indices]
    for spec, scorer in scorers.items():
        column = table.columns[spec]
        for index, row, value in zip(indices, some, scorer.score(some, features), strict=True):
            _fill(column, index, value, notes.setdefault(spec, Counter()))
            if evidence:
                column.evidence[index] = scorer.evidence(row, features)


class _TextScores(NamedTuple):
    """What a metric of strings says of all rows."""

    column: Column
    notes: Counter[str]
    signature: Mapping[str, object]


_rows_of_process: list[Corpus] = []


def _text_scores(metrics: Sequence[TextMetric], rows: Corpus, processes: int) -> Iterator[_TextScores]:
    """Of each metric in turn."""
    if processes < 2 or len(metrics) < 2:
        yield from (_score_texts(metric, rows) for metric in metrics)
        return
    # A process that is started anew: a forked one may hang on a lock that a thread of a model's library held.
    context, number = get_context("spawn"), min(processes, len(metrics))
    with ProcessPoolExecutor(number, context, _keep_rows, (rows,)) as pool:
        yield from pool.map(_score_own_texts, metrics)


def _keep_rows(rows: Corpus) -> None:
    """What a process does first: rows are handed over once, and not with every metric.

    It ends with its metrics, which make no cycles to speak of; to look for them again and again among millions of
    words takes a fifth of the time.
    """
    gc.disable()
    _rows_of_process.append(rows)


def _score_own_texts(metric: TextMetric) -> _TextScores:
    return _score_texts(metric, _rows_of_process[-1])


def _score_texts(metric: TextMetric, rows: Corpus) -> _TextScores:
    scorer = metric.scorer(rows)
    values = scorer.score(rows.rows)
    column, notes = _column(metric, len(values)), Counter[str]()
    for index, value in enumerate(values):
        _fill(column, index, value, notes)
    if scorer.formula is not None:
        size = max((len(value.counts) for value in values if value.counts), default=1)
        counts = np.array([value.counts or (np.nan,) * size for value in values], np.float64)
        column.sums = Sums(dict(scorer.formula), counts)
    return _TextScores(column, notes, dict(scorer.signature))


def _fill(column: Column, index: int, value: Value, notes: Counter[str]) -> None:
    column.values[index] = value.parts
    if value.reason:
        column.reasons[index] = value.reason
    if value.notes:
        notes.update(value.notes)


class _Sets:
    """A metric of sets in a run: gathers points as texts come by, and compares each system's with the other side's."""

    def __init__(self, metric: SetMetric, engine: Engine, rows: Corpus, against: Corpus | None) -> None:
        self._metric, self._scorer, self._rows, self._against = metric, metric.scorer(rows, engine), rows, against
        self.signature = {**self._scorer.signature, "against": against.digest[:8] if against else "references"}
        self._wanted: list[list[str]] = [
            [row.candidate, *(() if against is not None else row.references)] for row in rows
        ]
        self._wanted += [[row.candidate] for row in against or ()]
        self._points: dict[str, NDArray[np.float32]] = {}

    def add_needs(self, needs: list[list[Need]]) -> None:
        needs += [[] for _ in range(len(self._wanted) - len(needs))]
        for row, texts in zip(needs, self._wanted, strict=True):
            row += [(text, self._scorer.request) for text in texts]

    def take(self, indices: Sequence[int], features: Features) -> None:
        for text in dict.fromkeys(text for index in indices for text in self._wanted[index]):
            feature = features[text, self._scorer.request]
            if text not in self._points and isinstance(feature, TokenVectors):
                self._points[text] = self._scorer.points(feature)

    def column(self, evidence: bool, notes: Counter[str]) -> Column:
        """A value for each system, in the table's order."""
        column = _column(self._metric, len(self._rows.systems), level="system")
        other = self._texts(self._against, "candidate") if self._against is not None else None
        for at, system in enumerate(self._rows.systems):
            own = Corpus(tuple(row for row in self._rows if row.system == system))
            evaluated = self._texts(own, "candidate")
            reference = other if other is not None else self._texts(own, "references")
            _fill(column, at, self._compare(evaluated, reference), notes)
            if evidence and evaluated and reference and (rests := self._scorer.evidence(evaluated, reference)):
                column.evidence[at] = rests
        return column

    def _texts(self, rows: Corpus, side: str) -> list[SetText]:
        """The texts of one side that have points."""
        texts = [
            (row.item, text) for row in rows for text in ([row.candidate] if side == "candidate" else row.references)
        ]
        found = [SetText(item, text, self._points[text]) for item, text in texts if text in self._points]
        return [one for one in found if len(one.points)]

    def _compare(self, evaluated: Sequence[SetText], reference: Sequence[SetText]) -> Value:
        for side, texts in (("output", evaluated), ("reference", reference)):
            if not texts:
                return Value((np.nan,) * len(self._metric.parts), f"no {side} has words")
        return self._scorer.compare(
            np.concatenate([one.points for one in evaluated]), np.concatenate([one.points for one in reference])
        )


def _corpus(corpus: Any, candidates: Any, *columns: Any) -> Corpus:
    if (corpus is None) == (candidates is None):
        raise SpecError("give either a corpus or candidates")
    if candidates is not None:
        return Corpus.from_texts(candidates, *columns)
    if any(column is not None for column in columns):
        raise SpecError("a corpus holds its own references, sources and systems; give them there")
    return corpus if isinstance(corpus, Corpus) else Corpus.from_records(corpus)


def _metrics(metrics: Any, model: str | None) -> tuple[dict[str, Metric], dict[str, str]]:
    """The metrics by canonical spec, and the canonical specs by the ones that were asked for."""
    given = [metrics] if isinstance(metrics, str | Metric) else list(metrics)
    if not given:
        raise SpecError("no metric was given")
    chosen: dict[str, Metric] = {}
    asked: dict[str, str] = {}
    for spec in given:
        metric = registry.metric(spec, model=model)
        chosen[str(metric)] = metric
        asked[str(spec)] = str(metric)
    return chosen, asked


def _column(metric: Metric, size: int, level: str = "item") -> Column:
    values = np.full((size, len(metric.parts)), np.nan)
    return Column(metric.parts, values, higher_is_better=metric.larger_is_better, level=level)


def _read_by(engine: Engine) -> dict[str, object]:
    """What a metric that reads a model depends on besides."""
    model = engine.model
    return {
        "model": f"{model.name}@{model.digest[:8]}",
        "tokenizer": model.tokenizer.digest[:8],
        "backend": model.backend,
        "precision": model.precision,
        "window": f"{engine.window}@{model.window},longer {engine.ledger.longer}/{engine.ledger.texts}",
    }


def _signature(spec: str, facts: Mapping[str, object]) -> str:
    """sacrebleu's grammar."""
    return spec + "".join(f"|{name}:{value}" for name, value in {**facts, "nlgauge": __version__}.items())
