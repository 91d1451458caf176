"""Fuzzing: any records go in, and scores come out, or NaN with a reason, or an error of one line.

    python fuzzing/rows.py [--inputs 2000] [--seed 0] [--repeat INPUT]

Most inputs are scored by one or two string metrics or of numbers, one of fifty by a metric that reads the embedded
model. What is scored is saved, loaded and compared too, and scored once more in the other order.
"""

from __future__ import annotations

import functools
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from fuzzer import BrokenPromiseError, Surface, main
from hypothesis import strategies as st
from texts import made, mostly, odd_values, rows

import nlgauge
from nlgauge import Corpus, ScoreTable, registry
from nlgauge.contract.base import RowMetric
from nlgauge.engine.models import loading

_ALIKE = 1e-4
"""How far numbers may differ that come from batches of other shapes"""
_FOLDER = Path(tempfile.mkdtemp(prefix="nlgauge-fuzzing-"))


def _installed() -> tuple[list[str], list[str]]:
    """The specs of all metrics that score without a parameter here: without a model, and with one."""
    plain: list[str] = []
    neural: list[str] = []
    row = {"candidate": "A cat sat.", "references": ["The cat sat."], "source": "A cat.", "context": "It sat."}
    for name in registry.project_metrics():
        try:
            nlgauge.evaluate([row, row], metrics=name, cache=False)
        except nlgauge.NlgaugeError:
            continue
        (plain if registry.metric(name).reads is None else neural).append(name)
    return plain, neural


def outcome(given: dict[str, Any]) -> str:
    """Score and save."""
    table = nlgauge.evaluate(
        Corpus.from_records(made(given["rows"])), metrics=given["metrics"], evidence=given["evidence"], cache=False
    )
    if isinstance(given["rows"], list):
        _turn_round(given["rows"], table)
    path = _FOLDER / "scores.jsonl"
    table.save(path)
    if ScoreTable.load(path) != table:
        raise BrokenPromiseError("a table that was saved is loaded as another")
    return checked(table)


def _turn_round(rows: list[Any], table: ScoreTable) -> None:
    """Raises BrokenPromiseError where rows have other values in another order, by a metric that reads each alone."""
    alone = [spec for spec in table.metrics if _reads_each_alone(spec)]
    if alone:
        other = nlgauge.evaluate(Corpus.from_records(made(rows[::-1])), metrics=alone, cache=False)
        for spec in alone:
            if not np.allclose(table.values(spec)[::-1], other.values(spec), _ALIKE, _ALIKE, equal_nan=True):
                raise BrokenPromiseError(f"{spec}: rows in another order have other values")


@functools.cache
def _reads_each_alone(spec: str) -> bool:
    metric = registry.metric(spec)
    return isinstance(metric, RowMetric) and not metric.uses_corpus


def checked(table: ScoreTable) -> str:
    """What the numbers of a table are. Raises BrokenPromiseError for a NaN without a reason."""
    found = "scores"
    for column in table.columns.values():
        for number in np.flatnonzero(np.isnan(column.values).any(axis=1)).tolist():
            if not column.reasons.get(number):
                raise BrokenPromiseError("a NaN has no reason")
            found = "a NaN with its reason"
    return found


def surface() -> Surface:
    """The surface; looks for the metrics that can score here, which takes some seconds."""
    loading.load = functools.cache(loading.load)  # all inputs share the models
    plain, neural = _installed()

    def inputs(longest: int, names: list[str]) -> st.SearchStrategy[Any]:
        right = st.lists(rows(longest, odd_values()), min_size=1, max_size=4)
        return st.fixed_dictionaries(
            {
                "rows": mostly(right, odd_values(), 50),
                "metrics": st.lists(st.sampled_from(names), min_size=1, max_size=2),
                "evidence": st.booleans(),
            }
        )

    cheap, dear = inputs(500, plain), inputs(200, neural)  # EED takes the square of a length
    return Surface("rows", mostly(cheap, dear, 50), outcome)


if __name__ == "__main__":
    sys.exit(main(surface()))
