"""Published detectors and aligners whose network is code of their own, written as folders that need no code.

HHEM-2.1-Open is T5's encoder with a classifier of tokens. The names of its weights begin with `t5.`, and its folder has
neither the sizes of the network nor a tokenizer. So the sizes are read from the shapes of the weights, and the
tokenizer is that of flan-t5-base.

The aligners of CTC (Deng et al. 2021) are files of tensors: for D an encoder and a linear layer on the states of words,
for R an encoder with a pooler and a linear layer on the whole text. Both read lower-case text with straight quotes; the
tokenizer of the new folder makes any text so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from nlgauge.engine.models.folder import CONFIG_FILE, TOKENIZER_FILE, WEIGHTS_FILE
from nlgauge.engine.models.packing import FAMILY, TEXT_FIRST, is_hhem
from nlgauge.engine.models.stored import json_object, one_line
from nlgauge.engine.tokens import SubwordTokenizer
from nlgauge.errors import InputError, MissingExtraError, SpecError

_PREFIX = "t5."
_SHARED, _ENCODER = "transformer.shared.weight", "transformer.encoder."
_FIRST = f"{_ENCODER}block.0.layer."
_NAMES_FILE = "tokenizer_config.json"
_CTC_ROW = 512
"""The largest number of sub-words in a row"""
_CTC_D = {"roberta": "RobertaForTokenClassification", "albert": "AlbertForTokenClassification"}
_CTC_R = {
    "doc_to_summ": ("share", False),
    "summ_to_ref": ("share", True),
    "sent_to_sent": ("share", False),
    "fact_to_response": ("number", False),
    "fact_history_to_response": ("number", False),
}
"""The number that each published R predicts, and whether it was trained with the judged text first"""
_UNUSED = ("pooler.", "embeddings.position_ids")
_CLEANING: tuple[dict[str, Any], ...] = (
    *({"type": "Replace", "pattern": {"String": quote}, "content": '"'} for quote in "“”"),
    *({"type": "Replace", "pattern": {"String": quote}, "content": "'"} for quote in "‘’"),
    {"type": "Lowercase"},
)
"""The steps with which CTC cleans all texts, as steps of a tokenizer"""


def is_converted(source: Path) -> bool:
    """Return whether `convert` can read a path: the folder of HHEM-2.1-Open, or the file of an aligner of CTC."""
    config = source / CONFIG_FILE
    return source.is_file() or (config.is_file() and is_hhem(json_object(config, "configuration of a model")))


def convert(source: Path, folder: Path, tokenizer: Path | None = None) -> None:
    """Write the folder of HHEM-2.1-Open, or of an aligner of CTC, without code.

    Args:
        source: HHEM's folder, with `config.json` and `model.safetensors`; or the file of an aligner of CTC. Code in it
            is neither run nor copied.
        folder: the new folder, which must be empty if it exists.
        tokenizer: a folder with flan-t5-base's `tokenizer.json`; None if `source` has one. For CTC the folder of the
            encoder (roberta-large for D, bert-base-uncased for R): its `config.json` and its tokenizer are used.

    Raises:
        SpecError: `source` is of another kind, or its weights cannot be read without running code.
        InputError: a file is missing, or `folder` is not empty.
        MissingExtraError: the files of CTC are given, and torch, which reads them, is not installed.
    """
    if folder.exists() and any(folder.iterdir()):
        raise InputError("is not empty", file=folder, remedy="name a new folder, so that nothing is overwritten")
    if source.is_file():
        _convert_ctc(source, folder, tokenizer)
        return
    config = json_object(source / CONFIG_FILE, "configuration of a model")
    if not is_hhem(config):
        problem = "is neither HHEM-2.1-Open nor the file of an aligner of CTC"
        raise SpecError(f"{source} {problem}: other detectors are not converted, but read as they are")
    splitter = (tokenizer or source) / TOKENIZER_FILE
    if not splitter.is_file():
        remedy = "name a folder with that of google/flan-t5-base: --tokenizer FOLDER"
        raise InputError(f"has no {TOKENIZER_FILE}", file=tokenizer or source, remedy=remedy)
    path = source / WEIGHTS_FILE
    try:
        stored = {name.removeprefix(_PREFIX): tensor for name, tensor in load_file(path).items()}
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise SpecError(f"{path} has no weights that can be read: {one_line(error)}") from None
    made = {**_sizes(path, stored), "architectures": ["T5ForTokenClassification"], FAMILY: "hhem"}
    SubwordTokenizer.read(str(splitter)).fit(made["vocab_size"])
    names_of_tokens = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "pad_token": "<pad>",
        "eos_token": "</s>",
        "unk_token": "<unk>",
        "model_max_length": 4096,
    }
    _write(folder, stored, config=made, tokenizer=splitter.read_text(encoding="utf-8"), names=names_of_tokens)


def _sizes(path: Path, stored: dict[str, Any]) -> dict[str, Any]:
    """Return T5's configuration, with sizes from the shapes of its weights."""
    attention = f"{_FIRST}0.SelfAttention."
    try:
        (vocabulary, width), (buckets, heads) = (
            stored[_SHARED].shape,
            stored[f"{attention}relative_attention_bias.weight"].shape,
        )
        inner, classes = len(stored[f"{attention}q.weight"]), len(stored["classifier.weight"])
        gated = f"{_FIRST}1.DenseReluDense.wi_0.weight" in stored
        feed = len(stored[f"{_FIRST}1.DenseReluDense.{'wi_0' if gated else 'wi'}.weight"])
    except (KeyError, ValueError) as error:
        raise SpecError(f"{path} holds no classifier on T5's encoder: {one_line(error)} is missing") from None
    blocks = {name.removeprefix(f"{_ENCODER}block.").partition(".")[0] for name in stored if name.startswith(_ENCODER)}
    return {
        "model_type": "t5",
        "vocab_size": vocabulary,
        "d_model": width,
        "num_heads": heads,
        "d_kv": inner // heads,
        "d_ff": feed,
        "num_layers": sum(block.isdigit() for block in blocks),
        "num_labels": classes,
        "feed_forward_proj": "gated-gelu" if gated else "relu",
        "relative_attention_num_buckets": buckets,
        "id2label": {"0": "hallucinated", "1": "consistent"},
        "label2id": {"hallucinated": 0, "consistent": 1},
        "pad_token_id": 0,
        "eos_token_id": 1,
        "decoder_start_token_id": 0,
        "tie_word_embeddings": False,
    }


def _write(
    folder: Path, weights: Mapping[str, Any], config: Mapping[str, Any], tokenizer: str, names: Mapping[str, Any]
) -> None:
    """Write the files of a checkpoint. tokenizer: content of tokenizer.json. names: that of tokenizer_config.json."""
    folder.mkdir(parents=True, exist_ok=True)
    save_file(dict(weights), folder / WEIGHTS_FILE, metadata={"format": "pt"})
    (folder / TOKENIZER_FILE).write_text(tokenizer, encoding="utf-8")
    for file, facts in ((CONFIG_FILE, config), (_NAMES_FILE, names)):
        (folder / file).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")


def _convert_ctc(source: Path, folder: Path, encoder: Path | None) -> None:
    if encoder is None or not all((encoder / file).is_file() for file in (CONFIG_FILE, TOKENIZER_FILE)):
        remedy = "name the folder of its encoder (roberta-large for D, bert-base-uncased for R): --tokenizer FOLDER"
        problem = "an aligner of CTC needs config.json and tokenizer.json"
        raise InputError(problem, file=encoder or source, remedy=remedy)
    config = json_object(encoder / CONFIG_FILE, "configuration of a model")
    stored, kind = _tensors(source), str(config.get("model_type"))
    weights, facts = (_ctc_d if "_classifier.weight" in stored else _ctc_r)(source, stored, kind)
    tokenizer = json_object(encoder / TOKENIZER_FILE, "tokenizer")
    before = [tokenizer["normalizer"]] if tokenizer.get("normalizer") else []
    tokenizer["normalizer"] = {"type": "Sequence", "normalizers": [*_CLEANING, *before]}
    path = encoder / _NAMES_FILE
    names = json_object(path, "configuration of a tokenizer") if path.is_file() else {}
    names = {**names, "tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": _CTC_ROW}
    made = {**config, **facts, FAMILY: "ctc"}
    _write(folder, weights, config=made, tokenizer=json.dumps(tokenizer, ensure_ascii=False), names=names)
    SubwordTokenizer.read(str(folder / TOKENIZER_FILE))


def _tensors(source: Path) -> dict[str, Any]:
    """Return the tensors of a torch file. They are read by torch's loader for weights alone, which runs no code."""
    try:
        import torch
    except ImportError:
        raise MissingExtraError(f"{source}", "torch") from None
    try:
        stored = torch.load(source, map_location="cpu", weights_only=True)
        stored = stored.get("state_dict", stored)
        return {str(name): value.float().contiguous().numpy() for name, value in stored.items()}
    except Exception as error:  # the loader raises errors of many classes
        raise SpecError(f"{source} holds no weights that can be read without code: {one_line(error)}") from None


def _ctc_d(source: Path, stored: Mapping[str, Any], kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return weights and facts of D, by the names that transformers has in a classifier of tokens."""
    prefix = "_roberta." if any(name.startswith("_roberta.") for name in stored) else "_model."
    body = {name.removeprefix(prefix): value for name, value in stored.items() if name.startswith(prefix)}
    weights = {f"{kind}.{name}": value for name, value in body.items() if not name.startswith(_UNUSED)}
    if not weights or stored["_classifier.weight"].shape[0] != 2 or kind not in _CTC_D:
        raise SpecError(f"{source} is no aligner D of CTC on {' or '.join(_CTC_D)}")
    head = {f"classifier.{part}": stored[f"_classifier.{part}"] for part in ("weight", "bias")}
    labels = {"0": "supported", "1": "unsupported"}
    return {**weights, **head}, {"architectures": [_CTC_D[kind]], "id2label": labels}


def _ctc_r(source: Path, stored: Mapping[str, Any], kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return weights and facts of R. The file's name says which number R predicts, and which text comes first."""
    if "dense.weight" not in stored or kind != "bert":
        raise SpecError(f"{source} is no aligner of CTC: neither D on its encoder, nor R on BERT")
    if source.stem not in _CTC_R:
        names = ", ".join(_CTC_R)
        raise InputError(
            "the name of an aligner R says what it predicts", file=source, remedy=f"name it as published: {names}"
        )
    weights = {name: value for name, value in stored.items() if name.startswith("bert.") and "position_ids" not in name}
    weights |= {f"classifier.{part}": stored[f"dense.{part}"] for part in ("weight", "bias")}
    label, text_first = _CTC_R[source.stem]
    facts = {"architectures": ["BertForSequenceClassification"], "id2label": {"0": label}, TEXT_FIRST: text_first}
    return weights, facts
