"""Nothing is asked of a network, and rows that all adapters are held to."""

from __future__ import annotations

import os
from typing import Any

import pytest

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("LANGSMITH_TRACING", "false")


@pytest.fixture(scope="session")
def rows(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Outputs of one system with references and source, one of them without words."""
    rows = [{name: record[name] for name in ("candidate", "references", "source")} for record in records[:5]]
    return [*rows, {**rows[0], "candidate": ""}]
