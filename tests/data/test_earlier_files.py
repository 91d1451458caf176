"""Files of earlier versions are read: version 0.1.0 wrote those in `earlier`, with packed evidence in the scores."""

from __future__ import annotations

import hashlib
import json
import math
from pathlib import Path
from typing import Any

import pytest

from nlgauge.data.table import ScoreTable
from nlgauge.data.table.packed import unpacked
from nlgauge.errors import InputError
from nlgauge.stats.gate import history
from nlgauge.stats.gate.thresholds import RatedThreshold
from nlgauge.stats.scorecard import Card

EARLIER = Path(__file__).parent / "earlier"
D = "Consistency(aligner='D')"
DIGESTS = {"TokenF1": "6842d9d00e1c9e06", "BERTScore": "ea1c9625e15ef4a0", D: "ca358af667f4d2b1"}
"""Of the evidence as JSON, as version 0.1.0 read it"""
WORDS = '{"at":[0,3,1,3,1,3],"alignment":[0.0,1.0,1.0]}'


def scores(tmp_path: Path, old: str = "", new: str = "") -> Path:
    text = (EARLIER / "scores.jsonl").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "scores.jsonl").write_text(text.replace(old, new), encoding="utf-8")
    return tmp_path / "scores.jsonl"


def test_packed_evidence_is_read_and_written_as_records(tmp_path: Path) -> None:
    table = ScoreTable.load(EARLIER / "scores.jsonl")
    read = {spec: json.dumps(column.evidence[0]) for spec, column in table.columns.items()}
    assert {spec: hashlib.sha256(text.encode()).hexdigest()[:16] for spec, text in read.items()} == DIGESTS
    (text,) = table.columns[D].evidence[0]["texts"]
    assert [text["text"][word["begin"] : word["end"]] for word in text["words"]] == [w["text"] for w in text["words"]]
    table.save(tmp_path / "again.jsonl")
    again = (tmp_path / "again.jsonl").read_text(encoding="utf-8")
    assert '"at":' not in again and '"words":[{"text":"A","begin":0,"end":1,' in again
    columns = ScoreTable.load(tmp_path / "again.jsonl").columns
    assert {spec: json.dumps(column.evidence[0]) for spec, column in columns.items()} == read


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


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ({"at": [0, 1, 1], "alignment": [0.0, 1.0, 1.0]}, "two whole numbers each"),
        ({"at": [0, 1, 1, 3, 1, "3"], "alignment": [0.0, 1.0, 1.0]}, "two whole numbers each"),
        ({"at": [0, 1, 1, 3, 1, True], "alignment": [0.0, 1.0, 1.0]}, "two whole numbers each"),
        ({"at": [], "alignment": []}, "two whole numbers each"),
        ({"at": None, "alignment": [1.0]}, "two whole numbers each"),
        ({"alignment": [1.0]}, "two whole numbers each"),
        ({}, "two whole numbers each"),
        ({"at": [0, 1, 1, 3, 1, 3], "alignment": [0.0]}, "shorter"),
        ({"at": [0, 10, -10, 10], "alignment": [1.0, 0.5]}, "do not follow each other"),
        ({"text": ["a"], "at": [0, 1], "alignment": 1.0}, "neither that nor one of their fields"),
        ({"text": ["a"], "at": [0, 10**12], "alignment": [1.0]}, r"a place in a text .* `\$\.texts\[1\]\.words\[0\]`"),
        ({"text": ["a"], "at": [0, 1], "alignment": ["1"]}, r"Expected `float`, got `str` .*words\[0\]\.alignment`"),
    ],
)
def test_damaged_places_are_refused_by_their_line(tmp_path: Path, words: Any, problem: str) -> None:
    path = scores(tmp_path, WORDS, json.dumps(words))
    with pytest.raises(InputError, match=rf"scores\.jsonl: row 2: .*{problem}") as caught:
        ScoreTable.load(path)
    assert len(str(caught.value).splitlines()) == 1


def test_a_field_that_some_records_lack_is_null_for_these() -> None:
    words = {"at": [0, 3, 1, 6], "alignment": [1.0, 0.5], "quote": [None, 0]}
    first, second = unpacked({"texts": [{"text": "Two trains", "words": words}]})["texts"][0]["words"]
    assert first == {"text": "Two", "begin": 0, "end": 3, "alignment": 1.0}
    assert second == {"text": "trains", "begin": 4, "end": 10, "alignment": 0.5, "quote": 0}


@pytest.mark.parametrize("evidence", [None, [], 3, {"texts": 1}, {"texts": [3, {"words": [3]}]}, {"items": "a"}])
def test_what_is_not_packed_stays_as_it_is(evidence: Any) -> None:
    assert unpacked(evidence) == evidence


def test_thresholds_histories_and_cards_are_read() -> None:
    made = RatedThreshold.load(EARLIER / "threshold.json")
    assert (made.threshold, made.scores, made.recall) == (0.5, (0.25, 0.5, 0.75, 1.0), None)
    first, second = history.read(EARLIER / "history.jsonl")
    assert (first.look, second.look, second.p) == (1, 2, 1.0) and math.isnan(first.low)
    card = Card.load(EARLIER / "card.json")
    assert card.sets[0].units[0] == 0.5 and math.isnan(card.sets[0].units[1]) and card.probes[0].pairs == 8
