"""Outputs to check, and how."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SOURCE = "The library opens in May."


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    """A true output, one with a word that the source does not support, and an empty one; names that want care."""
    path = tmp_path / "claims.jsonl"
    records = [
        {"candidate": SOURCE, "source": SOURCE, "system": "A", "item": "x"},
        {"candidate": "The library opens in a volcano.", "source": SOURCE, "system": "A", "item": "50%, y:\x1b[1m"},
        {"candidate": "", "source": SOURCE, "references": [SOURCE], "system": "A", "item": "z"},
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path
