"""What the store has of some metrics: all, some rows, nothing, and why a metric cannot be had."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nlgauge import Corpus, InputError, ScoreTable, SpecError
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import Model
from nlgauge.metrics import registry
from nlgauge_lab.reproduce.kept import kept

pytestmark = pytest.mark.usefixtures("one_model")
CORPUS = Corpus.from_texts(["A cat sat.", "Nothing else.", ""], ["The cat sat.", "It rained.", "A dog."])


def look(cache: Path | bool, *specs: str, corpus: Corpus = CORPUS) -> dict[str, object]:
    return dict(kept(corpus, {spec: registry.metric(spec) for spec in specs}, cache))


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
