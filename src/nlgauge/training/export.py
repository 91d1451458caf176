"""Write a BERT-shaped masked LM as one folder that both backends read.

    model.safetensors         the weights, once: matrices in float16, vectors in float32
    config.json               what `transformers` needs to build the model, and the recommended temperature
    tokenizer.json            the fast tokenizer; tokenizer_config.json names its special tokens
    document_frequencies.npy  in how many general passages each token occurs, for idf weights
    masked.onnx               graph: masked rows -> logits at the masked positions
    encoder.onnx              graph: rows -> hidden states of every layer
    pairs.onnx                where there is a pairs.safetensors: masked rows that see another text -> logits
    pairs_other.onnx          the other text, read once -> what those rows see of it
    aligner.onnx              where there is an aligner.safetensors: pairs -> how far one text supports the other

The graphs hold no weights. Their initialisers point into model.safetensors by offset (ONNX external data), so the
tied vocabulary table, half of the model, is stored once. Casts to float32, and the sums of weights and their deltas
(`nlgauge.engine.adaptation`), are folded when the session is built.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper
from safetensors.numpy import save
from tokenizers import Tokenizer

from nlgauge.engine.adaptation import SCALE
from nlgauge.engine.aligner_net import matched_layers
from nlgauge.engine.folder import ALIGNER_FILE, FREQUENCIES_FILE, PAIRS_FILE, WEIGHTS_FILE, DocumentFrequencies

_OPSET = 20


def write_folder(
    folder: Path,
    tensors: Mapping[str, np.ndarray],
    config: Mapping[str, Any],
    tokenizer: Tokenizer,
    frequencies: DocumentFrequencies,
) -> None:
    """Write weights, configuration, tokenizer, idf table and graphs.

    tensors: float32 arrays under the names of Hugging Face's BertForMaskedLM, the tied decoder left out.
    config: its configuration (hidden_size, num_hidden_layers, num_attention_heads, ...).
    """
    folder.mkdir(parents=True, exist_ok=True)
    stored = {
        name: np.ascontiguousarray(value, np.float16 if value.ndim > 1 else np.float32)
        for name, value in tensors.items()
    }
    (folder / WEIGHTS_FILE).write_bytes(save(stored, metadata={"format": "pt"}))
    (folder / "config.json").write_text(json.dumps(dict(config), indent=2) + "\n", encoding="utf-8")
    (folder / "tokenizer.json").write_text(tokenizer.to_str(), encoding="utf-8")
    special = {f"{kind}_token": f"[{kind.upper()}]" for kind in ("cls", "sep", "pad", "mask", "unk")}
    facts = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": config["max_position_embeddings"],
        **special,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    table = np.concatenate([[frequencies.documents], frequencies.counts]).astype(np.int32)
    np.save(folder / FREQUENCIES_FILE, table, allow_pickle=False)
    write_graphs(folder)


def write_graphs(folder: Path) -> None:
    """(Re)write the graphs for the weights that the folder holds, beside them."""
    for name, (delta, _) in _GRAPHS.items():
        if delta is None or (folder / delta).exists():
            write_graph(folder, name)


def write_graph(folder: Path, name: str) -> None:
    """(Re)write one graph, by its file's name."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    delta, build = _GRAPHS[name]
    onnx.save(build(_Graph(folder / WEIGHTS_FILE, config, folder / delta if delta else None)), str(folder / name))


class _Stored:
    """Where the tensors of a safetensors file lie."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            (size,) = struct.unpack("<Q", file.read(8))
            self.header = json.loads(file.read(size))
        self._begin = 8 + size
        self._file = path.name

    def initializer(self, name: str, called: str) -> TensorProto:
        """A tensor of the graph that points into the file."""
        entry = self.header[name]
        kinds = {"F16": TensorProto.FLOAT16, "F32": TensorProto.FLOAT, "I8": TensorProto.INT8}
        tensor = TensorProto(name=called, data_type=kinds[entry["dtype"]], dims=entry["shape"])
        begin, end = entry["data_offsets"]
        place = {"location": self._file, "offset": self._begin + begin, "length": end - begin}
        for key, value in place.items():
            tensor.external_data.add(key=key, value=str(value))
        tensor.data_location = TensorProto.EXTERNAL
        return tensor


class _Graph:
    """Builds one graph, node by node; tokens of a batch are flattened to [rows * length, width] for the products.

    delta: a file of adapted weights, to be taken in place of those that it names.
    """

    def __init__(self, weights: Path, config: Mapping[str, Any], delta: Path | None = None) -> None:
        self.config = config
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []
        self._names: set[str] = set()
        self._base = _Stored(weights)
        self._delta = _Stored(delta) if delta else None

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def constant(self, values: Any, dtype: Any = np.int64) -> str:
        array: np.ndarray[Any, Any] = np.asarray(values, dtype)
        name = "c_" + "_".join(map(str, array.ravel().tolist())) + f"_{array.ndim}_{array.dtype}"
        if name not in self._names:
            self._names.add(name)
            self.initializers.append(onnx.numpy_helper.from_array(array, name))
        return name

    def weight(self, name: str) -> str:
        """A stored tensor, as float32: the base's, or with what the delta adds or puts in its place."""
        delta = self._delta.header if self._delta else {}
        if self._delta is None or name not in delta:
            return self._float(self._base, name, name)
        if name + SCALE not in delta:
            return self._float(self._delta, name, name)
        adapted = name + "/adapted"
        if adapted not in self._names:
            self._names.add(adapted)
            base = self._float(self._base, name, name)
            steps, scale = (self._float(self._delta, part, part + "/delta") for part in (name, name + SCALE))
            self.nodes.append(helper.make_node("Mul", [steps, scale], [name + "/difference"]))
            self.nodes.append(helper.make_node("Add", [base, name + "/difference"], [adapted]))
        return adapted

    def _float(self, stored: _Stored, name: str, called: str) -> str:
        cast = stored.header[name]["dtype"] != "F32"
        if called not in self._names:
            self._names.add(called)
            self.initializers.append(stored.initializer(name, called))
            if cast:
                self.nodes.append(helper.make_node("Cast", [called], [called + "/float"], to=TensorProto.FLOAT))
        return called + "/float" if cast else called

    def linear(self, x: str, layer: str) -> str:
        return self.op("Gemm", x, self.weight(layer + ".weight"), self.weight(layer + ".bias"), transB=1)

    def norm(self, x: str, layer: str) -> str:
        epsilon = float(self.config["layer_norm_eps"])
        return self.op(
            "LayerNormalization", x, self.weight(layer + ".weight"), self.weight(layer + ".bias"), epsilon=epsilon
        )

    def heads(self, x: str, perm: tuple[int, ...]) -> str:
        """[rows * n, width] -> [rows, heads, n, width of a head], or with the last two swapped."""
        heads, width = self.config["num_attention_heads"], self.config["hidden_size"]
        shape = self.op("Concat", self.rows, self.constant([-1, heads, width // heads]), axis=0)
        return self.op("Transpose", self.op("Reshape", x, shape), perm=perm)

    def layer(self, number: int, x: str, queries: str) -> str:
        """One transformer layer; `queries` are the rows of `x` whose outputs are wanted."""
        base = f"bert.encoder.layer.{number}."
        q = self.heads(self.linear(queries, base + "attention.self.query"), (0, 2, 1, 3))
        k = self.heads(self.linear(x, base + "attention.self.key"), (0, 2, 3, 1))
        v = self.heads(self.linear(x, base + "attention.self.value"), (0, 2, 1, 3))
        scale = 1 / math.sqrt(self.config["hidden_size"] // self.config["num_attention_heads"])
        scores = self.op("MatMul", self.op("Mul", q, self.constant(scale, np.float32)), k)
        mixed = self.op("MatMul", self.op("Softmax", self.op("Add", scores, self.bias), axis=-1), v)
        return self.after_attention(base, self.op("Transpose", mixed, perm=(0, 2, 1, 3)), queries)

    def after_attention(self, base: str, mixed: str, queries: str) -> str:
        """The rest of a layer: what was attended to, [rows, n, heads, width of a head], to [rows * n, width]."""
        mixed = self.op("Reshape", mixed, self.constant([-1, self.config["hidden_size"]]))
        attended = self.norm(
            self.op("Add", self.linear(mixed, base + "attention.output.dense"), queries),
            base + "attention.output.LayerNorm",
        )
        inner = self.op("Gelu", self.linear(attended, base + "intermediate.dense"))
        return self.norm(self.op("Add", self.linear(inner, base + "output.dense"), attended), base + "output.LayerNorm")

    def embed(self, side: str | None = None, kind: int = 0) -> str:
        """Normalised sum of word, position and type embeddings: [rows * length, width]. Sets the attention bias.

        side [rows, length]: the type of each token; of all of them `kind` without it.
        """
        shape = self.op("Shape", "ids")
        self.rows = self.op("Slice", shape, self.constant([0]), self.constant([1]))
        length = self.op("Slice", shape, self.constant([1]), self.constant([2]))
        words = self.op("Gather", self.weight("bert.embeddings.word_embeddings.weight"), "ids")
        positions = self.op(
            "Slice",
            self.weight("bert.embeddings.position_embeddings.weight"),
            self.constant([0]),
            length,
            self.constant([0]),
        )
        types = self.weight("bert.embeddings.token_type_embeddings.weight")
        row = [self.constant([at]) for at in (kind, kind + 1, 0)]
        typed = self.op("Gather", types, side) if side else self.op("Slice", types, *row)
        total = self.op("Add", words, self.op("Add", positions, typed))
        flat = self.op("Reshape", total, self.constant([-1, self.config["hidden_size"]]))
        absent = self.op("Sub", self.constant(1.0, np.float32), self.op("Cast", "attend", to=TensorProto.FLOAT))
        bias = self.op("Mul", absent, self.constant(float(np.finfo(np.float32).min), np.float32))
        self.bias = self.op("Unsqueeze", bias, self.constant([1, 2]))
        return self.norm(flat, "bert.embeddings.LayerNorm")

    def model(self, inputs: list[onnx.ValueInfoProto], outputs: list[onnx.ValueInfoProto]) -> onnx.ModelProto:
        tokens = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["rows", "length"]) for name in ("ids", "attend")
        ]
        graph = helper.make_graph(self.nodes, "nlgauge", tokens + inputs, outputs, self.initializers)
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=9, producer_name="nlgauge"
        )

    def encoder(self) -> onnx.ModelProto:
        """ids, attend [rows, length] -> hidden_0 (embeddings) .. hidden_n, each [rows, length, width]."""
        x = self.embed()
        outputs = []
        for number in range(self.config["num_hidden_layers"] + 1):
            if number:
                x = self.layer(number - 1, x, x)
            shape = self.op("Concat", self.op("Shape", "ids"), self.constant([self.config["hidden_size"]]), axis=0)
            self.nodes.append(helper.make_node("Reshape", [x, shape], [f"hidden_{number}"]))
            outputs.append(
                helper.make_tensor_value_info(
                    f"hidden_{number}", TensorProto.FLOAT, ["rows", "length", self.config["hidden_size"]]
                )
            )
        return self.model([], outputs)

    def masked_lm(self) -> onnx.ModelProto:
        """ids, attend [rows, length]; at [rows * k]: k flat positions per row -> logits [rows * k, vocabulary].

        The last layer's queries, and all that follows them, are computed at those positions alone.
        """
        x = self.embed()
        last = self.config["num_hidden_layers"] - 1
        for number in range(last):
            x = self.layer(number, x, x)
        self.head(self.layer(last, x, self.op("Gather", x, "at")))
        return self.model(
            [self.value("at", ["masks"], TensorProto.INT64)], [self.value("logits", ["masks", self.words])]
        )

    def head(self, x: str) -> None:
        """From final states at masks [masks, width], the output `logits`."""
        x = self.norm(
            self.op("Gelu", self.linear(x, "cls.predictions.transform.dense")), "cls.predictions.transform.LayerNorm"
        )
        table, bias = self.weight("bert.embeddings.word_embeddings.weight"), self.weight("cls.predictions.bias")
        self.nodes.append(helper.make_node("Gemm", [x, table, bias], ["logits"], transB=1))

    @property
    def words(self) -> int:
        return int(self.config["vocab_size"])

    def value(self, name: str, shape: list[Any], kind: int = TensorProto.FLOAT) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, kind, shape)

    def pairs_other(self) -> onnx.ModelProto:
        """ids, attend [1, n], the other text of pairs -> what its tokens offer to attention.

        keys [layers, heads, width of a head, n], values [layers, heads, n, width of a head].
        """
        layers = range(self.config["num_hidden_layers"])
        x = self.embed(kind=1)
        offered: dict[str, list[str]] = {"keys": [], "values": []}
        for number in layers:
            base = f"bert.encoder.layer.{number}.attention.self."
            offered["keys"].append(self.heads(self.linear(x, base + "key"), (0, 2, 3, 1)))
            offered["values"].append(self.heads(self.linear(x, base + "value"), (0, 2, 1, 3)))
            if number < layers[-1]:
                x = self.layer(number, x, x)
        for name, some in offered.items():
            self.nodes.append(helper.make_node("Concat", some, [name], axis=0))
        return self.model([], self._offered())

    def _offered(self) -> list[onnx.ValueInfoProto]:
        layers, heads = self.config["num_hidden_layers"], self.config["num_attention_heads"]
        width = self.config["hidden_size"] // heads
        return [self.value("keys", [layers, heads, width, "n"]), self.value("values", [layers, heads, "n", width])]

    def pairs(self) -> onnx.ModelProto:
        """Masked rows that see another text as well: `masked_lm`, with keys and values as `pairs_other` gives them.

        Every row of a batch sees the same other text. Besides the logits, states [masks, width]: the last layer's.
        Logits are those of states[asked]: the runtime computes all that a graph holds, whatever is taken from it.
        """
        x = self.embed()
        last = self.config["num_hidden_layers"] - 1
        for number in range(last):
            x = self.pair_layer(number, x, x)
        x = self.pair_layer(last, x, self.op("Gather", x, "at"))
        self.nodes.append(helper.make_node("Identity", [x], ["states"]))
        self.head(self.op("Gather", x, "asked"))
        at, asked = self.value("at", ["masks"], TensorProto.INT64), self.value("asked", ["asked"], TensorProto.INT64)
        states = self.value("states", ["masks", self.config["hidden_size"]])
        return self.model([at, asked, *self._offered()], [self.value("logits", ["asked", self.words]), states])

    def pair_layer(self, number: int, x: str, queries: str) -> str:
        """`layer`, with the other text's keys and values beside the row's own: [heads, rows, ...] throughout."""
        base = f"bert.encoder.layer.{number}."
        heads = self.config["num_attention_heads"]
        width = self.config["hidden_size"] // heads
        q = self.heads(self.linear(queries, base + "attention.self.query"), (2, 0, 1, 3))
        q = self.op("Mul", q, self.constant(1 / math.sqrt(width), np.float32))
        k = self.heads(self.linear(x, base + "attention.self.key"), (2, 0, 3, 1))
        v = self.heads(self.linear(x, base + "attention.self.value"), (2, 0, 1, 3))
        keys, values = (self.op("Gather", name, self.constant(number), axis=0) for name in ("keys", "values"))
        together = self.constant([heads, -1, width])
        n = self.op("Slice", self.op("Shape", "keys"), self.constant([3]), self.constant([4]))
        own = self.op("Add", self.op("MatMul", q, k), self.op("Transpose", self.bias, perm=(1, 0, 2, 3)))
        other = self.op("MatMul", self.op("Reshape", q, together), keys)
        by_row = self.op("Concat", self.constant([heads]), self.rows, self.constant([-1]), n, axis=0)
        other = self.op("Reshape", other, by_row)
        shares = self.op("Softmax", self.op("Concat", other, own, axis=-1), axis=-1)
        to_other = self.op("Slice", shares, self.constant([0]), n, self.constant([3]))
        to_own = self.op("Slice", shares, n, self.constant([np.iinfo(np.int64).max]), self.constant([3]))
        flat = self.op("Concat", self.constant([heads, -1]), n, axis=0)
        from_other = self.op("MatMul", self.op("Reshape", to_other, flat), values)
        by_row = self.op("Concat", self.constant([heads]), self.rows, self.constant([-1, width]), axis=0)
        mixed = self.op("Add", self.op("MatMul", to_own, v), self.op("Reshape", from_other, by_row))
        return self.after_attention(base, self.op("Transpose", mixed, perm=(1, 2, 0, 3)), queries)

    def aligner(self) -> onnx.ModelProto:
        """ids, attend, side [rows, length] -> logits [rows, length] and aggregate [rows], as the trained network.

        See `nlgauge.engine.aligner_net`.
        """
        layers, width = self.config["num_hidden_layers"], self.config["hidden_size"]
        x = self.embed("side")
        states = [x]
        for number in range(layers):
            x = self.layer(number, x, x)
            states.append(x)
        self.shape = self.op("Shape", "ids")
        deep = self.op("Concat", self.shape, self.constant([width]), axis=0)
        words = self.op("Gather", self.weight("bert.embeddings.word_embeddings.weight"), "ids")
        tables = [words, *(self.op("Reshape", states[i], deep) for i in matched_layers(len(states)))]
        last = tables[-1]
        token = self.op("Concat", last, *(self.best_match(table) for table in tables), axis=-1)
        flat = self.op("Reshape", token, self.constant([-1, width + len(tables)]))
        inner = self.op("Gelu", self.linear(flat, "aligner.token_inner"))
        logits = self.op("Reshape", self.linear(inner, "aligner.token_outer"), self.shape)
        context = self.op("Cast", "side", to=TensorProto.FLOAT)
        own = self.op(
            "Mul",
            self.op("Cast", "attend", to=TensorProto.FLOAT),
            self.op("Sub", self.constant(1.0, np.float32), context),
        )
        size = self.op("ReduceSum", own, self.constant([1]), keepdims=1)
        weighted = self.op("Mul", last, self.op("Unsqueeze", own, self.constant([2])))
        mean = self.op("Div", self.op("ReduceSum", weighted, self.constant([1]), keepdims=0), size)
        chances = self.op("Mul", self.op("Sigmoid", logits), own)
        chance = self.op("Div", self.op("ReduceSum", chances, self.constant([1]), keepdims=1), size)
        begin = self.op("Gather", last, self.constant(0), axis=1)
        whole = self.op("Gelu", self.linear(self.op("Concat", begin, mean, chance, axis=-1), "aligner.whole_inner"))
        share = self.op("Sigmoid", self.linear(whole, "aligner.whole_outer"))
        self.nodes.append(helper.make_node("Identity", [logits], ["logits"]))
        self.nodes.append(helper.make_node("Squeeze", [share, self.constant([1])], ["aggregate"]))
        side = helper.make_tensor_value_info("side", TensorProto.INT64, ["rows", "length"])
        outputs = [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["rows", "length"]),
            helper.make_tensor_value_info("aggregate", TensorProto.FLOAT, ["rows"]),
        ]
        return self.model([side], outputs)

    def best_match(self, states: str) -> str:
        """Cosine with the most similar token of the context: [rows, length, width] -> [rows, length, 1]."""
        length = self.op("ReduceL2", states, self.constant([-1]), keepdims=1)
        unit = self.op("Div", states, self.op("Max", length, self.constant(1e-12, np.float32)))
        cosines = self.op("MatMul", unit, self.op("Transpose", unit, perm=(0, 2, 1)))
        context = self.op("Unsqueeze", self.op("Equal", "side", self.constant([[1]])), self.constant([1]))
        kept = self.op("Where", context, cosines, self.constant(-1.0, np.float32))
        return self.op("ReduceMax", kept, self.constant([-1]), keepdims=1)


_GRAPHS: dict[str, tuple[str | None, Callable[[_Graph], onnx.ModelProto]]] = {
    "masked.onnx": (None, _Graph.masked_lm),
    "encoder.onnx": (None, _Graph.encoder),
    "pairs.onnx": (PAIRS_FILE, _Graph.pairs),
    "pairs_other.onnx": (PAIRS_FILE, _Graph.pairs_other),
    "aligner.onnx": (ALIGNER_FILE, _Graph.aligner),
}
"""By file: the delta that it needs, and how it is built"""
