"""The made-up rated table in a folder, and the metric that counts its words."""

from __future__ import annotations

from pathlib import Path

import pytest

from nlgauge import registry
from tests.reproduce.pieces import Words, write


@pytest.fixture
def counting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The metric Words is there."""
    built_in = {**registry.built_in_metrics(), "Words": Words}
    monkeypatch.setattr(registry, "built_in_metrics", lambda: built_in)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the rated table."""
    place = tmp_path / "data"
    place.mkdir()
    write(place)
    return place
