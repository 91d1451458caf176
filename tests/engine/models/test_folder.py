"""Digests of files, and a folder that others can read."""

import hashlib

import numpy as np
import pytest
from safetensors.numpy import load_file

from nlgauge.engine.models.card import read_card
from nlgauge.engine.models.folder import digest_of, write_hugging_face
from nlgauge.engine.models.loading import pocket_folder
from nlgauge.errors import InputError


def test_a_digest_is_that_of_the_content_in_order(tmp_path):
    for name, content in (("a", b"x" * (1 << 20)), ("b", b"yz")):
        (tmp_path / name).write_bytes(content)
    assert digest_of([tmp_path / "b"]) == hashlib.sha256(b"yz").hexdigest()
    both = digest_of([tmp_path / "a", tmp_path / "b"])
    assert both == hashlib.sha256(b"x" * (1 << 20) + b"yz").hexdigest() != digest_of([tmp_path / "b", tmp_path / "a"])


def test_export_writes_float32_and_nothing_but_what_hugging_face_reads(tmp_path):
    folder = tmp_path / "new" / "folder"
    write_hugging_face(pocket_folder(), folder)
    tensors = load_file(folder / "model.safetensors")
    assert {str(tensor.dtype) for tensor in tensors.values()} == {"float32"}
    original = load_file(pocket_folder() / "model.safetensors")
    assert original.keys() == tensors.keys()
    assert all((tensors[name] == original[name].astype(np.float32)).all() for name in tensors)
    names = {path.name for path in folder.iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"} <= names
    assert not [name for name in names if name.endswith(".onnx")]


def test_what_is_known_about_the_model_goes_with_it(tmp_path):
    write_hugging_face(pocket_folder(), tmp_path)
    known, copied = read_card(pocket_folder()), read_card(tmp_path)
    assert copied.temperature == known.temperature and copied.bertscore_baseline == known.bertscore_baseline
    np.testing.assert_array_equal(copied.document_frequencies.counts, known.document_frequencies.counts)


def test_export_overwrites_nothing(tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(InputError, match=r"is not empty \(name a new folder"):
        write_hugging_face(pocket_folder(), tmp_path)
    with pytest.raises(InputError, match="cannot be made"):
        write_hugging_face(pocket_folder(), tmp_path / "mine.txt" / "below")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
