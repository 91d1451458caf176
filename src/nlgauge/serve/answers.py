"""What is sent back: a scores table, evidence by row, or a verdict, each as the command writes it."""

from __future__ import annotations

import json
import math
from typing import Any

from nlgauge._version import __version__
from nlgauge.gate import Verdict
from nlgauge.run.together import Run
from nlgauge.table import ScoreTable

Record = dict[str, Any]


def encoded(record: Record) -> bytes:
    """JSON in UTF-8."""
    text = json.dumps(_jsonable(record), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace")  # which is JSON's own escape of half a character


def scores(table: ScoreTable) -> Record:
    """What a scores file holds: its header, and under "scores" its records."""
    return {**table.header(), "scores": list(table.records())}


def explanations(run: Run, table: ScoreTable) -> Record:
    """What `nlgauge explain --format json` prints, of every row."""
    rows = [
        {
            "row": number + 1,
            "system": run.corpus[number].system,
            "item": run.corpus[number].item,
            "metric": spec,
            "values": dict(zip(table.columns[spec].parts, one.value.parts, strict=True)),
            "reason": one.value.reason,
            "notes": list(one.value.notes),
            "evidence": one.evidence or {},
        }
        for spec, scored in run.scored.items()
        for number, one in sorted(scored.items())
    ]
    return {"nlgauge": __version__, "rows": rows}


def verdict(table: ScoreTable, found: Verdict) -> Record:
    """What `nlgauge check --format json` prints, without a baseline."""
    bar = {name: getattr(found, name) for name in ("metric", "part", "higher_is_better", "at_least", "at_most")}
    rows = [
        {**vars(one), "unsupported": [{**vars(text), "words": text.words} for text in one.unsupported]}
        for one in found.outcomes
    ]
    signature = str(table.signatures[found.metric])
    return {"nlgauge": __version__, "passed": found.passed, **bar, "signature": signature, "rows": rows}


def _jsonable(value: Any) -> Any:
    """With a word for what JSON has no number for, as in a scores file."""
    if isinstance(value, dict):
        return {key: _jsonable(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value
