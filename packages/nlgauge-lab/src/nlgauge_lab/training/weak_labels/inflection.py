"""English word forms: verbs in their tenses, nouns in their plurals."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_VOWELS = "aeiou"
_IRREGULAR_PLURALS = {
    "man": "men",
    "woman": "women",
    "child": "children",
    "person": "people",
    "policeman": "policemen",
    "spokesman": "spokesmen",
    "statesman": "statesmen",
    "clergyman": "clergymen",
    "foot": "feet",
    "tooth": "teeth",
    "mouse": "mice",
    "wife": "wives",
    "life": "lives",
    "half": "halves",
    "knife": "knives",
    "leaf": "leaves",
    "thief": "thieves",
    "shelf": "shelves",
    "wolf": "wolves",
    "crisis": "crises",
    "basis": "bases",
    "analysis": "analyses",
    "thesis": "theses",
    "hypothesis": "hypotheses",
    "phenomenon": "phenomena",
    "criterion": "criteria",
    "offspring": "offspring",
    "aircraft": "aircraft",
    "series": "series",
    "species": "species",
    "sheep": "sheep",
    "fish": "fish",
    "personnel": "personnel",
    "hero": "heroes",
}
# Verbs of two syllables with the stress on the second: their last letter doubles too.
_DOUBLING = {"permit", "admit", "commit", "submit", "refer", "prefer", "occur", "compel", "begin", "forget", "upset"}


@cache
def _irregular() -> dict[str, tuple[str, str]]:
    lines = Path(__file__).with_name("irregular_verbs.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return {base: (past, participle) for base, past, participle in rows}


def inflected(lemma: str, tag: str) -> str | None:
    """Return a word or phrase in the form that a tag of the Penn Treebank names.

    The first word of a verb phrase is inflected ("set up": "sets up"), and the last word of a noun phrase before a
    preposition. The result is None if the form is not known, or if the tag is of no verb, noun or adjective.
    """
    if tag in ("VB", "VBP"):
        return lemma if lemma.split(" ")[0] != "be" or tag == "VB" else None
    if tag in ("VBD", "VBN", "VBG", "VBZ"):
        first, space, rest = lemma.partition(" ")
        form = _verb(first, tag)
        return f"{form}{space}{rest}" if form is not None else None
    if tag == "NNS":
        found = re.fullmatch(r"(.+?)((?: (?:of|in|for|next|who|to|or)\b.*)?)", lemma)
        assert found is not None
        words, head = found[1].rpartition(" ")[::2]
        return f"{words} {plural(head)}{found[2]}".strip()
    return lemma if tag in ("NN", "JJ") else None


def _verb(base: str, tag: str) -> str | None:
    if base == "be":
        return {"VBD": None, "VBN": "been", "VBG": "being", "VBZ": "is"}[tag]
    if tag == "VBZ":
        return "has" if base == "have" else plural(base, noun=False)
    if tag == "VBG":
        if base.endswith("ie"):
            return base[:-2] + "ying"
        if base.endswith("e") and not base.endswith(("ee", "oe", "ye")):
            return base[:-1] + "ing"
        return base + (base[-1] if _doubles(base) else "") + "ing"
    if base in _irregular():
        return _irregular()[base][tag == "VBN"]
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ied"
    return base + (base[-1] if _doubles(base) else "") + "ed"


def _doubles(base: str) -> bool:
    closed = len(base) > 2 and base[-1] not in _VOWELS + "wxyh" and base[-2] in _VOWELS and base[-3] not in _VOWELS
    return closed and (base in _DOUBLING or len(re.findall(r"[aeiouy]+", base)) == 1)


def plural(word: str, noun: bool = True) -> str:
    """Return the plural of a noun, or with noun=False the form of a verb for he, she and it."""
    if noun and word in _IRREGULAR_PLURALS:
        return _IRREGULAR_PLURALS[word]
    if noun and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word  # "dimensions"
    if word.endswith(("s", "x", "z", "ch", "sh")) or (not noun and word.endswith("o")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def article(following: str) -> str:
    """Return 'a' or 'an' for the word that follows."""
    word = following.lower()
    if re.match(r"(hour|honest|honou?r|heir)", word):
        return "an"
    if re.match(r"(uni([^nm]|$)|use|usu|eu|one\b|once|ut[ei])", word):
        return "a"
    return "an" if re.match(r"[aeiou8]|11\b|18\b", word) else "a"
