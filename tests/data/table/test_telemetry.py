"""Scores go out as OpenTelemetry's evaluation events, and come in again as columns of the traces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import nlgauge
from nlgauge import Corpus


def test_every_value_is_an_event_of_its_trace(tmp_path: Path) -> None:
    trace, out = "0af7651916cd43dd8448eb211c80319c", tmp_path / "scores.otlp.jsonl"
    rows = [{"candidate": "cat dog", "references": ["cat"], "item": trace}, {"candidate": "c", "item": "2"}]
    nlgauge.evaluate(rows, metrics=["Length", "TokenF1"], cache=False).save(out)
    (line,) = out.read_text(encoding="utf-8").splitlines()
    (logs,) = json.loads(line)["resourceLogs"]
    records = logs["scopeLogs"][0]["logRecords"]
    said = [{one["key"]: next(iter(one["value"].values())) for one in record["attributes"]} for record in records]
    lengths = [one for one in said if one["gen_ai.evaluation.name"] == "Length"]
    assert [one["gen_ai.evaluation.score.value"] for one in lengths] == [2, 1]
    assert [record.get("traceId") for record in records][:2] == [trace, None]
    (missing,) = [
        one for one in said if one["gen_ai.evaluation.name"].startswith("TokenF1") and one["nlgauge.item"] == "2"
    ][:1]
    assert missing["error.type"] == "no_value" and missing["gen_ai.evaluation.explanation"]
    assert "gen_ai.evaluation.score.value" not in missing and "TokenF1" in missing["nlgauge.signature"]

    span = {
        "traceId": trace,
        "spanId": "1",
        "attributes": [{"key": "output.value", "value": {"stringValue": "cat dog"}}],
    }
    traces = tmp_path / "traces.jsonl"
    spans = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]})
    traces.write_text(spans + "\n" + out.read_text(encoding="utf-8"), encoding="utf-8")
    (row,) = Corpus.read(traces)
    judged = row.extra["evaluations"]
    assert judged["Length"] == 2 and judged["TokenF1 f1"] == pytest.approx(2 / 3)
