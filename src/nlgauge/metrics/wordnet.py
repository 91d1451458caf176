"""Synonyms from WordNet's files: Miller, "WordNet: A Lexical Database for English", CACM 1995."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_KINDS = ("noun", "verb", "adj", "adv")
_ENDINGS: Mapping[str, Sequence[tuple[str, str]]] = {
    "noun": [("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
             ("men", "man"), ("ies", "y")],
    "verb": [("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")],
    "adj": [("er", ""), ("est", ""), ("er", "e"), ("est", "e")],
    "adv": [],
}  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """What WordNet knows of the words of one kind: of nouns, verbs, adjectives or adverbs."""

    senses: Mapping[str, Sequence[int]]
    """For each base form"""
    words: Mapping[int, Sequence[str]]
    """For each sense"""
    exceptions: Mapping[str, Sequence[str]]
    """Base forms of the forms that no rule makes"""
    endings: Sequence[tuple[str, str]]
    """What a form may end with, and its base form instead"""

    def synonyms(self, word: str) -> set[str]:
        """All single words that share a sense with a base form of the word."""
        return {
            name for base in self._bases(word) for sense in self.senses[base] for name in self.words[sense]
            if "_" not in name
        }  # fmt: skip

    def _bases(self, word: str) -> list[str]:
        """The forms under which a word is found: itself, and those of the list of exceptions or without an ending."""
        bases = self.exceptions.get(word)
        if bases is None:
            bases = [word[: -len(ending)] + base for ending, base in self.endings if word.endswith(ending)]
        return [form for form in dict.fromkeys([word, *bases]) if form in self.senses]


@dataclass(frozen=True)
class WordNet:
    """Words are looked up as they are and by their base forms."""

    kinds: Sequence[Kind]
    digest: str
    """The digest of the files' content"""

    @classmethod
    def read(cls, folder: Path) -> WordNet:
        """From a folder with index.noun, data.noun, noun.exc, ... Raises OSError where a file cannot be read."""
        digest = hashlib.sha256()
        kinds = []
        for kind in _KINDS:
            contents = [(folder / name).read_bytes() for name in (f"index.{kind}", f"data.{kind}", f"{kind}.exc")]
            for content in contents:
                digest.update(content)
            index, data, exceptions = (content.decode("utf-8", "replace").splitlines() for content in contents)
            bases = {form: bases for form, *bases in map(str.split, filter(None, exceptions))}
            senses, words = dict(map(_index, _entries(index))), dict(map(_data, _entries(data)))
            kinds.append(Kind(senses, words, bases, _ENDINGS[kind]))
        return cls(kinds, digest.hexdigest())

    def synonyms(self, word: str) -> frozenset[str]:
        """The word and all single words that share a sense with it."""
        return frozenset({word}.union(*(kind.synonyms(word) for kind in self.kinds)))


def _entries(lines: Sequence[str]) -> list[list[str]]:
    """The fields of the lines that are not part of the licence at the top, without the glosses."""
    return [line.partition("|")[0].split() for line in lines if line and not line.startswith(" ")]


def _index(fields: list[str]) -> tuple[str, list[int]]:
    """Lemma and its senses: the last fields of a line, as many as its third says."""
    return fields[0], [int(field) for field in fields[-int(fields[2]) :]]


def _data(fields: list[str]) -> tuple[int, list[str]]:
    """Sense and its words, some of which carry a mark of their place such as (a)."""
    count = int(fields[3], 16)
    return int(fields[0]), [word.partition("(")[0] for word in fields[4 : 4 + 2 * count : 2]]
