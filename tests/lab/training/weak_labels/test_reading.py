"""Rows read together give what they give alone."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.errors import InputError
from nlgauge.lab.training.weak_labels.reading import MaskedRow, Template, fits, mask_of, read_masks
from tests.engine.fake import FakeModel

ROWS = [
    MaskedRow([2, 4, 6, 4, 3], [1, 3]),
    MaskedRow([2, 7, 4, 3], [2]),
    MaskedRow([2, 9, 4, 8, 3], [2]),
    MaskedRow([2, 9, 3], []),
    MaskedRow([2, *[4] * 20, 3], [1]),  # longer than the window
]


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
    assert dataclasses.is_dataclass(model) is False
