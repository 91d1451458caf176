"""What can be done to a model's folder, and how its refusal is looked at."""

from __future__ import annotations

import json
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import nlgauge
from tests.command import nlgauge as command

Change = Callable[[Path], object]
ROW = {"candidate": "The bridge was closed.", "references": ["The bridge was shut."], "source": "The bridge is shut."}
WEIGHTS, CONFIG, TOKENIZER = "model.safetensors", "config.json", "tokenizer.json"
TABLE = "bert.embeddings.word_embeddings.weight"
LONGEST = 600


def cut(file: str, size: int) -> Change:
    return lambda folder: own(folder / file).write_bytes((folder / file).read_bytes()[:size])


def written(file: str, content: bytes | str) -> Change:
    content = content.encode() if isinstance(content, str) else content
    return lambda folder: own(folder / file).write_bytes(content)


def without(file: str) -> Change:
    return lambda folder: (folder / file).unlink()


def copied(source: str, file: str) -> Change:
    return lambda folder: shutil.copyfile(folder / source, own(folder / file))


def configured(**facts: Any) -> Change:
    """Facts of the configuration changed; those that are None are left out."""

    def change(folder: Path) -> None:
        config = {**json.loads((folder / CONFIG).read_text()), **facts}
        (folder / CONFIG).write_text(json.dumps({key: value for key, value in config.items() if value is not None}))

    return change


def headed(change: Callable[[dict[str, Any]], object], file: str = WEIGHTS) -> Change:
    """The header of a safetensors file changed, and its data left as they are."""

    def changed(folder: Path) -> None:
        content = (folder / file).read_bytes()
        (size,) = struct.unpack("<Q", content[:8])
        header = json.loads(content[8 : 8 + size])
        change(header)
        new = json.dumps(header).encode()
        own(folder / file).write_bytes(struct.pack("<Q", len(new)) + new + content[8 + size :])

    return changed


def stored(change: Callable[[dict[str, Any]], object], file: str = WEIGHTS) -> Change:
    """The tensors of a safetensors file changed, in a file that is whole."""

    def changed(folder: Path) -> None:
        tensors = load_file(folder / file)
        change(tensors)
        save_file(tensors, own(folder / file), metadata={"format": "pt"})

    return changed


def own(path: Path) -> Path:
    """A file of the folder itself, where it is a link: nothing is written into the package."""
    if path.is_file() and path.stat().st_nlink > 1:
        content = path.read_bytes()
        path.unlink()
        path.write_bytes(content)
    return path


def counted(table: list[Any]) -> Change:
    return lambda folder: np.save(own(folder / "document_frequencies.npy"), np.array(table), allow_pickle=True)


def tokenized(change: Callable[[dict[str, Any]], object]) -> Change:
    def changed(folder: Path) -> None:
        definition = json.loads((folder / TOKENIZER).read_text(encoding="utf-8"))
        change(definition)
        own(folder / TOKENIZER).write_text(json.dumps(definition), encoding="utf-8")

    return changed


def lies(header: dict[str, Any]) -> None:
    header[TABLE]["shape"] = [1, 2]


def lacks_one(tensors: dict[str, Any]) -> None:
    name = next(name for name in sorted(tensors) if "layer.0" in name and name.endswith("dense.weight"))
    del tensors[name]


def not_finite(tensors: dict[str, Any]) -> None:
    for name, tensor in tensors.items():
        if "LayerNorm.weight" in name:
            tensors[name] = np.full_like(tensor, np.nan)


def more(tensors: dict[str, Any]) -> None:
    tensors["a"] = np.zeros(7, np.float32)


def narrow(tensors: dict[str, Any]) -> None:
    tensors[TABLE] = np.ascontiguousarray(tensors[TABLE][:, :10])


def no_words(definition: dict[str, Any]) -> None:
    definition["model"]["vocab"] = {}


def far_token(definition: dict[str, Any]) -> None:
    definition["model"]["vocab"]["bridge"] = 10**6


def normalized(*steps: dict[str, Any]) -> Change:
    """Steps before the tokenizer's own."""

    def change(definition: dict[str, Any]) -> None:
        definition["normalizer"] = {"type": "Sequence", "normalizers": list(steps)}

    return tokenized(change)


def split_by(pattern: str) -> Change:
    step = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    return tokenized(lambda definition: definition.__setitem__("pre_tokenizer", step))


def grows(times: int) -> Change:
    """A text of twice the length, again and again: 2 ** times."""
    return normalized(*[{"type": "Replace", "pattern": {"String": "e"}, "content": "ee"}] * times)


HARMFUL_TOKENIZERS: dict[str, tuple[Change, str]] = {
    "a pattern that goes back for ever": (split_by(r"(\w+\s?)+!"), "could take very long on some texts"),
    "a chain of replacements": (grows(40), "could make a text more than 16 times longer"),
    "a million replacements": (grows(100_000), "a part has more than 64 steps"),
    "a huge map of signs": (
        normalized({"type": "Precompiled", "precompiled_charsmap": "A" * (2 << 20)}),
        "map of signs is larger",
    ),
}
"""The same for folders of ours and of others"""


def refused(folder: Path | str, metric: str, say: str, place: Path, **options: str) -> None:
    """By the library and by the command, in one line of a readable length. place: for the file that is scored."""
    outputs = place / "outputs.jsonl"
    outputs.write_text(json.dumps(ROW) + "\n", encoding="utf-8")
    with pytest.raises(nlgauge.NlgaugeError) as failure:
        nlgauge.evaluate([ROW], metrics=metric, model=str(folder), cache=False, **options)
    line = str(failure.value)
    assert say in line and "\n" not in line and len(line) < LONGEST
    given = [part for key, value in options.items() for part in (f"--{key}", value)]
    result = command("score", outputs, "-m", metric, "--model", folder, *given)
    assert (result.exit_code, result.stdout) == (2, "")
    assert len(result.stderr.splitlines()) == 1 and result.stderr.startswith("nlgauge: ") and say in result.stderr
