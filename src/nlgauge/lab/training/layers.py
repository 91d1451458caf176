"""What the graphs of a BERT-shaped network share: its embeddings, its layers and its head."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from onnx import TensorProto

from nlgauge.engine.models.bert import relative_buckets
from nlgauge.lab.training.graph import Graph

RELATIVE = "bert.encoder.relative_attention_bias.weight"


@dataclass(frozen=True)
class Embedded:
    """A batch as the layers see it; names of values in a graph."""

    states: str
    """[rows * length, width]"""
    rows: str
    """How many rows the batch has, [1]"""
    bias: str
    """Added to what attention compares, [rows, 1, 1, length], or [rows, heads, length, length] where relative positions
    count: what they add, and where nothing stands the least number"""
    hidden: str
    """The second part of it alone, [rows, 1, 1, length]"""
    length: str
    """How long the rows are, [1]"""


def embed(graph: Graph, side: str | None = None, kind: int = 0) -> Embedded:
    """Normalised sum of word, position and type embeddings.

    side [rows, length]: the type of each token; of all of them `kind` without it.
    """
    shape = graph.op("Shape", "ids")
    rows = graph.op("Slice", shape, graph.constant([0]), graph.constant([1]))
    length = graph.op("Slice", shape, graph.constant([1]), graph.constant([2]))
    words = graph.words("ids")
    position_table = graph.weight("bert.embeddings.position_embeddings.weight")
    positions = graph.op("Slice", position_table, graph.constant([0]), length, graph.constant([0]))
    types = graph.weight("bert.embeddings.token_type_embeddings.weight")
    row = [graph.constant([at]) for at in (kind, kind + 1, 0)]
    typed = graph.op("Gather", types, side) if side else graph.op("Slice", types, *row)
    total = graph.op("Add", words, graph.op("Add", positions, typed))
    flat = graph.op("Reshape", total, graph.constant([-1, graph.width]))
    absent = graph.op("Sub", graph.constant(1.0, np.float32), graph.op("Cast", "attend", to=TensorProto.FLOAT))
    hidden = graph.op("Mul", absent, graph.constant(float(np.finfo(np.float32).min), np.float32))
    hidden = bias = graph.op("Unsqueeze", hidden, graph.constant([1, 2]))
    if graph.buckets:
        relative = _relative(graph, _positions(graph, length), length)
        bias = graph.op("Add", graph.op("Unsqueeze", relative, graph.constant([0])), hidden)
    return Embedded(graph.norm(flat, "bert.embeddings.LayerNorm"), rows, bias, hidden, length)


def asking(graph: Graph, batch: Embedded, at: str) -> Embedded:
    """A batch of which the flat positions `at` alone ask, as many of each row: its bias is theirs."""
    if not graph.buckets:
        return batch
    relative = _relative(graph, graph.op("Mod", at, batch.length), batch.length)
    shape = graph.op("Concat", graph.constant([graph.heads]), batch.rows, graph.constant([-1]), batch.length, axis=0)
    by_row = graph.op("Transpose", graph.op("Reshape", relative, shape), perm=(1, 0, 2, 3))
    return replace(batch, bias=graph.op("Add", by_row, batch.hidden))


def _relative(graph: Graph, positions: str, length: str) -> str:
    """What relative positions add where tokens at positions [n] of their rows compare: [heads, n, length]."""
    kinds = graph.table("kinds_of_distance", relative_buckets(graph.window, graph.buckets))
    by_distance = graph.op("Transpose", graph.op("Gather", graph.weight(RELATIVE), kinds), perm=(1, 0))
    keys = graph.op("Unsqueeze", _positions(graph, length), graph.constant([0]))
    distances = graph.op("Sub", keys, graph.op("Unsqueeze", positions, graph.constant([1])))
    return graph.op("Gather", by_distance, graph.op("Add", distances, graph.constant(graph.window - 1)), axis=1)


def _positions(graph: Graph, length: str) -> str:
    """0 .. length - 1, of a length [1]."""
    return graph.op("Range", graph.constant(0), graph.op("Squeeze", length, graph.constant([0])), graph.constant(1))


def by_head(graph: Graph, x: str, rows: str, perm: tuple[int, ...]) -> str:
    """[rows * n, width] as [rows, n, heads, width of a head], its axes in the order `perm`."""
    shape = graph.op("Concat", rows, graph.constant([-1, graph.heads, graph.width // graph.heads]), axis=0)
    return graph.op("Transpose", graph.op("Reshape", x, shape), perm=perm)


def layer(graph: Graph, number: int, x: str, queries: str, batch: Embedded) -> str:
    """One transformer layer; `queries` are the rows of `x` whose outputs are wanted."""
    base = f"bert.encoder.layer.{number}."
    q = by_head(graph, graph.linear(queries, base + "attention.self.query"), batch.rows, (0, 2, 1, 3))
    k = by_head(graph, graph.linear(x, base + "attention.self.key"), batch.rows, (0, 2, 3, 1))
    v = by_head(graph, graph.linear(x, base + "attention.self.value"), batch.rows, (0, 2, 1, 3))
    scale = 1 / math.sqrt(graph.width // graph.heads)
    scores = graph.op("MatMul", graph.op("Mul", q, graph.constant(scale, np.float32)), k)
    mixed = graph.op("MatMul", graph.op("Softmax", graph.op("Add", scores, batch.bias), axis=-1), v)
    return after_attention(graph, base, graph.op("Transpose", mixed, perm=(0, 2, 1, 3)), queries)


def after_attention(graph: Graph, base: str, mixed: str, queries: str) -> str:
    """The rest of a layer: what was attended to, [rows, n, heads, width of a head], to [rows * n, width]."""
    mixed = graph.op("Reshape", mixed, graph.constant([-1, graph.width]))
    total = graph.op("Add", graph.linear(mixed, base + "attention.output.dense"), queries)
    attended = graph.norm(total, base + "attention.output.LayerNorm")
    inner = graph.op("Gelu", graph.linear(attended, base + "intermediate.dense"))
    total = graph.op("Add", graph.linear(inner, base + "output.dense"), attended)
    return graph.norm(total, base + "output.LayerNorm")


def head(graph: Graph, x: str) -> None:
    """From final states at masks [masks, width], the output `logits` [masks, vocabulary]."""
    x = graph.op("Gelu", graph.linear(x, "cls.predictions.transform.dense"))
    graph.to_vocabulary(graph.norm(x, "cls.predictions.transform.LayerNorm"), "logits")
