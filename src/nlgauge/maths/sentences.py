"""The ends of sentences in a text."""

from __future__ import annotations

import re

_END = re.compile(r"""(?<=[.!?])["')\]”’»]*\s+(?=[^\sa-z])|[。！？]+[」』”’）]*|\n+""")


def sentence_ends(text: str) -> list[int]:
    """Positions after the end of each sentence except the last.

    A sentence ends at a full stop, exclamation mark or question mark before a space, unless a lower-case letter
    follows; at the Chinese and Japanese forms of these; and at the end of a line. Abbreviations before a capital letter
    ("Mr. Hall") also end one.
    """
    return [found.end() for found in _END.finditer(text) if found.end() < len(text)]
