"""Masked words through three kinds of models: against the definition, one word and one row at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.masked_words import MaskedWordsRequest
from nlgauge.engine.masking import MaskingLimits
from nlgauge.engine.models.capabilities import MASKED_PAIRS, TOKENIZER
from nlgauge.errors import InputError, SpecError
from tests.engine.fake import WORDS, FakeModel, GapsModel, PairsModel, answers

words = st.sampled_from(WORDS[5:])
filled = st.lists(words, min_size=1, max_size=30).map(" ".join)


def literal(model, text, other, first=True):
    """Log-probability and likeliest word of each word of a text, masked alone, both texts in one row or seen apart."""
    (ids,), (rest,) = ([t.ids.tolist() for t in model[TOKENIZER].encode([one])] for one in (text, other))
    room = model.window - 3
    side = MaskingLimits.of(room, 1).side
    logs, likeliest = [], []
    for place, token in enumerate(ids):
        before = ids[max(0, place - side) : place]
        shown = [*before, 4, *ids[place + 1 : place + 1 + side]]
        if MASKED_PAIRS in model:
            seen = model.other_text(np.array([2, *rest[: model.window - 2], 3]))
            row = np.array([[2, *shown, 3]])
            logits = model.pair_logits(row, np.ones_like(row), np.array([1 + len(before)]), seen)[0]
        else:
            beside = rest[: room - len(shown)]
            row = np.array([[2, *shown, 3, *beside, 3] if first else [2, *beside, 3, *shown, 3]])
            logits = model.masked_logits(row, np.ones_like(row), np.flatnonzero(row[0] == 4))[0]
        logits = logits.astype(float)
        logs.append(logits[token] - np.log(np.exp(logits - logits.max()).sum()) - logits.max())
        likeliest.append(WORDS[int(logits.argmax())])
    return logs, likeliest


@pytest.mark.parametrize("kind", [FakeModel, PairsModel])
@given(filled, filled, st.booleans())
@settings(max_examples=20, deadline=None)
def test_exact_scores_are_the_definition(kind, text, other, first):
    model = kind(24)
    (answer,) = answers(model, MaskedWordsRequest(text, other, first))
    logs, likeliest = literal(model, text, other, first)
    np.testing.assert_allclose(answer.log_probabilities, logs, atol=1e-5)
    assert list(answer.predicted) == likeliest
    assert answer.hits.tolist() == [a == b for a, b in zip(likeliest, text.split(), strict=True)]
    assert [text[a:b] for a, b in answer.spans] == text.split()


def test_the_other_text_is_read_once_for_all_its_texts_and_no_further_than_the_window():
    model = PairsModel()
    source = " ".join(WORDS[5 + i % 40] for i in range(30))
    some = [MaskedWordsRequest(f"w{i} w3 w{i + 1}", source) for i in range(9)]
    assert all(answer.cut for answer in answers(model, *some))
    assert model.others_seen == [16]
    assert not answers(model, MaskedWordsRequest(source, "w1"))[0].cut
    with pytest.raises(InputError, match="row 7"):
        Engine(PairsModel(), "error").check(some[:1], 7)


def test_gaps_are_filled_by_the_model_that_has_sentinels():
    model = GapsModel(40)
    text = "w1 w2 w9 w10"
    (answer,) = answers(model, MaskedWordsRequest(text, "w3 w4"))
    assert answer.predicted == ("[SEP]", "w2", "w3", "w10")  # before the first gap stands [CLS]
    assert answer.hits.tolist() == [False, True, False, True]
    assert answer.log_probabilities.tolist()[1:] == [0, -1, 0]
    assert all(length <= 40 for _, length in model.rows_seen)
    with pytest.raises(SpecError, match="leave stride at 1"):
        answers(model, MaskedWordsRequest(text, "w3", stride=2))
