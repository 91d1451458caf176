import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nlgauge.engine.engine as engine_module
from nlgauge.engine.engine import Engine
from nlgauge.engine.features import AlignmentRequest, BagRequest, StaticRequest, TokenWeights, VectorsRequest
from nlgauge.errors import InputError, SpecError
from tests.engine.fake import WORDS, FakeModel

BUDGET = Engine._budget
words = st.sampled_from(WORDS[5:])
texts = st.lists(words, max_size=40).map(" ".join)


def literal_bag(model: FakeModel, text: str, temperature: float = 1.0, weights=None) -> np.ndarray:
    """The definition, one position at a time, for a text that fits the window."""
    ids = model.tokenizer.encode([text])[0].ids
    row = np.array([[*model.tokenizer.prefix, *ids, *model.tokenizer.suffix]], dtype=np.int64)
    total, mass = np.zeros(len(WORDS)), 0.0
    for place, token in enumerate(ids):
        masked = row.copy()
        masked[0, place + 1] = model.tokenizer.mask_id
        logits = model.masked_logits(masked, np.ones_like(masked), np.array([place + 1]))[0].astype(float) / temperature
        shares = np.exp(logits - logits.max())
        weight = 1.0 if weights is None else weights[token]
        total += weight * shares / shares.sum()
        mass += weight
    return total / mass


@given(st.lists(words, min_size=1, max_size=14).map(" ".join), st.sampled_from([0.25, 1.0, 2.0]))
@settings(max_examples=25)
def test_bag_is_the_definition(text, temperature):
    model = FakeModel()
    values = np.random.default_rng(0).random(len(WORDS))
    needs = [(text, BagRequest(temperature)), (text, BagRequest(temperature, TokenWeights("w", values)))]
    plain, weighted = Engine(model).features(needs)
    np.testing.assert_allclose(np.exp(plain.log_probabilities), literal_bag(model, text, temperature), atol=1e-6)
    np.testing.assert_allclose(
        np.exp(weighted.log_probabilities), literal_bag(model, text, temperature, values), atol=1e-6
    )


@given(st.lists(texts, min_size=1, max_size=12), st.randoms(), st.integers(1, 400))
@settings(max_examples=25)
def test_features_do_not_depend_on_batch_order_or_company(some, random, budget):
    """Windows, padding, batches of every size, duplicates and any order give what each text alone gives."""
    model = FakeModel()
    requests = [BagRequest(1.0), BagRequest(0.5, stride=3), VectorsRequest((0, 2))]
    shuffled = some * 2
    random.shuffle(shuffled)
    engine = Engine(model)
    type(engine)._budget = property(lambda self: max(budget, 16))
    try:
        together = engine.features([(text, request) for text in shuffled for request in requests])
    finally:
        type(engine)._budget = property(lambda self: max(engine_module._BATCH_TOKENS, self.model.window))
    for (text, request), found in zip(itertools.product(shuffled, requests), together, strict=True):
        (alone,) = Engine(model).features([(text, request)])
        if not text:
            assert found is None and alone is None
        elif isinstance(request, BagRequest):
            np.testing.assert_allclose(found.log_probabilities, alone.log_probabilities, atol=1e-5)
        else:
            np.testing.assert_allclose(found.vectors, alone.vectors, atol=1e-5)
            assert found.vectors.shape == (2, len(text.split()) + 2, model.width)


def test_stream_gives_every_row_once_and_computes_each_text_once_however_little_it_may_hold(monkeypatch):
    monkeypatch.setattr(engine_module, "_HELD_BYTES", 3 * 8 * len(WORDS))
    model = FakeModel()
    engine = Engine(model)
    references = [f"w{i} w{i + 1}" for i in range(6)]
    rows = [[(f"w{s} w{i} w9", BagRequest(1.0)), (references[i], BagRequest(1.0))] for s in range(5) for i in range(6)]
    rows += [rows[0], rows[17], []]
    seen = {}
    for indices, features in engine.stream(rows):
        for index in indices:
            assert index not in seen
            seen[index] = {need: features[need] for need in rows[index]}
    assert sorted(seen) == list(range(len(rows)))
    distinct = {text for row in rows for text, _ in row}
    assert engine.ledger.encoded == engine.ledger.texts == len(distinct)
    assert sum(count for count, _ in model.rows_seen) == sum(len(text.split()) for text in distinct)


def test_what_is_held_does_not_grow_with_the_number_of_rows(monkeypatch):
    monkeypatch.setattr(engine_module, "_HELD_BYTES", 10 * 8 * len(WORDS))
    most = []
    for count in (50, 200):
        rows = [
            [(f"w{i % 40} w{i // 40} w3", BagRequest(1.0)), (f"w{i // 40} w{i % 40}", BagRequest(1.0))]
            for i in range(count)
        ]
        alive = 0
        uses = []
        original = Engine._compute

        def counting(self, needs, bar, original=original, uses=uses):
            uses.append(len(needs))
            return original(self, needs, bar)

        monkeypatch.setattr(Engine, "_compute", counting)
        for indices, _ in Engine(FakeModel()).stream(rows):
            alive += len(indices)
        monkeypatch.setattr(Engine, "_compute", original)
        assert alive == count
        most.append(max(uses))
    assert most[0] == most[1] <= 12


def test_requests_that_share_a_pass_share_it():
    model = FakeModel()
    text = "w1 w2 w3 w4"
    Engine(model).features([(text, BagRequest(t)) for t in (0.25, 0.5, 1.0)])
    assert sum(count for count, _ in model.rows_seen) == 4


def test_special_tokens_stand_at_the_ends_with_the_states_of_the_windows_that_hold_them():
    text = " ".join(WORDS[5 + i % 40] for i in range(30))
    model = FakeModel()
    (slid,) = Engine(model).features([(text, VectorsRequest((0, 2)))])
    ids = model.tokenizer.encode([text])[0].ids
    for piece, at in ((ids[:14], 0), (ids[-14:], -1)):
        row = np.array([[*model.tokenizer.prefix, *piece, *model.tokenizer.suffix]], dtype=np.int64)
        np.testing.assert_allclose(
            slid.vectors[:, at], model.hidden(row, np.ones_like(row), [0, 2])[:, 0, at], atol=1e-6
        )


def test_a_text_asked_for_by_rows_far_apart_is_encoded_once_for_all_its_requests(monkeypatch):
    monkeypatch.setattr(engine_module, "_HELD_BYTES", 1)
    model = FakeModel()
    engine = Engine(model)
    rows = [[("w1 w2", VectorsRequest((1,)))], *[[(f"w{i} w3 w4", VectorsRequest((1,)))] for i in range(9)]]
    rows += [[("w1 w2", VectorsRequest((2, 3))), ("w1 w2", StaticRequest())]]
    seen = {i: {need: f[need] for need in rows[i]} for indices, f in engine.stream(rows) for i in indices}
    assert engine.ledger.encoded == sum(count for count, _ in model.rows_seen) == 10
    assert seen[10]["w1 w2", VectorsRequest((2, 3))].vectors.shape == (2, 4, model.width)


def test_static_vectors_are_the_rows_of_the_vocabulary_and_need_no_pass():
    model = FakeModel()
    found, none = Engine(model).features([("w1 w7 w1", StaticRequest()), ("", StaticRequest())])
    assert none is None and not model.rows_seen
    np.testing.assert_array_equal(found.vectors[0], model._words[[6, 12, 6]].astype(np.float32))
    assert found.offsets.tolist() == [[0, 2], [3, 5], [6, 8]] and not found.special.any()


def test_stride_masks_far_apart_and_every_place_once():
    for used, stride in itertools.product((1, 5, 8, 20, 100), (2, 4, 16)):
        window = engine_module.Window(0, used, 0, used)
        passes = engine_module._passes(window, stride)
        assert sorted(place for at in passes for place in at) == list(range(used))
        assert all(len(at) <= stride for at in passes)
        gaps = [int(gap) for at in passes for gap in np.diff(at)]
        assert all(gap >= 8 for gap in gaps)
    assert len(engine_module._passes(engine_module.Window(0, 100, 0, 100), 4)) == 25


def test_long_texts_slide_cut_or_fail_and_are_counted():
    text = " ".join(WORDS[5 + i % 40] for i in range(30))
    sliding, cutting = Engine(FakeModel()), Engine(FakeModel(), "cut")
    (slid,) = sliding.features([(text, VectorsRequest((1,)))])
    (cut,) = cutting.features([(text, VectorsRequest((1,)))])
    assert slid.vectors.shape[1] == len(slid.ids) == 32
    assert cut.vectors.shape[1] == len(cut.ids) == len(cut.offsets) == len(cut.special) == 16
    for found in (slid, cut):
        assert found.special.tolist() == [True, *[False] * (len(found.ids) - 2), True]
        assert found.ids[[0, -1]].tolist() == [2, 3]
    assert sliding.ledger.longer == cutting.ledger.longer == 1
    with pytest.raises(InputError, match="row 2: "):
        list(Engine(FakeModel(), "error").stream([[("w1", BagRequest(1.0))], [(text, BagRequest(1.0))]]))


def test_cut_bag_counts_only_what_was_read():
    text = " ".join(WORDS[5 + i % 40] for i in range(30))
    start = " ".join(text.split()[:14])
    cut, alone = (Engine(FakeModel(), "cut").features([(t, BagRequest(1.0))])[0] for t in (text, start))
    np.testing.assert_allclose(cut.log_probabilities, alone.log_probabilities, atol=1e-6)


def test_weights_that_are_all_zero_count_every_token_alike_and_say_so():
    zero = TokenWeights("zero", np.zeros(len(WORDS)))
    weighed, plain = Engine(FakeModel()).features([("w1 w2", BagRequest(1.0, zero)), ("w1 w2", BagRequest(1.0))])
    assert weighed.unweighted and not plain.unweighted
    np.testing.assert_array_equal(weighed.log_probabilities, plain.log_probabilities)


def test_sharp_distributions_keep_finite_logarithms():
    (bag,) = Engine(FakeModel()).features([("w1 w2 w3", BagRequest(0.05))])
    assert np.isfinite(bag.log_probabilities).all()
    assert np.exp(bag.log_probabilities).sum() == pytest.approx(1)


def test_layers_that_the_model_lacks_are_refused():
    with pytest.raises(SpecError, match="layers 0 to 3"):
        Engine(FakeModel()).features([("w1", VectorsRequest((4,)))])


def test_a_text_of_ten_thousand_words_is_read_whole():
    text = " ".join(WORDS[5 + (i * i) % 40] for i in range(10_000))
    bag, vectors = Engine(FakeModel(64)).features([(text, BagRequest(1.0, stride=8)), (text, VectorsRequest((3,)))])
    assert np.exp(bag.log_probabilities).sum() == pytest.approx(1)
    assert vectors.vectors.shape == (1, 10_002, 8) and np.isfinite(vectors.vectors).all()


@given(
    st.lists(texts, min_size=1, max_size=6),
    st.lists(st.lists(texts, min_size=1, max_size=3).map(tuple), min_size=1, max_size=3),
    st.integers(1, 400),
)
@settings(max_examples=25)
def test_a_token_is_aligned_where_any_window_of_any_other_text_supports_it(some, others, budget):
    """The fake aligner finds a token supported by the same token: windows, batches and order must not show."""
    engine = Engine(FakeModel())
    type(engine)._budget = property(lambda self: budget)
    try:
        needs = [(text, AlignmentRequest(against)) for text in some for against in others]
        found = engine.features(needs)
    finally:
        type(engine)._budget = BUDGET
    for (text, request), feature in zip(needs, found, strict=True):
        there = {word for other in request.against for word in other.split()}
        if not text or not there:
            assert feature is None
            continue
        assert (feature.logits > 0).tolist() == [word in there for word in text.split()]
        assert [text[begin:end] for begin, end in feature.offsets] == text.split()
        if len(text.split()) < 6:
            shares = [np.mean([w in o.split() for w in text.split()]) for o in request.against if o and len(o) < 20]
            assert feature.aggregate >= max(shares, default=0) - 1e-6


def test_the_aggregate_of_a_text_in_parts_is_their_mean_by_size():
    text = " ".join(["w1"] * 9 + ["w2"] * 3)
    (found,) = Engine(FakeModel()).features([(text, AlignmentRequest(("w1 w3 w4 w5 w6 w7 w8 w9",)))])
    # Windows [0, 6), [3, 9) and [6, 12) are supported by 1, 1 and 1/2, and used for 4, 3 and 5 tokens.
    assert found.aggregate == pytest.approx((4 * 1 + 3 * 1 + 5 / 2) / 12)


def test_what_is_cut_has_no_alignment():
    text = " ".join(WORDS[5:25])
    (found,) = Engine(FakeModel(), window="cut").features([(text, AlignmentRequest((text,)))])
    assert [text[begin:end] for begin, end in found.offsets] == text.split()[:6]
    with pytest.raises(InputError, match="row 1"):
        Engine(FakeModel(), window="error").features([(text, AlignmentRequest((text,)))])
