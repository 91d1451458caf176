"""What a builder of graphs makes of weights that lie in files."""

import numpy as np
import pytest
from safetensors.numpy import save_file

pytest.importorskip("onnx", reason="writing graphs needs nlgauge-lab[train]")

import onnx
import onnxruntime

from nlgauge.engine.models.adaptation import read_delta, write_delta
from nlgauge.engine.models.folder import WORDS, in_steps, read_weights
from nlgauge_lab.training.graph import Graph, Stored, value

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


def test_an_initialiser_points_into_the_file(folder):
    tensor = Stored(folder / "model.safetensors").initializer("l.weight", "l.weight")
    place = {entry.key: entry.value for entry in tensor.external_data}
    assert place["location"] == "model.safetensors" and not tensor.HasField("raw_data")
    begin, length = int(place["offset"]), int(place["length"])
    content = (folder / "model.safetensors").read_bytes()[begin : begin + length]
    np.testing.assert_array_equal(np.frombuffer(content, np.float16).reshape(3, 4), MATRIX)


def test_stored_weights_are_multiplied_in_float32(folder):
    values = product(Graph(folder / "model.safetensors", CONFIG), folder)
    np.testing.assert_allclose(values, STATES @ MATRIX.T + BIAS, rtol=1e-6)


def test_a_delta_is_added_to_what_it_names_and_replaces_vectors(folder):
    base = {"l.weight": MATRIX, "l.bias": BIAS}
    write_delta(folder / "tuned.safetensors", base, {"l.weight": MATRIX + STATES.sum(0), "l.bias": BIAS + 1})
    tuned = read_delta(folder / "tuned.safetensors", base)
    graph = Graph(folder / "model.safetensors", CONFIG, folder / "tuned.safetensors")
    assert graph.adapts("l.bias") and not graph.adapts("l.other")
    np.testing.assert_allclose(product(graph, folder), STATES @ tuned["l.weight"].T + tuned["l.bias"], rtol=1e-6)


def test_equal_constants_and_weights_stand_in_a_graph_once(folder):
    graph = Graph(folder / "model.safetensors", CONFIG)
    assert graph.constant([1, 2]) == graph.constant([1, 2]) != graph.constant([1, 2], np.float32)
    assert graph.constant([1]) != graph.constant(1)
    assert graph.weight("l.weight") == graph.weight("l.weight") != graph.stored("l.weight")
    made = graph.model([], [])
    assert len(made.graph.initializer) == 5 and [node.op_type for node in made.graph.node] == ["Cast"]


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


def test_a_matrix_that_the_delta_alone_has_is_itself(folder):
    base = {"l.bias": BIAS}
    save_file(base, folder / "model.safetensors")
    write_delta(folder / "tuned.safetensors", base, {"l.weight": MATRIX}, in_8_bits=True)
    tuned = read_delta(folder / "tuned.safetensors", base)["l.weight"]
    np.testing.assert_allclose(tuned, MATRIX, atol=np.abs(MATRIX).max() / 250)
    graph = Graph(folder / "model.safetensors", CONFIG, folder / "tuned.safetensors")
    np.testing.assert_allclose(product(graph, folder), STATES @ tuned.T + BIAS, rtol=1e-5)


def test_words_of_a_table_in_8_bits_are_widened_after_they_are_looked_up(folder):
    steps, scale = in_steps(MATRIX)
    save_file({WORDS: steps, WORDS + ".scale": scale}, folder / "model.safetensors")
    graph = Graph(folder / "model.safetensors", CONFIG)
    graph.named("y", "Identity", graph.words("x"))
    made = graph.model([value("x", ["n"], onnx.TensorProto.INT64)], [value("y", ["n", 4])])
    assert [node.op_type for node in made.graph.node] == ["Gather", "Gather", "Cast", "Mul", "Identity"]
    del made.graph.input[:2]
    onnx.save(made, str(folder / "words.onnx"))
    session = onnxruntime.InferenceSession(str(folder / "words.onnx"), providers=["CPUExecutionProvider"])
    rows = session.run(["y"], {"x": np.array([2, 0])})[0]
    np.testing.assert_array_equal(rows, read_weights(folder / "model.safetensors")[WORDS][[2, 0]])
