"""Write a BERT-shaped masked LM as one folder that both backends read.

    model.safetensors         the weights, once: matrices in float16, vectors in float32
    config.json               what `transformers` needs to build the model, and the recommended temperature
    tokenizer.json            the fast tokenizer; tokenizer_config.json names its special tokens
    document_frequencies.npy  in how many general passages each token occurs, for idf weights
    masked.onnx               graph: masked rows -> logits at the masked positions
    encoder.onnx              graph: rows -> hidden states of every layer

The graphs hold no weights. Their initialisers point into model.safetensors by offset (ONNX external data), so the
tied vocabulary table, half of the model, is stored once. Casts to float32 are folded when the session is built.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper
from safetensors.numpy import save
from tokenizers import Tokenizer

from nlgauge.engine.folder import FREQUENCIES_FILE, WEIGHTS_FILE, DocumentFrequencies

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
    """(Re)write masked.onnx and encoder.onnx beside the folder's model.safetensors and config.json."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    for name, masked in (("masked.onnx", True), ("encoder.onnx", False)):
        graph = _Graph(folder / WEIGHTS_FILE, config)
        model = graph.masked_lm() if masked else graph.encoder()
        onnx.save(model, str(folder / name))


class _Graph:
    """Builds one graph, node by node; tokens of a batch are flattened to [rows * length, width] for the products."""

    def __init__(self, weights: Path, config: Mapping[str, Any]) -> None:
        self.config = config
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []
        self._names: set[str] = set()
        with weights.open("rb") as file:
            (size,) = struct.unpack("<Q", file.read(8))
            self._header = json.loads(file.read(size))
        self._begin = 8 + size
        self._file = weights.name

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
        """A stored tensor, as float32."""
        if name not in self._names:
            self._names.add(name)
            entry = self._header[name]
            half = entry["dtype"] == "F16"
            tensor = TensorProto(
                name=name, data_type=TensorProto.FLOAT16 if half else TensorProto.FLOAT, dims=entry["shape"]
            )
            begin, end = entry["data_offsets"]
            place = {"location": self._file, "offset": self._begin + begin, "length": end - begin}
            for key, value in place.items():
                tensor.external_data.add(key=key, value=str(value))
            tensor.data_location = TensorProto.EXTERNAL
            self.initializers.append(tensor)
            if half:
                self.nodes.append(helper.make_node("Cast", [name], [name + "/float"], to=TensorProto.FLOAT))
        return name + "/float" if self._header[name]["dtype"] == "F16" else name

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
        mixed = self.op(
            "Reshape", self.op("Transpose", mixed, perm=(0, 2, 1, 3)), self.constant([-1, self.config["hidden_size"]])
        )
        attended = self.norm(
            self.op("Add", self.linear(mixed, base + "attention.output.dense"), queries),
            base + "attention.output.LayerNorm",
        )
        inner = self.op("Gelu", self.linear(attended, base + "intermediate.dense"))
        return self.norm(self.op("Add", self.linear(inner, base + "output.dense"), attended), base + "output.LayerNorm")

    def embed(self) -> str:
        """Normalised sum of word, position and type embeddings: [rows * length, width]. Sets the attention bias."""
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
        kind = self.op(
            "Slice",
            self.weight("bert.embeddings.token_type_embeddings.weight"),
            self.constant([0]),
            self.constant([1]),
            self.constant([0]),
        )
        total = self.op("Add", words, self.op("Add", positions, kind))
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
        x = self.layer(last, x, self.op("Gather", x, "at"))
        x = self.norm(
            self.op("Gelu", self.linear(x, "cls.predictions.transform.dense")), "cls.predictions.transform.LayerNorm"
        )
        table, bias = self.weight("bert.embeddings.word_embeddings.weight"), self.weight("cls.predictions.bias")
        self.nodes.append(helper.make_node("Gemm", [x, table, bias], ["logits"], transB=1))
        at = helper.make_tensor_value_info("at", TensorProto.INT64, ["masks"])
        return self.model(
            [at], [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["masks", self.config["vocab_size"]])]
        )
