"""What an adapter's test needs: the real package, and the example that stands on the adapters' page."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import os
import re
from pathlib import Path
from types import ModuleType

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "adapters.md"


def needed(name: str, package: str) -> ModuleType:
    """The package; where it is not installed the test is skipped, but not in the adapter's own environment."""
    if os.environ.get("NLGAUGE_ADAPTER") == name:
        return importlib.import_module(package)
    return pytest.importorskip(package, reason=f"needs {package}: make adapters")


def example(heading: str) -> tuple[str, str]:
    """The Python of the section of the page, and what the page says that it prints."""
    (section,) = re.findall(
        rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.M | re.S
    )
    (code,) = re.findall(r"```python\n(.*?)```", section, re.S)
    (printed,) = re.findall(r"```text\n(.*?)```", section, re.S)
    return code, printed


def run_example(heading: str) -> None:
    """Run the section's Python, and compare what it prints with what the page says, in which ... is anything."""
    code, shown = example(heading)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, str(PAGE), "exec"), {"__name__": "__main__"})
    assert doctest.OutputChecker().check_output(shown, out.getvalue(), doctest.ELLIPSIS), out.getvalue()
