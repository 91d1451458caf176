"""What is masked, exchanged and taken away, and what is then not supported."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge.engine.models.loading import load
from nlgauge.lab.training.weak_labels.attempts import Draft, Settings, Source
from nlgauge.lab.training.weak_labels.construct import construct
from nlgauge.lab.training.weak_labels.corruption import corrupt
from nlgauge.lab.training.weak_labels.parts import Parts
from nlgauge.lab.training.weak_labels.sources import Record
from nlgauge.lab.training.weak_labels.targets import Choice, content_stems
from tests.lab.training.weak_labels.grammar import real_parser
from tests.lab.training.weak_labels.pieces import RECORDS, SOURCES, only, words_of


def draft(how: str, text: str, seed: int = 0) -> Draft:
    made = Draft(0, "reference", RECORDS[0], Choice(text, (text,)), how, np.random.default_rng(seed))
    made.texts, made.text, made.context, made.origins = [text], text, text, [0]
    return made


def test_what_is_filled_is_not_supported_and_the_rest_is_as_it_was(parts: Parts) -> None:
    for one in construct(SOURCES[:1], parts, seed=2, settings=only("infilled"), attempts=16):
        assert set(content_stems(" ".join(words_of(one, True)))) <= set(content_stems(one.row.source))
        assert words_of(one, False) and words_of(one, True)


def test_what_is_exchanged_is_marked(parts: Parts) -> None:
    made = list(construct(SOURCES[:1], parts, seed=3, settings=only("exchanged"), attempts=16))
    assert len(made) > 12
    for one in made:
        for sentence in one.row.candidate.split(". "):
            assert sentence.rstrip(".") in one.row.source or any(sentence.count(word) for word in words_of(one, False))


def test_one_sentence_is_corrupted_where_the_others_are_spared(parts: Parts) -> None:
    first, second = "The firm opened another bridge there.", "Nine people walked over it slowly."
    for seed in range(8):
        one = draft("infilled", f"{first} {second}", seed)
        corrupt([one], parts, [], Settings(spared=1.0))
        assert one.problem is not None or (first in one.text) != (second in one.text)


def test_what_is_clean_is_supported_and_said_by_the_context(parts: Parts) -> None:
    for one in construct(SOURCES[:1], parts, seed=2, settings=only("clean"), attempts=16):
        assert one.row.supported and one.row.spans == () and one.made == "verbatim+clean"
        assert set(content_stems(one.row.candidate)) <= set(content_stems(one.row.source))


def test_another_context_supports_what_it_has(parts: Parts) -> None:
    made = list(construct(SOURCES[:1], parts, seed=3, settings=only("foreign"), attempts=16))
    assert made
    for one in made:
        known = set(content_stems(one.row.source))
        assert all(set(content_stems(word)) <= known for word in words_of(one, True) if content_stems(word))
        assert all(set(content_stems(word)).isdisjoint(known) for word in words_of(one, False))


def test_what_is_withheld_is_missing_from_the_context(parts: Parts) -> None:
    made = list(construct(SOURCES[:1], parts, seed=3, settings=only("withheld"), attempts=24))
    withheld = [one for one in made if one.made.endswith("withheld")]
    assert len(withheld) > 12
    assert np.mean([not one.row.supported for one in withheld]) > 0.9
    for one in withheld:
        assert one.row.candidate not in one.row.source and len(one.row.source.split()) >= 20
        assert set(content_stems(" ".join(words_of(one, False)))).isdisjoint(content_stems(one.row.source))


@pytest.mark.parametrize("how", ["foreign", "exchanged"])
def test_a_record_that_is_alone_gives_no_other_context(parts: Parts, how: str) -> None:
    one = draft(how, "The firm opened another bridge there.")
    corrupt([one], parts, [Source(RECORDS[:1], "reference")], Settings())
    assert one.problem == "no other record"


def test_units_of_real_sentences_are_filled(one_model: None) -> None:
    text = "The firm opened the bridge in the valley. The mayor liked the garden and the museum."
    source = [Source([Record(document=text)], "reference")]
    parts = Parts.usual(source, load("pocket"), 1, real_parser())
    made = list(construct(source, parts, seed=2, settings=only("infilled", spared=1.0), attempts=8))
    assert len(made) > 4 and all(sum(part in one.row.candidate for part in text.split(". ")) <= 1 for one in made)
