"""The tensors of a safetensors file, checked without reading their numbers, and foreign values in error messages."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from nlgauge.errors import SpecError


def one_line(error: BaseException | str) -> str:
    """Return the message of another library's error, as one line of readable length."""
    said = error.strerror if isinstance(error, OSError) and error.strerror else error
    text = " ".join(str(said).split()) or type(error).__name__
    return text if len(text) <= 300 else text[:297] + "..."


def shown(value: object) -> str:
    """Return a value of a configuration as an error message shows it."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # a number of thousands of digits
        return f"a {type(value).__name__} that is too long to print"
    return text if len(text) <= 80 else text[:77] + "..."


def json_object(path: Path, what: str) -> dict[str, Any]:
    """Return the object in a JSON file. what: its kind, for the error message. Raises SpecError for anything else."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SpecError(f"{path} is not a {what}: {one_line(error)}") from None
    if not isinstance(content, dict):
        raise SpecError(f"{path} is not a {what}: it holds {shown(content)}, not an object")
    return content


@dataclass(frozen=True)
class Tensor:
    """The type, shape and position of a tensor in its file."""

    kind: str
    """As safetensors calls it: F32, F16, I8, ..."""
    shape: tuple[int, ...]
    begin: int
    """Where the tensor begins, in bytes from the beginning of the file"""
    length: int
    """The number of bytes"""


def tensors_of(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a safetensors file by name, without reading them.

    Args:
        path: the file.

    Returns:
        The position of each tensor, by name.

    Raises:
        SpecError: the header is broken, or does not fit the file.
    """
    try:
        with safe_open(path, "np"):  # it checks shapes, types and positions
            pass
        with path.open("rb") as file:
            (size,) = struct.unpack("<Q", file.read(8))
            header = json.loads(file.read(size))
    except (OSError, SafetensorError, ValueError) as error:
        raise SpecError(f"{path} has no tensors that can be read: {one_line(error)}") from None
    return {
        name: Tensor(entry["dtype"], tuple(entry["shape"]), 8 + size + begin, end - begin)
        for name, entry in header.items()
        if name != "__metadata__"
        for begin, end in [entry["data_offsets"]]
    }


def layout_digest(path: Path) -> str:
    """Return the SHA-256 of the names, types, shapes and positions of a file's tensors.

    A graph refers to its weights by position, and carries this digest of each file that it was made for.

    Args:
        path: a safetensors file.

    Returns:
        The digest in hexadecimal.

    Raises:
        SpecError: as `tensors_of`.
    """
    tensors = sorted((name, *vars(tensor).values()) for name, tensor in tensors_of(path).items())
    return sha256(json.dumps(tensors).encode()).hexdigest()
