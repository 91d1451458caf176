import json

import pytest

pytest.importorskip("onnx", reason="writing graphs needs nlgauge-lab[train]")

import onnx

from nlgauge.engine.models.loading import pocket_folder
from nlgauge_lab.training.export import write_graph, write_graphs

WEIGHTS = ("model.safetensors", "config.json")
ADAPTED = ("aligner.safetensors", "pairs.safetensors")
PARTS = {"masked", "encoder", "aligner", "pairs", "pairs_other"}


def linked(folder, *names):
    for name in names:
        (folder / name).symlink_to(pocket_folder() / name)


def test_the_shipped_graphs_are_what_the_code_writes(tmp_path):
    """Written beside a link to the weights, the graphs are byte for byte those of the package."""
    linked(tmp_path, *WEIGHTS, *ADAPTED)
    write_graphs(tmp_path)
    written = {path.name for path in tmp_path.glob("*.onnx")}
    assert written == {f"{part}{precision}.onnx" for part in PARTS for precision in ("", ".int8")}
    for name in written:
        assert (tmp_path / name).read_bytes() == (pocket_folder() / name).read_bytes(), name
        assert (tmp_path / name).stat().st_size < 150_000, "the graphs hold no weights"


def test_graphs_of_weights_that_a_folder_lacks_are_not_written(tmp_path):
    linked(tmp_path, *WEIGHTS)
    write_graphs(tmp_path)
    assert {path.name.split(".")[0] for path in tmp_path.glob("*.onnx")} == {"masked", "encoder"}


def test_one_graph_is_written_in_both_precisions(tmp_path):
    linked(tmp_path, *WEIGHTS, *ADAPTED)
    write_graph(tmp_path, "aligner.onnx")
    assert {path.name for path in tmp_path.glob("*.onnx")} == {"aligner.onnx", "aligner.int8.onnx"}


@pytest.mark.parametrize("path", sorted(pocket_folder().glob("*.onnx")), ids=lambda path: path.name)
def test_every_node_has_a_name_of_its_own(path):
    names = [node.name for node in onnx.load(path, load_external_data=False).graph.node]
    assert all(names) and len(set(names)) == len(names)


def test_the_configuration_says_what_transformers_needs():
    config = json.loads((pocket_folder() / "config.json").read_text())
    assert config["model_type"] == "bert" and config["tie_word_embeddings"] is True
    assert config["architectures"] == ["BertForMaskedLM"]
