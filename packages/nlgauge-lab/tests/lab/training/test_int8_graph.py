"""Products in 8 bits: near those in float32, exact where steps are whole, and the same alone as in company."""

import numpy as np
import onnxruntime
import pytest
from safetensors.numpy import save_file

pytest.importorskip("onnx", reason="writing graphs needs nlgauge-lab[train]")

import onnx

from nlgauge.engine.models.folder import WORDS
from nlgauge.engine.models.loading import pocket_folder
from nlgauge.engine.models.onnx import open_onnx
from nlgauge_lab.training.graph import value
from nlgauge_lab.training.int8_graph import Int8Graph

CONFIG = {
    "num_hidden_layers": 1,
    "hidden_size": 4,
    "num_attention_heads": 1,
    "vocab_size": 3,
    "layer_norm_eps": 1e-12,
}
STATES = np.array([[127, -3, 0, 50], [1.27, 0, -0.5, 0.01], [0, 0, 0, 0]], np.float32)
MATRIX = np.array([[63, -1, 7, 0], [0, 0, 0, 0], [-0.5, 0.63, 0.01, 0.02]], np.float32)


def product(folder, adapted=None, states=STATES):
    """States through a layer `l` of the weights in a folder, as the runtime computes it."""
    graph = Int8Graph(folder / "model.safetensors", CONFIG, adapted)
    graph.named("y", "Identity", graph.linear("x", "l"))
    made = graph.model([value("x", ["n", 4])], [value("y", ["n", 3])])
    del made.graph.input[:2]  # of a network: ids and attend
    onnx.save(made, str(folder / "linear.onnx"))
    session = onnxruntime.InferenceSession(str(folder / "linear.onnx"), providers=["CPUExecutionProvider"])
    return session.run(["y"], {"x": states})[0]


@pytest.fixture
def folder(tmp_path):
    bias = np.array([0, 5, -1], np.float32)
    save_file({"l.weight": MATRIX, "l.bias": bias, WORDS: MATRIX}, tmp_path / "model.safetensors")
    return tmp_path


def steps(array, most):
    """Each row rounded to so many steps up to its largest entry."""
    scale = np.maximum(np.abs(array).max(axis=1, keepdims=True) / most, 1e-30)
    return np.rint(array / scale) * scale


def test_a_product_is_that_of_whole_steps_a_row_and_a_column(folder):
    wanted = steps(STATES, 127) @ steps(MATRIX, 63).T + [0, 5, -1]
    np.testing.assert_allclose(product(folder), wanted, rtol=1e-5)
    assert wanted[0, 0] == 127 * 63 + 3, "whole numbers up to 127 and 63 are steps themselves"
    assert (product(folder)[:, 1] == 5).all(), "a column of zeros is its bias"
    np.testing.assert_array_equal(product(folder)[2], [0, 5, -1])


def test_no_sum_of_two_products_leaves_16_bits():
    """Processors without instructions for 8 bits add so many before they widen."""
    from nlgauge_lab.training import int8_graph

    assert 2 * 255 * int8_graph._WEIGHT_STEPS < 2**15


@pytest.fixture(scope="module")
def models():
    return open_onnx(pocket_folder(), "pocket"), open_onnx(pocket_folder(), "pocket", "int8")


def near(wanted, values, share):
    """Whether two arrays differ by less than a share of what there is, in the mean of squares."""
    return np.square(values - wanted).mean() < share**2 * np.square(wanted).mean()
