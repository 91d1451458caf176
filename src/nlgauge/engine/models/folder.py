"""The files of a model folder, their digests, and copies of a folder."""

from __future__ import annotations

import hashlib
import math
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from nlgauge.engine.models.card import ALIGNER_FILE, CARD_FILE, FREQUENCIES_FILE
from nlgauge.engine.models.stored import json_object, one_line, shown
from nlgauge.errors import InputError, SpecError

WEIGHTS_FILE = "model.safetensors"
CONFIG_FILE = "config.json"
TOKENIZER_FILE = "tokenizer.json"
PAIRS_FILE = "pairs.safetensors"
MASKED_FILE = "masked.safetensors"
"""The differences of the masked LM's weights from the folder's own, if the masked LM has weights of its own"""
WORDS = "bert.embeddings.word_embeddings.weight"
"""The name of the embedding table among the weights"""
SCALE = ".scale"
"""Suffix of the tensor with the row scales of an int8 matrix"""

BUCKETS = "relative_attention_num_buckets"
"""The key in a configuration for the number of buckets of relative positions; absent if attention does not use them"""
ADAPTED_LAYERS = "adapted_layers"
"""The key in a configuration for the number of layers, from the first, that masked LM, aligner and pairs use; without
it, they use all"""
LARGEST_SIZES: Mapping[str, int] = {
    "hidden_size": 1 << 16,
    "num_hidden_layers": 1 << 8,
    "num_attention_heads": 1 << 12,
    "intermediate_size": 1 << 20,
    "vocab_size": 1 << 24,
    "max_position_embeddings": 1 << 24,
    "type_vocab_size": 1 << 10,
}
"""The largest value of each size in a configuration. Larger values are a mistake and would fill the memory"""
_CONFIG = "configuration of a model"


def digest_of(files: Iterable[Path]) -> str:
    """Return the SHA-256 of the concatenated files, hexadecimal."""
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def model_digest(folder: Path) -> str:
    """Return the SHA-256 of the weights of a folder's body, and of its masked LM if that has weights of its own."""
    weights = (WEIGHTS_FILE, MASKED_FILE)
    return digest_of(path for name in weights if (path := folder / name).is_file())


def files_digest(folder: Path) -> str:
    """Return the SHA-256 of a folder's files, other than weights, that scores depend on.

    These are graphs, configuration, tokenizer and card. Weights have their own digests, and documentation (.md) changes
    no score.

    Args:
        folder: a model's folder.

    Returns:
        The digest in hexadecimal.
    """
    weights = (WEIGHTS_FILE, MASKED_FILE, PAIRS_FILE, ALIGNER_FILE)
    return named_digest(
        path for path in folder.iterdir() if path.is_file() and path.name not in weights and path.suffix != ".md"
    )


def named_digest(files: Iterable[Path]) -> str:
    """Return the SHA-256 of the names and contents of files, sorted by name, hexadecimal."""
    digest = hashlib.sha256()
    for path in sorted(files, key=lambda path: path.name):
        content = path.read_bytes()
        digest.update(f"{path.name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def in_steps(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return a matrix in 8 bits.

    Args:
        matrix: [rows, columns].

    Returns:
        int8 [rows, columns], and one scale per row [rows, 1]. A row of zeros has scale 0.
    """
    scale = np.abs(matrix).max(axis=1, keepdims=True) / np.float32(127)
    steps = np.divide(matrix, scale, out=np.zeros_like(matrix), where=scale > 0)
    return np.rint(steps).astype(np.int8), scale.astype(np.float32)


def read_weights(path: Path) -> dict[str, NDArray[np.float32]]:
    """Return the tensors of a weights file as float32.

    A matrix stored in int8, `name` with `name.scale`, is one tensor: each row times its scale.

    Args:
        path: a safetensors file.

    Returns:
        The tensors by name.

    Raises:
        SpecError: the file cannot be read, or a number is not finite.
    """
    try:
        stored = load_file(path)
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as error:
        raise SpecError(f"{path} has no weights that can be read: {one_line(error)}") from None
    out: dict[str, NDArray[np.float32]] = {}
    with np.errstate(all="ignore"):  # numbers that are not finite are refused below
        for name, value in stored.items():
            scale = stored.get(name + SCALE)
            if scale is not None and (value.ndim != 2 or scale.shape != (len(value), 1)):
                raise SpecError(f"{path}: the scales of {shown(name)} do not fit its rows")
            if scale is not None or not name.endswith(SCALE):
                out[name] = value.astype(np.float32) if scale is None else value.astype(np.float32) * scale
    for name, weights in out.items():
        if not np.isfinite(weights).all():
            raise SpecError(f"{path}: {shown(name)} holds numbers that are not finite: the file is damaged")
    return out


def read_config(folder: Path) -> dict[str, Any]:
    """Return the configuration of a folder that `nlgauge_lab.training.export` wrote.

    Args:
        folder: the folder.

    Returns:
        The JSON object.

    Raises:
        SpecError: it is not a JSON object, or a size is missing, not a whole number, or out of bounds.
    """
    path = folder / CONFIG_FILE
    config = json_object(path, _CONFIG)
    for name, most in LARGEST_SIZES.items():
        _whole(path, name, value=config.get(name), least=1, most=most)
    _whole(path, BUCKETS, value=config.get(BUCKETS, 0), least=0, most=1 << 12)
    _whole(path, ADAPTED_LAYERS, value=config.get(ADAPTED_LAYERS, 1), least=1, most=config["num_hidden_layers"])
    if config["hidden_size"] % config["num_attention_heads"]:
        raise SpecError(f"{path}: num_attention_heads does not divide hidden_size")
    epsilon = config.get("layer_norm_eps")
    if isinstance(epsilon, bool) or not isinstance(epsilon, int | float) or not 0 < epsilon < math.inf:
        raise SpecError(f"{path}: layer_norm_eps is {shown(epsilon)}, not a number above 0")
    return config


def _whole(path: Path, name: str, value: object, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise SpecError(f"{path}: {name} is {shown(value)}, not a whole number from {least} to {most}")


def copy_folder(source: Path, folder: Path) -> None:
    """Copy the files of a model's folder to a new folder, to which other files can be added."""
    folder.mkdir(exist_ok=True)
    for file in sorted(source.iterdir()):
        if file.is_file():
            shutil.copyfile(file, folder / file.name)


def write_hugging_face(source: Path, folder: Path) -> None:
    """Export a model in Hugging Face format (AutoModelForMaskedLM, AutoTokenizer): weights in float32, no graphs.

    The model's card is copied too. A folder of another network, such as T5, has this format already, and is copied.

    Args:
        source: the model's folder.
        folder: an empty folder, or the path of a new one.

    Raises:
        InputError: `folder` is not empty or cannot be made.
        SpecError: transformers has no network for the model.
    """
    config = source / CONFIG_FILE
    facts = json_object(config, _CONFIG) if config.is_file() else {}
    other = facts.get("model_type", "bert") not in ("bert", "nlgauge-bert")
    if BUCKETS in facts and not other:
        problem = "uses relative positions, which BERT in transformers does not support, so it cannot be exported"
        raise SpecError(f"{source} {problem}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", file=folder, remedy="name a folder") from None
    if any(folder.iterdir()):
        raise InputError("is not empty", file=folder, remedy="name a new folder, so that nothing is overwritten")
    if other:
        copy_folder(source, folder)
        return
    (folder / WEIGHTS_FILE).write_bytes(save(read_weights(source / WEIGHTS_FILE), metadata={"format": "pt"}))
    for name in (CONFIG_FILE, TOKENIZER_FILE, "tokenizer_config.json", CARD_FILE, FREQUENCIES_FILE):
        if (source / name).exists():
            shutil.copyfile(source / name, folder / name)
