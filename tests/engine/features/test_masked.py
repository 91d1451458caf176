"""Masked distributions, against the definition taken one position at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.masked import Bag, BagRequest, TokenWeights
from nlgauge.engine.models.capabilities import TOKENIZER
from tests.engine.fake import WORDS, FakeModel

fitting = st.lists(st.sampled_from(WORDS[5:]), min_size=1, max_size=14).map(" ".join)


def read(request, model=None, window="slide"):
    return Engine(model or FakeModel(), window).features([request])[request]


def literal(model: FakeModel, text: str, temperature: float = 1.0) -> tuple[list[int], np.ndarray]:
    """Ids of a text that fits the window, and what is predicted at each of its places: [tokens, vocabulary]."""
    ids = model[TOKENIZER].encode([text])[0].ids.tolist()
    row = np.array([[*model[TOKENIZER].prefix, *ids, *model[TOKENIZER].suffix]], dtype=np.int64)
    predicted = []
    for place in range(1, len(ids) + 1):
        masked = row.copy()
        masked[0, place] = model[TOKENIZER].mask_id
        logits = model.masked_logits(masked, np.ones_like(masked), np.array([place]))[0].astype(float) / temperature
        shares = np.exp(logits - logits.max())
        predicted.append(shares / shares.sum())
    return ids, np.array(predicted)


@given(fitting, st.sampled_from([0.25, 1.0, 2.0]))
@settings(max_examples=25, deadline=None)
def test_a_bag_is_the_weighted_mean_of_the_distributions(text, temperature):
    model = FakeModel()
    values = np.random.default_rng(0).random(len(WORDS))
    plain, weighted = BagRequest(text, temperature), BagRequest(text, temperature, TokenWeights("w", values))
    bags = Engine(model).features([plain, weighted])
    ids, predicted = literal(model, text, temperature)
    for request, weights in ((plain, np.ones(len(ids))), (weighted, values[ids])):
        expected = np.average(predicted, axis=0, weights=weights)
        np.testing.assert_allclose(np.exp(bags[request].log_probabilities), expected, atol=1e-6)
        assert bags[request].log_probabilities.dtype == np.float32 and not bags[request].unweighted


def test_a_packed_bag_is_the_same_to_the_bit():
    request = BagRequest("w1 w2", 1.0, TokenWeights("zero", np.zeros(len(WORDS))))
    bag = read(request)
    for one in (bag, Bag(bag.log_probabilities, unweighted=False)):
        again = request.unpack(request.pack(one), FakeModel())
        np.testing.assert_array_equal(again.log_probabilities, one.log_probabilities)
        assert again.unweighted == one.unweighted
    for wrong in (b"", request.pack(bag)[:-4], request.pack(bag) + b"\0"):
        with pytest.raises(ValueError, match="bytes"):
            request.unpack(wrong, FakeModel())
