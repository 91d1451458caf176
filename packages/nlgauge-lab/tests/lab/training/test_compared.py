"""Texts about one source stand in one batch, among the same passages, and are compared with each other alone."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.engine.models.loading import load
from nlgauge_lab.training.aligner import _whole_groups
from nlgauge_lab.training.aligner_rows import Shape, encode, twin_pairs
from nlgauge_lab.training.alone import Judged, alone
from nlgauge_lab.training.compared import Compared, twins
from nlgauge_lab.training.labelled import Labelled, sentences_of
from nlgauge_lab.training.support.make import Among

ROWS = [
    Labelled(f"{number} boats left {place} at noon.", text, None, supported)
    for number, place in ((3, "Oban"), (5, "Mallaig"), (8, "Ullapool"))
    for text, supported in (
        (f"Boats left {place}.", True),
        ("Nothing happened.", False),
        (f"{number} boats went.", True),
    )
]


def test_texts_about_one_source_stand_among_the_same_passages():
    compared = Compared.of(list(reversed(ROWS)), load("pocket")[TOKENIZER])
    rows, bias, groups = compared.placed(Among(["A passage about the sea."], among=1.0, together=1.0), 3)
    assert (rows, bias, groups) == compared.placed(Among(["A passage about the sea."], among=1.0, together=1.0), 3)
    assert len(rows) == len(bias) == len(groups) == 15  # two of the three texts of a source come as one with another
    for group in set(groups):
        here = [row for row, number in zip(rows, groups, strict=True) if number == group]
        assert len({row.source for row in here}) == 1 and len({row.candidate for row in here}) == 5
        both = [row for row in here if row.candidate.count(".") == 2]
        assert len(both) == 2 and all(row.supported == ("Nothing" not in row.candidate) for row in both)


def test_only_texts_about_one_source_are_compared():
    model = load("pocket")
    rows, bias, groups = Compared.of(ROWS, model[TOKENIZER]).placed(Among(["A passage."]), 3)
    encoded = twins(encode(rows, model[TOKENIZER], np.ones(40_000), Shape()), bias, groups, -1 << 40)
    assert [row.bias for row in encoded] == pytest.approx(bias)
    pairs = {(int(good), int(bad)) for good, bad in twin_pairs(encoded)}
    assert pairs == {
        (good, bad)
        for good, one in enumerate(rows)
        for bad, other in enumerate(rows)
        if one.supported and not other.supported and one.source == other.source
    }


def test_what_a_text_says_alone_is_estimated_from_other_texts():
    rows = [
        Judged("", f"{word} {number}", word == "surely", number) for number in range(40) for word in ("surely", "never")
    ]
    odds = alone(rows, load("pocket")[TOKENIZER])
    assert (odds[::2] > 0).all() and (odds[1::2] < 0).all()


def test_sentences_of_a_text_keep_their_labels():
    text = "It opens at nine. It closes at six. Dogs are welcome."
    begin = text.index("six")
    row = Labelled("The shop opens at nine.", text, ((begin, begin + 3), (text.index("Dogs"), len(text))), False)
    parts = sentences_of(row)
    assert [(part.candidate, part.supported) for part in parts] == [
        ("It opens at nine.", True),
        ("It closes at six.", False),
        ("Dogs are welcome.", False),
    ]
    assert [part.candidate[begin:end] for part in parts for begin, end in part.spans or ()] == [
        "six",
        "Dogs are welcome.",
    ]
    assert sentences_of(Labelled("", text, None, False)) == []
    assert [part.supported for part in sentences_of(Labelled("", text, None, True))] == [True] * 3


def test_a_batch_holds_whole_groups_of_like_length():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), 4)
    lengths = np.repeat(rng.choice([64, 320], 60), 4)
    batches = _whole_groups(groups, lengths, 1000, rng)
    assert sorted(np.concatenate(batches).tolist()) == list(range(240))
    for batch in batches:
        assert len(set(lengths[batch])) == 1 and len(batch) * lengths[batch][0] <= max(1000, 4 * lengths[batch][0])
        assert len(batch) == 4 * len(set(groups[batch]))
