"""Masked distributions, against the definition taken one position at a time."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.masked import Bag, BagRequest, MaskedLikelihoodRequest, TokenWeights, _passes
from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.engine.windows import Window
from tests.engine.fake import WORDS, FakeModel

LONG = " ".join(WORDS[5 + i % 40] for i in range(30))
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


@given(fitting)
@settings(max_examples=25, deadline=None)
def test_a_likelihood_is_what_each_place_predicts_of_its_own_token(text):
    model = FakeModel()
    likelihood = read(MaskedLikelihoodRequest(text), model)
    ids, predicted = literal(model, text)
    expected = np.log(predicted[np.arange(len(ids)), ids])
    np.testing.assert_allclose(likelihood.log_probabilities, expected, rtol=1e-5)
    assert [text[begin:end] for begin, end in likelihood.offsets] == text.split() and not likelihood.cut


def test_all_that_is_asked_of_a_text_shares_its_passes_unless_strides_differ():
    model, text = FakeModel(), "w1 w2 w3 w4"
    weights = TokenWeights("w", np.arange(len(WORDS), dtype=float))
    asked = [*(BagRequest(text, t) for t in (0.25, 0.5)), BagRequest(text, 0.5, weights), MaskedLikelihoodRequest(text)]
    together = Engine(model).features(asked)
    assert sum(count for count, _ in model.rows_seen) == 4
    for request in asked:
        np.testing.assert_array_equal(together[request].log_probabilities, read(request).log_probabilities)
    model.rows_seen.clear()
    Engine(model).features([BagRequest(text, 1.0), BagRequest(text, 1.0, stride=2)])
    assert sum(count for count, _ in model.rows_seen) == 8


def test_a_text_without_tokens_has_no_distributions():
    model = FakeModel()
    features = Engine(model).features([BagRequest("", 1.0), MaskedLikelihoodRequest(" ")])
    assert features[BagRequest("", 1.0)] is features[MaskedLikelihoodRequest(" ")] is None and not model.rows_seen


def test_stride_masks_far_apart_and_every_place_once():
    for used, stride in itertools.product((1, 5, 8, 20, 100), (2, 4, 16)):
        passes = _passes(Window(0, used, 0, used), stride)
        assert sorted(place for at in passes for place in at) == list(range(used))
        assert all(len(at) <= stride for at in passes)
        assert all(gap >= 8 for at in passes for gap in np.diff(at))
    assert len(_passes(Window(0, 100, 0, 100), 4)) == 25


def test_weights_of_what_is_cut_away_do_not_count():
    """A text whose weights are 0 as far as it is read has equal weights there, and not 0 divided by 0."""
    beginning = " ".join(LONG.split()[:14])
    values = np.zeros(len(WORDS))
    values[[WORDS.index(word) for word in set(LONG.split()) - set(beginning.split())]] = 1.0
    bag = read(BagRequest(LONG, 1.0, TokenWeights("w", values)), window="cut")
    assert bag.unweighted
    np.testing.assert_allclose(bag.log_probabilities, read(BagRequest(beginning, 1.0)).log_probabilities, atol=1e-6)


def test_what_is_cut_away_counts_in_no_bag_and_has_no_likelihood():
    beginning = " ".join(LONG.split()[:14])
    cut, alone = read(BagRequest(LONG, 1.0), window="cut"), read(BagRequest(beginning, 1.0))
    np.testing.assert_allclose(cut.log_probabilities, alone.log_probabilities, atol=1e-6)
    likelihood = read(MaskedLikelihoodRequest(LONG), window="cut")
    assert [LONG[begin:end] for begin, end in likelihood.offsets] == beginning.split()
    assert len(read(MaskedLikelihoodRequest(LONG)).log_probabilities) == 30


def test_weights_that_are_all_zero_count_every_token_alike_and_say_so():
    zero = TokenWeights("zero", np.zeros(len(WORDS)))
    weighed, plain = read(BagRequest("w1 w2", 1.0, zero)), read(BagRequest("w1 w2", 1.0))
    assert weighed.unweighted and not plain.unweighted
    np.testing.assert_array_equal(weighed.log_probabilities, plain.log_probabilities)


def test_sharp_distributions_keep_finite_logarithms():
    bag = read(BagRequest("w1 w2 w3", 0.05))
    assert np.isfinite(bag.log_probabilities).all()
    assert np.exp(bag.log_probabilities).sum() == pytest.approx(1)


def test_a_text_of_ten_thousand_words_is_read_whole():
    text = " ".join(WORDS[5 + (i * i) % 40] for i in range(10_000))
    assert np.exp(read(BagRequest(text, 1.0, stride=8), FakeModel(64)).log_probabilities).sum() == pytest.approx(1)


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


def test_the_key_names_text_temperature_weights_and_stride():
    weights = [TokenWeights(digest, np.ones(len(WORDS))) for digest in ("a", "b")]
    requests = [
        BagRequest("w1", 1.0), BagRequest("w2", 1.0), BagRequest("w1", 2.0), BagRequest("w1", 1.0, stride=2),
        *(BagRequest("w1", 1.0, one) for one in weights),
    ]  # fmt: skip
    assert len({request.key for request in requests}) == len(requests)
    assert MaskedLikelihoodRequest("w1").key is None
