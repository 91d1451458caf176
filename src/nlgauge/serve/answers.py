"""What is sent back: a scores table, evidence by row, or a verdict, each as the command writes it."""

from __future__ import annotations

import json
from typing import Any

from nlgauge._version import __version__
from nlgauge.data.table import ScoreTable
from nlgauge.data.to_json import jsonable
from nlgauge.explanation import of_rows
from nlgauge.meta.gate import Verdict
from nlgauge.run.executors.together import Run

Record = dict[str, Any]


def encoded(record: Record) -> bytes:
    """JSON in UTF-8."""
    text = json.dumps(jsonable(record), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace")  # which is JSON's own escape of half a character


def scores(table: ScoreTable) -> Record:
    """What a scores file holds: its header, and under "scores" its records."""
    return {**table.header(), "scores": list(table.records())}


def explanations(run: Run) -> Record:
    """What `nlgauge explain --format json` prints, of every row."""
    found = [of_rows(run.corpus, run.metrics[spec], sorted(some.items())) for spec, some in run.scored.items()]
    return {"nlgauge": __version__, "rows": [one.record for some in found for one in some]}


def verdict(table: ScoreTable, found: Verdict) -> Record:
    """What `nlgauge check --format json` prints; there is no baseline."""
    return {"nlgauge": __version__, **found.record, "signature": str(table.signatures[found.metric])}
