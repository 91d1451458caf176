"""What is masked, exchanged and taken away, and what is then not supported."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from lab.training.weak_labels.grammar import BRIDGE
from lab.training.weak_labels.pieces import RECORDS, SOURCES, only, words_of
from nlgauge_lab.training.weak_labels.attempts import Draft, Parts, Settings, Source
from nlgauge_lab.training.weak_labels.construct import construct
from nlgauge_lab.training.weak_labels.corruption import changed, corrupt, masks
from nlgauge_lab.training.weak_labels.targets import Choice, content_stems


def draft(how: str, text: str, seed: int = 0) -> Draft:
    made = Draft(0, "reference", RECORDS[0], Choice(text, (text,)), how, np.random.default_rng(seed))
    made.texts, made.text, made.context, made.origins = [text], text, text, [0]
    return made


def test_another_context_supports_what_it_has(parts: Parts) -> None:
    made = list(construct(SOURCES[:1], parts, seed=3, settings=only("foreign"), attempts=16))
    assert made
    for one in made:
        known = set(content_stems(one.row.source))
        assert all(set(content_stems(word)) <= known for word in words_of(one, True) if content_stems(word))
        assert all(set(content_stems(word)).isdisjoint(known) for word in words_of(one, False))


@pytest.mark.parametrize("how", ["foreign", "exchanged"])
def test_a_record_that_is_alone_gives_no_other_context(parts: Parts, how: str) -> None:
    one = draft(how, "The firm opened another bridge there.")
    corrupt([one], parts, [Source(RECORDS[:1], "reference")], Settings())
    assert one.problem == "no other record"


def test_probabilities_are_those_of_the_published_code():
    counts: Counter[str] = Counter()
    rng, times = np.random.default_rng(1), 5_000
    for _ in range(times):
        for span in masks(BRIDGE, rng, attempts=1) or []:
            counts[BRIDGE.part(*span)] += 1
    assert counts.keys() == {"firm", "built", "old", "bridge", "May", "The firm", "an old bridge", "in May",
                             "built an old bridge in May"}  # fmt: skip
    assert counts["an old bridge"] > counts["in May"] > counts["bridge"]
    # The predicate, 6 of 8 words at height 2, and then neither "firm" (1 of 8) nor "The firm" (2 of 8, height 1) before
    # it, which it would touch.
    assert counts["built an old bridge in May"] / times == pytest.approx(6 / 8 / 3 * (7 / 8) ** 2, abs=0.02)


def equal(one: str, other: str) -> bool:
    return one == other


@pytest.mark.parametrize(
    ("original", "filling", "new"),
    [
        ("an old bridge", "a small boat", "a small boat"),
        ("an old bridge", "an old boat", "boat"),
        ("in May 2012", "in June 2012", "June"),
        ("bridge", "Bridge", ""),
        ("the bridge", "the bridge the bridge", "the bridge"),
        ("red", "red and blue", "and blue"),
        ("big cats", "big", ""),
        ("John's car", "Ann's car", "Ann's"),
    ],
)
def test_what_both_begin_or_end_with_is_the_original(original: str, filling: str, new: str):
    spans = changed(original, filling, equal)
    assert [filling[begin:end] for begin, end in spans] == ([new] if new else [])
