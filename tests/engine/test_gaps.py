"""Masked words through three kinds of models: against the definition, one word and one row at a time."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nlgauge.engine.engine as engine_module
from nlgauge.engine.engine import Engine
from nlgauge.engine.features import MaskedWordsRequest, PairStatesRequest
from nlgauge.engine.gaps import predictor
from nlgauge.engine.masking import Limits
from nlgauge.errors import InputError, SpecError
from tests.engine.fake import WORDS, FakeModel, GapsModel, PairsModel

words = st.sampled_from(WORDS[5:])
texts = st.lists(words, max_size=30).map(" ".join)
filled = st.lists(words, min_size=1, max_size=30).map(" ".join)
requests = st.builds(
    MaskedWordsRequest,
    against=texts,
    first=st.booleans(),
    decoding=st.sampled_from(["joint", "stepwise", "single"]),
    stride=st.sampled_from([1, 3]),
)


def literal(model, text, other, first=True):
    """Log-probability and likeliest word of each word of a text, masked alone, both texts in one row or seen apart."""
    (ids,), (rest,) = ([t.ids.tolist() for t in model.tokenizer.encode([one])] for one in (text, other))
    room = model.window - 3
    side = Limits.of(room, 1).side
    logs, said = [], []
    for place, token in enumerate(ids):
        before = ids[max(0, place - side) : place]
        own = [*before, 4, *ids[place + 1 : place + 1 + side]]
        if model.pairs_digest:
            seen = model.other_text(np.array([2, *rest[: model.window - 2], 3]))
            row = np.array([[2, *own, 3]])
            logits = model.pair_logits(row, np.ones_like(row), np.array([1 + len(before)]), seen)[0]
        else:
            beside = rest[: room - len(own)]
            row = np.array([[2, *own, 3, *beside, 3] if first else [2, *beside, 3, *own, 3]])
            logits = model.masked_logits(row, np.ones_like(row), np.flatnonzero(row[0] == 4))[0]
        logits = logits.astype(float)
        logs.append(logits[token] - np.log(np.exp(logits - logits.max()).sum()) - logits.max())
        said.append(WORDS[int(logits.argmax())])
    return logs, said


@pytest.mark.parametrize("kind", [FakeModel, PairsModel])
@given(filled, filled, st.booleans())
@settings(max_examples=20, deadline=None)
def test_exact_scores_are_the_definition(kind, text, other, first):
    model = kind(24)
    (found,) = Engine(model).features([(text, MaskedWordsRequest(other, first))])
    logs, said = literal(model, text, other, first)
    np.testing.assert_allclose(found.log_probabilities, logs, atol=1e-5)
    assert list(found.predicted) == said
    assert found.hits.tolist() == [a == b for a, b in zip(said, text.split(), strict=True)]
    assert [text[a:b] for a, b in found.spans] == text.split()


@pytest.mark.parametrize("kind", [FakeModel, PairsModel])
@given(st.lists(st.tuples(texts, requests), min_size=1, max_size=8), st.randoms(), st.integers(1, 300))
@settings(max_examples=20, deadline=None)
def test_answers_do_not_depend_on_batch_order_or_company(kind, needs, random, budget):
    model = kind()
    shuffled = needs * 2
    random.shuffle(shuffled)
    engine = Engine(model)
    type(engine)._budget = property(lambda self: max(budget, 16))
    try:
        together = engine.features(shuffled)
    finally:
        type(engine)._budget = property(lambda self: max(engine_module._BATCH_TOKENS, self.model.window))
    for (text, request), found in zip(shuffled, together, strict=True):
        (alone,) = Engine(model).features([(text, request)])
        if not text or not request.against:
            assert found is None and alone is None
        else:
            np.testing.assert_allclose(found.log_probabilities, alone.log_probabilities, atol=1e-5)
            assert found.predicted == alone.predicted
            assert len(found.words) == len(text.split())


def test_chosen_words_are_those_of_all_words():
    text, other = "w1 w2 w3 w4 w5 w6", "w7 w8"
    for model in (FakeModel(24), PairsModel(24)):
        every, some = Engine(model).features(
            [(text, MaskedWordsRequest(other)), (text, MaskedWordsRequest(other, words=(1, 4)))]
        )
        assert some.words.tolist() == [1, 4]
        np.testing.assert_allclose(some.log_probabilities, every.log_probabilities[[1, 4]], atol=1e-6)
        np.testing.assert_array_equal(some.spans, every.spans[[1, 4]])


def test_the_other_text_is_read_once_for_all_its_texts_and_no_further_than_the_window():
    model = PairsModel()
    source = " ".join(WORDS[5 + i % 40] for i in range(30))
    kinds = (MaskedWordsRequest, PairStatesRequest)
    needs = [(f"w{i} w3 w{i + 1}", kind(source)) for i in range(9) for kind in kinds]
    Engine(model).features(needs)
    assert model.others_seen == [16]
    with pytest.raises(InputError, match="row 1"):
        Engine(PairsModel(), "error").features(needs[:1])


def test_rows_of_a_pass_hold_no_more_than_the_window_whatever_the_texts():
    long = " ".join(WORDS[5 + i % 40] for i in range(200))
    for model in (FakeModel(), PairsModel(), FakeModel(5)):
        for stride in (1, 4):
            found = Engine(model).features([(long, MaskedWordsRequest(long, stride=stride))])
            assert len(found[0].words) == 200 and np.isfinite(found[0].log_probabilities).all()


def test_states_of_a_pair_are_those_of_the_row_that_holds_both():
    text, other = "w1 w2 w3", "w5 w6 w7 w8"
    model = FakeModel()
    first, second = Engine(model).features([(text, PairStatesRequest(other)), (text, PairStatesRequest(other, False))])
    ids = {"a": [6, 7, 8], "b": [10, 11, 12, 13]}
    for found, row, place in (
        (first, [2, *ids["a"], 3, *ids["b"], 3], 1),
        (second, [2, *ids["b"], 3, *ids["a"], 3], 6),
    ):
        states = model.hidden(np.array([row]), np.ones((1, len(row)), np.int64), [3])[0, 0]
        np.testing.assert_allclose(found.vectors[0], states[place : place + 3], atol=1e-6)
    pairs = PairsModel()
    (seeing,) = Engine(pairs).features([(text, PairStatesRequest(other))])
    row = np.array([[2, *ids["a"], 3]])
    shown = pairs.pair_states(row, np.ones_like(row), pairs.other_text(np.array([2, *ids["b"], 3])))
    np.testing.assert_allclose(seeing.vectors[0], shown[0, 1:4], atol=1e-6)


def test_states_of_long_texts_come_from_windows():
    long = " ".join(WORDS[5 + i % 40] for i in range(50))
    for model in (FakeModel(), PairsModel()):
        found, none, nothing = Engine(model).features(
            [(long, PairStatesRequest(long)), ("", PairStatesRequest(long)), (long, PairStatesRequest(""))]
        )
        assert found.vectors.shape == (1, 50, 8) and np.isfinite(found.vectors).all()
        assert none is None and nothing is None


def test_gaps_are_filled_by_the_model_that_has_sentinels():
    model = GapsModel(40)
    text = "w1 w2 w9 w10"
    (found,) = Engine(model).features([(text, MaskedWordsRequest("w3 w4"))])
    assert found.predicted == ("[SEP]", "w2", "w3", "w10")  # before the first gap stands [CLS]
    assert found.hits.tolist() == [False, True, False, True]
    assert found.log_probabilities.tolist()[1:] == [0, -1, 0]
    assert all(length <= 40 for _, length in model.rows_seen)
    with pytest.raises(SpecError, match="leave stride at 1"):
        Engine(model).features([(text, MaskedWordsRequest("w3", stride=2))])


def test_a_word_that_the_vocabulary_lacks_is_never_found():
    class Unknown(FakeModel):
        def masked_logits(self, ids, attend, at):
            logits = np.zeros((len(at), len(WORDS)), np.float32)
            logits[:, 1] = 9
            return logits

    (found,) = Engine(Unknown()).features([("w1 zebra", MaskedWordsRequest("w2"))])
    assert found.predicted == ("[UNK]", "[UNK]") and not found.hits.any()


def test_a_model_without_mask_and_sentinels_is_refused():
    model = FakeModel()
    model.tokenizer.mask_id = None
    with pytest.raises(SpecError, match="no mask token"):
        predictor(model)
    assert [predictor(kind()) for kind in (FakeModel, PairsModel, GapsModel)] == ["masks", "pairs", "sentinels"]
