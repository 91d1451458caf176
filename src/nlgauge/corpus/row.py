"""One output of one system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

FIELDS = ("candidate", "references", "source", "context", "system", "item", "scores")


@dataclass(frozen=True)
class Row:
    """One output of one system. `scores` holds the human ratings that exist, `extra` the columns that are not ours."""

    candidate: str
    references: tuple[str, ...] = ()
    source: str | None = None
    context: str | None = None
    system: str = "system"
    item: str = "1"
    scores: Mapping[str, float] = field(default_factory=dict, hash=False)
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)
