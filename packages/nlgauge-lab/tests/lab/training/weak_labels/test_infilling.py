"""Fillings drawn from the embedded model: lengths, determinism, spelling."""

from __future__ import annotations

import numpy as np
import pytest

from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.errors import InputError
from nlgauge_lab.training.weak_labels.infilling import Infiller, mask_of
from nlgauge_lab.training.weak_labels.syntax import Template
from tests.engine.fake import FakeModel

pytestmark = pytest.mark.usefixtures("one_model")


def rngs(number: int, seed: int = 3) -> list[np.random.Generator]:
    return [np.random.default_rng([seed, i]) for i in range(number)]


def test_a_vocabulary_without_plain_words():
    with pytest.raises(InputError, match="no plain words"):
        Infiller(FakeModel()).fill([Template(("w1 ", " w2"), ("w3",))], rngs(1))


def test_a_model_without_a_mask():
    model = FakeModel()
    model[TOKENIZER].mask_id = None
    with pytest.raises(InputError, match="no mask token"):
        mask_of(model)
