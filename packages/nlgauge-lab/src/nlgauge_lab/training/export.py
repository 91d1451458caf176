"""Write a BERT-shaped masked LM as one folder that both backends read.

    model.safetensors         the weights, once: matrices in float16 or in 8 bits by row, vectors in float32
    config.json               the network's shape, in the names of `transformers`
    tokenizer.json            the fast tokenizer; tokenizer_config.json names its special tokens
    document_frequencies.npy  in how many general passages each token occurs, for idf weights
    encoder.onnx              graph: rows -> hidden states of every layer
    masked.onnx               if there is a head, or a masked.safetensors: masked rows -> logits at the masks
    pairs.onnx                if there is a pairs.safetensors: masked rows that see another text -> logits at the masks
    pairs_other.onnx          with it: the other text, read once -> its keys and values for attention
    aligner.onnx              if there is an aligner.safetensors: pairs -> how far one text supports the other

Each graph is also there in a version whose products with weights are in 8 bits, such as masked.int8.onnx
(`nlgauge_lab.training.int8_graph`). No graph has weights of its own (`nlgauge_lab.training.graph`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from safetensors.numpy import save
from tokenizers import Tokenizer

from nlgauge.engine.models.card import ALIGNER_FILE, FREQUENCIES_FILE, DocumentFrequencies
from nlgauge.engine.models.folder import (
    CONFIG_FILE,
    MASKED_FILE,
    PAIRS_FILE,
    SCALE,
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    in_steps,
)
from nlgauge.engine.models.onnx import graph_path
from nlgauge_lab.training import graphs
from nlgauge_lab.training.graph import HEAD, Graph, Stored
from nlgauge_lab.training.int8_graph import Int8Graph

_WORTH_IT = 1 << 12
"""A matrix with at least this many entries is stored in 8 bits"""


def write_folder(
    folder: Path,
    tensors: Mapping[str, np.ndarray],
    config: Mapping[str, Any],
    tokenizer: Tokenizer,
    frequencies: DocumentFrequencies,
    in_8_bits: bool = False,
) -> None:
    """Write weights, configuration, tokenizer, idf table and graphs into a folder.

    Args:
        folder: is made if it is not there.
        tensors: float32 arrays under the names of Hugging Face's BertForMaskedLM, without the tied decoder.
        config: the model's configuration (hidden_size, num_hidden_layers, num_attention_heads, ...).
        tokenizer: the fast tokenizer.
        frequencies: in how many passages each token occurs.
        in_8_bits: store matrices as int8 with a scale for each row, instead of float16.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stored = _in_8_bits(tensors) if in_8_bits else _in_float16(tensors)
    (folder / WEIGHTS_FILE).write_bytes(save(stored, metadata={"format": "pt"}))
    (folder / CONFIG_FILE).write_text(json.dumps(dict(config), indent=2) + "\n", encoding="utf-8")
    (folder / TOKENIZER_FILE).write_text(tokenizer.to_str(), encoding="utf-8")
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


def _in_float16(tensors: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return matrices in float16 and vectors in float32."""
    return {
        name: np.ascontiguousarray(value, np.float16 if value.ndim > 1 else np.float32)
        for name, value in tensors.items()
    }


def _in_8_bits(tensors: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return large matrices as int8 steps with a scale for each row (`read_weights`), and other tensors in float32."""
    stored: dict[str, np.ndarray] = {}
    for name, value in tensors.items():
        whole = np.ascontiguousarray(value, np.float32)
        if whole.ndim == 2 and whole.size >= _WORTH_IT:
            stored[name], stored[name + SCALE] = in_steps(whole)
        else:
            stored[name] = whole
    return stored


def write_graphs(folder: Path) -> None:
    """Write the graphs for the weights in a folder, into the same folder. Old graphs are replaced."""
    has_head = HEAD in Stored(folder / WEIGHTS_FILE).header
    for name, (delta, _) in _GRAPHS.items():
        if delta is None or (folder / delta).exists() or (delta == MASKED_FILE and has_head):
            write_graph(folder, name)


def write_graph(folder: Path, name: str) -> None:
    """Write one graph in both precisions.

    Args:
        folder: the model's folder.
        name: the file's name in float32, such as 'aligner.onnx'.
    """
    config = json.loads((folder / CONFIG_FILE).read_text(encoding="utf-8"))
    delta, build = _GRAPHS[name]
    for precision, kind in _PRECISIONS.items():
        adapted = folder / delta if delta and (folder / delta).exists() else None
        graph = kind(folder / WEIGHTS_FILE, config, adapted)
        onnx.save(build(graph), str(graph_path(folder, name.removesuffix(".onnx"), precision)))


_PRECISIONS: dict[str, type[Graph]] = {"float32": Graph, "int8": Int8Graph}

_GRAPHS: dict[str, tuple[str | None, Callable[[Graph], onnx.ModelProto]]] = {
    "masked.onnx": (MASKED_FILE, graphs.masked_lm),
    "encoder.onnx": (None, graphs.encoder),
    "pairs.onnx": (PAIRS_FILE, graphs.pairs),
    "pairs_other.onnx": (PAIRS_FILE, graphs.pairs_other),
    "aligner.onnx": (ALIGNER_FILE, graphs.aligner),
}
"""By file name of a graph, the file of adapted weights that the graph needs, and the function that builds the graph.
Only masked.onnx is also built without that file, from a head among the folder's own weights
"""
