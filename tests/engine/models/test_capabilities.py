"""A model without a capability says what it lacks and what to do; one with it gives what does it."""

from dataclasses import fields, replace

import pytest

from nlgauge.engine.models import capabilities
from nlgauge.engine.models.capabilities import ENCODER, MASKED_LM, TOKENIZER, Capability, Model
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import SpecError
from tests.engine.fake import CausalModel, FakeModel, GapsModel, PairsModel, Seq2SeqModel, tiny_tokenizer

OURS = [one for one in vars(capabilities).values() if isinstance(one, Capability)]
BARE = Model("bare", "00", "none", "float32", {})
SPLITS = replace(BARE, abilities={TOKENIZER: SubwordTokenizer(tiny_tokenizer(), None, "[PAD]")}, window=16)


@pytest.mark.parametrize("capability", OURS, ids=lambda one: one.name)
def test_what_a_model_lacks_is_said_by_name(capability):
    assert capability not in BARE
    with pytest.raises(SpecError, match="model 'bare' ") as failure:
        BARE[capability]
    assert "\n" not in str(failure.value) and capability.lacks in str(failure.value)
    with pytest.raises(SpecError, match="model 'bare' in int8 "):
        replace(BARE, abilities={capability: None}, precision="int8")[capability]


def test_ours_have_names_and_sentences_of_their_own():
    assert len(OURS) == 8 == len({one.name for one in OURS}) == len({one.lacks for one in OURS})


def test_what_does_it_is_given_as_it_is():
    model = FakeModel()
    assert model[ENCODER] is model and ENCODER in model


def test_a_model_may_do_what_no_model_of_ours_does():
    sings = Capability[str]("acme/singer", "sings nothing")
    assert replace(BARE, abilities={sings: "la"})[sings] == "la"
    with pytest.raises(SpecError, match="'bare' sings nothing"):
        BARE[sings]


def test_a_model_without_a_mask_token_predicts_no_masked_words():
    with pytest.raises(SpecError, match="'bare' predicts no masked words"):
        _ = SPLITS.mask_id
    assert replace(SPLITS, abilities={TOKENIZER: FakeModel().tokenizer}).mask_id == 4
    assert SPLITS.room == 14 and MASKED_LM not in SPLITS


def test_a_model_without_a_tokenizer_has_no_room_for_sub_words():
    with pytest.raises(SpecError, match="'bare' has no tokenizer for sub-words"):
        _ = BARE.room
    with pytest.raises(SpecError, match="its window of 2 sub-words has no room for text besides 2"):
        replace(SPLITS, window=2)


@pytest.mark.parametrize("kind", [FakeModel, PairsModel, GapsModel, CausalModel, Seq2SeqModel])
def test_the_models_that_the_tests_use_have_all_that_a_model_has(kind):
    for field in fields(Model):
        assert hasattr(kind(), field.name), field.name
