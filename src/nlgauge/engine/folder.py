"""What a folder of ours holds beside the model itself: facts measured once, for metrics to use."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import load_file, save

from nlgauge.errors import InputError

WEIGHTS_FILE = "model.safetensors"
FREQUENCIES_FILE = "document_frequencies.npy"
BASELINE_FILE = "bertscore_baseline.json"
ALIGNER_FILE = "aligner.safetensors"
ALIGNER_THRESHOLD = "aligner.threshold"
PAIRS_FILE = "pairs.safetensors"


@dataclass(frozen=True)
class DocumentFrequencies:
    """In how many documents of a large general text each token occurs."""

    counts: NDArray[np.int64]
    """[vocabulary]"""
    documents: int


def file_digest(path: Path) -> str | None:
    """SHA-256 of a file, hexadecimal; None where there is none."""
    if not path.is_file():
        return None
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def read_aligner_threshold(folder: Path) -> float:
    """The alignment under which the folder's aligner takes a word to be unsupported."""
    with safe_open(folder / ALIGNER_FILE, "np") as weights:
        return float(weights.get_tensor(ALIGNER_THRESHOLD)[0])


def read_document_frequencies(folder: Path) -> DocumentFrequencies | None:
    """The folder's table, if it has one: the number of documents, then a count for each token."""
    path = folder / FREQUENCIES_FILE
    if not path.is_file():
        return None
    table = np.load(path, allow_pickle=False).astype(np.int64)
    return DocumentFrequencies(table[1:], int(table[0]))


def read_bertscore_baseline(folder: Path) -> dict[int, tuple[float, float, float]] | None:
    """BERTScore of unrelated sentences by layer, (precision, recall, F1), if the folder has it."""
    path = folder / BASELINE_FILE
    if not path.is_file():
        return None
    table = json.loads(path.read_text(encoding="utf-8"))
    return {int(layer): (float(p), float(r), float(f)) for layer, (p, r, f) in table.items()}


def recommended_temperature(folder: Path) -> float:
    """At which temperature the model's masked distributions were seen to agree best with people; 1 where unknown."""
    path = folder / "config.json"
    if not path.is_file():
        return 1.0
    config = json.loads(path.read_text(encoding="utf-8"))
    return float(config.get("nlgauge_temperature", 1.0))


def write_hugging_face(source: Path, folder: Path) -> None:
    """Copy a model folder as AutoModelForMaskedLM and AutoTokenizer load it: all weights in float32, no graphs.

    Raises InputError where `folder` exists and is not empty, or cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror}", file=folder, remedy="name a folder") from None
    if any(folder.iterdir()):
        raise InputError("is not empty", file=folder, remedy="name a new folder, so that nothing is overwritten")
    tensors = {name: value.astype(np.float32) for name, value in load_file(source / WEIGHTS_FILE).items()}
    (folder / WEIGHTS_FILE).write_bytes(save(tensors, metadata={"format": "pt"}))
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json", FREQUENCIES_FILE, BASELINE_FILE):
        if (source / name).exists():
            shutil.copyfile(source / name, folder / name)
