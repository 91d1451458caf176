"""Scores in an MLflow run: ``log_scores(table)``. A scorer for ``mlflow.genai.evaluate``: ``scorer("TokenF1", ...)``.

`log_scores` calls `mlflow.log_metrics` with the value of each system and metric, `mlflow.log_table` with every number
of every row, and `mlflow.log_artifact` with the scores file, which holds the signatures too and which
`nlgauge.ScoreTable.load` reads. MLflow calls the scorer for each row with `inputs`, `outputs` and `expectations`, and
keeps the `Feedback` that comes back.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import mlflow

from nlgauge.adapters.scorer import RowScorer, fields_of, value_at
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError
from nlgauge.meta.selection import label
from nlgauge.metrics.base import Metric


def log_scores(table: ScoreTable, *, name: str = "nlgauge", run_id: str | None = None) -> dict[str, float]:
    """Log a table to the run that is active, or to one by its id.

    The metrics are called "NAME/SYSTEM/METRIC", or "NAME/METRIC" where there is one system, without the characters that
    MLflow refuses; these names come back with the values that were logged. A system without a finite number
    has none logged; the table says why. The artifacts are NAME/table.json and NAME/scores.jsonl.
    Raises InputError where two metrics would have the same name, MissingExtraError without pandas.
    """
    values: dict[str, float] = {}
    for one in table.by_system(replicates=0):
        system = f"{one.system}/" if len(table.systems) > 1 else ""
        key = _allowed(f"{name}/{system}{label(table, one.metric, one.part)}")
        if key in values:
            raise InputError(f"two numbers would be called {key!r}", remedy="log them in two calls, by two names")
        values[key] = one.mean
    known = {key: value for key, value in values.items() if math.isfinite(value)}
    mlflow.log_metrics(known, run_id=run_id)
    mlflow.log_table(table.to_pandas(), f"{name}/table.json", run_id=run_id)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "scores.jsonl"
        table.save(path)
        mlflow.log_artifact(str(path), name, run_id=run_id)
    return known


def scorer(
    metric: str | Metric,
    *,
    part: str | None = None,
    candidate: str = "outputs",
    references: str | None = None,
    source: str | None = None,
    context: str | None = None,
    **options: Any,
) -> Any:
    """One part of one metric as a scorer; the rationale says which words are not supported, where the metric does.

    metric: a spec or a Metric; part: its first where none is named. candidate, references, source, context: "outputs",
    "expectations" or "inputs", or a key in one of them ("inputs.document"). The scorer is called as the metric is,
    without the characters that MLflow refuses. A row without a finite score has the reason as its error. options: as
    `nlgauge.evaluate` takes them. Raises SpecError for a metric whose scores depend on other rows, and for a column
    that it reads and that has no name here; InputError for a key that is not there.
    """
    from mlflow.entities import Feedback
    from mlflow.genai import scorers

    rows = RowScorer(metric, part=part, **options)
    fields = {"candidate": candidate, **fields_of([rows.metric], references=references, source=source, context=context)}
    name = _allowed(rows.label)

    def nlgauge_scorer(inputs: Any = None, outputs: Any = None, expectations: Any = None) -> Feedback:
        row = {"inputs": inputs, "outputs": outputs, "expectations": expectations}
        value, said = rows.told({ours: value_at(row, theirs) for ours, theirs in fields.items()})
        if not math.isfinite(value):
            return Feedback(name=name, error=said or f"{rows.label} is {value}")
        return Feedback(name=name, value=value, rationale=said)

    return scorers.scorer(nlgauge_scorer, name=name)


def _allowed(name: str) -> str:
    """A name without the characters that MLflow refuses."""
    return re.sub(r"[^\w.\-/:]+", " ", name).strip()
