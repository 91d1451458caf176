"""Fillings drawn from the embedded model: lengths, determinism, spelling."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.engine.models.loading import load
from nlgauge.errors import InputError
from nlgauge.lab.training.weak_labels.infilling import MaskedLMInfiller, _draw
from nlgauge.lab.training.weak_labels.reading import Template
from tests.engine.fake import FakeModel

TEMPLATES = [
    Template(("The firm built ", " in ", "."), ("an old bridge", "May")),
    Template(("", " opened the road on Monday."), ("The mayor",)),
    Template(("Nobody saw the ", " owl."), ("",)),
]

pytestmark = pytest.mark.usefixtures("one_model")


def rngs(number: int, seed: int = 3) -> list[np.random.Generator]:
    return [np.random.default_rng([seed, i]) for i in range(number)]


@pytest.fixture
def infiller() -> MaskedLMInfiller:
    return MaskedLMInfiller(load("pocket"))


def test_every_hole_gets_words_and_each_sentence_its_own(infiller):
    filled = infiller.fill(TEMPLATES, rngs(3))
    assert [len(some) for some in filled] == [2, 1, 1]
    assert all(one.strip() == one and one.replace(" ", "").isalnum() for some in filled for one in some)
    alone = [infiller.fill([one], [rng])[0] for one, rng in zip(TEMPLATES, rngs(3), strict=True)]
    assert filled == alone
    assert filled == infiller.fill(TEMPLATES, rngs(3))
    assert filled != infiller.fill(TEMPLATES, rngs(3, seed=4))


def test_lengths_are_those_of_what_stood_there(infiller):
    same = replace(infiller, spread=0.0)
    tokenizer = infiller.model[TOKENIZER]
    for template, some in zip(TEMPLATES[:2], same.fill(TEMPLATES[:2], rngs(2)), strict=True):
        for original, filling in zip(template.originals, some, strict=True):
            # Pieces that make a word when written may be split otherwise when read.
            assert len(tokenizer.encode([filling])[0]) <= len(tokenizer.encode([original])[0])
    long = Template(("", " fell."), ("word " * 30,))
    assert len(replace(infiller, spread=0.0, most=4).fill([long], rngs(1))[0][0].split()) <= 4


def test_names_are_written_as_they_were_seen(infiller):
    filled = infiller.fill(TEMPLATES, rngs(3))
    word = filled[0][0].split()[0]
    known = replace(infiller, spellings={word: word.upper()})
    assert known.fill(TEMPLATES, rngs(3))[0][0].split()[0] == word.upper()


def test_a_sentence_longer_than_the_window_is_not_filled(infiller):
    assert infiller.fill([Template(("word " * 600, "."), ("word",))], rngs(1)) == [None]
    assert infiller.fill([], []) == []


def test_a_vocabulary_without_plain_words():
    with pytest.raises(InputError, match="no plain words"):
        MaskedLMInfiller(FakeModel()).fill([Template(("w1 ", " w2"), ("w3",))], rngs(1))


def test_draws_follow_the_likeliest():
    scores = np.log(np.array([0.5, 0.3, 0.15, 0.05]))
    drawn = np.array([_draw(scores, 0.75, np.random.default_rng(i)) for i in range(2000)])
    assert set(drawn) == {0, 1}
    assert (drawn == 0).mean() == pytest.approx(0.5 / 0.8, abs=0.03)
    assert {_draw(scores, 0.4, np.random.default_rng(i)) for i in range(50)} == {0}
    assert {_draw(scores, 1.0, np.random.default_rng(i)) for i in range(400)} == {0, 1, 2, 3}
