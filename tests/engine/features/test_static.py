import numpy as np

from nlgauge.engine.engine import Engine
from nlgauge.engine.features.static import StaticRequest
from tests.engine.fake import WORDS, FakeModel


def test_static_vectors_are_the_rows_of_the_vocabulary_and_need_no_pass():
    model = FakeModel()
    request, empty = StaticRequest("w1 w7 w1"), StaticRequest("")
    features = Engine(model).features([request, empty])
    vectors = features[request]
    assert features[empty] is None and not model.rows_seen and request.work == 0
    np.testing.assert_array_equal(vectors.vectors[0], model._words[[6, 12, 6]].astype(np.float32))
    assert vectors.offsets.tolist() == [[0, 2], [3, 5], [6, 8]] and not vectors.special.any()


def test_a_long_text_has_all_its_vectors_unless_it_is_cut():
    request = StaticRequest(" ".join(WORDS[5:35]))
    for window, size in (("slide", 30), ("cut", 14)):
        vectors = Engine(FakeModel(), window).features([request])[request]
        assert vectors.vectors.shape == (1, size, 8) and len(vectors.ids) == len(vectors.offsets) == size
