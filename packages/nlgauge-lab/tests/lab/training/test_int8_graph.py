"""Products in 8 bits: near those in float32, exact where steps are whole, and the same alone as in company."""

import numpy as np
import onnxruntime
import pytest
from safetensors.numpy import save_file

pytest.importorskip("onnx", reason="writing graphs needs nlgauge-lab[train]")

import onnx

from nlgauge.engine.models.adaptation import write_delta
from nlgauge.engine.models.capabilities import ALIGNER, ENCODER, MASKED_LM, MASKED_PAIRS
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


def test_a_row_is_the_same_beside_larger_ones(folder):
    together = product(folder)
    for row in range(len(STATES)):
        np.testing.assert_array_equal(product(folder, states=STATES[[row]])[0], together[row])


def test_weights_are_put_in_steps_after_the_delta_is_added(folder):
    tuned = MATRIX + np.array([[0.0], [127], [0]], np.float32)
    write_delta(folder / "tuned.safetensors", {"l.weight": MATRIX}, {"l.weight": tuned})
    wanted = steps(STATES, 127) @ steps(tuned, 63).T + [0, 5, -1]
    np.testing.assert_allclose(product(folder, folder / "tuned.safetensors"), wanted, rtol=1e-5)


def test_no_sum_of_two_products_leaves_16_bits():
    """Processors without instructions for 8 bits add so many before they widen."""
    from nlgauge_lab.training import int8_graph

    assert 2 * 255 * int8_graph._WEIGHT_STEPS < 2**15


@pytest.fixture(scope="module")
def models():
    return open_onnx(pocket_folder(), "pocket"), open_onnx(pocket_folder(), "pocket", "int8")


IDS = np.array([[101, 1996, 2158, 103, 1996, 2341, 102], [101, 2009, 103, 2012, 102, 0, 0]])
ATTEND = (IDS != 0).astype(np.int64)


def near(wanted, values, share):
    """Whether two arrays differ by less than a share of what there is, in the mean of squares."""
    return np.square(values - wanted).mean() < share**2 * np.square(wanted).mean()


def test_the_shipped_graphs_are_near_those_in_float32(models):
    full, small = models
    at = np.array([3, 9])
    assert near(full[MASKED_LM].masked_logits(IDS, ATTEND, at), small[MASKED_LM].masked_logits(IDS, ATTEND, at), 0.05)
    hidden = [model[ENCODER].hidden(IDS[:1], ATTEND[:1], [0, 6]) for model in models]
    np.testing.assert_array_equal(hidden[0][0], hidden[1][0], "embeddings are no product")
    assert near(*hidden, 0.15) and not np.array_equal(*hidden)
    seen = [model[MASKED_PAIRS].other_text(IDS[0]) for model in models]
    assert near(seen[0]["keys"], seen[1]["keys"], 0.15)
    logits = [model[MASKED_PAIRS].pair_logits(IDS, ATTEND, at, text) for model, text in zip(models, seen, strict=True)]
    assert near(*logits, 0.05)
    side = np.array([[0, 0, 0, 0, 1, 1, 1]])
    shares = [model[ALIGNER].align(IDS[:1], ATTEND[:1], side)[1] for model in models]
    np.testing.assert_allclose(*shares, atol=0.1)


def test_company_and_padding_change_logits_no_more_than_steps_do(models):
    """Elsewhere the last digits of float32 may differ with a row's company, and one of them may tip a step."""
    small = models[1][MASKED_LM]
    together = small.masked_logits(IDS, ATTEND, np.array([3, 9]))
    alone = small.masked_logits(IDS[1:, :5], ATTEND[1:, :5], np.array([2]))
    assert near(alone, together[1:], 0.05)
