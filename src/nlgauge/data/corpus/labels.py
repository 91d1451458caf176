"""The words that people write for a rating: words for yes and no, such as pass and fail, and words for "not rated"."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

_PAIRS = (
    ("yes", "no"),
    ("y", "n"),
    ("true", "false"),
    ("pass", "fail"),
    ("passed", "failed"),
    ("good", "bad"),
    ("supported", "unsupported"),
    ("supported", "not supported"),
    ("correct", "incorrect"),
    ("correct", "wrong"),
    ("right", "wrong"),
    ("ok", "not ok"),
    ("✓", "✗"),
    ("✔", "✘"),
    ("✅", "❌"),
    ("☑", "☒"),
    ("👍", "👎"),
    # A spreadsheet shows and saves its own truth values in the language of its user.
    ("wahr", "falsch"),
    ("vrai", "faux"),
    ("vero", "falso"),
    ("verdadero", "falso"),
    ("verdadeiro", "falso"),
)
STANDARD: Mapping[str, float] = {name: value for good, bad in _PAIRS for name, value in ((good, 1.0), (bad, 0.0))}
"""Numbers of the labels that need no explanation: 1 for words such as yes, 0 for words such as no"""
NOT_RATED = frozenset(("n/a", "na", "n.a.", "#n/a", "#nv", "-", "\u2013", "\u2014", "?", "none", "null", "nan"))


def plain(text: str) -> str:
    """Return a cell's text for comparison: in lower case, with single blanks, without a spreadsheet's apostrophe."""
    # The selector that makes an emoji of a sign is not seen, and an apostrophe stands before what was kept as a text.
    text = unicodedata.normalize("NFKC", text).replace("\ufe0f", "").replace("\ufeff", "")
    return " ".join(text.strip().removeprefix("'").casefold().split())
