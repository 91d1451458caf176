"""Checks that a graph file refers to the weights that it was made for.

A graph refers to safetensors files by offset, and would read any bytes there as weights. The file is a ModelProto of
onnx.proto (https://github.com/onnx/onnx). The few fields needed are read here from the protocol buffer encoding,
because the base install does not include onnx.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nlgauge.engine.models.stored import Tensor, tensors_of
from nlgauge.errors import SpecError

_GRAPH, _INITIALIZER = 7, 5
_DIMS, _KIND, _NAME, _EXTERNAL = 1, 2, 8, 13
_KINDS = {1: "F32", 3: "I8", 10: "F16"}
_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5


def refuse_misplaced(path: Path) -> None:
    """Raises SpecError for a graph that cannot be read, or that refers to bytes that are not a tensor of its files."""
    try:
        model = path.read_bytes()
        wanted = [_external(tensor) for graph in _parts(model, _GRAPH) for tensor in _parts(graph, _INITIALIZER)]
    except (OSError, ValueError, IndexError, KeyError) as error:
        raise SpecError(f"{path} is not a graph that can be read: {error}") from None
    files: dict[str, set[Tensor]] = {}
    for file, tensor in filter(None, wanted):
        if file not in files:
            if Path(file).name != file:
                raise SpecError(f"{path} refers to {file!r}, which is not a file in its folder")
            files[file] = set(tensors_of(path.parent / file).values())
        if tensor not in files[file]:
            raise SpecError(f"{path} was made for other weights than those of {file}: export the model again")


def _external(tensor: bytes) -> tuple[str, Tensor] | None:
    """The file and position that a TensorProto refers to; None if it holds its numbers itself."""
    fields = list(_fields(tensor))
    entries = [dict(_fields(value)) for number, value in fields if number == _EXTERNAL and isinstance(value, bytes)]
    place = {_text(entry[1]): _text(entry[2]) for entry in entries}
    if not place:
        return None
    shape: list[int] = []
    for number, value in fields:
        if number == _DIMS:
            shape += [value] if isinstance(value, int) else _varints(value)
    kind = next(value for number, value in fields if number == _KIND)
    found = _KINDS.get(kind, "another") if isinstance(kind, int) else "another"
    return place["location"], Tensor(found, tuple(shape), int(place["offset"]), int(place["length"]))


def _parts(message: bytes, wanted: int) -> Iterator[bytes]:
    return (value for number, value in _fields(message) if number == wanted and isinstance(value, bytes))


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message: numbers and values. Raises ValueError or IndexError if it is not a message."""
    at = 0
    while at < len(message):
        tag, at = _varint(message, at)
        kind = tag & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield tag >> 3, value
            continue
        if kind == _BYTES:
            size, at = _varint(message, at)
        elif kind in (_FIXED_64, _FIXED_32):
            size = 8 if kind == _FIXED_64 else 4
        else:
            raise ValueError(f"field of the unknown kind {kind}")
        if at + size > len(message):
            raise ValueError("it is cut short")
        yield tag >> 3, message[at : at + size]
        at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise ValueError("a number is too long")


def _varints(message: bytes) -> list[int]:
    values, at = [], 0
    while at < len(message):
        value, at = _varint(message, at)
        values.append(value)
    return values


def _text(value: int | bytes) -> str:
    if not isinstance(value, bytes):
        raise ValueError("a text is a number")
    return value.decode("utf-8")
