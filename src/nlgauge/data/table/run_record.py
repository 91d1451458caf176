"""What a table says of its run, of which digests of texts are made when they are first asked for."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Later:
    """A value of a `RunRecord` that is made when it is first asked for: most tables are neither saved nor joined."""

    make: Callable[[], Any]


class RunRecord(UserDict[str, Any]):
    """A dict whose values may be `Later`; whoever reads it sees what these make."""

    def __getitem__(self, name: str) -> Any:
        value = self.data[name]
        if isinstance(value, Later):
            value = self.data[name] = value.make()
        return value

    def __reduce__(self) -> tuple[type[RunRecord], tuple[dict[str, Any]]]:
        return type(self), (dict(self),)  # what is sent or copied knows no corpus
