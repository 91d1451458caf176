"""A graph reads the weights that its export wrote it for, and nothing else; its metadata says which these are."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from nlgauge.engine.models.loading import pocket_folder
from nlgauge.engine.models.onnx import WEIGHTS_KEY, OnnxGraph
from nlgauge.engine.models.openvino import OpenVinoGraph
from nlgauge.engine.models.stored import layout_digest, tensors_of
from nlgauge.errors import SpecError

BACKENDS = [
    pytest.param(OnnxGraph, id="onnxruntime"),
    pytest.param(
        lambda path: OpenVinoGraph(path, "float32"),
        id="openvino",
        marks=pytest.mark.skipif(find_spec("openvino") is None, reason="needs nlgauge[openvino]"),
    ),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Weights of four numbers, and a graph that reads them, made with onnx."""
    pytest.importorskip("onnx", reason="needs nlgauge-lab[train]")
    save_file({"a": np.ones(2, np.float32), "b": np.zeros(2, np.float32)}, tmp_path / "w.safetensors")
    write(tmp_path, json.dumps({"w.safetensors": layout_digest(tmp_path / "w.safetensors")}))
    return tmp_path


def write(folder: Path, metadata: str | None, location: str = "w.safetensors") -> None:
    from onnx import TensorProto, helper, save

    place = tensors_of(folder / "w.safetensors")["b"]
    tensor = TensorProto(name="b", data_type=1, dims=[2], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", location), ("offset", place.begin), ("length", place.length)):
        tensor.external_data.add(key=key, value=str(value))
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Add", ["b", "x"], ["y"])], "g", [x], [y], [tensor])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    if metadata is not None:
        helper.set_model_props(model, {WEIGHTS_KEY: metadata})
    save(model, str(folder / "g.onnx"))


@pytest.mark.parametrize("graph", BACKENDS)
def test_a_graph_of_other_weights_is_refused(folder: Path, graph: type[OnnxGraph]) -> None:
    (found,) = graph(folder / "g.onnx").run(["y"], x=np.ones(2, np.float32))
    np.testing.assert_array_equal(found, [1, 1])
    save_file({**load_file(folder / "w.safetensors"), "0": np.zeros(5, np.float32)}, folder / "w.safetensors")
    with pytest.raises(SpecError, match=r"g\.onnx was made for other weights than those of w\.safetensors"):
        graph(folder / "g.onnx").load()


@pytest.mark.parametrize("graph", BACKENDS)
@pytest.mark.parametrize("metadata", [None, "", "noise", "3", '["a"]'])
def test_a_graph_that_does_not_say_what_it_reads_is_refused(
    folder: Path, graph: type[OnnxGraph], metadata: str | None
) -> None:
    write(folder, metadata)
    with pytest.raises(SpecError, match=r"g\.onnx does not say for which weights it was made"):
        graph(folder / "g.onnx").load()


@pytest.mark.parametrize("location", ["/etc/passwd", "absent"])
def test_weights_that_are_not_there_are_one_line(folder: Path, location: str) -> None:
    write(folder, json.dumps({location: "0"}), location)
    with pytest.raises(SpecError, match=r"g\.onnx is not a graph that can be run with the weights beside it"):
        OnnxGraph(folder / "g.onnx").load()


@pytest.mark.parametrize("size", [1, 7, 100, 5000, -1])
def test_a_graph_that_is_cut_is_refused(tmp_path: Path, size: int) -> None:
    shutil.copyfile(pocket_folder() / "model.safetensors", tmp_path / "model.safetensors")
    (tmp_path / "g.onnx").write_bytes((pocket_folder() / "encoder.onnx").read_bytes()[:size])
    with pytest.raises(SpecError, match=r"g\.onnx is not a graph that can be run"):
        OnnxGraph(tmp_path / "g.onnx").load()
