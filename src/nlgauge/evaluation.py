"""The whole flow in one screen: rows and metrics in, one table out."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from nlgauge import registry
from nlgauge._version import __version__
from nlgauge.corpus import Corpus
from nlgauge.engine.engine import Engine
from nlgauge.engine.windows import WINDOW_POLICIES, WindowPolicy
from nlgauge.errors import SpecError
from nlgauge.metrics.base import Metric, Scorer
from nlgauge.table import Column, ScoreTable


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
    progress: bool = False,
) -> ScoreTable:
    """Score every row by every metric.

    corpus: a Corpus, or records or a data frame of its columns; or give the columns one by one as lists.
    metrics: specs or Metric objects. model: for the metrics that name none. precision: 'float32' gives the same
    numbers on every machine, 'bfloat16' is faster where the processor has it and needs torch.
    window: what to do with texts longer than the model's window: 'slide', 'cut' or 'error'.
    evidence: keep what each score rests on. progress: a bar on stderr, when that is a terminal.

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
    for name in dict.fromkeys(metric.model for metric in chosen.values()):
        engine = Engine(registry.model(name, precision), window, progress)
        group = {spec: metric.scorer(rows, engine) for spec, metric in chosen.items() if metric.model == name}
        table.columns.update({spec: _empty(chosen[spec], len(rows)) for spec in group})
        _score(rows, engine, group, table, notes, evidence)
        table.signatures.update({spec: _signature(spec, scorer, engine) for spec, scorer in group.items()})
        models[name] = vars(engine.ledger)
    table.columns = {spec: table.columns[spec] for spec in chosen}
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
    rows: Corpus,
    engine: Engine,
    scorers: Mapping[str, Scorer],
    table: ScoreTable,
    notes: dict[str, Counter[str]],
    evidence: bool,
) -> None:
    """Fill the columns of the metrics that read from one engine, in one pass over the texts."""
    needs = [[need for scorer in scorers.values() for need in scorer.needs(row)] for row in rows]
    for index, features in engine.stream(needs):
        for spec, scorer in scorers.items():
            value, column = scorer.score(rows[index], features), table.columns[spec]
            column.values[index] = value.parts
            if value.reason:
                column.reasons[index] = value.reason
            notes.setdefault(spec, Counter()).update(value.notes)
            if evidence:
                column.evidence[index] = scorer.evidence(rows[index], features)


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


def _empty(metric: Metric, rows: int) -> Column:
    values = np.full((rows, len(metric.parts)), np.nan)
    return Column(metric.parts, values, higher_is_better=metric.larger_is_better)


def _signature(spec: str, scorer: Scorer, engine: Engine) -> str:
    """sacrebleu's grammar, with what a neural metric depends on besides."""
    model = engine.model
    facts = {
        "model": f"{model.name}@{model.digest[:8]}",
        "tokenizer": model.tokenizer.digest[:8],
        "backend": model.backend,
        "precision": model.precision,
        "window": f"{engine.window}@{model.window},longer {engine.ledger.longer}/{engine.ledger.texts}",
        **scorer.signature,
        "nlgauge": __version__,
    }
    return spec + "".join(f"|{name}:{value}" for name, value in facts.items())
