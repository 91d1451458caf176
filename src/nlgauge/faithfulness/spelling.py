"""Names that an answer spells otherwise than its source: without accents, in American English, or with a slip."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from unicodedata import combining, normalize

_NAME = re.compile(r"[^\W\d_][^\W\d_'’]{2,40}")
_FEWEST = 6
"""The fewest letters of a name in which a slip is allowed: Hansen may be Hanson, but Anna is not Anne"""
_PLAIN = str.maketrans({"ł": "l", "ø": "o", "ß": "ss", "đ": "d", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ı": "i"})
_BRITISH = (
    (r"our(?=\Z|s\Z|ed\Z|ing\Z)", "or"),
    (r"tre(?=\Z|s\Z)", "ter"),
    (r"is(?=e\Z|es\Z|ed\Z|ing\Z|ation\Z)", "iz"),
)


class Spelled(NamedTuple):
    """A name of an answer that the source spells otherwise."""

    begin: int
    end: int
    theirs: str
    """The spelling of the source"""
    slip: bool
    """Whether one letter differs, so that it may be another name"""


@dataclass(eq=False)
class Spellings:
    """The words of a source, to find names of an answer that the source spells otherwise.

    Args:
        texts: the texts of the source.
    """

    texts: Sequence[str]

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(word.lower() for text in self.texts for word in _NAME.findall(text))

    @cached_property
    def _names(self) -> list[str]:
        """The words with a capital letter, without the first words of sentences, which may be no names."""
        matches = ((text, match) for text in self.texts for match in _NAME.finditer(text))
        return list(
            dict.fromkeys(
                match.group()
                for text, match in matches
                if match.group()[0].isupper() and not _begins(text, match.start())
            )
        )

    @cached_property
    def _plain(self) -> dict[str, str]:
        return {_plain(name): name for name in reversed(self._names)}

    @cached_property
    def _near(self) -> dict[str, str]:
        """The names of six and more letters, by each form that lacks one letter and by the whole name."""
        long = [name for name in reversed(self._names) if len(name) >= _FEWEST]
        return {part: name for name in long for part in _without_a_letter(name.lower())}

    def of(self, text: str) -> Iterator[Spelled]:
        """Yield the names of an answer that the source spells otherwise.

        Args:
            text: an answer.

        Returns:
            Each name with its place and the spelling of the source.
        """
        for match in _NAME.finditer(text):
            word = match.group()
            if not word[0].isupper() or word.lower() in self._words:
                continue
            theirs = self._plain.get(_plain(word), "")
            slip = not theirs
            if slip and len(word) >= _FEWEST and not _begins(text, match.start()):
                near = (self._near.get(part, "") for part in _without_a_letter(word.lower()))
                theirs = next((name for name in near if name and _one_slip(word.lower(), name.lower())), "")
            if theirs:
                yield Spelled(*match.span(), theirs, slip)


def _begins(text: str, at: int) -> bool:
    """Return whether the word at the index `at` is the first of a sentence."""
    before = text[max(0, at - 9) : at].rstrip(" \t\"'“‘(")
    return not before or before[-1] in ".!?:;\n•-*"


def _plain(word: str) -> str:
    """Return a word in lower case and American English, without accents."""
    word = "".join(letter for letter in normalize("NFKD", word.lower()) if not combining(letter)).translate(_PLAIN)
    for british, american in _BRITISH:
        word = re.sub(british, american, word)
    return word


def _without_a_letter(word: str) -> Iterator[str]:
    """Yield a word, and its forms that lack one letter. Two words that differ by one slip share one of these."""
    yield word
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]


def _one_slip(word: str, other: str) -> bool:
    """Return whether two words differ by one slip: a letter is replaced, missing, added, or exchanged with the next.

    Their first letters must be equal. Words that differ by an ending, such as "s", differ by no slip.
    """
    if word[0] != other[0] or word.rstrip("s") == other.rstrip("s"):
        return False
    if len(word) == len(other):
        at = [n for n, (a, b) in enumerate(zip(word, other, strict=True)) if a != b]
        exchanged = len(at) == 2 and at[1] == at[0] + 1 and word[at[0]] == other[at[1]] and word[at[1]] == other[at[0]]
        return len(at) == 1 or exchanged
    short, long = sorted((word, other), key=len)
    # Australia and Australian differ at the end, where words are inflected.
    return len(long) - len(short) == 1 and not long.startswith(short) and short in list(_without_a_letter(long))
