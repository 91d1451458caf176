"""What the store has of some metrics: all, some rows, nothing, and why a metric cannot be had."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nlgauge import Corpus, InputError, ScoreTable, SpecError, evaluate
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import Model
from nlgauge.metrics import registry
from nlgauge_lab.reproduce.kept import NOT_SCORED, kept

pytestmark = pytest.mark.usefixtures("one_model")
CORPUS = Corpus.from_texts(["A cat sat.", "Nothing else.", ""], ["The cat sat.", "It rained.", "A dog."])


def look(cache: Path | bool, *specs: str, corpus: Corpus = CORPUS) -> dict[str, object]:
    return dict(kept(corpus, {spec: registry.metric(spec) for spec in specs}, cache))


@pytest.mark.parametrize("spec", ["Length", "TokenF1", "EmbeddingAverage"])
def test_some_rows_or_all(spec: str, tmp_path: Path) -> None:
    evaluate(CORPUS[:2], metrics=spec, cache=tmp_path)
    found = look(tmp_path, spec)[spec]
    assert isinstance(found, ScoreTable)
    assert found.column(spec).reasons == {2: NOT_SCORED} and np.isnan(found.values(spec)[2])
    whole = evaluate(CORPUS, metrics=spec, cache=tmp_path)
    again = look(tmp_path, spec)[spec]
    assert again == whole


def test_nothing_is_scored(tmp_path: Path) -> None:
    for cache in (tmp_path, False):
        for found in look(cache, "Length", "EmbeddingAverage", "FrechetDistance").values():
            assert isinstance(found, ScoreTable)
            (column,) = found.columns.values()
            assert np.isnan(column.values).all() and set(column.reasons.values()) == {NOT_SCORED}
    found = look(tmp_path, "FrechetDistance")["FrechetDistance"]
    assert isinstance(found, ScoreTable) and found.column("FrechetDistance").level == "system"


def test_what_cannot_be_had_says_why_and_the_others_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str, *how: Any, **options: Any) -> Model:
        if name == "absent":
            raise SpecError("model 'absent' is not there")
        return original(name, *how, **options)

    original = loading.load
    monkeypatch.setattr(loading, "load", load)
    layers, absent = "PRD(unit='token', layers=99)", ("InfoLM(model='absent')", "BERTScore(model='absent')")
    found = look(tmp_path, "Consistency", layers, "Length", *absent)
    assert isinstance(found["Consistency"], InputError) and "no row has source" in str(found["Consistency"])
    assert isinstance(found[layers], SpecError) and "layers=99" in str(found[layers])
    assert isinstance(found["Length"], ScoreTable)
    assert all(isinstance(found[spec], SpecError) for spec in absent)
