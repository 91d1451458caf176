"""A headless Chromium for the tests of pages, where there is one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser. Skips the test where playwright or Chromium is not installed."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: it is in the dependency group dev"
    )
    path = os.environ.get("NLGAUGE_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no Chromium: install it, or set NLGAUGE_CHROMIUM to its path")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=list(_FLAGS))
        yield browser
        browser.close()


def axe() -> str:
    """The script of axe-core. Skips the test where npm has not installed it."""
    path = ROOT / "node_modules" / "axe-core" / "axe.min.js"
    if not path.exists():
        pytest.skip("no axe-core: npm install --no-save axe-core")
    return path.read_text(encoding="utf-8")


class Watched:
    """A page, and what went wrong in it."""

    def __init__(self, browser: Any, path: Path, **options: Any) -> None:
        self.context = browser.new_context(**options)
        self.page = self.context.new_page()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on(
            "console", lambda said: self.errors.append(said.text) if said.type in ("error", "warning") else None
        )
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri())

    def evaluate(self, code: str, *arguments: Any) -> Any:
        """What code gives in the page."""
        return self.page.evaluate(code, *arguments)

    def serious(self, script: str) -> list[str]:
        """What axe-core finds that is serious or worse."""
        self.evaluate(script)
        found = self.evaluate("() => axe.run(document, {resultTypes: ['violations']})")["violations"]
        return [
            f"{one['id']}: {[node['html'][:120] for node in one['nodes'][:3]]}"
            for one in found
            if one["impact"] in ("serious", "critical")
        ]
