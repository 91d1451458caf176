"""Splits a text in any script into words, without a model."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_ASCII = re.compile(r"[0-9a-z]+")
# Chinese, Japanese, Thai, Lao, Myanmar and Khmer have no spaces between words.
_WITHOUT_SPACES = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"


def words(text: str) -> list[str]:
    """Runs of letters, digits and their marks, case-folded. In scripts without spaces every letter is a word."""
    text = unicodedata.normalize("NFC", text.casefold())
    return _ASCII.findall(text) if text.isascii() else _anywhere().findall(text)


def word_spans(text: str) -> list[tuple[int, int]]:
    """The positions [begin, end) of the words of a text."""
    return [match.span() for match in _anywhere().finditer(text)]


@cache
def _anywhere() -> re.Pattern[str]:
    marks = "".join(chr(code) for code in range(0x20000) if unicodedata.category(chr(code)).startswith("M"))
    one = rf"(?=[^\W_])[{_WITHOUT_SPACES}][{marks}]*"
    return re.compile(rf"{one}|[^\W_{_WITHOUT_SPACES}](?:[^\W_{_WITHOUT_SPACES}]|[{marks}])*")
