import json

import numpy as np
import pytest
from safetensors.numpy import load_file

from nlgauge.engine.folder import read_document_frequencies, recommended_temperature, write_hugging_face
from nlgauge.errors import InputError
from nlgauge.registry import pocket_folder


def test_the_embedded_model_has_counted_documents_and_a_temperature():
    table = read_document_frequencies(pocket_folder())
    assert table.counts.shape == (30522,)
    assert table.counts.min() >= 0 and table.counts.max() <= table.documents
    assert table.counts[1996] > table.documents / 2, "'the' stands in most passages"
    assert 0.5 <= recommended_temperature(pocket_folder()) <= 4


def test_a_folder_without_facts_has_none(tmp_path):
    assert read_document_frequencies(tmp_path) is None
    assert recommended_temperature(tmp_path) == 1.0
    (tmp_path / "config.json").write_text(json.dumps({"hidden_size": 8}))
    assert recommended_temperature(tmp_path) == 1.0


def test_export_writes_float32_and_nothing_but_what_hugging_face_reads(tmp_path):
    write_hugging_face(pocket_folder(), tmp_path / "new" / "folder")
    tensors = load_file(tmp_path / "new" / "folder" / "model.safetensors")
    assert {str(tensor.dtype) for tensor in tensors.values()} == {"float32"}
    original = load_file(pocket_folder() / "model.safetensors")
    assert original.keys() == tensors.keys()
    assert all((tensors[name] == original[name].astype(np.float32)).all() for name in tensors)
    names = {path.name for path in (tmp_path / "new" / "folder").iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"} <= names
    assert not [name for name in names if name.endswith(".onnx")]


def test_export_overwrites_nothing(tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(InputError, match=r"is not empty \(name a new folder"):
        write_hugging_face(pocket_folder(), tmp_path)
    with pytest.raises(InputError, match="cannot be made"):
        write_hugging_face(pocket_folder(), tmp_path / "mine.txt" / "below")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
