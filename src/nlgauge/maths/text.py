"""Texts without a model: words in any script, sentences and n-grams."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

_ASCII = re.compile(r"[0-9a-z]+")
# Chinese, Japanese, Thai, Lao, Myanmar and Khmer have no spaces between words.
_WITHOUT_SPACES = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"


def words(text: str) -> list[str]:
    """Return the words of a text, case-folded: runs of letters and digits; single letters in scripts without spaces."""
    text = unicodedata.normalize("NFC", text.casefold())
    return _ASCII.findall(text) if text.isascii() else _anywhere().findall(text)


def copied(texts: Sequence[str], sources: Sequence[str]) -> list[float]:
    """Return, for each text, the share of its words that its source has, from 0 to 1; NaN if either has no words."""
    of_source = {source: frozenset(words(source)) for source in dict.fromkeys(sources)}
    shares = []
    for text, source in zip(texts, sources, strict=True):
        split, there = words(text), of_source[source]
        shares.append(sum(word in there for word in split) / len(split) if split and there else math.nan)
    return shares


def word_spans(text: str) -> list[tuple[int, int]]:
    """Return the positions [begin, end) of the words of a text."""
    return [match.span() for match in _anywhere().finditer(text)]


@cache
def _anywhere() -> re.Pattern[str]:
    marks = "".join(chr(code) for code in range(0x20000) if unicodedata.category(chr(code)).startswith("M"))
    word = rf"(?=[^\W_])[{_WITHOUT_SPACES}][{marks}]*"
    return re.compile(rf"{word}|[^\W_{_WITHOUT_SPACES}](?:[^\W_{_WITHOUT_SPACES}]|[{marks}])*")


_END = re.compile(r"""(?<=[.!?])["')\]”’»]*\s+(?=[^\sa-z])|[。！？]+[」』”’）]*|\n+""")


def sentence_ends(text: str) -> list[int]:
    """Return the positions after the end of each sentence except the last.

    A sentence ends at a full stop, exclamation mark or question mark before a space, unless a lower-case letter
    follows; at the Chinese and Japanese forms of these; and at the end of a line. Abbreviations before a capital letter
    ("Mr. Hall") also end one.

    Args:
        text: the text.

    Returns:
        Indexes of characters, ascending.
    """
    return [match.end() for match in _END.finditer(text) if match.end() < len(text)]


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the positions [begin, end) of the sentences of a text. Each sentence begins where the one before ends."""
    return list(pairwise([0, *sentence_ends(text), *([len(text)] if text else [])]))


def ngrams(words: Sequence[str], n: int) -> Iterator[str]:
    """Return all n-grams of words, in order, joined by spaces.

    They are strings, which cache their hash, so that lookups take half the time of tuples.

    Args:
        words: words without spaces.
        n: the number of words in an n-gram.

    Returns:
        An iterator over the n-grams.
    """
    return map(" ".join, zip(*[words[start:] for start in range(n)], strict=False))
