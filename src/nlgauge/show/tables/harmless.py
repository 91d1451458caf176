"""Texts that others wrote, as a terminal may be sent them: they neither steer it nor turn the order of a line round."""

from __future__ import annotations

import re

_BIDI = r"\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
_STEERING = re.compile(rf"[\x00-\x1f\x7f-\x9f{_BIDI}]")
_STEERING_IN_LINES = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{_BIDI}]")


def harmless(text: str, *, lines: bool = False) -> str:
    """With U+FFFD for each control character, and for each that sets the direction of what follows it.

    lines: leave line ends and tabs.
    """
    return (_STEERING_IN_LINES if lines else _STEERING).sub("\ufffd", text)


def harmless_json(text: str) -> str:
    """JSON whose texts hold such characters as escapes, which stand for the same."""
    return _STEERING_IN_LINES.sub(lambda sign: f"\\u{ord(sign.group()):04x}", text)
