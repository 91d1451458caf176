import numpy as np
import pytest

from nlgauge.metrics.sets import layers_of, text_points

# <s> "un" "##seen" "," "it" </s>
SPECIAL = np.array([True, False, False, False, False, True])
WORDS = np.array([0, 1, 1, 2, 3, 4])
WORDLIKE = np.array([False, True, True, False, True, False])
VECTORS = np.random.default_rng(4).normal(size=(2, 6, 3)).astype(np.float32)


def test_layers():
    assert layers_of("sentence", 5, 6) == (6,)
    assert layers_of("token", 5, 6) == (2, 3, 4, 5, 6)
    assert layers_of("token", 6, 6)[0] == 1
    with pytest.raises(ValueError, match="the model has 6"):
        layers_of("token", 7, 6)


def test_a_sentence_is_the_mean_of_its_last_layer():
    point = text_points("sentence", VECTORS, SPECIAL, WORDS, WORDLIKE, False)
    np.testing.assert_allclose(point, VECTORS[1].mean(0)[None], rtol=1e-6)
    unit = text_points("sentence", VECTORS, SPECIAL, WORDS, WORDLIKE, True)
    np.testing.assert_allclose(unit, point / np.linalg.norm(point), rtol=1e-6)
    assert point.dtype == unit.dtype == np.float32


def test_words_stand_for_themselves_at_every_layer():
    points = text_points("token", VECTORS, SPECIAL, WORDS, WORDLIKE, False)
    np.testing.assert_array_equal(points, VECTORS[:, [1, 4]].reshape(4, 3))
    unit = text_points("token", VECTORS, SPECIAL, WORDS, WORDLIKE, True)
    np.testing.assert_allclose(np.linalg.norm(unit, axis=1), 1, rtol=1e-6)


def test_no_words_no_points_and_zero_stays_zero():
    assert text_points("token", VECTORS, SPECIAL, WORDS, np.zeros(6, bool), True).shape == (0, 3)
    assert (text_points("sentence", 0 * VECTORS, SPECIAL, WORDS, WORDLIKE, True) == 0).all()
