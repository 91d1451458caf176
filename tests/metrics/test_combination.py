"""Combination: the weighted sum of its members, from one pass, and files that cannot be scored with."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from numpy.testing import assert_allclose

import nlgauge
from nlgauge import Combination, Corpus, SpecError, registry
from nlgauge.weights import Weights

WEIGHTS = Path(__file__).with_name("weights.json")
SPEC = f"Combination(weights={str(WEIGHTS)!r})"

pytestmark = pytest.mark.usefixtures("one_model")


@pytest.fixture(scope="module")
def corpus(records: list[dict[str, Any]]) -> Corpus:
    return Corpus.from_records(records)


def changed(tmp_path: Path, **by_place: Any) -> str:
    """A file like the one here, members' fields changed: first=dict(metric=...), and fields of the whole."""
    whole = json.loads(WEIGHTS.read_text(encoding="utf-8"))["combination"]
    whole["members"][0].update(by_place.pop("first", {}))
    whole.update(by_place)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps({"combination": whole}), encoding="utf-8")
    return str(path)


def test_the_sum_is_that_of_the_members_and_comes_from_one_pass(corpus: Corpus) -> None:
    table = nlgauge.evaluate(corpus, metrics=[SPEC, "BERTScore", "BaryScore", "Consistency(layer=3)"])
    recall, bary = table.values("BERTScore", "recall"), table.values("BaryScore")
    consistency = table.values("Consistency")
    by_hand = 3 + 0.5 * (recall - 0.8) / 0.1 + 0.25 * (0.5 - bary) / 0.25 + 0.125 * (consistency - 0.9) / 0.05
    assert_allclose(table.values("Combination"), by_hand, rtol=1e-12)
    texts = {text for row in corpus for text in (row.candidate, *row.references, row.source)}
    assert table.run["models"]["pocket"]["encoded"] == len(texts)
    alone = nlgauge.evaluate(corpus, metrics=SPEC)
    assert_allclose(alone.values(SPEC), by_hand, rtol=1e-5)


def test_the_signature_names_members_and_weights(corpus: Corpus) -> None:
    signature = nlgauge.evaluate(corpus[:1], metrics=SPEC).signatures[SPEC]
    assert f"|weights:{Weights.load(WEIGHTS).digest[:8]}|" in signature
    members = signature.partition("|members:")[2].partition("|")[0].split("+")
    assert [member.partition(";")[0] for member in members] == [
        "BERTScore recall", "BaryScore score", "Consistency(layer=3) score"
    ]  # fmt: skip
    assert "layer=3" in members[2] and "idf=general@" in members[1]


def test_a_missing_member_is_named_and_one_without_weight_is_not_missed(corpus: Corpus, tmp_path: Path) -> None:
    rows = [{"candidate": "A cat.", "references": ["The cat."]}, {"candidate": "", "source": "A", "references": ["B"]}]
    column = nlgauge.evaluate(rows, metrics=SPEC).column(SPEC)
    assert [math.isnan(value) for value in column.values[:, 0]] == [True, True]
    assert column.reasons == {
        0: "no value of Consistency(layer=3) score: no source",
        1: "no value of BERTScore recall: the candidate has no words",
    }
    spec = f"Combination(weights={changed(tmp_path, first={'metric': 'Groundedness', 'part': 'score', 'weight': 0})!r})"
    assert not math.isnan(nlgauge.evaluate(corpus[:1], metrics=spec).values(spec)[0])


def test_evidence_adds_up(corpus: Corpus) -> None:
    table = nlgauge.evaluate(corpus[:2], metrics=SPEC, evidence=True)
    for row, value in enumerate(table.values(SPEC)):
        evidence = table.column(SPEC).evidence[row]
        assert evidence["intercept"] + sum(one["adds"] for one in evidence["members"]) == pytest.approx(value)
        assert [one["weight"] for one in evidence["members"]] == [0.5, 0.25, 0.125]
    nothing = nlgauge.evaluate([{"candidate": "A."}], metrics=SPEC, evidence=True).column(SPEC)
    assert nothing.evidence.get(0, {}) == {}


def test_another_model_than_the_fitted_one_is_noted(corpus: Corpus, tmp_path: Path) -> None:
    spec = f"Combination(weights={changed(tmp_path, models={'pocket': '00000000'})!r})"
    table = nlgauge.evaluate(corpus[:2], metrics=spec)
    assert table.run["notes"][spec] == {"the weights were fitted to scores of pocket@00000000": 2}


def test_the_model_is_the_members(tmp_path: Path) -> None:
    path = changed(
        tmp_path,
        members=[
            {"metric": "BERTScore(model='folder')", "part": "f1", "higher_is_better": True, "mean": 0, "deviation": 1,
             "weight": 1}
        ],
    )  # fmt: skip
    made = Combination(weights=path)
    assert made.model == "folder"
    assert str(made) == f"Combination(weights={path!r}, model='folder')"
    assert registry.metric(str(made)) == made
    with pytest.raises(SpecError, match="of model 'folder', not 'other'"):
        Combination(weights=path, model="other")


@pytest.mark.parametrize(
    ("first", "say"),
    [
        ({"metric": "COMET"}, "no metric 'COMET'"),
        ({"metric": "MarkEvaluate", "part": "score"}, "MarkEvaluate score is no number of a row"),
        ({"part": "f2"}, "BERTScore f2 is no number of a row"),
        ({"metric": "Combination(weights='x')"}, "is one itself"),
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
        nlgauge.evaluate([{"candidate": "A."}], metrics=spec)
