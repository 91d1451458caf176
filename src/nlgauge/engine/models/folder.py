"""The files of a model's folder, their digests, and a copy of a folder as others read it."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save

from nlgauge.engine.models.card import CARD_FILE, FREQUENCIES_FILE
from nlgauge.errors import InputError

WEIGHTS_FILE = "model.safetensors"
CONFIG_FILE = "config.json"
TOKENIZER_FILE = "tokenizer.json"
PAIRS_FILE = "pairs.safetensors"


def digest_of(files: Iterable[Path]) -> str:
    """SHA-256 of the content of files, one after the other, hexadecimal."""
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def write_hugging_face(source: Path, folder: Path) -> None:
    """Copy a model folder as AutoModelForMaskedLM and AutoTokenizer load it: all weights in float32, no graphs.

    What is known about the model goes with it. Raises InputError where `folder` exists and is not empty, or cannot be
    made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", file=folder, remedy="name a folder") from None
    if any(folder.iterdir()):
        raise InputError("is not empty", file=folder, remedy="name a new folder, so that nothing is overwritten")
    tensors = {name: value.astype(np.float32) for name, value in load_file(source / WEIGHTS_FILE).items()}
    (folder / WEIGHTS_FILE).write_bytes(save(tensors, metadata={"format": "pt"}))
    for name in (CONFIG_FILE, TOKENIZER_FILE, "tokenizer_config.json", CARD_FILE, FREQUENCIES_FILE):
        if (source / name).exists():
            shutil.copyfile(source / name, folder / name)
