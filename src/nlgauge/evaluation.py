"""The whole flow in one screen: rows and metrics in, one table out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from nlgauge.catalogue import registry
from nlgauge.data.corpus import Corpus
from nlgauge.data.corpus.row import OnMissing
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.missing import with_missing
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import Model
from nlgauge.engine.windows import WindowPolicy
from nlgauge.errors import SpecError
from nlgauge.metrics.base import POCKET, Metric, RowMetric, Value, model_of, refuse_corpus_metrics
from nlgauge.run.distributed import Cluster
from nlgauge.run.filling import Filling
from nlgauge.run.job import Job
from nlgauge.run.scored import Scored
from nlgauge.run.store import opened
from nlgauge.run.strings import string_jobs
from nlgauge.streaming import Models, Streaming, stream

_NO_COLUMNS = "columns names those of records or of a data frame; there are none here"


def evaluate(
    corpus: Corpus | Iterable[Mapping[str, Any]] | None = None,
    *,
    metrics: Sequence[str | Metric] | str | Metric,
    candidates: Sequence[str] | None = None,
    references: Sequence[Sequence[str] | str] | None = None,
    sources: Sequence[str] | None = None,
    contexts: Sequence[str] | None = None,
    questions: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    items: Sequence[object] | None = None,
    columns: Mapping[str, str] | None = None,
    model: str | None = None,
    precision: str = "float32",
    backend: str = "auto",
    device: str | None = None,
    batch_tokens: int | None = None,
    window: WindowPolicy = "slide",
    evidence: bool = False,
    against: Corpus | None = None,
    progress: bool = False,
    processes: int = 1,
    cache: bool | str | Path = True,
    rows_per_block: int | None = None,
    output: str | Path | None = None,
    ray: str | Cluster | None = None,
    on_missing: OnMissing = "error",
) -> ScoreTable:
    """Score every row by every metric, and every system by the metrics of sets.

    corpus: a Corpus, or records or a data frame of its columns; or give the columns one by one as lists. columns: of
    records and data frames, our names to theirs: {"candidate": "prediction"}.
    metrics: specs or Metric objects. model: for the metrics that name none. precision: 'float32' gives the same
    numbers on every machine, up to the last digits; 'bfloat16' needs OpenVINO or torch, and pays on a GPU and on
    processors with units for it alone; 'int8' computes products of weights in 8 bits, without torch. backend:
    'onnxruntime', 'openvino', 'torch', or 'auto' to choose by precision, device and what is installed. device: 'cpu',
    'cuda', 'cuda:1' or 'mps', of models that torch runs; a GPU by default where there is one. batch_tokens: how many
    tokens a batch holds. window: what to do with texts longer than the model's window: 'slide', 'cut' or 'error'.
    evidence: keep what each score is based on. against: a corpus whose candidates metrics of sets compare a system's
    outputs with, instead of the references of its rows. progress: a bar on stderr, when that is a terminal.
    processes: how many string metrics are scored at a time; more than one starts Python anew, so a script that asks
    for it has to stand under ``if __name__ == "__main__":``. Models use all processors in any case.
    cache: where scores are kept, so that no row is scored twice: True for the place of `nlgauge cache info`, a folder,
    or False.
    rows_per_block: score so many rows at a time, and hold no more of them in memory (with `Corpus.read(on_disk=True)`).
    output: a folder that each block is written to as soon as it is scored; a run that was killed goes on there, and the
    table is read from it. ray: 'local', the address of a Ray cluster, or a `Cluster`; the numbers are the same.
    on_missing: 'skip' gives rows whose candidate is None no score, and scores the others as if these were not there;
    by default they are an error.

    Raises InputError for rows that cannot be scored as given, SpecError for a metric or model that cannot be had.

    >>> table = evaluate(candidates=["A cat sat."], references=[["The cat sat."]], metrics=["InfoLM"])
    >>> table.values("InfoLM").shape
    (1,)
    """
    given = _corpus(
        corpus, columns, on_missing, candidates, references, sources, contexts, systems, items, None, questions
    )
    rows = given.present
    chosen, asked = _metrics(metrics, model)
    models = Models(precision, backend, device, batch_tokens, window)
    if streaming := Streaming(rows_per_block, output, ray):
        if rows is not given:
            raise SpecError("a run in blocks takes no rows without a candidate: leave them out of the corpus")
        if processes > 1:
            raise SpecError("processes is for a run in one piece; a run in blocks has ray='local' instead")
        return stream(
            rows, chosen, asked, streaming, models, evidence=evidence, against=against, progress=progress, cache=cache
        )
    began = time.monotonic()
    filling = Filling(rows, chosen, asked, evidence)
    ledgers: dict[str, Any] = {}
    with opened(cache) as store:
        strings = {spec: metric for spec, metric in chosen.items() if model_of(metric) is None}
        for block, signatures in string_jobs(strings, rows, processes, store, evidence):
            filling.take(block, signatures)
        for name in dict.fromkeys(name for metric in chosen.values() if (name := model_of(metric)) is not None):
            engine = models.engine(name, store, progress)
            of_model = {spec: metric for spec, metric in chosen.items() if model_of(metric) == name}
            filling.run(Job(rows, of_model, engine, store=store, evidence=evidence, against=against))
            ledgers[name] = vars(engine.ledger)
    table = filling.table()
    table = table if rows is given else with_missing(table, given)
    table.spent = {"seconds": round(time.monotonic() - began, 3), "models": ledgers}
    return table


def explained(
    corpus: Corpus,
    metric: str | Metric,
    rows: Sequence[int],
    *,
    model: str | None = None,
    models: Models | None = None,
    progress: bool = False,
    cache: bool | str | Path = True,
) -> tuple[RowMetric, list[Scored]]:
    """Score some rows alone, by their numbers, and keep what each score is based on.

    What a metric counts on the corpus is counted on the whole of it; no other row is scored. models: how the model is
    read, as by default where it is None. Raises SpecError for a metric of sets, and as `evaluate`.
    """
    chosen = registry.metric(metric, model=model)
    if not isinstance(chosen, RowMetric):
        raise SpecError(f"{chosen} measures sets of texts and no single rows: see nlgauge score --evidence")
    name, spec = model_of(chosen), str(chosen)
    scored: dict[int, Scored] = {}
    with opened(cache) as store:
        engine = None if name is None else (models or Models()).engine(name, store, progress)
        for block in Job(corpus, {spec: chosen}, engine, store=store, evidence=True).blocks(rows):
            scored.update(block.scored[spec])
    return chosen, [scored[number] for number in rows]


def _corpus(
    corpus: Any, names: Mapping[str, str] | None, on_missing: OnMissing, candidates: Any, *lists: Any
) -> Corpus:
    if (corpus is None) == (candidates is None):
        raise SpecError("give either a corpus or candidates")
    if candidates is None:
        if any(one is not None for one in lists):
            raise SpecError("a corpus holds its own references, sources and systems; give them there")
        return rows_of(corpus, names, on_missing)
    if names is not None:
        raise SpecError(_NO_COLUMNS)
    return Corpus.from_texts(candidates, *lists, on_missing=on_missing)


def rows_of(
    corpus: Corpus | Iterable[Mapping[str, Any]], columns: Mapping[str, str] | None, on_missing: OnMissing = "error"
) -> Corpus:
    """A corpus as it is, or one of records or of a data frame. Raises as `Corpus.from_records`, and SpecError for
    columns of a corpus."""
    if not isinstance(corpus, Corpus):
        return Corpus.from_records(corpus, columns=columns, on_missing=on_missing)
    if columns is not None:
        raise SpecError(_NO_COLUMNS)
    return corpus


def _metrics(metrics: Any, model: str | None) -> tuple[dict[str, Metric], dict[str, str]]:
    """The metrics by canonical spec, and the canonical specs by the ones that were asked for."""
    given = [metrics] if isinstance(metrics, str | Metric) else list(metrics)
    if not given:
        raise SpecError("no metric was given")
    chosen: dict[str, Metric] = {}
    asked: dict[str, str] = {}
    for spec in given:
        metric = registry.metric(spec, model=model)
        if (other := chosen.get(str(metric))) is not None and other != metric:
            raise SpecError(f"two metrics are called {metric}: give them other names or register them")
        chosen[str(metric)] = metric
        asked[str(spec)] = str(metric)
    return chosen, asked


def evaluate_row(record: Mapping[str, Any], metric: Metric, **options: Any) -> Value:
    """The score of one row by a metric whose scores do not depend on other rows. options: as `evaluate` takes them.

    An installed model is loaded once and kept; a folder or a checkpoint is read anew each time, since it may change.
    Raises SpecError for another metric, and what `evaluate` raises.
    """
    refuse_corpus_metrics([metric])
    name = model_of(registry.metric(metric, model=options.get("model")))
    if name in (POCKET, *loading.COMPANIONS):
        _kept(name, options.get("precision", "float32"), options.get("device"))
    table = evaluate([record], metrics=[metric], **options)
    ((spec, column),) = table.columns.items()
    notes = tuple(table.run.get("notes", {}).get(spec, ()))
    return Value(tuple(column.values[0].tolist()), column.reasons.get(0), notes)


@lru_cache(maxsize=1)
def _kept(name: str, precision: str, device: str | None) -> Model:
    return loading.hold(name, precision, device=device)
