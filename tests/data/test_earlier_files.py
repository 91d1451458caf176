"""Files of earlier versions are read: version 0.1.0 wrote those in `earlier`."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

from nlgauge.answers.rated_threshold import RatedThreshold
from nlgauge.answers.scorecard import Card
from nlgauge.data import history
from nlgauge.data.table import ScoreTable

EARLIER = Path(__file__).parent / "earlier"
D = "Consistency(aligner='D')"
DIGESTS = {"TokenF1": "6842d9d00e1c9e06", "BERTScore": "ea1c9625e15ef4a0", D: "ca358af667f4d2b1"}
"""Of the evidence as JSON, as version 0.1.0 read it"""


def records_of(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_evidence_is_read_and_written_as_it_was(tmp_path: Path) -> None:
    table = ScoreTable.load(EARLIER / "scores.jsonl")
    read = {spec: json.dumps(column.evidence[0]) for spec, column in table.columns.items()}
    assert {spec: hashlib.sha256(text.encode()).hexdigest()[:16] for spec, text in read.items()} == DIGESTS
    (text,) = table.columns[D].evidence[0]["texts"]
    assert [text["text"][word["begin"] : word["end"]] for word in text["words"]] == [w["text"] for w in text["words"]]
    table.save(tmp_path / "again.jsonl")
    assert records_of(tmp_path / "again.jsonl")[1:] == records_of(EARLIER / "scores.jsonl")[1:]


def test_evidence_in_lists_of_records_is_read(tmp_path: Path) -> None:
    table = ScoreTable.load(EARLIER / "scores.jsonl")
    header, *records = records_of(EARLIER / "scores.jsonl")
    for record in records:
        if isinstance(record.get("evidence"), dict):
            record["evidence"] = table.columns[record["metric"]].evidence[0]
    lines = "\n".join(map(json.dumps, [header, *records]))
    assert '"at":' not in lines and '"words": [{"text": "A", "begin": 0, "end": 1,' in lines
    (tmp_path / "scores.jsonl").write_text(lines, encoding="utf-8")
    again = ScoreTable.load(tmp_path / "scores.jsonl")
    assert {spec: column.evidence for spec, column in again.columns.items()} == {
        spec: column.evidence for spec, column in table.columns.items()
    }


def test_a_header_without_facts_levels_and_limits_is_read(tmp_path: Path) -> None:
    header, *lines = (EARLIER / "scores.jsonl").read_text(encoding="utf-8").splitlines()
    first = json.loads(header)
    del first["facts"]
    for about in first["metrics"].values():
        del about["level"]
    (tmp_path / "scores.jsonl").write_text("\n".join([json.dumps(first), *lines]), encoding="utf-8")
    table = ScoreTable.load(tmp_path / "scores.jsonl")
    assert str(table.signatures[D]) == first["signatures"][D] and table.columns[D].limits == {}
    assert table == ScoreTable(table.rows, table.columns, table.signatures)


def test_thresholds_histories_and_cards_are_read() -> None:
    made = RatedThreshold.load(EARLIER / "threshold.json")
    assert (made.threshold, made.scores, made.recall) == (0.5, (0.25, 0.5, 0.75, 1.0), None)
    first, second = history.read(EARLIER / "history.jsonl")
    assert (first.look, second.look, second.p) == (1, 2, 1.0) and math.isnan(first.low)
    card = Card.load(EARLIER / "card.json")
    assert card.sets[0].units[0] == 0.5 and math.isnan(card.sets[0].units[1]) and card.probes[0].pairs == 8
