import json

import numpy as np
import pytest

pytest.importorskip("onnx", reason="writing graphs needs nlgauge[train]")

from nlgauge.engine.onnx import OnnxModel
from nlgauge.registry import pocket_folder
from nlgauge.training.export import write_graph, write_graphs


def test_the_shipped_graphs_are_what_the_code_writes(tmp_path):
    """Written beside a link to the weights, the graphs are byte for byte those of the package."""
    for name in ("model.safetensors", "config.json", "aligner.safetensors", "pairs.safetensors"):
        (tmp_path / name).symlink_to(pocket_folder() / name)
    write_graphs(tmp_path)
    adapted = ("aligner.onnx", "pairs.onnx", "pairs_other.onnx")
    for name in adapted:
        write_graph(tmp_path, name)
    for name in ("masked.onnx", "encoder.onnx", *adapted):
        assert (tmp_path / name).read_bytes() == (pocket_folder() / name).read_bytes(), name
        assert (tmp_path / name).stat().st_size < 100_000, "the graphs hold no weights"


def test_padding_and_company_change_no_logits():
    model = OnnxModel(pocket_folder(), "pocket")
    ids = np.array([[101, 2009, 103, 2012, 102, 0, 0], [101, 2009, 2001, 103, 2012, 2305, 102]])
    attend = (ids != 0).astype(np.int64)
    together = model.masked_logits(ids, attend, np.array([2, 10]))
    alone = model.masked_logits(ids[:1, :5], attend[:1, :5], np.array([2]))
    np.testing.assert_allclose(together[:1], alone, atol=1e-4)
    hidden = model.hidden(ids, attend, [0, 6])
    np.testing.assert_allclose(hidden[:, :1, :5], model.hidden(ids[:1, :5], attend[:1, :5], [0, 6]), atol=1e-4)


def test_several_masks_in_a_row_are_answered_row_after_row():
    model = OnnxModel(pocket_folder(), "pocket")
    ids = np.array([[101, 103, 2001, 103, 102], [101, 2009, 103, 103, 102]])
    attend = np.ones_like(ids)
    both = model.masked_logits(ids, attend, np.array([1, 3, 7, 8]))
    for row, (at, part) in enumerate((([1, 3], both[:2]), ([2, 3], both[2:]))):
        np.testing.assert_allclose(part, model.masked_logits(ids[[row]], attend[[row]], np.array(at)), atol=1e-4)


def test_the_configuration_says_what_transformers_needs():
    config = json.loads((pocket_folder() / "config.json").read_text())
    assert config["model_type"] == "bert" and config["tie_word_embeddings"] is True
    assert config["architectures"] == ["BertForMaskedLM"]
