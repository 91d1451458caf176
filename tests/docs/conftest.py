"""The count of code blocks stands at the end of the tests' report."""

from __future__ import annotations

import pytest

from tests.docs.counting import summary


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in summary():
        terminalreporter.write_line(line)
