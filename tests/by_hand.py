"""Results as if they were written by hand: without a seal, so that a test can change them."""

from __future__ import annotations

import json
from pathlib import Path


def by_hand(path: Path) -> Path:
    """Take the seals out of a scores file, a record or a history."""
    text = path.read_text(encoding="utf-8")
    try:
        made = json.dumps(_without(json.loads(text)), ensure_ascii=False, indent=2) + "\n"
    except ValueError:
        first, *others = text.split("\n")
        is_scores = "signatures" in json.loads(first)
        rest = others if is_scores else [line and json.dumps(_without(json.loads(line))) for line in others]
        made = "\n".join([json.dumps(_without(json.loads(first)), ensure_ascii=False), *rest])
    path.write_text(made, encoding="utf-8")
    return path


def _without(record: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in record.items() if name != "seal"}
