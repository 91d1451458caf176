import json

import pytest

pytest.importorskip("onnx", reason="writing graphs needs nlgauge[train]")

from nlgauge.engine.models.loading import pocket_folder
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


def test_the_configuration_says_what_transformers_needs():
    config = json.loads((pocket_folder() / "config.json").read_text())
    assert config["model_type"] == "bert" and config["tie_word_embeddings"] is True
    assert config["architectures"] == ["BertForMaskedLM"]
