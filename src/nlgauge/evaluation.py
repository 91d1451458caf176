"""`evaluate` and `score`, the ways from rows and metrics to scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge import registry
from nlgauge.contract.base import Metric, RowMetric, Value, refuse_corpus_metrics
from nlgauge.data.corpus import Corpus
from nlgauge.data.corpus.place import refuse_repeats
from nlgauge.data.corpus.records import Columns
from nlgauge.data.corpus.row import OnMissing
from nlgauge.data.table import Column, ScoreTable, Sums
from nlgauge.engine.windows import WindowPolicy
from nlgauge.errors import InputError, SpecError
from nlgauge.options import PRECISION_CHANGE, ROWS_PER_BLOCK, Cluster, Repeats, RunOptions
from nlgauge.run.runner import run
from nlgauge.run.sinks import Sink, TableBuilder, described

_NO_COLUMNS = "columns names those of records or of a data frame; there are none here"


def evaluate(
    corpus: Corpus | Iterable[Mapping[str, Any]] | Mapping[str, Sequence[Any]] | None = None,
    *,
    metrics: Sequence[str | Metric] | str | Metric,
    candidates: Sequence[str] | None = None,
    references: Sequence[Sequence[str] | str] | None = None,
    sources: Sequence[Any] | None = None,
    contexts: Sequence[Any] | None = None,
    questions: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    items: Sequence[object] | None = None,
    trials: Sequence[object] | None = None,
    columns: Columns | None = None,
    model: str | None = None,
    precision: str = "float32",
    precision_change: float = PRECISION_CHANGE,
    backend: str = "auto",
    device: str | None = None,
    batch_tokens: int | None = None,
    window: WindowPolicy = "slide",
    evidence: bool = False,
    against: Corpus | None = None,
    progress: bool = False,
    cache: bool | str | Path = True,
    rows_per_block: int | None = None,
    output: str | Path | None = None,
    ray: str | Cluster | None = None,
    on_missing: OnMissing = "error",
    repeats: Repeats = "error",
    anchors: Corpus | None = None,
) -> ScoreTable:
    """Score every row by every metric, and every system by the corpus-level metrics.

    Models use all processors. The embedded model or `base`, whichever was used last, stays loaded for the next call. A
    folder or a checkpoint is read again each time.

    Args:
        corpus: a Corpus, records, a mapping of lists, or a data frame. Instead of it, the columns may be given as lists
            (`candidates` to `trials`).
        metrics: specs or Metric objects.
        candidates: the outputs.
        references: a text or a list of texts for each candidate.
        sources: each a text, a list of passages, or documents with `page_content`, `text` or `content`.
        contexts: as `sources`.
        questions: the question that each candidate answers.
        systems: the name of the system that each candidate is of.
        items: the name of the item that each candidate is for.
        trials: where a system has several candidates for an item, the name of the run that each candidate comes from.
        columns: for records and data frames, the names of columns in nlgauge with their names in the data:
            {"candidate": "prediction", "references": ["a", "b"]}; a path leads into a record: "output.answer".
        model: the model of metrics that name none; by default the environment variable NLGAUGE_MODEL, else the embedded
            model.
        precision: 'float32' gives the same numbers on every machine, up to the last digits. 'bfloat16' needs OpenVINO
            or torch, and is faster only on a GPU and on processors with units for it. 'int8' computes products of
            weights in 8 bits, without torch. 'auto' takes the fastest of them, as measured on this machine (`nlgauge
            doctor --speed`), that changes no score of the first 200 rows by more than `precision_change`. All rows are
            scored in it, or all in float32. The choice is printed, and is in `run["precision"]` of the table.
        precision_change: for precision='auto', the largest change of a score, as a share of the range (largest minus
            least) of the scores that these rows have in float32.
        backend: 'onnxruntime', 'openvino', 'torch', or 'auto' to choose by precision, device and what is installed.
        device: 'cpu', 'cuda', 'cuda:1' or 'mps', for models that torch runs; by default a GPU where there is one.
        batch_tokens: the largest number of tokens in a batch; by default the model or the engine chooses it.
        window: what to do with texts longer than the model's window: 'slide', 'cut' or 'error'.
        evidence: whether the table has the evidence of each score, in `Column.evidence`.
        against: a corpus with whose candidates corpus-level metrics compare a system's outputs, instead of with the
            references of the system's rows.
        progress: whether to show a progress bar on stderr, where that is a terminal.
        cache: where scores are cached, so that no row is scored twice: True for the folder that `nlgauge cache info`
            names, another folder, or False for no cache.
        rows_per_block: the number of rows that are scored at a time. With `Corpus.read(on_disk=True)`, no more rows are
            in memory.
        output: a folder to which each block is written as soon as it is scored. A run that was killed continues there,
            and the table is read from it.
        ray: 'local', the address of a Ray cluster, or a `Cluster`; the numbers are the same.
        on_missing: by default, a row whose candidate is None is an error. With 'skip', such a row has no score, and the
            others are scored as if it were not there.
        repeats: how several rows of one system and item are treated that name no trial. By default they are an error
            that names two of them. 'mean' numbers them as trials in their order. The mean over its trials then
            represents an item wherever scores are averaged or compared (`ScoreTable.per_item`).
        anchors: rated rows that each run scores again, without the cache, by all metrics of rows whose scores a cache
            may hold. Their scores are in `ScoreTable.anchors`, apart from the others. `nlgauge.trust(before=...)`
            compares them with those of an earlier run, to tell whether a judge has changed.

    Returns:
        The scores of all rows, in their order.

    Raises:
        InputError: rows cannot be scored as given.
        SpecError: a metric or a model cannot be loaded.

    >>> table = evaluate(candidates=["A cat sat."], references=[["The cat sat."]], metrics=["InfoLM"])
    >>> table.values("InfoLM").shape
    (1,)
    """
    lists = (references, sources, contexts, systems, items, None, questions, trials)
    if (corpus is None) == (candidates is None):
        raise SpecError("give either a corpus or candidates")
    if candidates is None:
        if any(column is not None for column in lists):
            raise SpecError("a corpus holds its own references, sources and systems; give them there")
        all_rows = rows_of(corpus, columns, on_missing)  # type: ignore[arg-type]  # it is no None, as was seen above
    elif columns is not None:
        raise SpecError(_NO_COLUMNS)
    else:
        all_rows = Corpus.from_texts(candidates, *lists, on_missing=on_missing)  # type: ignore[arg-type]
    rows = all_rows.present
    chosen, asked = _metrics(metrics, model)
    options = RunOptions(
        model=model,
        precision=precision,
        precision_change=precision_change,
        backend=backend,
        device=device,
        batch_tokens=batch_tokens,
        window=window,
        evidence=evidence,
        progress=progress,
        cache=cache,
        rows_per_block=rows_per_block,
        output=output,
        ray=ray,
        repeats=repeats,
    )
    refuse_repeats((row.key for row in all_rows.rows), all_rows.files, meant=repeats == "mean")
    if rows is not all_rows and options.in_blocks:
        raise SpecError("a run in blocks takes no rows without a candidate: leave them out of the corpus")
    settled: dict[str, Any] = {}
    if options.precision == "auto":
        from nlgauge.run import precision as choice  # engines and times, which other runs do without

        options, settled = choice.settled(rows, chosen, options, against)
    # First, because rows that do not fit are to be refused before all others are paid for.
    again = None if anchors is None else _scored_again(anchors, chosen, asked, options)
    scored = table_of(rows, chosen, asked=asked, options=options, against=against)
    table = scored if rows is all_rows else with_missing(scored, all_rows)
    table.spent, table.anchors = scored.spent, again
    if settled:
        table.run["precision"] = settled
    return table


def _scored_again(
    anchors: Corpus, metrics: Mapping[str, Metric], asked: Mapping[str, str], options: RunOptions
) -> ScoreTable:
    """Return the scores of anchors with their ratings. These scores neither come from the cache nor go there.

    Raises:
        InputError: anchors are not rated or cannot be scored.
        SpecError: no metric has scores that a cache may hold, or the scores are written to a folder.
    """
    if options.output is not None:
        raise SpecError("anchors stand in a scores file: write the scores to a file (.jsonl), and not to a folder")
    cacheable = {spec: metric for spec, metric in metrics.items() if isinstance(metric, RowMetric) and metric.cached}
    if not cacheable:
        raise SpecError("anchors are for scores of rows that a cache may hold, and no metric here has such scores")
    anchors = anchors.present
    ratings = rated_in(anchors)
    if not ratings:
        raise InputError("no row of the anchors is rated", remedy="give rows with a column scores.NAME")
    refuse_repeats((row.key for row in anchors.rows), anchors.files)
    fresh = replace(options, cache=False, evidence=False, rows_per_block=None, ray=None, repeats="error")
    named = {name: spec for name, spec in asked.items() if spec in cacheable}
    try:
        table = table_of(anchors, cacheable, named, fresh)
    except InputError as error:
        file = error.file or (next(iter(anchors.files)) if len(anchors.files) == 1 else None)
        raise InputError(f"anchors: {error.problem}", row=error.row, file=file, remedy=error.remedy) from None
    table.run["ratings"] = ratings
    return table


def rated_in(corpus: Corpus) -> dict[str, list[float | None]]:
    """Return the ratings of rows by aspect, as the header of a scores file holds them; None for a row without one."""
    aspects = dict.fromkeys(aspect for row in corpus for aspect in row.scores)
    return {aspect: [row.scores.get(aspect) for row in corpus] for aspect in aspects}


def table_of(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    asked: Mapping[str, str],
    options: RunOptions,
    against: Corpus | None = None,
) -> ScoreTable:
    """Return a table of the scores of rows, in memory or in the folder that the options name.

    Args:
        corpus: the rows.
        metrics: the metrics by spec.
        asked: the canonical spec of each metric, by the spec that the user wrote.
        options: the options of the run, which also say where the scores go.
        against: as `evaluate` takes it.

    Returns:
        The table.

    Raises:
        InputError: as `evaluate`.
        SpecError: as `evaluate`.
    """
    sink: Sink[ScoreTable]
    if options.output is None:
        sink = TableBuilder(corpus, metrics, asked, options.evidence, repeats=options.repeats)
    else:
        from nlgauge.run.folder import FolderWriter

        size = options.rows_per_block or ROWS_PER_BLOCK
        sink = FolderWriter(
            corpus=corpus,
            metrics=metrics,
            asked=asked,
            evidence=options.evidence,
            place=options.output,
            size=size,
            repeats=options.repeats,
        )
    return run(corpus, metrics, options, sink, against=against)


def rows_of(
    corpus: Corpus | Iterable[Mapping[str, Any]], columns: Columns | None, on_missing: OnMissing = "error"
) -> Corpus:
    """Return a Corpus unchanged, or make one of records or of a data frame.

    Args:
        corpus: a Corpus, or what `Corpus.from_records` takes.
        columns: as `Corpus.from_records` takes them; not allowed with a Corpus.
        on_missing: as `Corpus.from_records` takes it; ignored for a Corpus.

    Returns:
        The corpus.

    Raises:
        InputError: as `Corpus.from_records`.
        SpecError: columns are given with a Corpus.
    """
    if not isinstance(corpus, Corpus):
        return Corpus.from_records(corpus, columns=columns, on_missing=on_missing)
    if columns is not None:
        raise SpecError(_NO_COLUMNS)
    return corpus


def _metrics(metrics: Any, model: str | None) -> tuple[dict[str, Metric], dict[str, str]]:
    """Return the metrics by canonical spec, and the canonical specs by the specs that the user wrote."""
    listed = [metrics] if isinstance(metrics, str | Metric) else list(metrics)
    if not listed:
        raise SpecError("no metric was given")
    chosen: dict[str, Metric] = {}
    asked: dict[str, str] = {}
    for spec in listed:
        metric = registry.metric(spec, model=model)
        name = asked[str(spec)] = str(metric)
        if chosen.setdefault(name, metric) != metric:
            raise SpecError(f"two metrics are called {metric}: give them other names or register them")
    return chosen, asked


def score(
    metric: str | Metric,
    candidate: str,
    references: Sequence[str] | str | None = None,
    source: Any = None,
    question: str | None = None,
    context: Any = None,
    *,
    model: str | None = None,
    precision: str = "float32",
    backend: str = "auto",
    device: str | None = None,
    window: WindowPolicy = "slide",
    cache: bool | str | Path = False,
) -> Value:
    """Return the score of one row: ``float(score)`` is its first sub-score. For many rows `evaluate` is faster.

    The embedded model or `base`, whichever was used last, stays loaded for the next call. A folder or a checkpoint is
    read again each time, since it may change.

    Args:
        metric: a spec or a Metric.
        candidate: the text that is scored.
        references: a text, or a list of texts.
        source: a text, or a list of passages.
        question: the question that the candidate answers.
        context: as `source`.
        model: as in `evaluate`.
        precision: as in `evaluate`.
        backend: as in `evaluate`.
        device: as in `evaluate`.
        window: as in `evaluate`.
        cache: as in `evaluate`, but by default nothing is written to disk.

    Returns:
        The value, with its notes, and with a reason if a sub-score is NaN.

    Raises:
        SpecError: the metric's scores depend on other rows, or as `evaluate`.
        InputError: as `evaluate`.

    >>> score("TokenF1", "A cat sat.", "A cat sat.").parts[0]
    1.0
    """
    made = registry.metric(metric, model=model)
    refuse_corpus_metrics([made])
    row = {
        "candidate": candidate,
        "references": references,
        "source": source,
        "question": question,
        "context": context,
    }
    table = evaluate(
        [row], metrics=[made], precision=precision, backend=backend, device=device, window=window, cache=cache
    )
    ((spec, column),) = table.columns.items()
    notes = tuple(table.run.get("notes", {}).get(spec, ()))
    return Value(tuple(column.values[0].tolist()), column.reasons.get(0), notes)


NO_CANDIDATE = "there is no candidate"


def with_missing(table: ScoreTable, corpus: Corpus) -> ScoreTable:
    """Return the table of `corpus.present` with all rows of the corpus. The missing ones are NaN with a reason."""
    rows = [(row.system, row.item) for row in corpus]
    places = [number for number, row in enumerate(corpus) if not row.missing]
    systems = {name: number for number, name in enumerate(corpus.systems)}
    by_level = {"item": (places, len(rows)), "system": ([systems[name] for name in table.systems], len(systems))}
    columns = {spec: _spread(column, *by_level[column.level]) for spec, column in table.columns.items()}
    noted = {
        spec: {note: [by_level[columns[spec].level][0][n - 1] + 1 for n in named] for note, named in notes.items()}
        for spec, notes in table.run.get("noted", {}).items()
    }
    run = described(corpus)
    run.update({name: table.run[name] for name in table.run if name not in run}, noted=noted)
    return replace(table, rows=rows, columns=columns, run=run)


def _spread(column: Column, places: list[int], size: int) -> Column:
    """Return a column for `size` rows or systems. Its values are moved to `places`, and all other values are NaN."""

    def moved(by_row: Mapping[int, Any]) -> dict[int, Any]:
        return {places[number]: entry for number, entry in by_row.items()}

    def grown(values: Any) -> Any:
        whole = np.full((size, values.shape[1]), np.nan)
        whole[places] = values
        return whole

    gone = dict.fromkeys(set(range(size)) - set(places), NO_CANDIDATE)
    sums = None if column.sums is None else Sums(column.sums.formula, grown(column.sums.counts))
    return replace(
        column,
        values=grown(column.values),
        reasons=moved(column.reasons) | gone,
        evidence=moved(column.evidence),
        sums=sums,
    )
