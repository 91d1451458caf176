"""Combination: the weighted sum of its members, from one pass, and files that cannot be scored with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from numpy.testing import assert_allclose

from nlgauge import registry
from nlgauge.data.corpus import Corpus
from nlgauge.engine.models import loading
from nlgauge.errors import SpecError
from nlgauge_lab.metrics.combination import Combination
from tests.metrics.pieces import scored

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
