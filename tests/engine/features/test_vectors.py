import numpy as np
import pytest

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.vectors import POOLINGS, SentenceVectors, VectorsRequest
from nlgauge.engine.models.capabilities import TOKENIZER
from nlgauge.errors import InputError, SpecError
from tests.engine.fake import WORDS, FakeModel

LONG = " ".join(WORDS[5 + i % 40] for i in range(30))


def read(text: str, *layers: int, model=None, window="slide"):
    request = VectorsRequest(text, layers)
    return Engine(model or FakeModel(), window).features([request])[request]


def states(model: FakeModel, ids, layers) -> np.ndarray:
    """What the model says of one framed row: [layers, tokens, width]."""
    row = np.array([[*model[TOKENIZER].prefix, *ids, *model[TOKENIZER].suffix]], dtype=np.int64)
    return model.hidden(row, np.ones_like(row), layers)[:, 0]


def test_vectors_are_the_models_states_special_tokens_included():
    model, text = FakeModel(), "w1 w7 w1"
    vectors = read(text, 3, 0, model=model)
    np.testing.assert_allclose(vectors.vectors, states(model, [6, 12, 6], [3, 0]), atol=1e-6)
    assert vectors.ids.tolist() == [2, 6, 12, 6, 3]
    assert vectors.offsets.tolist() == [[0, 0], [0, 2], [3, 5], [6, 8], [8, 8]]
    assert vectors.special.tolist() == [True, False, False, False, True]
    assert vectors.text == text


def test_one_pass_gives_all_layers_that_are_asked_of_a_text():
    model = FakeModel()
    requests = [VectorsRequest("w1 w2", (1,)), VectorsRequest("w1 w2", (3, 2)), VectorsRequest("w5", (0,))]
    features = Engine(model).features(requests)
    assert sum(count for count, _ in model.rows_seen) == 2
    for request in requests:
        np.testing.assert_array_equal(features[request].vectors, read(request.text, *request.layers).vectors)


def test_a_text_without_tokens_has_no_vectors():
    model = FakeModel()
    assert read("", 1, model=model) is None and not model.rows_seen


def test_special_tokens_have_the_states_of_the_windows_that_hold_them():
    model = FakeModel()
    slid = read(LONG, 0, 2, model=model)
    ids = model[TOKENIZER].encode([LONG])[0].ids
    for piece, at in ((ids[:14], 0), (ids[-14:], -1)):
        np.testing.assert_allclose(slid.vectors[:, at], states(model, piece, [0, 2])[:, at], atol=1e-6)


def test_long_texts_slide_are_cut_or_are_refused():
    slid, cut = read(LONG, 1), read(LONG, 1, window="cut")
    assert slid.vectors.shape[1] == len(slid.ids) == 32
    assert cut.vectors.shape[1] == len(cut.ids) == len(cut.offsets) == len(cut.special) == 16
    for vectors in (slid, cut):
        assert vectors.special.tolist() == [True, *[False] * (len(vectors.ids) - 2), True]
        assert vectors.ids[[0, -1]].tolist() == [2, 3]
    with pytest.raises(InputError, match="a text of 30 sub-words does not fit"):
        read(LONG, 1, window="error")


def test_a_text_of_ten_thousand_words_is_read_whole():
    text = " ".join(WORDS[5 + (i * i) % 40] for i in range(10_000))
    vectors = read(text, 3, model=FakeModel(64)).vectors
    assert vectors.shape == (1, 10_002, 8) and np.isfinite(vectors).all()


@pytest.mark.parametrize("layer", [4, -1])
def test_layers_that_the_model_lacks_are_refused(layer):
    with pytest.raises(SpecError, match="model 'fake' has layers 0 to 3"):
        read("w1", layer)


def test_mean_and_maximum_over_tokens_share_their_pass() -> None:
    engine = Engine(FakeModel())
    tokens, one, none = VectorsRequest("w1 w2 w3", (3,)), SentenceVectors("w1 w2 w3", (3,)), SentenceVectors("", (3,))
    largest = SentenceVectors("w1 w2 w3", (3,), "max")
    features = engine.features([tokens, one, largest, none])
    vector, states = features[one], features[tokens]
    assert vector is not None and states is not None and features[none] is None
    np.testing.assert_allclose(vector.vectors[0, 0], states.vectors[0].mean(axis=0), rtol=1e-6)
    top = features[largest]
    assert top is not None
    np.testing.assert_array_equal(top.vectors[0, 0], states.vectors[0].max(axis=0))
    assert vector.offsets.tolist() == [[0, 8]] and not vector.special.any()
    assert engine.ledger.passes == 1


def test_a_mean_comes_back_from_the_store_as_it_went_in() -> None:
    request, model = SentenceVectors("w1 w2", (2, 3)), FakeModel()
    feature = Engine(model).features([request])[request]
    assert feature is not None
    again = request.unpack(request.pack(feature), model)  # type: ignore[arg-type]
    for wrong in (b"", request.pack(feature)[:-1], request.pack(feature)[:-4], request.pack(feature) * 2):
        with pytest.raises(ValueError, match="bytes"):
            request.unpack(wrong, model)  # type: ignore[arg-type]
    np.testing.assert_array_equal(again.vectors, feature.vectors)
    assert again.offsets.tolist() == feature.offsets.tolist() and again.text == feature.text
    cases = [(text, layers, pooling) for text in ("w1", "w2") for layers in ((1,), (1, 2)) for pooling in POOLINGS]
    assert len({SentenceVectors(*case).key for case in cases}) == len(cases) == 8
