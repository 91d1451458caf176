"""The graphs of a model's folder. Each function builds one of them in a new `Graph`.

Arguments and results of type `str` are names of values in the graph.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import onnx
from onnx import TensorProto

from nlgauge.engine.models.aligner_net import LEAST, matched_layers
from nlgauge.engine.models.bert import relative_buckets
from nlgauge.engine.models.card import ALIGNER_QUESTION
from nlgauge.engine.sentence_search import OTHER, OWN
from nlgauge_lab.training.graph import Graph, value

RELATIVE = "bert.encoder.relative_attention_bias.weight"


@dataclass(frozen=True)
class Embedded:
    """The input of the layers for a batch, as names of values in a graph."""

    states: str
    """The embeddings of all tokens: [rows * length, width]"""
    rows: str
    """Number of rows in the batch: [1]"""
    bias: str
    """Added to the attention scores: the least float for padding, and the bias of relative positions if the network has
    them. [rows, 1, 1, length], or [rows, heads, length, length] with relative positions
    """
    hidden: str
    """The part of `bias` for padding alone: [rows, 1, 1, length]"""
    length: str
    """Length of the rows: [1]"""


def embed(graph: Graph, side: str | None = None, kind: int = 0) -> Embedded:
    """Return the normalised sum of word, position and type embeddings.

    Args:
        graph: the graph.
        side: the type of each token, [rows, length].
        kind: the type of all tokens, if there is no `side`.
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
    return Embedded(
        states=graph.norm(flat, "bert.embeddings.LayerNorm"), rows=rows, bias=bias, hidden=hidden, length=length
    )


def asking(graph: Graph, batch: Embedded, at: str) -> Embedded:
    """Return the batch with the attention bias of those tokens alone that are used as queries.

    Args:
        graph: the graph.
        batch: the batch, which has the bias of all tokens.
        at: flat positions of the queries, the same number in each row.
    """
    if not graph.buckets:
        return batch
    relative = _relative(graph, graph.op("Mod", at, batch.length), batch.length)
    shape = graph.op("Concat", graph.constant([graph.heads]), batch.rows, graph.constant([-1]), batch.length, axis=0)
    by_row = graph.op("Transpose", graph.op("Reshape", relative, shape), perm=(1, 0, 2, 3))
    return replace(batch, bias=graph.op("Add", by_row, batch.hidden))


def _relative(graph: Graph, positions: str, length: str) -> str:
    """Return the attention bias of relative positions for tokens at positions [n] of their rows: [heads, n, length]."""
    kinds = graph.table("kinds_of_distance", relative_buckets(graph.window, graph.buckets))
    by_distance = graph.op("Transpose", graph.op("Gather", graph.weight(RELATIVE), kinds), perm=(1, 0))
    keys = graph.op("Unsqueeze", _positions(graph, length), graph.constant([0]))
    distances = graph.op("Sub", keys, graph.op("Unsqueeze", positions, graph.constant([1])))
    return graph.op("Gather", by_distance, graph.op("Add", distances, graph.constant(graph.window - 1)), axis=1)


def _positions(graph: Graph, length: str) -> str:
    """Return 0 .. length - 1, for a length [1]."""
    return graph.op("Range", graph.constant(0), graph.op("Squeeze", length, graph.constant([0])), graph.constant(1))


def by_head(graph: Graph, x: str, rows: str, perm: tuple[int, ...]) -> str:
    """Return [rows * n, width] as [rows, n, heads, width of a head], with its axes in the order `perm`."""
    shape = graph.op("Concat", rows, graph.constant([-1, graph.heads, graph.width // graph.heads]), axis=0)
    return graph.op("Transpose", graph.op("Reshape", x, shape), perm=perm)


def layer(graph: Graph, number: int, x: str, queries: str, batch: Embedded) -> str:
    """Add one transformer layer, and return its outputs for `queries`, which are rows of `x`."""
    base = f"bert.encoder.layer.{number}."
    q = by_head(graph, graph.linear(queries, base + "attention.self.query"), batch.rows, (0, 2, 1, 3))
    k = by_head(graph, graph.linear(x, base + "attention.self.key"), batch.rows, (0, 2, 3, 1))
    v = by_head(graph, graph.linear(x, base + "attention.self.value"), batch.rows, (0, 2, 1, 3))
    scale = 1 / math.sqrt(graph.width // graph.heads)
    scores = graph.op("MatMul", graph.op("Mul", q, graph.constant(scale, np.float32)), k)
    mixed = graph.op("MatMul", graph.op("Softmax", graph.op("Add", scores, batch.bias), axis=-1), v)
    return after_attention(graph, base, graph.op("Transpose", mixed, perm=(0, 2, 1, 3)), queries)


def after_attention(graph: Graph, base: str, mixed: str, queries: str) -> str:
    """Add the rest of a layer after attention, and return its outputs: [rows * n, width].

    Args:
        graph: the graph.
        base: the beginning of the names of the layer's weights.
        mixed: the results of attention: [rows, n, heads, width of a head].
        queries: the inputs of the layer, which are added to these results: [rows * n, width].
    """
    mixed = graph.op("Reshape", mixed, graph.constant([-1, graph.width]))
    total = graph.op("Add", graph.linear(mixed, base + "attention.output.dense"), queries)
    attended = graph.norm(total, base + "attention.output.LayerNorm")
    inner = graph.op("Gelu", graph.linear(attended, base + "intermediate.dense"))
    total = graph.op("Add", graph.linear(inner, base + "output.dense"), attended)
    return graph.norm(total, base + "output.LayerNorm")


def head(graph: Graph, x: str) -> None:
    """Add the output `logits` [masks, vocabulary], computed from final states at the masks [masks, width]."""
    x = graph.op("Gelu", graph.linear(x, "cls.predictions.transform.dense"))
    graph.to_vocabulary(graph.norm(x, "cls.predictions.transform.LayerNorm"), "logits")


def encoder(graph: Graph) -> onnx.ModelProto:
    """Build the graph: ids, attend [rows, length] -> hidden_0 (embeddings) .. hidden_n, each [rows, length, width]."""
    batch = embed(graph)
    x, outputs = batch.states, []
    for number in range(graph.layers + 1):
        if number:
            x = layer(graph, number - 1, x=x, queries=x, batch=batch)
        shape = graph.op("Concat", graph.op("Shape", "ids"), graph.constant([graph.width]), axis=0)
        name = graph.named(f"hidden_{number}", "Reshape", x, shape)
        outputs.append(value(name, ["rows", "length", graph.width]))
    return graph.model([], outputs)


def masked_lm(graph: Graph) -> onnx.ModelProto:
    """Build the graph: ids, attend [rows, length]; at [rows * k], flat positions -> logits [rows * k, vocabulary].

    There are k positions in each row. The last layer and the head are computed at these positions alone.
    """
    batch = embed(graph)
    x = batch.states
    for number in range(graph.adapted_layers - 1):
        x = layer(graph, number, x=x, queries=x, batch=batch)
    queries = graph.op("Gather", x, "at")
    head(graph, layer(graph, graph.adapted_layers - 1, x=x, queries=queries, batch=asking(graph, batch, "at")))
    return graph.model([value("at", ["masks"], TensorProto.INT64)], [value("logits", ["masks", graph.vocabulary])])


def pairs_other(graph: Graph) -> onnx.ModelProto:
    """Build the graph: ids, attend [1, n], the other text of pairs -> keys and values of its tokens for attention.

    keys [layers, heads, width of a head, n], values [layers, heads, n, width of a head].
    """
    batch = embed(graph, kind=1)
    x, keys, values = batch.states, [], []
    for number in range(graph.adapted_layers):
        base = f"bert.encoder.layer.{number}.attention.self."
        keys.append(by_head(graph, graph.linear(x, base + "key"), batch.rows, (0, 2, 3, 1)))
        values.append(by_head(graph, graph.linear(x, base + "value"), batch.rows, (0, 2, 1, 3)))
        if number < graph.adapted_layers - 1:
            x = layer(graph, number, x=x, queries=x, batch=batch)
    graph.named("keys", "Concat", *keys, axis=0)
    graph.named("values", "Concat", *values, axis=0)
    return graph.model([], _offered(graph))


def pairs(graph: Graph) -> onnx.ModelProto:
    """Build the graph for masked rows that see another text: `masked_lm` with the keys and values of `pairs_other`.

    Every row of a batch sees the same other text. The output `states` [masks, width] has the last layer's states at all
    masks. The output `logits` is computed for some masks alone, because the runtime computes every output, whether or
    not it is used. The input `asked` has the indices of these masks.
    """
    batch = embed(graph)
    x = batch.states
    for number in range(graph.adapted_layers - 1):
        x = _pair_layer(graph, number, x=x, queries=x, batch=batch)
    queries = graph.op("Gather", x, "at")
    x = _pair_layer(graph, graph.adapted_layers - 1, x=x, queries=queries, batch=asking(graph, batch, "at"))
    graph.named("states", "Identity", x)
    head(graph, graph.op("Gather", x, "asked"))
    at, asked = value("at", ["masks"], TensorProto.INT64), value("asked", ["asked"], TensorProto.INT64)
    outputs = [value("logits", ["asked", graph.vocabulary]), value("states", ["masks", graph.width])]
    return graph.model([at, asked, *_offered(graph)], outputs)


def _offered(graph: Graph) -> list[onnx.ValueInfoProto]:
    width = graph.width // graph.heads
    return [
        value("keys", [graph.adapted_layers, graph.heads, width, "n"]),
        value("values", [graph.adapted_layers, graph.heads, "n", width]),
    ]


def _pair_layer(graph: Graph, number: int, x: str, queries: str, batch: Embedded) -> str:
    """Add a layer in which a row also attends to the keys and values of the other text, and return its outputs.

    Its arguments and outputs are those of `layer`. Inside, values have the shape [heads, rows, ...].
    """
    base = f"bert.encoder.layer.{number}."
    heads, width = graph.heads, graph.width // graph.heads
    q = by_head(graph, graph.linear(queries, base + "attention.self.query"), batch.rows, (2, 0, 1, 3))
    q = graph.op("Mul", q, graph.constant(1 / math.sqrt(width), np.float32))
    k = by_head(graph, graph.linear(x, base + "attention.self.key"), batch.rows, (2, 0, 3, 1))
    v = by_head(graph, graph.linear(x, base + "attention.self.value"), batch.rows, (2, 0, 1, 3))
    keys, values = (graph.op("Gather", name, graph.constant(number), axis=0) for name in ("keys", "values"))
    together = graph.constant([heads, -1, width])
    n = graph.op("Slice", graph.op("Shape", "keys"), graph.constant([3]), graph.constant([4]))
    to_row = graph.op("Add", graph.op("MatMul", q, k), graph.op("Transpose", batch.bias, perm=(1, 0, 2, 3)))
    to_other = graph.op("MatMul", graph.op("Reshape", q, together), keys)
    by_row = graph.op("Concat", graph.constant([heads]), batch.rows, graph.constant([-1]), n, axis=0)
    to_other = graph.op("Reshape", to_other, by_row)
    shares = graph.op("Softmax", graph.op("Concat", to_other, to_row, axis=-1), axis=-1)
    of_other = graph.op("Slice", shares, graph.constant([0]), n, graph.constant([3]))
    of_row = graph.op("Slice", shares, n, graph.constant([np.iinfo(np.int64).max]), graph.constant([3]))
    flat = graph.op("Concat", graph.constant([heads, -1]), n, axis=0)
    from_other = graph.op("MatMul", graph.op("Reshape", of_other, flat), values)
    by_row = graph.op("Concat", graph.constant([heads]), batch.rows, graph.constant([-1, width]), axis=0)
    mixed = graph.op("Add", graph.op("MatMul", of_row, v), graph.op("Reshape", from_other, by_row))
    return after_attention(graph, base, graph.op("Transpose", mixed, perm=(1, 2, 0, 3)), queries)


def aligner(graph: Graph) -> onnx.ModelProto:
    """Build the graph: ids, attend, side [rows, length] -> logits [rows, length], aggregate, text and against [rows].

    Outputs are as in `nlgauge.engine.models.aligner_net`. If the aligner was trained without `text` or `against`, that
    output is absent.
    """
    asks = graph.adapts(ALIGNER_QUESTION)
    batch = embed(graph, graph.op("Cast", _at(graph, OTHER), to=TensorProto.INT64) if asks else "side")
    states = [batch.states]
    for number in range(graph.adapted_layers):
        states.append(layer(graph, number, x=states[-1], queries=states[-1], batch=batch))
    shape = graph.op("Shape", "ids")
    deep = graph.op("Concat", shape, graph.constant([graph.width]), axis=0)
    tables = [graph.words("ids"), *(graph.op("Reshape", states[i], deep) for i in matched_layers(len(states)))]
    last = tables[-1]
    token = graph.op("Concat", last, *(_best_match(graph, table) for table in tables), axis=-1)
    flat = graph.op("Reshape", token, graph.constant([-1, graph.width + len(tables)]))
    inner = graph.op("Gelu", graph.exact_linear(flat, "aligner.token_inner"))
    logits = graph.op("Reshape", graph.exact_linear(inner, "aligner.token_outer"), shape)
    graph.named("logits", "Identity", logits)
    mean, least = _judged(graph, last, logits, asks)
    graph.named("aggregate", "Squeeze", graph.op("Sigmoid", _of_whole(graph, "whole", mean)), graph.constant([1]))
    outputs = [value("logits", ["rows", "length"]), value("aggregate", ["rows"])]
    for name in ("text", "against"):
        if graph.adapts(f"aligner.{name}_inner.weight"):
            of_whole = _of_whole(graph, name, graph.op("Concat", mean, least, axis=-1))
            graph.named(name, "Squeeze", of_whole, graph.constant([1]))
            outputs.append(value(name, ["rows"]))
    return graph.model([value("side", ["rows", "length"], TensorProto.INT64)], outputs)


def _at(graph: Graph, side: int) -> str:
    """Return whether each token is of the text `side`: [rows, length]."""
    return graph.op("Equal", "side", graph.constant([[side]]))


def _judged(graph: Graph, last: str, logits: str, asks: bool) -> tuple[str, str]:
    """Return the inputs of the heads for whole texts.

    Args:
        graph: the graph.
        last: last states, [rows, length, width].
        logits: log-odds of each token, [rows, length].
        asks: whether a row may have a question.

    Returns:
        First state, mean state and mean support of the judged tokens: [rows, 2 * width + 1]. Support of the least
        supported tokens, by a soft minimum: [rows, 1].
    """
    side = _at(graph, OWN) if asks else "side"
    own, present = graph.op("Cast", side, to=TensorProto.FLOAT), graph.op("Cast", "attend", to=TensorProto.FLOAT)
    own = own if asks else graph.op("Sub", graph.constant(1.0, np.float32), own)
    judged = graph.op("Mul", present, own)
    size = graph.op("ReduceSum", judged, graph.constant([1]), keepdims=1)
    weighted = graph.op("Mul", last, graph.op("Unsqueeze", judged, graph.constant([2])))
    mean = graph.op("Div", graph.op("ReduceSum", weighted, graph.constant([1]), keepdims=0), size)
    chances = graph.op("Sigmoid", logits)
    chance = graph.op("Div", _sum(graph, graph.op("Mul", chances, judged)), size)
    begin = graph.op("Gather", last, graph.constant(0), axis=1)
    weak = graph.op("Exp", graph.op("Mul", chances, graph.constant(-LEAST, np.float32)))
    weak = graph.op("Mul", weak, judged)
    least = graph.op("Div", _sum(graph, graph.op("Mul", weak, chances)), _sum(graph, weak))
    return graph.op("Concat", begin, mean, chance, axis=-1), least


def _sum(graph: Graph, name: str) -> str:
    return graph.op("ReduceSum", name, graph.constant([1]), keepdims=1)


def _of_whole(graph: Graph, head: str, read: str) -> str:
    """Return the number that a head computes for each whole text: [rows, 1].

    Args:
        graph: the graph.
        head: the name of the head.
        read: the inputs of the head: [rows, inputs].
    """
    return graph.exact_linear(
        graph.op("Gelu", graph.exact_linear(read, f"aligner.{head}_inner")), f"aligner.{head}_outer"
    )


def _best_match(graph: Graph, states: str) -> str:
    """Return each token's cosine with the most similar token of the context.

    [rows, length, width] -> [rows, length, 1].
    """
    length = graph.op("ReduceL2", states, graph.constant([-1]), keepdims=1)
    unit = graph.op("Div", states, graph.op("Max", length, graph.constant(1e-12, np.float32)))
    cosines = graph.op("MatMul", unit, graph.op("Transpose", unit, perm=(0, 2, 1)))
    context = graph.op("Unsqueeze", _at(graph, OTHER), graph.constant([1]))
    kept = graph.op("Where", context, cosines, graph.constant(-1.0, np.float32))
    return graph.op("ReduceMax", kept, graph.constant([-1]), keepdims=1)
