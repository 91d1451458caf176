"""Folders of detectors whose network is code of their own, written anew as folders that need no code.

HHEM-2.1-Open is T5's encoder with a classifier of tokens. Its weights stand under `t5.`, and its folder has neither
the sizes of the network nor a tokenizer: the sizes are read from the shapes of the weights, and the tokenizer is that
of flan-t5-base.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from nlgauge.engine.models.folder import CONFIG_FILE, TOKENIZER_FILE, WEIGHTS_FILE
from nlgauge.engine.models.packing import FAMILY, is_hhem
from nlgauge.engine.models.stored import json_object, one_line
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import InputError, SpecError

_PREFIX = "t5."
_SHARED, _ENCODER = "transformer.shared.weight", "transformer.encoder."
_FIRST = f"{_ENCODER}block.0.layer."


def convert(source: Path, folder: Path, tokenizer: Path | None = None) -> None:
    """Write the folder of HHEM-2.1-Open without code.

    Args:
        source: its folder, with `config.json` and `model.safetensors`. Code in it is neither run nor copied.
        folder: the new folder, which may not hold anything.
        tokenizer: a folder with flan-t5-base's `tokenizer.json`; None if `source` has one.

    Raises:
        SpecError: `source` is of another kind, or has no weights in safetensors.
        InputError: a file is missing, or `folder` is not empty.
    """
    config = json_object(source / CONFIG_FILE, "configuration of a model")
    if not is_hhem(config):
        raise SpecError(f"{source} is not HHEM-2.1-Open: other detectors are not converted, but read as they are")
    splitter = (tokenizer or source) / TOKENIZER_FILE
    if not splitter.is_file():
        remedy = "name a folder with that of google/flan-t5-base: --tokenizer FOLDER"
        raise InputError(f"has no {TOKENIZER_FILE}", file=tokenizer or source, remedy=remedy)
    if folder.exists() and any(folder.iterdir()):
        raise InputError("is not empty", file=folder, remedy="name a new folder, so that nothing is overwritten")
    path = source / WEIGHTS_FILE
    try:
        stored = {name.removeprefix(_PREFIX): tensor for name, tensor in load_file(path).items()}
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise SpecError(f"{path} has no weights that can be read: {one_line(error)}") from None
    made = {**_sizes(path, stored), "architectures": ["T5ForTokenClassification"], FAMILY: "hhem"}
    SubwordTokenizer.read(str(splitter)).fit(made["vocab_size"])
    folder.mkdir(parents=True, exist_ok=True)
    save_file(stored, folder / WEIGHTS_FILE, metadata={"format": "pt"})
    (folder / CONFIG_FILE).write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    (folder / TOKENIZER_FILE).write_bytes(splitter.read_bytes())
    names_of_tokens = {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "<pad>", "eos_token": "</s>",
                       "unk_token": "<unk>", "model_max_length": 4096}  # fmt: skip
    (folder / "tokenizer_config.json").write_text(json.dumps(names_of_tokens, indent=1) + "\n", encoding="utf-8")


def _sizes(path: Path, stored: dict[str, Any]) -> dict[str, Any]:
    """The configuration of T5, from the shapes of its weights."""
    attention = f"{_FIRST}0.SelfAttention."
    try:
        (vocabulary, width), (buckets, heads) = (
            stored[_SHARED].shape, stored[f"{attention}relative_attention_bias.weight"].shape
        )  # fmt: skip
        inner, classes = len(stored[f"{attention}q.weight"]), len(stored["classifier.weight"])
        gated = f"{_FIRST}1.DenseReluDense.wi_0.weight" in stored
        feed = len(stored[f"{_FIRST}1.DenseReluDense.{'wi_0' if gated else 'wi'}.weight"])
    except (KeyError, ValueError) as error:
        raise SpecError(f"{path} holds no classifier on T5's encoder: {one_line(error)} is missing") from None
    blocks = {name.removeprefix(f"{_ENCODER}block.").partition(".")[0] for name in stored if name.startswith(_ENCODER)}
    return {
        "model_type": "t5", "vocab_size": vocabulary, "d_model": width, "num_heads": heads, "d_kv": inner // heads,
        "d_ff": feed, "num_layers": sum(block.isdigit() for block in blocks), "num_labels": classes,
        "feed_forward_proj": "gated-gelu" if gated else "relu", "relative_attention_num_buckets": buckets,
        "id2label": {"0": "hallucinated", "1": "consistent"}, "label2id": {"hallucinated": 0, "consistent": 1},
        "pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0, "tie_word_embeddings": False,
    }  # fmt: skip
