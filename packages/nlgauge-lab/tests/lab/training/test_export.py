import pytest

pytest.importorskip("onnx", reason="writing graphs needs nlgauge-lab[train]")

import onnx

from nlgauge.engine.models.loading import pocket_folder
from nlgauge_lab.training.export import write_graphs

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


@pytest.mark.parametrize("path", sorted(pocket_folder().glob("*.onnx")), ids=lambda path: path.name)
def test_every_node_has_a_name_of_its_own(path):
    names = [node.name for node in onnx.load(path, load_external_data=False).graph.node]
    assert all(names) and len(set(names)) == len(names)
