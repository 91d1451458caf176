"""A graph reads the tensors that it was made for, and nothing else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from nlgauge.engine.models.graph_file import refuse_misplaced
from nlgauge.errors import SpecError


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
