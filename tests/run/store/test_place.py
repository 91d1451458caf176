"""Where the store is by default, and how large."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from nlgauge.errors import SpecError
from nlgauge.run.store.place import LIMIT, default_folder, default_limit, is_off


@pytest.mark.parametrize(
    ("platform", "variables", "place"),
    [
        ("linux", {}, "home/.cache/nlgauge"),
        ("linux", {"XDG_CACHE_HOME": "xdg"}, "xdg/nlgauge"),
        ("darwin", {}, "home/Library/Caches/nlgauge"),
        ("win32", {"LOCALAPPDATA": "local"}, "local/nlgauge/Cache"),
        ("win32", {}, "home/AppData/Local/nlgauge/Cache"),
        ("linux", {"NLGAUGE_CACHE": "named", "XDG_CACHE_HOME": "xdg"}, "named"),
        ("linux", {"NLGAUGE_CACHE": "off"}, "home/.cache/nlgauge"),
    ],
)
def test_place(platform: str, variables: dict[str, str], place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NLGAUGE_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("home"))
    assert default_folder() == Path(place)
    assert is_off() == (variables.get("NLGAUGE_CACHE") == "off")


def test_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NLGAUGE_CACHE_LIMIT", raising=False)
    assert default_limit() == LIMIT
    monkeypatch.setenv("NLGAUGE_CACHE_LIMIT", "1000")
    assert default_limit() == 1000
    for wrong in ("4 GiB", "-1", "1e9"):
        monkeypatch.setenv("NLGAUGE_CACHE_LIMIT", wrong)
        with pytest.raises(SpecError, match="number of bytes"):
            default_limit()
