"""A graph reads the tensors that it was made for, and nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from nlgauge.engine.models.graph_file import refuse_misplaced
from nlgauge.engine.models.loading import pocket_folder
from nlgauge.errors import SpecError

GRAPHS = sorted(path.name for path in pocket_folder().glob("*.onnx"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Weights of four numbers, and a graph that reads them, made with onnx."""
    pytest.importorskip("onnx", reason="needs nlgauge-lab[train]")
    save_file({"a": np.ones(2, np.float32), "b": np.zeros(2, np.float32)}, tmp_path / "w.safetensors")
    write(tmp_path)
    return tmp_path


def write(folder: Path, location: str = "w.safetensors", shift: int = 0, kind: int = 1) -> None:
    from onnx import TensorProto, helper, save

    from nlgauge.engine.models.stored import tensors_of

    place = tensors_of(folder / "w.safetensors")["b"]
    tensor = TensorProto(name="b", data_type=kind, dims=[2], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", location), ("offset", place.begin + shift), ("length", place.length)):
        tensor.external_data.add(key=key, value=str(value))
    inside = helper.make_tensor("c", TensorProto.FLOAT, [1], [3.0])
    graph = helper.make_graph([helper.make_node("Add", ["b", "c"], ["d"])], "g", [], [], [tensor, inside])
    save(helper.make_model(graph), str(folder / "g.onnx"))


@pytest.mark.parametrize("name", GRAPHS)
def test_the_embedded_models_graphs_read_its_weights(name: str) -> None:
    refuse_misplaced(pocket_folder() / name)


def test_a_graph_reads_tensors_of_its_file(folder: Path) -> None:
    refuse_misplaced(folder / "g.onnx")
    save_file({**load_file(folder / "w.safetensors"), "0": np.zeros(5, np.float32)}, folder / "w.safetensors")
    with pytest.raises(SpecError, match=r"g\.onnx was made for other weights than those of w\.safetensors"):
        refuse_misplaced(folder / "g.onnx")


@pytest.mark.parametrize(
    ("asked", "say"),
    [
        ({"shift": 4}, "was made for other weights"),
        ({"kind": 6}, "was made for other weights"),
        ({"location": "../w.safetensors"}, "which is not a file in its folder"),
        ({"location": "/etc/passwd"}, "which is not a file in its folder"),
        ({"location": "absent"}, "absent has no tensors that can be read"),
    ],
)
def test_a_graph_that_reads_something_else_is_refused(folder: Path, asked: dict[str, object], say: str) -> None:
    write(folder, **asked)  # type: ignore[arg-type]
    with pytest.raises(SpecError, match=say):
        refuse_misplaced(folder / "g.onnx")


@pytest.mark.parametrize("size", [1, 7, 100, 5000, -1])
def test_a_graph_that_is_cut_is_refused_or_reads_what_it_should(tmp_path: Path, size: int) -> None:
    shutil.copyfile(pocket_folder() / "model.safetensors", tmp_path / "model.safetensors")
    (tmp_path / "g.onnx").write_bytes((pocket_folder() / "encoder.onnx").read_bytes()[:size])
    with pytest.raises(SpecError, match=r"g\.onnx is not a graph that can be read"):
        refuse_misplaced(tmp_path / "g.onnx")
