"""Stems, numbers and negations of sentences, which rules of English compare, and the result of a rule, `Derived`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from nlgauge.engine.english import is_stopword
from nlgauge.faithfulness.measures import Quantity
from nlgauge.faithfulness.opposites import OPPOSITES
from nlgauge.faithfulness.quantities import quantities
from nlgauge.maths.text import sentence_spans

LONGEST, MOST = 400, 2000
"""The most characters of a sentence that is read, and the most sentences of a source that are read"""
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_NEGATION = re.compile(r"\b(?:no longer|not|never|no|nobody|none|neither|nor|cannot|without)\b|n[’']t\b", re.IGNORECASE)


class Derived(NamedTuple):
    """The result of a rule: a statement follows from a source, or the source excludes it."""

    follows: bool
    """Whether the statement follows; else the source excludes it"""
    words: str
    """The words of the source by which the statement follows or is excluded"""
    reason: str
    """Why the statement follows or is excluded, as the user reads it"""
    sure: bool = False
    """Whether the rule leaves no doubt, so that an excluded statement is surely wrong"""


@dataclass(eq=False)
class Sentence:
    """A sentence for the rules of English. Each property is computed once, however many rules use it."""

    text: str

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the sentence's words, without numbers and stop-words."""
        return frozenset(stem for stem in self.stems_and_numbers if not stem[0].isdigit())

    @cached_property
    def stems_and_numbers(self) -> frozenset[str]:
        """The stems of the sentence's words, and its numbers, without stop-words."""
        return stems_and_numbers(self.text)

    @cached_property
    def words(self) -> Sequence[str]:
        """The words of the sentence, in lower case."""
        return [word.lower() for word in WORD.findall(self.text)]

    @cached_property
    def quantities(self) -> Sequence[Quantity]:
        """The quantities of the sentence; empty for a sentence of more than `LONGEST` characters."""
        return quantities(self.text) if len(self.text) <= LONGEST else []

    @cached_property
    def negations(self) -> Sequence[str]:
        """The words that negate the sentence."""
        return negations(self.text)

    @property
    def negated(self) -> bool:
        """Whether the number of words that negate the sentence is odd."""
        return len(self.negations) % 2 == 1


def negated(text: str) -> bool:
    """Return whether the number of words that negate a text is odd."""
    return len(negations(text)) % 2 == 1


def negations(text: str) -> list[str]:
    """Return the words that negate a text, in lower case. In a text with "neither", "nor" does not count."""
    words = [word.lower() for word in _NEGATION.findall(text)]
    return [word for word in words if word != "nor" or "neither" not in words]


def plain(read: Sequence[Quantity]) -> list[Quantity]:
    """Return the quantities that are a single number, without expressions such as "a minute"."""
    return [
        quantity
        for quantity in read
        if not quantity.weak and len(quantity.value) == 1 and quantity.value[0] is not None
    ]


def key_words(key: str) -> list[str]:
    """Return the words of a key: "free" and "parking" for freeParking and for free_parking."""
    return WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key.replace("_", " ")))


def stems_in(text: str) -> frozenset[str]:
    """Return the stems of a text's words, without numbers and stop-words."""
    return frozenset(stem for stem in stems_and_numbers(text) if not stem[0].isdigit())


def stems_and_numbers(text: str) -> frozenset[str]:
    """Return the stems of a text's words, and its numbers, without stop-words."""
    words = (word.lower() for word in key_words(text))
    return frozenset(stem_of(word) for word in words if not is_stopword(word) and not word.endswith(("n't", "n’t")))


def stem_of(word: str) -> str:
    """Return the stem of a word, given in lower case: the word without a usual ending, at most five letters of it."""
    word = word[:-2] if word.endswith(("'s", "’s")) else word
    word = word[:-1] if len(word) > 5 and word.endswith("eed") else word  # agreed
    word = f"{word[:-3]}y" if len(word) > 4 and word.endswith(("ies", "ied")) else word
    endings = ("ing", "ed", "en", "es", "s") if not word.endswith("ss") else ()
    word = word.removesuffix(next((end for end in endings if word.endswith(end) and len(word) > len(end) + 2), ""))
    return (word.removesuffix("e") if len(word) > 2 else word)[:5]


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text. Joined, they are the whole text."""
    yield from (text[begin:end] for begin, end in sentence_spans(text))


def short_sentences(texts: Sequence[str]) -> list[str]:
    """Return the first `MOST` sentences of the texts, counting only sentences of at most `LONGEST` characters."""
    short = (sentence for text in texts for sentence in sentences(text) if len(sentence) <= LONGEST)
    return list(islice(short, MOST))


def opposed(words: Mapping[str, str]) -> set[str]:
    """Return the opposites of all words of a mapping from stems to words."""
    return {other for word in words.values() for other in OPPOSITES.get(word, ())}


GENERAL = frozenset(
    stem_of(word)
    for word in (
        *("available", "offer", "hotel", "included", "allow", "provide", "permit", "people", "person", "option", "one"),
        *("total", "together", "combined", "altogether", "room", "member", "took", "part"),
    )
)
"""Stems of words that are too general to say what a sentence is about"""
