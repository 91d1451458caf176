"""What is masked, exchanged and taken away, and what is then not supported."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.training.weak_labels.grammar import BRIDGE, sentence
from lab.training.weak_labels.pieces import RECORDS, SOURCES, only, words_of
from nlgauge.engine.models.loading import load
from nlgauge_lab.training.weak_labels.attempts import Draft, Parts, Settings, Source
from nlgauge_lab.training.weak_labels.construct import construct
from nlgauge_lab.training.weak_labels.corruption import absent, assembled, changed, corrupt, masks
from nlgauge_lab.training.weak_labels.sources import Record
from nlgauge_lab.training.weak_labels.targets import Choice, content_stems
from tests.extras import english_pipeline


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
        for said in one.row.candidate.split(". "):
            assert said.rstrip(".") in one.row.source or any(said.count(word) for word in words_of(one, False))


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
    english_pipeline()
    parts = Parts.usual(source, load("pocket"), 1)
    made = list(construct(source, parts, seed=2, settings=only("infilled", spared=1.0), attempts=8))
    assert len(made) > 4 and all(sum(part in one.row.candidate for part in text.split(". ")) <= 1 for one in made)


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


def test_words_that_say_the_same_are_the_same():
    assert changed("a large house", "a big house", lambda one, other: {one, other} == {"large", "big"}) == []


def test_a_text_put_together():
    pieces = ["", " opened a ", " bridge. ", "."]
    text, spans = assembled(pieces, ["The mayor", "new", "It fell"], ["some king", "old", "ships left"], equal)
    assert text == "Some king opened an old bridge. Ships left."
    assert [text[begin:end] for begin, end in spans] == ["Some king", "old", "Ships left"]


@pytest.mark.parametrize(("original", "filling"), [("The bridges", "The bridge"), ("Ann Hall", "She")])
def test_a_filling_that_nobody_could_call_wrong_is_not_taken(original: str, filling: str):
    assert assembled(["", " fell."], [original], [filling], equal) == (f"{original} fell.", ())


@given(st.lists(st.tuples(st.sampled_from(["a b", "c", "d e f"]), st.sampled_from(["a", "c d", "e f", "x y z"]))))
def test_spans_are_in_order_and_within_the_text(pairs):
    pieces = ["Begin ", *(" and " for _ in pairs)]
    text, spans = assembled(pieces, [one for one, _ in pairs], [other for _, other in pairs], equal)
    ends = [place for span in spans for place in span]
    assert ends == sorted(ends) and all(0 <= place <= len(text) for place in ends)


def test_words_of_another_text_are_supported_where_the_context_has_them():
    text = "The mayor opened the old bridge ."
    # 'The' goes with 'mayor', the second 'the' with 'old'.
    assert [text[begin:end] for begin, end in absent(text, "Bridges were opened")] == ["The", "mayor", "the", "old"]
    assert len(absent("of the", "of the")) == 2
    assert absent("bridge of the", "a bridge") == absent("", "x") == ()
