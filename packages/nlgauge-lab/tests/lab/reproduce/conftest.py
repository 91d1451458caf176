"""The made-up rated table in a folder, and the metric that counts its words."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.reproduce import pieces
from lab.reproduce.pieces import Words, write
from nlgauge import registry
from nlgauge.contract import base
from nlgauge_lab.reproduce import lines
from nlgauge_lab.reproduce.published import Best, table


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The metric Words is there."""
    monkeypatch.setitem(base._names, Words, "Words")
    built_in = {**registry.built_in_metrics(), "Words": Words}
    monkeypatch.setattr(registry, "built_in_metrics", lambda: built_in)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the rated table."""
    place = tmp_path / "data"
    place.mkdir()
    write(place)
    return place


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> dict[str, float]:
    """The best published number of pooled and of system."""
    values = {"pooled": 0.9, "system": 0.5}
    made = table(pieces.table())

    def best(file: str, aspect: str, level: str, coefficient: str) -> Best | None:
        return Best(values[level], "Other", made) if level in values else None

    monkeypatch.setattr(lines, "best", best)
    return values
