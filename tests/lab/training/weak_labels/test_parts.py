"""The parts that a construction has by itself."""

from __future__ import annotations

import pytest

from nlgauge.engine.models.loading import load
from nlgauge.lab.training.weak_labels.attempts import Source
from nlgauge.lab.training.weak_labels.parts import Parts
from nlgauge.lab.training.weak_labels.sources import Record
from tests.lab.training.weak_labels.grammar import PlainParser

pytestmark = pytest.mark.usefixtures("one_model")


def test_how_words_are_spelt_is_read_from_the_records() -> None:
    source = Source([Record(knowledge="They saw Leeds and more."), Record(text="He met Ann.")], "reference")
    parser = PlainParser()
    parts = Parts.usual([source], load("pocket"), 1, parser)
    assert parts.parser is parser and parts.infiller.spellings == {"leeds": "Leeds", "ann": "Ann"}
    assert len(parts.paraphraser.lexicon.entries) > 1500
