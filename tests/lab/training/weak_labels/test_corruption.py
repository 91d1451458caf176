"""What is masked and exchanged, and what comes in its place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nlgauge.lab.training.weak_labels.attempts import Draft
from nlgauge.lab.training.weak_labels.construct import construct
from nlgauge.lab.training.weak_labels.corruption import corrupt
from nlgauge.lab.training.weak_labels.parts import Parts
from nlgauge.lab.training.weak_labels.pseudo_targets import Choice, content_stems
from tests.lab.training.weak_labels.grammar import BRIDGE
from tests.lab.training.weak_labels.pieces import RECORDS, SOURCES, only, words_of


def draft(how: str, seed: int = 0) -> Draft:
    made = Draft(0, "reference", RECORDS[0], Choice("A bridge.", (BRIDGE.text,)), how, np.random.default_rng(seed))
    made.sentences = [BRIDGE, BRIDGE]
    return made


def test_what_is_filled_is_not_supported_and_the_rest_is_as_it_was(parts: Parts) -> None:
    for one in construct(SOURCES[:1], parts, seed=2, settings=only("infilled", added=0.0), stop=16):
        assert set(content_stems(" ".join(words_of(one, True)))) <= set(content_stems(one.context))
        assert 0 < len(words_of(one, False)) < len(one.words)


def test_what_is_exchanged_comes_from_elsewhere(parts: Parts) -> None:
    known = {stem for one in RECORDS for stem in content_stems(one.document)}
    for one in construct(SOURCES[:1], parts, seed=3, settings=only("exchanged", near=0.0), stop=16):
        assert words_of(one, False)
        assert set(content_stems(one.text)) <= known


def test_what_is_clean_has_no_holes(parts: Parts) -> None:
    one = draft("clean")
    corrupt([one], parts, only("clean"))
    assert (one.pieces, one.fillings, one.problem) == ([f"{BRIDGE.text} {BRIDGE.text}"], [], None)


def test_one_sentence_is_corrupted_where_the_others_are_spared(parts: Parts) -> None:
    for seed in range(8):
        one = draft("infilled", seed)
        corrupt([one], replace(parts, judge=None), only("infilled", spared=1.0, added=0.0))
        assert one.problem is not None or len(one.pieces) == len(one.fillings) + 1 == len(one.originals) + 1
        assert one.problem is not None or BRIDGE.text in (
            one.pieces[0][: len(BRIDGE.text)],
            one.pieces[-1][-len(BRIDGE.text) :],
        )
