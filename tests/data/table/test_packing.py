"""Evidence of a scores file: packed it is small, and unpacked it is what it was, or refused."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.data.evidence import packed, unpacked
from nlgauge.data.signature import Signature
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError
from nlgauge.evaluation import evaluate
from nlgauge.metrics.evidence import shared_words
from tests.data.table.test_shapes import EVIDENCE
from tests.score_tables import column

WORDS = [
    {"text": "Two", "begin": 0, "end": 3, "alignment": 1.0},
    {"text": "trains", "begin": 4, "end": 10, "alignment": 0.5, "quote": 0},
]
TEXT = {"name": "candidate", "against": "source", "text": "Two trains", "words": WORDS, "weak": 0.5}
OF_WORDS = {"texts": [{**TEXT, "quotes": [{"name": "source", "text": "Trains", "begin": 0, "end": 6}]}]}
PACKED = {"at": [0, 3, 1, 6], "alignment": [1.0, 0.5], "quote": [None, 0]}


def test_what_metrics_show_comes_back_as_it_was_and_is_small(tmp_path: Any) -> None:
    row = {"candidate": "A cat sat on the mat. It purred.", "references": ["The cat sat."], "source": "It sat. A cat?"}
    specs = ["TokenF1", "BERTScore", "InfoLM", "BaryScore", "Consistency(aligner='D')"]
    table = evaluate([row, row], metrics=specs, evidence=True, cache=False)
    table.save(tmp_path / "scores.jsonl")
    again = ScoreTable.load(tmp_path / "scores.jsonl")
    for spec in table.columns:
        before, after = table.columns[spec].evidence, again.columns[spec].evidence
        assert json.dumps(after) == json.dumps(before)
    shown = shared_words("The bridge was shut. " * 20, {"reference": "The old bridge was closed. " * 20}).record()
    assert 3.5 * len(json.dumps(packed(shown), separators=(",", ":"))) < len(json.dumps(shown))


ODD = st.recursive(
    st.none() | st.integers(-5, 5) | st.sampled_from(["", "a", "at"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "begin", "end", "at", "words", "token", "name"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["texts", "matches", "flows", "items", "reference"]), ODD, max_size=3))
def test_whatever_else_there_is_comes_back_too(evidence: dict[str, Any]) -> None:
    before = copy.deepcopy(evidence)
    if any(isinstance(evidence.get(name), dict) for name in ("matches", "flows", "items")):
        return  # no list, and refused with all that is no evidence
    texts = evidence.get("texts")
    if isinstance(texts, list) and any(isinstance(one, dict) and isinstance(one.get("words"), dict) for one in texts):
        return
    assert json.dumps(unpacked(packed(evidence))) == json.dumps(before) and evidence == before


@pytest.mark.parametrize(
    "words",
    [
        {"at": [0, 3, 1], "alignment": [1.0, 0.5]},
        {"at": [0, 3, 1, 6], "alignment": [1.0]},
        {"at": [0, 3, 1, "6"], "alignment": [1.0, 0.5]},
        {"at": [0, 3, 1, True], "alignment": [1.0, 0.5]},
        {"at": [0, 10, -10, 10], "alignment": [1.0, 0.5]},
        {"at": [], "alignment": []},
        {"at": None, "alignment": [1.0]},
        {"alignment": [1.0]},
        {},
        {"text": ["a"], "at": [0, 1], "alignment": 1.0},
        {"text": ["a"], "at": [0, 10**12], "alignment": [1.0]},
        {"text": ["a"], "at": [0, 1], "alignment": ["1"]},
    ],
)
def test_damaged_places_are_refused_by_their_line(tmp_path: Any, words: Any) -> None:
    table = ScoreTable([("A", "1")], {"M": column(1.0, evidence={0: OF_WORDS})}, {"M": Signature("M")})
    table.save(tmp_path / "scores.jsonl")
    assert ScoreTable.load(tmp_path / "scores.jsonl").columns["M"].evidence == {0: OF_WORDS}
    text = (tmp_path / "scores.jsonl").read_text(encoding="utf-8")
    whole = json.dumps(PACKED, separators=(",", ":"))
    assert whole in text
    (tmp_path / "scores.jsonl").write_text(text.replace(whole, json.dumps(words)), encoding="utf-8")
    with pytest.raises(InputError, match=r"scores\.jsonl: row 2: ") as caught:
        ScoreTable.load(tmp_path / "scores.jsonl")
    assert len(str(caught.value).splitlines()) == 1


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
