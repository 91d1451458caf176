"""Scores in an MLflow run: ``log_scores(table)``.

It calls `mlflow.log_metrics` with the value of each system and metric, `mlflow.log_table` with every number of every
row, and `mlflow.log_artifact` with the scores file, which holds the signatures too and which `nlgauge.ScoreTable.load`
reads.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import mlflow

from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError
from nlgauge.meta.selection import label


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
        key = re.sub(r"[^\w.\-/:]+", " ", f"{name}/{system}{label(table, one.metric, one.part)}").strip()
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
