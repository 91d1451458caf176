"""Where sentences of a text end."""

from __future__ import annotations

import re

_END = re.compile(r"""(?<=[.!?])["')\]”’»]*\s+(?=[^\sa-z])|[。！？]+[」』”’）]*|\n+""")


def sentence_ends(text: str) -> list[int]:
    """Places after the end of each sentence but the last.

    A sentence ends at a full stop, exclamation or question mark before a space, unless a small letter follows; at
    their Chinese and Japanese forms; and at a line's end. Abbreviations before a capital ("Mr. Hall") end one too.
    """
    return [found.end() for found in _END.finditer(text) if found.end() < len(text)]
