"""What the shipped float32 graphs compute, and a small network of random weights, its first layer computed here too."""

import math

import numpy as np
import onnxruntime
import pytest
from safetensors.numpy import save_file

from nlgauge.engine.models.capabilities import ENCODER, MASKED_LM
from nlgauge.engine.models.folder import WORDS
from nlgauge.engine.models.loading import pocket_folder
from nlgauge.engine.models.onnx import open_onnx


def test_padding_and_company_change_no_logits():
    model = open_onnx(pocket_folder(), "pocket")
    ids = np.array([[101, 2009, 103, 2012, 102, 0, 0], [101, 2009, 2001, 103, 2012, 2305, 102]])
    attend = (ids != 0).astype(np.int64)
    together = model[MASKED_LM].masked_logits(ids, attend, np.array([2, 10]))
    alone = model[MASKED_LM].masked_logits(ids[:1, :5], attend[:1, :5], np.array([2]))
    np.testing.assert_allclose(together[:1], alone, atol=1e-4)
    hidden = model[ENCODER].hidden(ids, attend, [0, 6])
    np.testing.assert_allclose(hidden[:, :1, :5], model[ENCODER].hidden(ids[:1, :5], attend[:1, :5], [0, 6]), atol=1e-4)


WIDTH, HEADS, INNER, VOCABULARY = 8, 2, 16, 11
CONFIG = {
    "num_hidden_layers": 1,
    "hidden_size": WIDTH,
    "num_attention_heads": HEADS,
    "vocab_size": VOCABULARY,
    "layer_norm_eps": 1e-12,
}
BASE = "bert.encoder.layer.0."
SHAPES = {
    "attention.self.query": (WIDTH, WIDTH),
    "attention.self.key": (WIDTH, WIDTH),
    "attention.self.value": (WIDTH, WIDTH),
    "attention.output.dense": (WIDTH, WIDTH),
    "intermediate.dense": (INNER, WIDTH),
    "output.dense": (WIDTH, INNER),
}
NORMS = ("bert.embeddings.LayerNorm", BASE + "attention.output.LayerNorm", BASE + "output.LayerNorm")
TABLES = {WORDS: VOCABULARY, "bert.embeddings.position_embeddings.weight": 6}
TYPES = "bert.embeddings.token_type_embeddings.weight"
IDS = np.array([[1, 4, 2, 9], [3, 5, 0, 0]])
ATTEND = np.array([[1, 1, 1, 1], [1, 1, 0, 0]])


def weights():
    random = np.random.default_rng(4)
    made = {BASE + name + ".weight": random.standard_normal(shape) for name, shape in SHAPES.items()}
    made.update({BASE + name + ".bias": random.standard_normal(shape[0]) for name, shape in SHAPES.items()})
    made.update({name + part: random.standard_normal(WIDTH) for name in NORMS for part in (".weight", ".bias")})
    made.update({name: random.standard_normal((rows, WIDTH)) for name, rows in {**TABLES, TYPES: 2}.items()})
    return {name: array.astype(np.float32) for name, array in made.items()}


class Reference:
    """One row at a time, without padding, in double precision."""

    def __init__(self, tensors):
        self.of = {name: array.astype(np.float64) for name, array in tensors.items()}

    def norm(self, x, name):
        unit = (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)
        return unit * self.of[name + ".weight"] + self.of[name + ".bias"]

    def linear(self, x, name):
        return x @ self.of[BASE + name + ".weight"].T + self.of[BASE + name + ".bias"]

    def embedded(self, ids, kind):
        positions = self.of["bert.embeddings.position_embeddings.weight"][: len(ids)]
        return self.norm(self.of[WORDS][ids] + positions + self.of[TYPES][kind], NORMS[0])

    def layer(self, x):
        q, k, v = (self.linear(x, f"attention.self.{name}") for name in ("query", "key", "value"))
        mixed, width = np.empty_like(x), WIDTH // HEADS
        for part in (slice(0, width), slice(width, WIDTH)):
            shares = np.exp(q[:, part] @ k[:, part].T / math.sqrt(width))
            mixed[:, part] = shares / shares.sum(1, keepdims=True) @ v[:, part]
        x = self.norm(self.linear(mixed, "attention.output.dense") + x, NORMS[1])
        inner = self.linear(x, "intermediate.dense")
        inner *= 0.5 * (1 + np.vectorize(math.erf)(inner / math.sqrt(2)))
        return self.norm(self.linear(inner, "output.dense") + x, NORMS[2])


@pytest.mark.parametrize("kind", [0, 1])
def test_a_layer_is_what_the_paper_says_and_reads_no_padding(tmp_path, kind):
    onnx = pytest.importorskip("onnx", reason="writing graphs needs nlgauge-lab[train]")
    from nlgauge_lab.training.graph import Graph, value
    from nlgauge_lab.training.graphs import embed, layer

    tensors = weights()
    save_file(tensors, tmp_path / "model.safetensors")
    graph = Graph(tmp_path / "model.safetensors", CONFIG)
    batch = embed(graph, kind=kind)
    graph.named("embedded", "Identity", batch.states)
    graph.named("states", "Identity", layer(graph, 0, batch.states, batch.states, batch))
    made = graph.model([], [value(name, ["tokens", WIDTH]) for name in ("embedded", "states")])
    onnx.save(made, str(tmp_path / "layer.onnx"))
    session = onnxruntime.InferenceSession(str(tmp_path / "layer.onnx"), providers=["CPUExecutionProvider"])
    embedded, states = (array.reshape(2, 4, WIDTH) for array in session.run(None, {"ids": IDS, "attend": ATTEND}))
    reference = Reference(tensors)
    for row, length in enumerate(ATTEND.sum(1)):
        wanted = reference.embedded(IDS[row, :length], kind)
        np.testing.assert_allclose(embedded[row, :length], wanted, atol=1e-5)
        np.testing.assert_allclose(states[row, :length], reference.layer(wanted), atol=1e-4)
