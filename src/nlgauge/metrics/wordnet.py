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
    """WordNet's entries for nouns, verbs, adjectives or adverbs."""

    senses: Mapping[str, Sequence[int]]
    """For each base form"""
    words: Mapping[int, Sequence[str]]
    """For each sense"""
    exceptions: Mapping[str, Sequence[str]]
    """Base forms of irregular forms"""
    endings: Sequence[tuple[str, str]]
    """Endings of forms, and what replaces them in the base form"""

    def synonyms(self, word: str) -> set[str]:
        """All single words that share a sense with one of the word's base forms."""
        return {
            name for base in self._bases(word) for sense in self.senses[base] for name in self.words[sense]
            if "_" not in name
        }  # fmt: skip

    def _bases(self, word: str) -> list[str]:
        """The forms of a word that have an entry: itself, and its base forms by the list of exceptions or by rules."""
        bases = self.exceptions.get(word)
        if bases is None:
            bases = [word[: -len(ending)] + base for ending, base in self.endings if word.endswith(ending)]
        return [form for form in dict.fromkeys([word, *bases]) if form in self.senses]


@dataclass(frozen=True)
class WordNet:
    """Finds synonyms of words and of their base forms."""

    kinds: Sequence[Kind]
    digest: str
    """The digest of the files' content"""

    @classmethod
    def read(cls, folder: Path) -> WordNet:
        """Read a folder with index.noun, data.noun, noun.exc, ... Raises OSError if a file cannot be read."""
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
    """The fields of all lines except the licence at the top, without glosses."""
    return [line.partition("|")[0].split() for line in lines if line and not line.startswith(" ")]


def _index(fields: list[str]) -> tuple[str, list[int]]:
    """Lemma and senses. The senses are the last fields of a line; the third field has their number."""
    return fields[0], [int(field) for field in fields[-int(fields[2]) :]]


def _data(fields: list[str]) -> tuple[int, list[str]]:
    """Sense and its words. Some words have a mark of their position, such as (a)."""
    count = int(fields[3], 16)
    return int(fields[0]), [word.partition("(")[0] for word in fields[4 : 4 + 2 * count : 2]]
