"""Builder of an ONNX graph of a BERT-shaped network. The weights stay in a folder, and none is written into the graph.

Initialisers point into the folder's files by offset (ONNX external data). So the tied vocabulary table, which is half
of the model, is stored once. Values that are computed from weights alone are computed once, when the session is built.
Examples are casts to float32, and sums of weights and their deltas (`nlgauge.engine.models.adaptation`).
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, TypeAlias

import numpy as np
import onnx
from numpy.typing import ArrayLike, DTypeLike
from onnx import TensorProto, helper

from nlgauge.engine.models.adaptation import DOWN, UP
from nlgauge.engine.models.folder import ADAPTED_LAYERS, BUCKETS, SCALE, WORDS
from nlgauge.engine.models.onnx import WEIGHTS_KEY
from nlgauge.engine.models.stored import layout_digest

HEAD = "cls.predictions.bias"
"""Name of a weight that the head of every masked LM has"""
Attribute: TypeAlias = "int | float | str | Sequence[int]"


class Stored:
    """The positions of the tensors in a safetensors file."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            (size,) = struct.unpack("<Q", file.read(8))
            self.header = json.loads(file.read(size))
        self._begin = 8 + size
        self._file = path.name

    def initializer(self, name: str, called: str) -> TensorProto:
        """Return an initialiser of the graph, named `called`, that points to a tensor in the file."""
        entry = self.header[name]
        kinds = {"F16": TensorProto.FLOAT16, "F32": TensorProto.FLOAT, "I8": TensorProto.INT8}
        tensor = TensorProto(name=called, data_type=kinds[entry["dtype"]], dims=entry["shape"])
        begin, end = entry["data_offsets"]
        place = {"location": self._file, "offset": self._begin + begin, "length": end - begin}
        for key, value in place.items():
            tensor.external_data.add(key=key, value=str(value))
        tensor.data_location = TensorProto.EXTERNAL
        return tensor


class Graph:
    """A graph that is built node by node. For products, the tokens of a batch are flattened to [rows * length, width].

    config: the network's, in the names of Hugging Face. delta: a file of adapted weights. The tensors that it has
    replace or change those of `weights`.
    """

    opsets: ClassVar[Mapping[str, int]] = {"": 20}
    """By domain of operators, the version"""

    def __init__(self, weights: Path, config: Mapping[str, int | float], delta: Path | None = None) -> None:
        self.layers, self.width = int(config["num_hidden_layers"]), int(config["hidden_size"])
        self.adapted_layers = int(config.get(ADAPTED_LAYERS, self.layers))
        self.heads, self.vocabulary = int(config["num_attention_heads"]), int(config["vocab_size"])
        self.buckets = int(config.get(BUCKETS, 0))
        """Number of kinds of relative positions; 0 if the network has none"""
        self.window = int(config["max_position_embeddings"]) if self.buckets else 0
        self._epsilon = float(config["layer_norm_eps"])
        self._nodes: list[onnx.NodeProto] = []
        self._initializers: list[onnx.TensorProto] = []
        self._names: set[str] = set()
        self._folder = weights.parent
        self._base = Stored(weights)
        self._delta = Stored(delta) if delta else None

    def op(self, kind: str, *inputs: str, domain: str | None = None, **attributes: Attribute) -> str:
        """Add a node with one output, and return the name of this output."""
        return self.named(f"v{len(self._nodes)}", kind, *inputs, domain=domain, **attributes)

    def named(self, name: str, kind: str, *inputs: str, domain: str | None = None, **attributes: Attribute) -> str:
        """Add a node as `op` does, and give its output a name.

        A name is for an output of the graph, or for a value that several nodes use.
        """
        # Named: of nodes without names onnxruntime 1.20 makes fused ones that all have the same name, and refuses them.
        node = helper.make_node(kind, list(inputs), [name], name=name, domain=domain)
        node.attribute.extend(helper.make_attribute(key, each) for key, each in sorted(attributes.items()))
        self._nodes.append(node)
        return name

    def constant(self, values: ArrayLike, dtype: DTypeLike = np.int64) -> str:
        array = np.asarray(values, dtype)
        name = "c_" + "_".join(map(str, array.ravel().tolist())) + f"_{array.ndim}_{array.dtype}"
        return self.table(name, array, dtype)

    def adapts(self, name: str) -> bool:
        """Return whether the delta has a tensor of this name."""
        return self._delta is not None and (name in self._delta.header or name + UP in self._delta.header)

    def stored(self, name: str) -> str:
        """Add a tensor of the base in its stored type, often float16, and return its name in the graph."""
        return self._initializer(self._base, name, name)

    def weight(self, name: str) -> str:
        """Add a stored tensor as float32, with the change of the delta if there is one, and return its name."""
        delta = self._delta
        if delta is None or not self.adapts(name):
            return self._widened(self._base, name, name)
        if name in delta.header and not (name + SCALE in delta.header and name in self._base.header):
            return self._widened(delta, name, name)
        adapted = name + "/adapted"
        if adapted not in self._names:
            self._names.add(adapted)
            base = self._widened(self._base, name, name)
            if name + UP in delta.header:
                kind, read, ends = "MatMul", self._widened, (UP, DOWN)
            else:
                kind, read, ends = "Mul", self._float, ("", SCALE)
            parts = [read(delta, name + end, name + end + "/delta") for end in ends]
            self.named(name + "/difference", kind, *parts)
            self.named(adapted, "Add", base, name + "/difference")
        return adapted

    def _widened(self, stored: Stored, name: str, called: str) -> str:
        """Add a tensor of a file as float32, also if it is stored in 8 bits, and return its name in the graph."""
        values = self._float(stored, name, called)
        if name + SCALE not in stored.header:
            return values
        widened = called + "/widened"
        if widened not in self._names:
            self._names.add(widened)
            self.named(widened, "Mul", values, self._initializer(stored, name + SCALE, called + SCALE))
        return widened

    def base_in_steps(self, name: str) -> bool:
        """Return whether the base stores a matrix in 8 bits."""
        return name + SCALE in self._base.header

    def table(self, name: str, values: ArrayLike, dtype: DTypeLike = np.int64) -> str:
        """Add a constant of many values under a given name, and return the name."""
        if name not in self._names:
            self._names.add(name)
            self._initializers.append(onnx.numpy_helper.from_array(np.asarray(values, dtype), name))
        return name

    def _float(self, stored: Stored, name: str, called: str) -> str:
        self._initializer(stored, name, called)
        if stored.header[name]["dtype"] == "F32":
            return called
        widened = called + "/float"
        if widened not in self._names:
            self._names.add(widened)
            self.named(widened, "Cast", called, to=TensorProto.FLOAT)
        return widened

    def _initializer(self, stored: Stored, name: str, called: str) -> str:
        if called not in self._names:
            self._names.add(called)
            self._initializers.append(stored.initializer(name, called))
        return called

    def words(self, ids: str) -> str:
        """Add a look-up of rows in the vocabulary's table, and return the name of its output: [...] -> [..., width].

        Rows of a table in 8 bits are converted to float32 after the look-up. So a graph that uses the table for nothing
        else needs no float32 copy of it, which would be four times as large.
        """
        if self.adapts(WORDS) or not self.base_in_steps(WORDS):
            return self.op("Gather", self.weight(WORDS), ids)
        steps, scales = (self.op("Gather", self.stored(name), ids) for name in (WORDS, WORDS + SCALE))
        return self.op("Mul", self.op("Cast", steps, to=TensorProto.FLOAT), scales)

    def linear(self, x: str, layer: str) -> str:
        """Multiply states by the weights of a layer and add its bias: [n, inputs] -> [n, outputs]."""
        return self.exact_linear(x, layer)

    def exact_linear(self, x: str, layer: str) -> str:
        """Do the same as `linear`, but always in float32."""
        return self.op("Gemm", x, self.weight(layer + ".weight"), self.weight(layer + ".bias"), transB=1)

    def to_vocabulary(self, x: str, name: str) -> None:
        """Add the output `name`: a logit for every word, by the tied table, [n, width] -> [n, vocabulary]."""
        self.named(name, "Gemm", x, self.weight(WORDS), self.weight(HEAD), transB=1)

    def norm(self, x: str, layer: str) -> str:
        scale, bias = self.weight(layer + ".weight"), self.weight(layer + ".bias")
        return self.op("LayerNormalization", x, scale, bias, epsilon=self._epsilon)

    def model(self, inputs: Sequence[onnx.ValueInfoProto], outputs: Sequence[onnx.ValueInfoProto]) -> onnx.ModelProto:
        """Return the finished model. Its inputs are ids and attend [rows, length], and those in `inputs`."""
        tokens = [value(name, ["rows", "length"], TensorProto.INT64) for name in ("ids", "attend")]
        graph = helper.make_graph(self._nodes, "nlgauge", [*tokens, *inputs], outputs, self._initializers)
        opsets = [helper.make_opsetid(domain, version) for domain, version in self.opsets.items()]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name="nlgauge")
        read = {entry.value for one in self._initializers for entry in one.external_data if entry.key == "location"}
        digests = {name: layout_digest(self._folder / name) for name in sorted(read)}
        helper.set_model_props(model, {WEIGHTS_KEY: json.dumps(digests)})
        return model


def value(name: str, shape: Sequence[int | str], kind: int = TensorProto.FLOAT) -> onnx.ValueInfoProto:
    """Return the description of an input or output of a graph.

    Args:
        name: the name of the value.
        shape: the size of each axis, or the name of a size that differs between batches.
        kind: ONNX's number of the element type.
    """
    return helper.make_tensor_value_info(name, kind, shape)
