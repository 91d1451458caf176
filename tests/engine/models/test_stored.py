"""What lies in a safetensors file, and what others wrote, in an error."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from nlgauge.engine.models.stored import Tensor, json_object, one_line, shown, tensors_of
from nlgauge.errors import SpecError


def test_tensors_lie_where_the_header_says(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    tensors = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.arange(4, dtype=np.int8)}
    save_file(tensors, path, metadata={"format": "pt"})
    found, content = tensors_of(path), path.read_bytes()
    kinds = {name: (tensor.kind, tensor.shape) for name, tensor in found.items()}
    assert kinds == {"a": ("F32", (2, 3)), "b": ("I8", (4,))}
    for name, tensor in found.items():
        assert content[tensor.begin : tensor.begin + tensor.length] == tensors[name].tobytes()


SIZE = b"\x02" + b"\0" * 7


@pytest.mark.parametrize("content", [b"", b"\xff" * 8, SIZE + b"[]", SIZE + b"{}more"])
def test_a_file_that_is_none_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "weights").write_bytes(content)
    with pytest.raises(SpecError, match="weights has no tensors that can be read"):
        tensors_of(tmp_path / "weights")
    with pytest.raises(SpecError, match="has no tensors that can be read"):
        tensors_of(tmp_path / "absent")


@pytest.mark.parametrize("content", ["[]", "3", "{", "\ufeff{}", "[" * 100_000, '{"a": ' + "9" * 5000 + "}"])
def test_an_object_is_nothing_else(tmp_path: Path, content: str) -> None:
    (tmp_path / "x.json").write_text(content, encoding="utf-8")
    with pytest.raises(SpecError, match=r"x\.json is not a card: ") as refused:
        json_object(tmp_path / "x.json", "card")
    assert len(str(refused.value)) < 500
    (tmp_path / "x.json").write_text(json.dumps({"a": [1]}), encoding="utf-8")
    assert json_object(tmp_path / "x.json", "card") == {"a": [1]}


def test_what_others_wrote_is_one_line_of_a_readable_length() -> None:
    assert shown("a\nb") == r"'a\nb'" and shown(10**5000) == "a int that is too long to print"
    assert len(shown("x" * 500)) == 80
    assert one_line(ValueError("a\n  b")) == "a b" and one_line(ValueError()) == "ValueError"
    assert one_line(FileNotFoundError(2, "No such file", "/a/b")) == "No such file"
    assert len(one_line("x" * 5000)) == 300
    assert Tensor("F32", (1,), 8, 4) == Tensor("F32", (1,), 8, 4)
