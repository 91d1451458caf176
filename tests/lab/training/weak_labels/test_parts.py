"""The parts that a construction has by itself."""

from __future__ import annotations

import pytest

from nlgauge.engine.models.loading import load
from nlgauge.lab.training.weak_labels.attempts import Source
from nlgauge.lab.training.weak_labels.construct import construct
from nlgauge.lab.training.weak_labels.parts import Parts, collect_bank
from nlgauge.lab.training.weak_labels.sources import Record
from tests.lab.training.weak_labels.grammar import PlainParser, real_parser
from tests.lab.training.weak_labels.pieces import SOURCES, only

pytestmark = pytest.mark.usefixtures("one_model")


def test_what_is_given_stays_and_all_is_named() -> None:
    parser = PlainParser()
    parts = Parts.usual(SOURCES, load("pocket"), 1, parser=parser)
    assert parts.parser is parser and parts.judge is not None
    assert parts.described().keys() == {"parser", "targets", "paraphraser", "infiller", "masker"}


def test_spans_are_drawn_by_the_seed() -> None:
    one, same, other = (collect_bank(SOURCES, PlainParser(), seed).spans for seed in (1, 1, 2))
    assert one == same and one.keys() == other.keys()


def test_a_word_put_in_is_the_only_one_that_is_not_supported() -> None:
    text = "The firm opened the bridge in the valley. The mayor liked the garden and the museum."
    source = [Source([Record(document=text)], "reference")]
    parts = Parts.usual(source, load("pocket"), 1, parser=real_parser())
    made = list(construct(source, parts, seed=2, settings=only("infilled", added=1.0, spared=1.0), stop=8))
    assert len(made) > 4
    for one in made:
        ((begin, end),) = (span for span, kept in zip(one.words, one.supported, strict=True) if not kept)
        assert one.text[:begin] + one.text[end + 1 :] == text
