"""A model without a capability says what it lacks and what to do; one with it gives what does it."""

from dataclasses import replace

import pytest

from nlgauge.engine.models import capabilities
from nlgauge.engine.models.capabilities import MASKED_LM, TOKENIZER, Capability, Model
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import SpecError
from tests.engine.fake import FakeModel, tiny_tokenizer

OURS = [one for one in vars(capabilities).values() if isinstance(one, Capability)]
BARE = Model("bare", "00", "none", "float32", {})
SPLITS = replace(BARE, abilities={TOKENIZER: SubwordTokenizer(tiny_tokenizer(), None, "[PAD]")}, window=16)


def test_ours_have_names_and_sentences_of_their_own():
    assert len(OURS) == 8 == len({one.name for one in OURS}) == len({one.lacks for one in OURS})


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
