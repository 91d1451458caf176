"""Folders of ours that somebody cut, changed or made to do harm: each is refused in one line, by library and command.

The folders are copies of the embedded model, whose large files are links until a case changes them.
"""

from __future__ import annotations

import os
import shutil
import struct
from pathlib import Path

import numpy as np
import pytest

import nlgauge
from nlgauge.engine.models.loading import pocket_folder
from tests.contracts.hostile import (
    CONFIG,
    HARMFUL_TOKENIZERS,
    ROW,
    TOKENIZER,
    WEIGHTS,
    Change,
    configured,
    copied,
    counted,
    cut,
    far_token,
    headed,
    lacks_one,
    lies,
    more,
    narrow,
    no_words,
    not_finite,
    refused,
    stored,
    tokenized,
    without,
    written,
)

LARGE = 1 << 20


OURS: dict[str, tuple[Change, str]] = {
    "no configuration": (without(CONFIG), "lacks config.json"),
    "configuration not UTF-8": (written(CONFIG, b'{"hidden_size": "\xff\xfe"}'), "config.json is not a configuration"),
    "configuration a list": (written(CONFIG, "[1, 2]"), "it holds [1, 2], not an object"),
    "configuration nested": (written(CONFIG, "[" * 100_000), "config.json is not a configuration of a model"),
    "a negative size": (configured(num_hidden_layers=-6), "num_hidden_layers is -6, not a whole number"),
    "a huge size": (configured(num_hidden_layers=10**18), "num_hidden_layers is 1000000000000000000, not a whole"),
    "a size of thousands of digits": (written(CONFIG, '{"hidden_size": ' + "9" * 5000 + "}"), "config.json is no"),
    "another size": (configured(hidden_size=768), "has the shape (30522, 384), but config.json says (30522, 768)"),
    "no window": (configured(max_position_embeddings=0), "max_position_embeddings is 0, not a whole number"),
    "heads that do not divide": (configured(num_attention_heads=7), "num_attention_heads does not divide hidden_size"),
    "more adapted layers than layers": (configured(adapted_layers=7), "adapted_layers is 7, not a whole number"),
    "weights cut": (cut(WEIGHTS, LARGE), "model.safetensors has no tensors that can be read"),
    "a header longer than the file": (
        written(WEIGHTS, struct.pack("<Q", 10**12) + b"{}"),
        "model.safetensors has no tensors that can be read",
    ),
    "shapes that lie": (headed(lies), "model.safetensors has no tensors that can be read"),
    "a table of another shape": (stored(narrow), "has the shape (30522, 10), but config.json says"),
    "a tensor less": (stored(lacks_one), "encoder.onnx is not a graph that can be run with the weights beside it"),
    "a tensor more, which moves the others": (stored(more), "encoder.onnx was made for other weights"),
    "weights that are no numbers": (stored(not_finite), "returns numbers that are not finite"),
    "no tokenizer": (without(TOKENIZER), "lacks tokenizer.json"),
    "tokenizer of nothing": (written(TOKENIZER, "{}"), "tokenizer.json is not a tokenizer"),
    "tokenizer without words": (tokenized(no_words), "tokenizer.json is not a tokenizer"),
    "a token that the weights lack": (tokenized(far_token), "has the token 1000000, and the network 30522 tokens"),
    "graph cut": (cut("encoder.onnx", 9000), "encoder.onnx is not a graph that can be run"),
    "a graph of other outputs": (copied("masked.onnx", "encoder.onnx"), "encoder.onnx has no output 'hidden_"),
    "card a list": (written("card.json", "[]"), "card.json is not a card of a model"),
    "a temperature of none": (written("card.json", '{"temperature": 0}'), "temperature 0.0 is not above 0"),
    "a layer that there is not": (
        written("card.json", '{"layers": {"BERTScore": 40}}'),
        "its card names layer 40 for BERTScore, but it has 6",
    ),
    "frequencies pickled": (counted([object()]), "is not a table of document frequencies"),
    "frequencies of fewer tokens": (counted([9, 1, 2]), "its card has 2 tokens"),
    "aligner cut": (cut("aligner.safetensors", 999), "aligner.safetensors has no aligner that can be read"),
    **HARMFUL_TOKENIZERS,
}
OF_PARTS: dict[str, tuple[str, Change, str]] = {
    "masked graph of the encoder": (
        "InfoLM",
        copied("encoder.onnx", "masked.onnx"),
        "masked.onnx has no output 'logits'",
    ),
    "pairs of the aligner": (
        "MaskEval",
        copied("aligner.safetensors", "pairs.safetensors"),
        "made for other weights than those of pairs",
    ),
    "a weighter cut": (
        "MaskEval(weights='fluency')",
        cut("weighters/fluency.safetensors", 30),
        "fluency.safetensors holds no learned token weights",
    ),
}


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    """The embedded model's folder."""
    folder = tmp_path / "ours"
    for file in sorted(pocket_folder().rglob("*")):
        place = folder / file.relative_to(pocket_folder())
        place.parent.mkdir(exist_ok=True, parents=True)
        if file.is_file():
            (linked if file.stat().st_size > LARGE else shutil.copyfile)(file, place)
    return folder


def linked(source: Path, place: Path) -> None:
    """A hard link: onnxruntime follows no symbolic one out of a folder. A copy where that is another disk's."""
    try:
        os.link(source, place)
    except OSError:
        shutil.copyfile(source, place)


def test_a_copy_of_the_embedded_model_scores_as_it_does(ours: Path) -> None:
    for metric in ("BERTScore", "MaskEval(weights='fluency')"):
        own, there = (
            nlgauge.evaluate([ROW], metrics=metric, model=name, cache=False) for name in (str(ours), "pocket")
        )
        np.testing.assert_array_equal(own.values(own.metrics[0]), there.values(there.metrics[0]))


@pytest.mark.parametrize("name", OURS)
def test_a_folder_of_ours_that_is_wrong_is_one_line(ours: Path, tmp_path: Path, name: str) -> None:
    change, say = OURS[name]
    change(ours)
    refused(ours, "BERTScore", say, tmp_path)


@pytest.mark.parametrize("name", OF_PARTS)
def test_a_part_of_a_folder_that_is_wrong_is_one_line(ours: Path, tmp_path: Path, name: str) -> None:
    metric, change, say = OF_PARTS[name]
    change(ours)
    refused(ours, metric, say, tmp_path)


BY_TORCH: dict[str, tuple[Change, str]] = {
    **{name: OURS[name] for name in ("configuration a list", "a negative size")},
    "another size": (configured(hidden_size=768), "size mismatch"),
    "configuration missing": (without(CONFIG), "config.json is not a configuration of a model: No such file"),
    "weights cut": (cut(WEIGHTS, LARGE), "model.safetensors has no weights that can be read"),
    "shapes that lie": (headed(lies), "model.safetensors has no weights that can be read"),
    "a tensor less": (stored(lacks_one), "missing: encoder.layer.0."),
    "weights that are no numbers": (stored(not_finite), "holds numbers that are not finite"),
    "tokenizer of nothing": (written(TOKENIZER, "{}"), "tokenizer.json is not a tokenizer"),
    "a token that the weights lack": (tokenized(far_token), "has the token 1000000, and the network 30522 tokens"),
    "card a list": (written("card.json", "[]"), "card.json is not a card of a model"),
}


@pytest.mark.parametrize("name", BY_TORCH)
def test_torch_refuses_the_same_folders(ours: Path, tmp_path: Path, name: str) -> None:
    pytest.importorskip("torch", reason="needs nlgauge[torch]")
    change, say = BY_TORCH[name]
    change(ours)
    refused(ours, "BERTScore", say, tmp_path, precision="bfloat16", backend="torch")


def test_a_file_is_no_folder_and_a_name_has_an_end(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"x")
    refused(tmp_path / "model.bin", "BERTScore", "model.bin' is a file: name its folder", tmp_path)
    refused("a" * 5000, "BERTScore", "cannot be read", tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_one_line(ours: Path, tmp_path: Path) -> None:
    ours.chmod(0)
    try:
        refused(ours, "BERTScore", "cannot be read: Permission denied", tmp_path)
    finally:
        ours.chmod(0o700)
