"""Combination: the weighted sum of its members, from one pass, and files that cannot be scored with."""

from __future__ import annotations

import json
import math
import os
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from numpy.testing import assert_allclose

from nlgauge.data.corpus import Corpus, Row
from nlgauge.engine.engine import Engine
from nlgauge.engine.models import loading
from nlgauge.errors import SpecError
from nlgauge.metrics import registry
from nlgauge.metrics.base import Setup
from nlgauge_lab.combination_file import CombinationFile
from nlgauge_lab.metrics.combination import Combination
from tests.metrics.pieces import prepared, scored, shown

WEIGHTS = Path(__file__).with_name("weights.json")
METRIC = Combination(weights=str(WEIGHTS))

pytestmark = pytest.mark.usefixtures("one_model")


@pytest.fixture(scope="module")
def corpus(records: list[dict[str, Any]]) -> Corpus:
    return Corpus.from_records(records)


def numbers(metric: str, corpus: Corpus, part: int = 0) -> Any:
    values = scored(registry.metric(metric), corpus, loading.load("pocket"))  # type: ignore[arg-type]
    return [value.parts[part] for value in values]


def changed(tmp_path: Path, **by_place: Any) -> str:
    """A file like the one here, members' fields changed: first=dict(metric=...), and fields of the whole."""
    whole = json.loads(WEIGHTS.read_text(encoding="utf-8"))["combination"]
    whole["members"][0].update(by_place.pop("first", {}))
    whole.update(by_place)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps({"combination": whole}), encoding="utf-8")
    return str(path)


def test_the_sum_is_that_of_the_members(corpus: Corpus) -> None:
    by_hand = [
        3 + 0.5 * (recall - 0.8) / 0.1 + 0.25 * (0.5 - bary) / 0.25 + 0.125 * (consistency - 0.9) / 0.05
        for recall, bary, consistency in zip(
            numbers("BERTScore", corpus, registry.metric("BERTScore").parts.index("recall")),
            numbers("BaryScore", corpus),
            numbers("Consistency(layer=3)", corpus),
            strict=True,
        )
    ]
    assert_allclose(numbers(str(METRIC), corpus), by_hand, rtol=1e-5)


def test_members_are_read_in_one_pass(corpus: Corpus) -> None:
    engine = Engine(loading.load("pocket"))
    known = METRIC.prepare(Setup(corpus, engine))
    before = engine.ledger.passes
    engine.features([request for row in corpus for request in METRIC.requests(row, known)])
    texts = {text for row in corpus for text in (row.candidate, *row.references, row.source)}
    assert engine.ledger.passes - before == len(texts)


def test_class_facts_are_those_of_the_members(tmp_path: Path) -> None:
    assert set(METRIC.columns) == {"candidate", "references", "source"} and METRIC.cost == "encoding"
    assert not METRIC.uses_corpus and METRIC.libraries == ()
    other = {"metric": "InfoLM(idf='references')", "part": "score", "weight": 1.0}
    assert Combination(weights=changed(tmp_path, first=other)).uses_corpus
    (tmp_path / "masking").mkdir()
    path = changed(tmp_path / "masking", first={"metric": "MaskEval", "part": "score"})
    assert Combination(weights=path).cost == "masked pairs"


def test_members_that_have_to_see_features_first_ask_for_more(tmp_path: Path) -> None:
    learned = "MaskEval(weights='coherence', keep=0.3, stride=8)"
    metric = Combination(weights=changed(tmp_path, first={"metric": learned, "part": "score", "mean": 0}))
    row = Row("The mill was sold.", ("It was sold.",), "The mill by the river was sold in March.")
    items = shown(metric, row, loading.load("pocket"))["items"]
    assert items[0]["metric"] == learned
    assert items[0]["value"] == pytest.approx(numbers(learned, Corpus((row,)))[0])


def test_the_facts_name_members_and_weights() -> None:
    facts = prepared(METRIC, model=loading.load("pocket")).facts
    assert facts["weights"] == CombinationFile.load(WEIGHTS).digest[:8]
    members = str(facts["members"]).split("+")
    assert [member.partition(";")[0] for member in members] == [
        "BERTScore recall", "BaryScore score", "Consistency(layer=3) score"
    ]  # fmt: skip
    assert "layer=3" in members[2] and "idf=" in members[1]


def test_a_missing_member_is_named_and_one_without_weight_is_not_missed(corpus: Corpus, tmp_path: Path) -> None:
    model = loading.load("pocket")
    rows = [Row("A cat.", ("The cat.",)), Row("", ("B",), "A")]
    values = scored(METRIC, rows, model)
    assert all(math.isnan(value.parts[0]) for value in values)
    assert [value.reason for value in values] == [
        "no value of Consistency(layer=3) score: no source",
        "no value of BERTScore recall: the candidate has no words",
    ]
    path = changed(tmp_path, first={"metric": "Groundedness", "part": "score", "weight": 0})
    (value,) = scored(Combination(weights=path), corpus[:1], model)
    assert not math.isnan(value.parts[0])


def test_evidence_adds_up(corpus: Corpus) -> None:
    model = loading.load("pocket")
    for row, value in zip(corpus[:2], scored(METRIC, corpus[:2], model), strict=True):
        items = shown(METRIC, row, model)["items"]
        assert sum(item["adds"] for item in items) == pytest.approx(value.parts[0])
        assert [item["weight"] for item in items[:-1]] == [0.5, 0.25, 0.125]
        assert items[-1] == {"name": "intercept", "adds": 3.0}
    assert shown(METRIC, Row("A."), model) == {}


def test_another_model_than_the_fitted_one_is_noted(corpus: Corpus, tmp_path: Path) -> None:
    model = loading.load("pocket")
    metric = Combination(weights=changed(tmp_path, models={"pocket": "00000000"}))
    (value,) = scored(metric, corpus[:1], model)
    assert "the weights were fitted to scores of pocket@00000000" in value.notes
    metric = Combination(weights=changed(tmp_path, models={"pocket": model.digest[:8]}))
    (value,) = scored(metric, corpus[:1], model)
    assert not any("fitted" in note for note in value.notes)


def test_the_model_is_the_members(tmp_path: Path) -> None:
    member = {"metric": "BERTScore(model='folder')", "part": "f1", "higher_is_better": True}
    path = changed(tmp_path, members=[{**member, "mean": 0, "deviation": 1, "weight": 1}])
    made = Combination(weights=path)
    assert made.model == "folder"
    assert str(made) == f"Combination(weights={path!r}, model='folder')"
    assert registry.metric(str(made)) == made
    with pytest.raises(SpecError, match="of model 'folder', not 'other'"):
        Combination(weights=path, model="other")
    with pytest.raises(SpecError, match="of model 'pocket', not 'other'"):
        registry.metric(str(METRIC), model="other")


def test_it_survives_pickling_and_replacing_and_notices_another_file(tmp_path: Path) -> None:
    path = Path(changed(tmp_path))
    metric = Combination(weights=str(path))
    again = pickle.loads(pickle.dumps(metric))
    assert again == metric == replace(metric) and hash(again) == hash(metric)
    assert list(again.members) == list(metric.members) == ["BERTScore", "BaryScore", "Consistency(layer=3)"]
    changed(tmp_path, first={"weight": 0})
    os.utime(path, ns=(1, 1))
    assert list(metric.members) == ["BaryScore", "Consistency(layer=3)"]


@pytest.mark.parametrize(
    ("first", "say"),
    [
        ({"metric": "COMET"}, "no metric 'COMET'"),
        ({"metric": "MarkEvaluate", "part": "score"}, "MarkEvaluate score is not a row score"),
        ({"part": "f2"}, "BERTScore f2 is not a row score"),
        ({"metric": "Combination(weights='x')"}, "is a Combination itself"),
        ({"metric": "BERTScore(model='other')"}, "its members read other, pocket"),
    ],
)
def test_members_that_cannot_be_scored_together(tmp_path: Path, first: dict[str, Any], say: str) -> None:
    with pytest.raises(SpecError) as caught:
        Combination(weights=changed(tmp_path, first=first))
    assert say in str(caught.value)


@pytest.mark.parametrize("spec", ["Combination", "Combination(weights=3)", "Combination(weights='none.json')"])
def test_a_file_is_needed(spec: str) -> None:
    with pytest.raises(SpecError, match="Combination: "):
        registry.metric(spec)
