"""The count of code blocks stands at the end of the tests' report."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.docs.counting import summary

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))  # where what the site is built with is found


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in summary():
        terminalreporter.write_line(line)
