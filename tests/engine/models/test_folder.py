"""Digests of files, and a folder that others can read."""

import hashlib

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from nlgauge.engine.models.card import read_card
from nlgauge.engine.models.folder import digest_of, in_steps, model_digest, read_weights, write_hugging_face
from nlgauge.engine.models.loading import pocket_folder
from nlgauge.errors import InputError, SpecError


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


def test_a_matrix_in_8_bits_is_read_to_within_half_a_step_of_its_row(tmp_path):
    matrix = np.array([[1.27, -0.63, 0.004], [0, 0, 0], [-2.54, 1, 0]], np.float32)
    steps, scale = in_steps(matrix)
    assert steps.dtype == np.int8 and scale.shape == (3, 1)
    np.testing.assert_array_equal(steps, [[127, -63, 0], [0, 0, 0], [-127, 50, 0]])
    half = np.array([[0.5, 0.25]], np.float16)
    path = tmp_path / "model.safetensors"
    save_file({"m": steps, "m.scale": scale, "half": half, "v": np.ones(2, np.float32)}, path)
    read = read_weights(path)
    assert set(read) == {"m", "half", "v"} and {value.dtype for value in read.values()} == {np.dtype(np.float32)}
    np.testing.assert_allclose(read["m"], matrix, atol=0.0101)
    np.testing.assert_array_equal(read["half"], half)


def test_a_masked_lm_of_its_own_is_part_of_the_models_digest(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"x")
    assert model_digest(tmp_path) == digest_of([tmp_path / "model.safetensors"])
    (tmp_path / "masked.safetensors").write_bytes(b"y")
    assert model_digest(tmp_path) == hashlib.sha256(b"xy").hexdigest()


def test_a_network_that_hugging_face_does_not_have_is_not_exported(tmp_path):
    (tmp_path / "config.json").write_text('{"relative_attention_num_buckets": 32}')
    with pytest.raises(SpecError, match="uses relative positions"):
        write_hugging_face(tmp_path, tmp_path / "out")
    assert not (tmp_path / "out").exists()
