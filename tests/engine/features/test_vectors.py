import numpy as np
import pytest

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.vectors import POOLINGS, SentenceVectors, VectorsRequest
from nlgauge.engine.models.capabilities import TOKENIZER
from tests.engine.fake import FakeModel


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
