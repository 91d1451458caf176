"""A model without a part says what it lacks and what to do; one with it gives the part."""

from dataclasses import fields, replace

import pytest

from nlgauge.engine.models.capabilities import Model, capability
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import SpecError
from tests.engine.fake import CausalModel, FakeModel, GapsModel, PairsModel, Seq2SeqModel, tiny_tokenizer

PARTS = ("encoder", "masked_lm", "masked_pairs", "aligner", "gap_filler", "causal_lm", "seq2seq_lm")
BARE = Model("bare", "00", "none", "float32", SubwordTokenizer(tiny_tokenizer(), None, "[PAD]"), 16)


@pytest.mark.parametrize("name", PARTS)
def test_what_a_model_lacks_is_said_by_name(name):
    with pytest.raises(SpecError, match="model 'bare' ") as failure:
        capability(BARE, getattr(BARE, name), name)
    assert "\n" not in str(failure.value)
    with pytest.raises(SpecError, match="model 'bare' in int8 "):
        capability(replace(BARE, precision="int8"), None, name)


def test_a_part_is_given_as_it_is():
    model = FakeModel()
    assert capability(model, model.encoder, "encoder") is model


def test_a_model_without_a_mask_token_predicts_no_masked_words():
    with pytest.raises(SpecError, match="'bare' predicts no masked words"):
        _ = BARE.mask_id
    assert replace(BARE, tokenizer=FakeModel().tokenizer).mask_id == 4
    assert BARE.room == 14


@pytest.mark.parametrize("kind", [FakeModel, PairsModel, GapsModel, CausalModel, Seq2SeqModel])
def test_the_models_that_the_tests_use_have_all_that_a_model_has(kind):
    for field in fields(Model):
        assert hasattr(kind(), field.name), field.name
