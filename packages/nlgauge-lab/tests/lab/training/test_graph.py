"""What a builder of graphs makes of weights that lie in files."""

import numpy as np
import pytest
from safetensors.numpy import save_file

pytest.importorskip("onnx", reason="writing graphs needs nlgauge-lab[train]")

import onnx
import onnxruntime

from nlgauge.engine.models.adaptation import read_delta, write_delta
from nlgauge.engine.models.folder import in_steps, read_weights
from nlgauge_lab.training.graph import Graph, value

CONFIG = {
    "num_hidden_layers": 1,
    "hidden_size": 4,
    "num_attention_heads": 2,
    "vocab_size": 3,
    "layer_norm_eps": 1e-12,
}
MATRIX = np.arange(12, dtype=np.float32).reshape(3, 4) / 8
BIAS = np.array([0.5, -1, 2], np.float32)
STATES = np.array([[1, 2, 3, 4], [0, 0, 1, 0]], np.float32)


@pytest.fixture
def folder(tmp_path):
    save_file({"l.weight": MATRIX.astype(np.float16), "l.bias": BIAS}, tmp_path / "model.safetensors")
    return tmp_path


def product(graph, folder):
    """STATES through the layer `l` of a graph."""
    graph.named("y", "Identity", graph.linear("x", "l"))
    made = graph.model([value("x", ["n", 4])], [value("y", ["n", 3])])
    del made.graph.input[:2]  # of a network: ids and attend
    onnx.save(made, str(folder / "linear.onnx"))
    session = onnxruntime.InferenceSession(str(folder / "linear.onnx"), providers=["CPUExecutionProvider"])
    return session.run(["y"], {"x": STATES})[0]


@pytest.mark.parametrize("in_8_bits", [False, True])
def test_a_base_in_8_bits_and_a_difference_of_low_rank_are_added(folder, in_8_bits):
    steps, scale = in_steps(MATRIX)
    save_file({"l.weight": steps, "l.weight.scale": scale, "l.bias": BIAS}, folder / "model.safetensors")
    base = read_weights(folder / "model.safetensors")
    low = {"l.weight": (np.ones((1, 4), np.float32) / 2, np.array([[1], [-2], [0.25]], np.float32))}
    write_delta(folder / "tuned.safetensors", base, {}, low_rank=low, in_8_bits=in_8_bits)
    tuned = read_delta(folder / "tuned.safetensors", base)["l.weight"]
    plain = Graph(folder / "model.safetensors", CONFIG)
    adapted = Graph(folder / "model.safetensors", CONFIG, folder / "tuned.safetensors")
    assert plain.base_in_steps("l.weight") and adapted.adapts("l.weight") and not adapted.adapts("l.bias")
    np.testing.assert_allclose(product(plain, folder), STATES @ base["l.weight"].T + BIAS, rtol=1e-5)
    np.testing.assert_allclose(product(adapted, folder), STATES @ tuned.T + BIAS, rtol=1e-5)
