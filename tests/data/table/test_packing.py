"""Evidence of a scores file: packed it is small, and unpacked it is what it was, or refused."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.data.signature import Signature
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.packed import packed, unpacked
from nlgauge.errors import InputError
from nlgauge.evaluation import evaluate
from nlgauge.metrics.evidence import shared_words
from tests.by_hand import by_hand
from tests.data.table.test_shapes import EVIDENCE
from tests.score_tables import column

WORDS = [
    {"text": "Two", "begin": 0, "end": 3, "alignment": 1.0},
    {"text": "trains", "begin": 4, "end": 10, "alignment": 0.5, "quote": 0},
]
TEXT = {"name": "candidate", "against": "source", "text": "Two trains", "words": WORDS, "weak": 0.5}
OF_WORDS = {"texts": [{**TEXT, "quotes": [{"name": "source", "text": "Trains", "begin": 0, "end": 6}]}]}
PACKED = {"at": [0, 3, 1, 6], "alignment": [1.0, 0.5], "quote": [None, 0]}


def saved(tmp_path: Path, evidence: Any, old: str = "", new: str = "") -> Path:
    """Save evidence of one row, and change a piece of the file."""
    path = tmp_path / "scores.jsonl"
    ScoreTable([("A", "1")], {"M": column(1.0, evidence={0: evidence})}, {"M": Signature("M")}).save(path)
    text = by_hand(path).read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def test_what_metrics_show_comes_back_as_it_was_and_is_small(tmp_path: Path) -> None:
    row = {"candidate": "A cat sat on the mat. It purred.", "references": ["The cat sat."], "source": "It sat. A cat?"}
    specs = ["TokenF1", "BERTScore", "InfoLM", "BaryScore", "Consistency(aligner='D')"]
    table = evaluate([row, row], metrics=specs, evidence=True, cache=False)
    table.save(tmp_path / "scores.jsonl")
    again = ScoreTable.load(tmp_path / "scores.jsonl")
    for spec in table.columns:
        before, after = table.columns[spec].evidence, again.columns[spec].evidence
        assert before and json.dumps(dict(after)) == json.dumps(dict(before))
    shown = shared_words("The bridge was shut. " * 20, {"reference": "The old bridge was closed. " * 20}).record()
    assert 3.5 * len(compact(packed(shown))) < len(json.dumps(shown))


def test_a_file_holds_evidence_by_field() -> None:
    (text,) = packed(OF_WORDS)["texts"]
    assert text["words"] == PACKED
    assert text["quotes"] == {"name": ["source"], "text": ["Trains"], "at": [0, 6]}
    assert packed({"matches": [{**EVIDENCE["matches"][0], "match": {"text": "x"}}]})["matches"] == {
        "side": ["candidate"],
        "token": {"text": ["Five"], "at": [0, 4]},
        "match": {"text": ["x"]},
        "similarity": [0.5],
        "weight": [1],
    }


def test_a_word_that_is_not_what_its_place_gives_has_its_text() -> None:
    for change in ({"text": "two"}, {"begin": 4, "end": 7}):
        words = [WORDS[1], {**WORDS[0], **change}]
        evidence = {"texts": [{**TEXT, "words": words, "quotes": OF_WORDS["texts"][0]["quotes"]}]}
        assert packed(evidence)["texts"][0]["words"]["text"] == [word["text"] for word in words]
        assert unpacked(packed(evidence)) == evidence


def test_records_whose_ends_are_no_numbers_come_back() -> None:
    evidence = {"matches": [{"name": "x", "begin": [], "end": {"text": False}}]}
    assert unpacked(packed(evidence)) == evidence


FACTS = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.sampled_from(["", "a", "at"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["text", "begin", "end", "at", "words", "token"]), inner, max_size=4)
    ),
    max_leaves=12,
)
ITEM = st.dictionaries(st.sampled_from(["begin", "end", "at", "token"]), FACTS).map(
    lambda facts: {"name": "x", **facts}
)


@given(st.lists(ITEM, max_size=3))
def test_whatever_the_facts_of_items_are_they_come_back(tmp_path_factory: Any, items: list[dict[str, Any]]) -> None:
    evidence = {"items": items}
    before = copy.deepcopy(evidence)
    path = saved(tmp_path_factory.getbasetemp(), evidence)
    assert ScoreTable.load(path).columns["M"].evidence == {0: before} and evidence == before


@pytest.mark.parametrize("evidence", [None, [], 3, {"texts": 1}, {"matches": [3]}, {"reference": -1, **OF_WORDS}])
def test_what_is_no_evidence_is_written_as_it_is(evidence: Any) -> None:
    assert packed(evidence) == evidence


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ({"at": [0, 3, 1], "alignment": [1.0, 0.5]}, r"not of one length - at `\$\.texts\[0\]\.words`"),
        ({"at": [0, 3, 1, 6], "alignment": [1.0]}, r"not of one length - at `\$\.texts\[0\]\.words`"),
        ({"at": [0, 3, 1, "6"], "alignment": [1.0, 0.5]}, r"`int`, got `str` - at `\$\.texts\[0\]\.words\.at\[3\]`"),
        ({"at": [0, 3, 1, True], "alignment": [1.0, 0.5]}, r"`int`, got `bool` - at `\$\.texts\[0\]\.words\.at\[3\]`"),
        ({"at": [0, 10, -10, 10], "alignment": [1.0, 0.5]}, r"do not follow each other - at `\$\.texts\[0\]\.words`"),
        ({"at": [0, 10, -11, 1], "alignment": [1.0, 0.5]}, r"a place in a text .* - at `\$\.texts\[0\]\.words\[1\]`"),
        ({"at": [4, -1, 1, 6], "alignment": [1.0, 0.5]}, r"a place in a text .* - at `\$\.texts\[0\]\.words\[0\]`"),
        ({"at": [0, 3, 1, 10**12], "alignment": [1, 1]}, r"a place in a text .* - at `\$\.texts\[0\]\.words\[1\]`"),
        ({"at": [], "alignment": [1.0]}, "not of one length"),
        ({"at": None, "alignment": [1.0]}, r"got `null` - at `\$\.texts\[0\]\.words\.at`"),
        ({"at": [0, 3], "end": [3], "alignment": [1.0]}, "not of one length"),
        ({"alignment": [1.0]}, r"missing required field `at` - at `\$\.texts\[0\]\.words`"),
        ({}, r"missing required field `at` - at `\$\.texts\[0\]\.words`"),
        ({"text": ["a"], "at": [0, 1], "alignment": 1.0}, r"got `float` - at `\$\.texts\[0\]\.words\.alignment`"),
        ({"text": ["a"], "at": [0, 1], "alignment": ["1"]}, r"got `str` - at `\$\.texts\[0\]\.words\.alignment\[0\]`"),
        ({"text": ["a"], "at": [0, 1], "alignment": [None]}, r"got `null` - at `\$.*words\.alignment\[0\]`"),
        ({"at": [0, 3], "alignment": [1.0], "quote": [1]}, r"not among the quotes - at `\$\.texts\[0\]`"),
        ({"at": [0, 3], "alignment": [1.0], "quote": [-1]}, r"not among the quotes - at `\$\.texts\[0\]`"),
        (3, r"got `int` - at `\$\.texts\[0\]\.words`"),
    ],
)
def test_damaged_words_are_refused_by_their_line_and_place(tmp_path: Path, words: Any, problem: str) -> None:
    path = saved(tmp_path, OF_WORDS)
    assert ScoreTable.load(path).columns["M"].evidence == {0: OF_WORDS}
    path = saved(tmp_path, OF_WORDS, compact(PACKED), compact(words))
    with pytest.raises(InputError, match=rf"scores\.jsonl: row 2: evidence: .*{problem}") as caught:
        ScoreTable.load(path)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"side":["candidate"]', '"side":["source"]', "no such side"),
        ('"similarity":[0.5]', '"similarity":[0.5,0.5]', r"not of one length - at `\$\.matches`"),
        ('"text":["Five"],"at":[0,4]', '"text":["Five"],"at":[-1,4]', r"a place in a text .* - at `\$\.matches\[0\]`"),
        ('"text":["Five"],"at":[0,4]', '"text":["Five"],"begin":[3]', r"a place in a text .* - at `\$\.matches\[0\]`"),
        ('"text":["Five"],"at":[0,4]', '"text":["a","b"],"at":[0,4]', r"not of one length - at `\$\.matches`"),
        ('"name":["x"],"y":[[{}]]', '"name":["x"],"y":[]', r"not of one length - at `\$\.items`"),
        ('"name":["x"],"y":[[{}]]', '"name":["x"],"y":3', r"not of one length - at `\$\.items`"),
        ('"name":["x"],"y":[[{}]]', '"name":["x"],"y":{"at":[0,"1"]}', r"not of one length - at `\$\.items`"),
        ('"name":["x"],"y":[[{}]]', '"name":[1],"y":[[{}]]', r"got `int` - at `\$\.items\.name\[0\]`"),
        ('"quotes":[[0]]', '"quotes":[[4]]', r"not among the quotes - at `\$\.texts\[0\]`"),
        ('"said":["5', '"sure":[1],"said":["5', r"`bool \| null`, got `int` - at `\$\.texts\[0\]\.reasons\.sure\[0\]`"),
    ],
)
def test_other_damage_is_refused_by_its_place(tmp_path: Path, old: str, new: str, problem: str) -> None:
    evidence = {**EVIDENCE, "matches": [{**EVIDENCE["matches"][0], "match": {"text": "x"}}]}
    assert ScoreTable.load(saved(tmp_path, evidence)).columns["M"].evidence == {0: evidence}
    with pytest.raises(InputError, match=rf"scores\.jsonl: row 2: evidence: .*{problem}"):
        ScoreTable.load(saved(tmp_path, evidence, old, new))


def test_evidence_that_several_metrics_share_is_written_once(tmp_path: Path) -> None:
    columns = {name: column(1.0, 2.0, evidence={0: EVIDENCE, 1: OF_WORDS}) for name in ("M", "N")}
    columns["N"].evidence = copy.deepcopy(columns["M"].evidence)
    table = ScoreTable([("A", "1"), ("B", "1")], columns, {name: Signature(name) for name in columns})
    path = tmp_path / "scores.jsonl"
    table.save(path)
    by_hand(path)
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    assert [record["evidence"] for record in records[2:]] == ["M", "M"]
    assert ScoreTable.load(path).columns["N"].evidence == columns["N"].evidence
    # Lists of records, as files had them before, and names of metrics that have no evidence.
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
