"""Sentences and clauses for exact checks: their words, quantities and negations, and a search for the nearest one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from unicodedata import combining, normalize

import numpy as np
from numpy.typing import NDArray

from nlgauge.engine.english import STOPWORDS
from nlgauge.faithfulness.dates import MONTHS, WEEKDAYS
from nlgauge.faithfulness.derivations import Numbers
from nlgauge.faithfulness.measures import Quantity
from nlgauge.faithfulness.quantities import EqualQuantities, quantities
from nlgauge.maths.text import sentence_spans

WORD = re.compile(r"(?:[^\W_][\u0300-\u036f]*)+(?:['’][^\W_]+)?")
_CLAUSE = re.compile(r"[,;:—–]\s|\s-\s|\b(?:but|although|though|while|whereas|because|so that|unless|and)\b")
_NEGATED = re.compile(
    r"\b(?:no longer|not any ?more|not|never|no|nobody|none|neither|nor|cannot)\b|n[’']t\b", re.IGNORECASE
)
_CANNOT_PLAIN = {"cannot": "can not", "can't": "can not", "can’t": "can not", "won't": "will not", "won’t": "will not"}
_CANNOT = re.compile(rf"\b(?:{'|'.join(_CANNOT_PLAIN)})\b", re.IGNORECASE)
_LITTLE = STOPWORDS | {"am", "pm"}
"""Words that are ignored when sentences are compared"""
_LEFT_OUT = frozenset(["a", "an", "the", "do", "does", "did", "any"])
_BEFORE = frozenset(["in", "at", "by", "from", "to", "for", "with", "of", "near", "into", "against"])
"""Prepositions before a name. Two names after the same preposition can be compared"""
_NO_NAMES = frozenset([*MONTHS, *WEEKDAYS, "I", "Mr", "Mrs", "Dr"])
_FALLING = re.compile(
    r"\b(?:loss|lost|los[et]s?|fell|falls?|drop\w*|decline\w*|decrease\w*|deficit|below|down|debt|owe[sd]?|minus|negative"
    r"|overdrawn|discount\w*|off|rebate|sav\w+|deduct\w*|cold\w*|lower\w*|shr[ai]nk\w*|cut|less|short\w*|frost|shed|reduc\w*)\b",
    re.IGNORECASE,
)
"""Words by which a number may be meant as negative"""
_WITHOUT = re.compile(r"\bwithout (?P<thing>(?:(?:any|an?|the|its|their|his|her) )?[\w'’-]+)", re.IGNORECASE)
_LONGEST, _LONGEST_NAME = 1000, 60
"""The most characters of a sentence, and of a name, that are compared"""


@dataclass(frozen=True)
class Part:
    """A sentence or clause with its position. Each property is computed once."""

    text: str
    begin: int
    """The position of the first character in the whole text"""
    alone: bool = False
    """Whether this is a clause that is the whole sentence"""

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the part's content words, without numbers."""
        words = (_owner(word.lower()) for word in WORD.findall(self.text))
        return frozenset(_stem(word) for word in words if word not in _LITTLE and not word[0].isdigit())

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(folded(word) for word in WORD.findall(self.text))

    @cached_property
    def quantities(self) -> list[Quantity]:
        return quantities(self.text)

    @cached_property
    def equal(self) -> EqualQuantities:
        return EqualQuantities(self.quantities)

    @cached_property
    def numbers(self) -> Numbers:
        return Numbers(self.quantities)

    @cached_property
    def clauses(self) -> Sequence[Part]:
        ends = [0, *(at for match in _CLAUSE.finditer(self.text) for at in match.span()), len(self.text)]
        places = list(zip(ends[::2], ends[1::2], strict=True))
        return [Part(self.text[begin:end], self.begin + begin, len(places) == 1) for begin, end in places]

    @cached_property
    def named(self) -> Sequence[tuple[int, int, str]]:
        """The words of names, each with begin, end, and the word before it.

        The word before is a preposition such as "in", or has a capital letter, as another part of the name.
        """
        names: list[tuple[int, int, str]] = []
        before = ""
        for match in WORD.finditer(self.text):
            word = match.group()
            fits = before in _BEFORE or (before[:1].isupper() and before.lower() not in STOPWORDS)
            fits = fits and self.text[match.start() - 1 : match.start()] != "-"
            little = word in _NO_NAMES or word.lower() in STOPWORDS
            if fits and word[0].isupper() and 2 < len(word) <= _LONGEST_NAME and not little:
                names.append((match.start(), match.end(), before))
            before = word.lower() if word.lower() in STOPWORDS else word
        return names

    @cached_property
    def counting(self) -> Mapping[str, Quantity]:
        """The numbers of the part by the word behind each; empty unless these words all differ."""
        numbers = [quantity for quantity in self.quantities if quantity.kind == "count" and not quantity.weak]
        named = {word_after(self.text, quantity.end): quantity for quantity in numbers}
        return named if len(named) == len(numbers) and "" not in named else {}

    @cached_property
    def falls(self) -> bool:
        """Whether a word of the part may make its numbers negative, such as "loss"."""
        return _FALLING.search(self.text) is not None

    @cached_property
    def negations(self) -> list[re.Match[str]]:
        return list(_NEGATED.finditer(self.text))

    @property
    def negated(self) -> bool:
        said = [match.group().lower() for match in self.negations]
        return (len(said) - (said.count("nor") if "neither" in said else 0)) % 2 == 1

    def lacks(self, stems: Set[str]) -> bool:
        """Return whether the part says "without" of a thing that has one of the given stems."""
        without = _WITHOUT.search(self.text)
        return without is not None and any(_stem(word.lower()) in stems for word in WORD.findall(without["thing"]))

    @cached_property
    def unnegated(self) -> tuple[str, ...]:
        """The stems of all words of the part, in order, without negations, articles and forms of "do"."""
        plain = _NEGATED.sub(" ", _CANNOT.sub(lambda match: _CANNOT_PLAIN[match.group().lower()], self.text))
        return tuple(_stem(word) for word in map(folded, WORD.findall(plain)) if word not in _LEFT_OUT)

    def shared(self, other: Part) -> float:
        """Return the share of this part's content words that another part has, from 0 to 1; 0 if there are none."""
        return len(self.stems & other.stems) / len(self.stems) if self.stems else 0.0


class Nearest:
    """Sentences or clauses, indexed by their stems, to find the one that shares most stems with another text.

    Args:
        of: the sentences or clauses, in order.
        behind: how many of the next sentences also count as having the stems of a sentence.
    """

    def __init__(self, of: Sequence[Part], behind: int = 0) -> None:
        self.of = of
        self._lengths = np.array([len(part.stems) for part in of], np.int64)
        holders: dict[str, list[int]] = {}
        for number, part in enumerate(of):
            for stem in part.stems:
                holders.setdefault(stem, []).extend(range(number, min(number + behind + 1, len(of))))
        # Each part once, though a word may stand in several before it.
        self._holders = {
            stem: np.array(sorted(set(numbers)) if behind else numbers) for stem, numbers in holders.items()
        }

    def shared(self, part: Part) -> NDArray[np.int64]:
        """Return, for each indexed part, the number of stems of `part` that it has: [indexed parts]."""
        holders = [self._holders[stem] for stem in part.stems if stem in self._holders]
        return (
            np.bincount(np.concatenate(holders), minlength=len(self.of))
            if holders
            else np.zeros(len(self.of), np.int64)
        )

    def __call__(self, part: Part) -> Part | None:
        """Return the indexed part that shares most stems with `part`, the shortest of several; None if none does."""
        shared = self.shared(part)
        if not shared.any():
            return None
        return self.of[int(np.argmax(shared * (self._lengths.max() + 1) - self._lengths))]


def sentences_of(text: str) -> Iterator[Part]:
    """Yield the sentences of a text. A sentence of more than 1,000 characters is divided, to bound the comparisons."""
    for begin, end in sentence_spans(text):
        while end - begin > _LONGEST:
            at = text.rfind(" ", begin + _LONGEST // 2, begin + _LONGEST)
            at = begin + _LONGEST if at < 0 else at
            yield Part(text[begin:at], begin)
            begin = at
        yield Part(text[begin:end], begin)


def word_after(text: str, at: int) -> str:
    """Return the stem of the word behind a number that ends at `at`; empty if none follows, or a stop-word."""
    match = WORD.match(text, at + 1) if text[at : at + 1] in (" ", "-") else None
    word = match.group().lower() if match else ""
    return "" if word in STOPWORDS else _stem(word)


def folded(word: str) -> str:
    """Return a word in lower case, without accents and without the "'s" of a possessive."""
    return "".join(letter for letter in normalize("NFKD", _owner(word.lower())) if not combining(letter))


def _owner(word: str) -> str:
    return word[:-2] if word.endswith(("'s", "’s")) else word


def _stem(word: str) -> str:
    word = f"{word[:-3]}y" if len(word) > 4 and word.endswith(("ies", "ied")) else word
    return word[:5] if len(word) > 5 else word.rstrip("s") if len(word) > 3 else word


def span_of_words(text: str) -> tuple[int, int]:
    words = list(WORD.finditer(text))
    return (words[0].start(), words[-1].end()) if words else (0, len(text))
