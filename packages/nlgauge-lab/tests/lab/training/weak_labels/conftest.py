"""The parts of a construction, all but a real parser."""

from __future__ import annotations

import pytest

from lab.training.weak_labels.grammar import PlainParser
from nlgauge.engine.models.loading import load
from nlgauge_lab.training.weak_labels import construct as construction
from nlgauge_lab.training.weak_labels.attempts import Parts
from nlgauge_lab.training.weak_labels.infilling import Infiller
from nlgauge_lab.training.weak_labels.paraphrase import Lexicon, Paraphraser
from nlgauge_lab.training.weak_labels.targets import Targets


@pytest.fixture
def parts(one_model: None, monkeypatch: pytest.MonkeyPatch) -> Parts:
    """All but a real parser, in small blocks, so that a few attempts cost a few."""
    monkeypatch.setattr(construction, "BLOCK", 8)
    model = load("pocket")
    paraphraser = Paraphraser(Lexicon({("R", "because of"): ("owing to",)}), model, share=1.0)
    return Parts(PlainParser(), Targets(shortest=20, longest=60), paraphraser, Infiller(model))
