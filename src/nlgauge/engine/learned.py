"""Small learned files of a model's states: token weights (MaskEval) and reply encoders (ReplyFit).

Those that come with a model are in a folder of its folder, NAME.safetensors each. Others are files, or folders that
`nlgauge train` wrote. Metadata of a file say which states it was trained on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from nlgauge.engine.models.capabilities import Model
from nlgauge.engine.models.stored import one_line
from nlgauge.errors import SpecError

_SUFFIX = ".safetensors"


@dataclass(frozen=True)
class LearnedKind:
    """A kind of learned files, and the words in which messages speak of it."""

    what: str
    """What a file holds: 'learned token weights'"""
    folder: str
    """The folder for such files in the folder of a model"""
    trained_by: str
    """The name that `nlgauge train` has for it, and that its file has: 'weighter'"""
    states: str
    """The key of the metadata with the digest of the states"""
    words: tuple[str, ...] = ()
    """What a parameter may name beside files"""


@dataclass(frozen=True)
class Learned:
    """The content of a learned file."""

    path: Path
    kind: LearnedKind
    tensors: Mapping[str, NDArray[Any]] = field(repr=False)
    facts: Mapping[str, str]
    digest: str

    def wrong(self, problem: str) -> SpecError:
        """Return the error for a file whose content is wrong."""
        return SpecError(f"{self.path} holds no {self.kind.what}: {problem}")


def read_learned(name: str, model: Model, *, kind: LearnedKind, tensors: Sequence[str], states: str) -> Learned:
    """Return a learned file by name, file or folder.

    Args:
        name: the name of a file that comes with the model, a file, or a folder.
        model: the model whose states are read.
        kind: the kind of the file.
        tensors: the names of its tensors.
        states: the digest of the states.

    Returns:
        The file's content.

    Raises:
        SpecError: there is no such file, it holds something else, or it is for the states of another model.
    """
    path = _find(name, model, kind)
    try:
        with safe_open(path, "np") as file:
            tensors_by_name, facts = {key: file.get_tensor(key) for key in tensors}, file.metadata() or {}
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except (OSError, SafetensorError) as error:
        raise SpecError(f"{path} holds no {kind.what}: {one_line(error)}") from None
    learned = Learned(path, kind, tensors=tensors_by_name, facts=facts, digest=digest)
    if not all(np.isfinite(array).all() for array in tensors_by_name.values()):
        raise learned.wrong("it has numbers that are not finite")
    if facts.get(kind.states) != states:
        raise SpecError(
            f"{name!r} holds {kind.what} for the states of another model than {model.name!r}: "
            f"train for this one with nlgauge train {kind.trained_by}"
        )
    return learned


def _find(name: str, model: Model, kind: LearnedKind) -> Path:
    path = Path(name)
    shipped = [] if model.folder is None else sorted((model.folder / kind.folder).glob(f"*{_SUFFIX}"))
    places = [file for file in shipped if file.stem == name]
    places += [path, path / f"{kind.trained_by}{_SUFFIX}"]
    for place in places:
        if place.is_file():
            return place
    names = ", ".join(map(repr, [*kind.words, *(file.stem for file in shipped)]))
    choices = " or ".join(filter(None, [names, f"a file that nlgauge train {kind.trained_by} wrote"]))
    raise SpecError(f"{model.name!r} has no {kind.what} {name!r}: give {choices}")
