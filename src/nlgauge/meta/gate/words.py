"""The words of a text that nothing supports, from the evidence that a scores table keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Unsupported:
    """The unsupported words of one text of a row."""

    name: str
    """The text's: 'candidate', for one"""
    against: str
    """What it was compared with: 'source', for one"""
    text: str
    """The whole of it"""
    spans: tuple[tuple[int, int], ...]
    """Characters [begin, end) of words that follow each other and are not supported"""

    @property
    def words(self) -> tuple[str, ...]:
        """What stands in each span."""
        return tuple(self.text[begin:end] for begin, end in self.spans)


def unsupported(evidence: Mapping[str, Any] | None) -> tuple[Unsupported, ...]:
    """Unsupported words by text of a row's evidence, which is as JSON has it; texts without any are left out.

    Empty for a metric that shows no words.
    """
    texts = (evidence or {}).get("texts", [])
    found = (Unsupported(one["name"], one["against"], one["text"], _spans(one)) for one in texts)
    return tuple(one for one in found if one.spans)


def _spans(text: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    """As the metric gives them; else words under its threshold, those that follow each other as one."""
    if "unsupported" in text:
        return tuple((begin, end) for begin, end in text["unsupported"])
    spans: list[tuple[int, int]] = []
    follows = False
    for word in text["words"]:
        weak = word["alignment"] < text["weak"]
        if weak and follows:
            spans[-1] = (spans[-1][0], max(spans[-1][1], word["end"]))
        elif weak:
            spans.append((word["begin"], word["end"]))
        follows = weak
    return tuple(spans)
