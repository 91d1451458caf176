"""Masks: the published probabilities, and the draws that are refused."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlgauge.lab.training.weak_labels.masking import masks
from tests.lab.training.weak_labels.grammar import BRIDGE, sentence


class Draws:
    """A generator that gives what it is told."""

    def __init__(self, *rows: list[float]) -> None:
        self.rows = list(rows)

    def random(self, size: int) -> np.ndarray:
        row = self.rows.pop(0)
        assert size == len(row)
        return np.array(row)


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


def test_a_larger_mask_swallows_those_within():
    # In the order of the units: firm, built, old, bridge, May; The firm, in May; an old bridge; the predicate.
    one = [1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0]
    spans = [BRIDGE.part(*span) for span in masks(BRIDGE, _ordered(one)) or []]
    assert spans == ["an old bridge"]


def _ordered(row: list[float]) -> Draws:
    """Draws for the units of BRIDGE that may be masked, by (height, length, place); stop-words and signs get 1."""
    by_part = dict(zip(["firm", "built", "old", "bridge", "May", "The firm", "in May", "an old bridge",
                        "built an old bridge in May"], row, strict=True))  # fmt: skip
    parts = []
    for node in BRIDGE.nodes:
        part = BRIDGE.part(node.first, node.last).rstrip(".")
        if part and len(part.split()) <= 6 and part not in parts:
            parts.append(part)
    return Draws([by_part.get(part, 1.0) for part in parts])


def test_draws_are_refused_where_masks_touch_or_nothing_is_left():
    touching = [1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0]  # "The firm" and "built"
    whole = [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0]
    nothing = [1.0] * 9
    good = [1.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0]
    rows = [_ordered(row).rows[0] for row in (touching, whole, nothing, good)]
    assert masks(BRIDGE, Draws(*rows[:3]), attempts=3) is None
    assert masks(BRIDGE, Draws(*rows), attempts=4) == [(7, 8)]


def test_stop_words_and_signs_are_never_masked_alone():
    plain = sentence("It was then.", "It PRP 2 nsubj", "was VBD 0 ROOT be", "then RB 2 advmod", ". . 2 punct")
    drawn = (masks(plain, np.random.default_rng(seed), attempts=200) for seed in range(40))
    found = {plain.part(*span) for some in drawn for span in some or []}
    assert found <= {"was then"}


@given(st.integers(0, 10_000), st.integers(1, 9))
def test_masks_are_disjoint_apart_and_short_enough(seed: int, longest: int):
    drawn = masks(BRIDGE, np.random.default_rng(seed), longest=longest)
    for first, last in drawn or []:
        assert 0 < last - first <= longest
        assert last < len(BRIDGE.words)  # the full stop stays
    for before, after in pairwise(drawn or []):
        assert before[1] < after[0]
