"""Differences in scope: an answer says something of all things, and the source only of some, or the other way round.

"All insurers refund it" has nearly the words of a source that says "some insurers refund it". The rules here compare
words such as "all" and "some" before the same noun, and say nothing about other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from nlgauge.faithfulness.stems import LONGEST, negated, short_sentences, stem_of, stems_and_numbers

_OF = r"(?:\s+of)?(?:\s+(?:the|our|its|their|his|her|these|those))?\s+(?P<noun>[^\W\d_][\w'’-]+)"
_PART = (
    r"(?:only )?(?:some|several|many|most|(?:a )?few|half|a number|a handful|a third|two thirds|three quarters)"
    r"|not (?:all|every|each)"
)
_SOME = re.compile(rf"\b(?:{_PART}){_OF}", re.IGNORECASE)
_ONLY_SOME = re.compile(rf"\b(?:only (?:some|a few|a handful|half)|not (?:all|every|each)){_OF}", re.IGNORECASE)
_ALL = re.compile(rf"(?<!not )\b(?:all|every|each){_OF}", re.IGNORECASE)
_NONE = re.compile(rf"\b(?:no|none){_OF}", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;:]\s|\s(?:and|but|while|whereas|which|who|that|though)\s")
_MOST_TOLD = 60
"""The most clauses of a source with "some", and with "all", that are compared"""


class _Said(NamedTuple):
    """A clause that says something of some things or of all things of a kind, which `noun` names."""

    text: str
    noun: str
    stems: frozenset[str]
    negated: bool


class ScopedSource:
    """A source, prepared for the rules of some and all.

    To bound the time, only the first clauses about some and the first about all are used.

    Args:
        texts: the texts of the source.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        short = short_sentences(texts)
        self._some = list(islice((clause for text in short for clause in _said(text, _SOME)), _MOST_TOLD))
        self._all = list(islice((clause for text in short for clause in _said(text, _ALL)), _MOST_TOLD))

    def __bool__(self) -> bool:
        return bool(self._some or self._all)

    def difference(self, sentence: str) -> str | None:
        """Return a difference in scope: the sentence says all or none and the source says some, or the other way round.

        Args:
            sentence: a sentence of an answer.

        Returns:
            The difference in words; None if there is none.
        """
        if len(sentence) > LONGEST:
            return None
        if any(self._holds(clause, self._all) for clause in _said(sentence, _ONLY_SOME)):
            return "the source says so of all"
        for pattern in (_ALL, _NONE):
            for clause in _said(sentence, pattern):
                if self._holds(clause, self._some) and not self._holds(clause, self._all):
                    return "the source says so of some"
        return None

    @staticmethod
    def _holds(clause: _Said, told: Sequence[_Said]) -> bool:
        """Return whether a clause of `told` has the noun, all words and the same negation as `clause`."""
        return any(
            clause.noun == other.noun and clause.negated == other.negated and clause.stems <= other.stems
            for other in told
        )


def _said(sentence: str, pattern: re.Pattern[str]) -> Iterator[_Said]:
    """Yield the clauses of a sentence that match a pattern of "some" or "all", if they have more than one stem."""
    for clause in _CLAUSE.split(sentence):
        match = pattern.search(clause)
        if match is not None:
            rest = f"{match['noun']} {clause[: match.start()]} {clause[match.end() :]}"
            stems = stems_and_numbers(rest)
            if len(stems) > 1:
                yield _Said(clause, stem_of(match["noun"].lower()), stems, negated(rest))
