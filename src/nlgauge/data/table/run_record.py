"""The facts that a table holds about its run. Costly ones, such as digests of texts, are computed when first read."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Later:
    """A value of a `RunRecord` that is computed when it is first read, since most tables are never saved or joined."""

    make: Callable[[], Any]


class RunRecord(UserDict[str, Any]):
    """A dict whose values may be `Later`. Reading such a value computes it, and returns the computed value."""

    def __getitem__(self, name: str) -> Any:
        value = self.data[name]
        if isinstance(value, Later):
            value = self.data[name] = value.make()
        return value

    def __reduce__(self) -> tuple[type[RunRecord], tuple[dict[str, Any]]]:
        return type(self), (dict(self),)  # what is sent or copied knows no corpus
