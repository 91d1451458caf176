"""Evidence of a scores file comes back as it was, and is written once."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from nlgauge.data.signature import Signature
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError
from nlgauge.evaluation import evaluate
from tests.data.table.test_shapes import EVIDENCE
from tests.score_tables import column

WORDS = [
    {"text": "Two", "begin": 0, "end": 3, "alignment": 1.0},
    {"text": "trains", "begin": 4, "end": 10, "alignment": 0.5, "quote": 0},
]
TEXT = {"name": "candidate", "against": "source", "text": "Two trains", "words": WORDS, "weak": 0.5}
OF_WORDS = {"texts": [{**TEXT, "quotes": [{"name": "source", "text": "Trains", "begin": 0, "end": 6}]}]}


def test_what_metrics_show_comes_back_as_it_was(tmp_path: Any) -> None:
    row = {"candidate": "A cat sat on the mat. It purred.", "references": ["The cat sat."], "source": "It sat. A cat?"}
    specs = ["TokenF1", "BERTScore", "InfoLM", "BaryScore", "Consistency(aligner='D')"]
    table = evaluate([row, row], metrics=specs, evidence=True, cache=False)
    table.save(tmp_path / "scores.jsonl")
    again = ScoreTable.load(tmp_path / "scores.jsonl")
    for spec in table.columns:
        before, after = table.columns[spec].evidence, again.columns[spec].evidence
        assert json.dumps(after) == json.dumps(before)


def test_evidence_that_several_metrics_share_is_written_once(tmp_path: Any) -> None:
    columns = {name: column(1.0, 2.0, evidence={0: EVIDENCE, 1: OF_WORDS}) for name in ("M", "N")}
    columns["N"].evidence = copy.deepcopy(columns["M"].evidence)
    table = ScoreTable([("A", "1"), ("B", "1")], columns, {name: Signature(name) for name in columns})
    path = tmp_path / "scores.jsonl"
    table.save(path)
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    assert [record["evidence"] for record in records[2:]] == ["M", "M"]
    assert ScoreTable.load(path).columns["N"].evidence == columns["N"].evidence
    # As files had it before, and names of metrics that have none.
    records[0]["evidence"], records[1]["evidence"] = EVIDENCE, OF_WORDS
    header = path.read_text(encoding="utf-8").splitlines()[0]
    for name, right in (("M", True), ("N", False), ("O", False)):
        records[3]["evidence"] = name
        path.write_text("\n".join([header, *map(json.dumps, records)]), encoding="utf-8")
        if right:
            assert ScoreTable.load(path).columns["N"].evidence == columns["N"].evidence
        else:
            with pytest.raises(InputError, match="row 5: "):
                ScoreTable.load(path)
