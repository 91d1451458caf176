"""Fillings drawn from the embedded model: lengths, determinism, spelling."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.engine.models.loading import load
from nlgauge.errors import InputError
from nlgauge_lab.training.weak_labels import infilling
from nlgauge_lab.training.weak_labels.infilling import Infiller, MaskedRow, _draw, fits, mask_of, read_masks, spellings
from nlgauge_lab.training.weak_labels.syntax import Template
from tests.engine.fake import FakeModel

TEMPLATES = [
    Template(("The firm built ", " in ", "."), ("an old bridge", "May")),
    Template(("", " opened the road on Monday."), ("The mayor",)),
    Template(("Nobody saw the ", " owl."), ("",)),
]

ROWS = [
    MaskedRow([2, 4, 6, 4, 3], [1, 3]),
    MaskedRow([2, 7, 4, 3], [2]),
    MaskedRow([2, 9, 4, 8, 3], [2]),
    MaskedRow([2, 9, 3], []),
    MaskedRow([2, *[4] * 20, 3], [1]),  # longer than the window
]

pytestmark = pytest.mark.usefixtures("one_model")


def rngs(number: int, seed: int = 3) -> list[np.random.Generator]:
    return [np.random.default_rng([seed, i]) for i in range(number)]


@pytest.fixture
def infiller() -> Infiller:
    return Infiller(load("pocket"))


def test_every_hole_gets_words_and_each_sentence_its_own(infiller):
    filled = infiller.fill(TEMPLATES, rngs(3))
    assert [len(some) for some in filled] == [2, 1, 1]
    assert all(one.strip() == one and one.replace(" ", "").isalnum() for some in filled for one in some)
    alone = [infiller.fill([one], [rng])[0] for one, rng in zip(TEMPLATES, rngs(3), strict=True)]
    assert filled == alone
    assert filled == infiller.fill(TEMPLATES, rngs(3))
    assert filled != infiller.fill(TEMPLATES, rngs(3, seed=4))


def test_lengths_are_those_of_what_stood_there(infiller, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(infilling, "_SPREAD", 0.0)
    tokenizer = infiller.model[TOKENIZER]
    for template, some in zip(TEMPLATES[:2], infiller.fill(TEMPLATES[:2], rngs(2)), strict=True):
        for original, filling in zip(template.originals, some, strict=True):
            # Pieces that make a word when written may be split otherwise when read.
            assert len(tokenizer.encode([filling])[0]) <= len(tokenizer.encode([original])[0])
    long = Template(("", " fell."), ("word " * 30,))
    assert len(replace(infiller, most=4).fill([long], rngs(1))[0][0].split()) <= 4


def test_names_are_written_as_they_were_seen(infiller):
    filled = infiller.fill(TEMPLATES, rngs(3))
    word = filled[0][0].split()[0]
    known = replace(infiller, spellings={word: word.upper()})
    assert known.fill(TEMPLATES, rngs(3))[0][0].split()[0] == word.upper()


def test_how_words_are_spelt():
    texts = ["He saw Paris, and Paris saw him, in NATO days.", "The Polish queen may polish, the polish may stay."]
    assert spellings(texts) == {"paris": "Paris", "nato": "NATO"}


def test_a_sentence_longer_than_the_window_is_not_filled(infiller):
    assert infiller.fill([Template(("word " * 600, "."), ("word",))], rngs(1)) == [None]
    assert infiller.fill([], []) == []


def test_a_vocabulary_without_plain_words():
    with pytest.raises(InputError, match="no plain words"):
        Infiller(FakeModel()).fill([Template(("w1 ", " w2"), ("w3",))], rngs(1))


def test_draws_follow_the_likeliest():
    scores = np.log(np.array([0.5, 0.3, 0.15, 0.05]))
    drawn = np.array([_draw(scores, 0.75, np.random.default_rng(i)) for i in range(2000)])
    assert set(drawn) == {0, 1}
    assert (drawn == 0).mean() == pytest.approx(0.5 / 0.8, abs=0.03)
    assert {_draw(scores, 0.4, np.random.default_rng(i)) for i in range(50)} == {0}
    assert {_draw(scores, 1.0, np.random.default_rng(i)) for i in range(400)} == {0, 1, 2, 3}


def test_rows_of_one_length_go_together_and_none_is_padded():
    model = FakeModel()
    found = dict(read_masks(model, ROWS))
    assert sorted(found) == [0, 1, 2]
    assert sorted(model.rows_seen) == [(1, 4), (2, 5)]
    for index, logits in found.items():
        (alone,) = [value for _, value in read_masks(FakeModel(), [ROWS[index]])]
        np.testing.assert_allclose(logits, alone, rtol=1e-6)
        assert len(logits) == len(ROWS[index].at)


def test_fits_are_log_probabilities_of_first_pieces():
    model = FakeModel()
    template = Template(("w1", "w2 w3", ""), ("w9", "w8"))
    ((first, second),) = fits(model, [template], [[["w9", "w5 w6"], [""]]])
    ids = np.array([[2, 6, 4, 7, 8, 4, 3]])
    logits = model.masked_logits(ids, np.ones_like(ids), np.array([2, 5])).astype(float)
    chances = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(first, chances[0, [14, 10]], rtol=1e-5)
    np.testing.assert_allclose(second, chances[1, [4]], rtol=1e-5)


def test_what_does_not_fit_the_window_has_no_chance():
    ((found,),) = fits(FakeModel(), [Template(("w1 " * 20, ""), ("w2",))], [[["w2"]]])
    assert np.isneginf(found).all()
    assert fits(FakeModel(), [], []) == []


def test_a_model_without_a_mask():
    model = FakeModel()
    model[TOKENIZER].mask_id = None
    with pytest.raises(InputError, match="no mask token"):
        mask_of(model)
