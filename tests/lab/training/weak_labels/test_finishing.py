"""Words and labels of finished examples."""

from __future__ import annotations

import numpy as np

from nlgauge.lab.training.weak_labels.attempts import Draft
from nlgauge.lab.training.weak_labels.construct import construct
from nlgauge.lab.training.weak_labels.examples import Example
from nlgauge.lab.training.weak_labels.finishing import finished
from nlgauge.lab.training.weak_labels.parts import Parts
from nlgauge.lab.training.weak_labels.pseudo_targets import Choice, content_stems
from tests.lab.training.weak_labels.pieces import RECORDS, SOURCES, only, words_of


def test_the_article_agrees_and_the_filling_alone_is_not_supported(parts: Parts) -> None:
    draft = Draft(7, "reference", RECORDS[0], Choice("A bridge.", ("A bridge.",)), "infilled", np.random.default_rng(0))
    draft.made, draft.pieces = ["verbatim"], ["A firm built a ", " bridge."]
    draft.originals, draft.fillings = ["steel"], ["old"]
    one = finished(draft, parts, SOURCES, 1)
    assert isinstance(one, Example)
    assert (one.text, one.made, one.number) == ("A firm built an old bridge.", "verbatim+infilled", 7)
    assert words_of(one, False) == ["old"]


def test_a_filling_that_nobody_could_call_wrong_makes_no_example(parts: Parts) -> None:
    draft = Draft(7, "reference", RECORDS[0], Choice("A bridge.", ("A bridge.",)), "infilled", np.random.default_rng(0))
    draft.pieces, draft.originals, draft.fillings = ["", " was closed."], ["The bridges"], ["The bridge"]
    assert finished(draft, parts, SOURCES, 1) == "nothing was corrupted"


def test_what_is_clean_is_supported_and_said_by_the_context(parts: Parts) -> None:
    for one in construct(SOURCES[:1], parts, seed=2, settings=only("clean"), stop=16):
        assert all(one.supported) and one.made == "verbatim+clean"
        assert set(content_stems(one.text)) <= set(content_stems(one.context))


def test_another_context_supports_what_it_has(parts: Parts) -> None:
    for one in construct(SOURCES[:1], parts, seed=3, settings=only("foreign"), stop=16):
        known = set(content_stems(one.context))
        assert all(set(content_stems(word)) <= known for word in words_of(one, True) if content_stems(word))
        assert all(set(content_stems(word)).isdisjoint(known) for word in words_of(one, False))


def test_what_is_withheld_is_missing_from_the_context(parts: Parts) -> None:
    made = list(construct(SOURCES[:1], parts, seed=3, settings=only("withheld"), stop=24))
    withheld = [one for one in made if one.made.endswith("withheld")]
    assert len(withheld) > 12
    assert np.mean([not all(one.supported) for one in withheld]) > 0.9
    for one in withheld:
        assert one.text not in one.context
        assert set(content_stems(" ".join(words_of(one, False)))).isdisjoint(content_stems(one.context))
