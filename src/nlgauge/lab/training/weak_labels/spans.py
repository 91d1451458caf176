"""Spans taken from elsewhere: names, numbers and phrases of the same kind, in place of a sentence's own.

A small masked LM's fillings are easy to tell from a person's words; a span that a person wrote for another place is
not. The published data have none of these.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.engine.words import is_word
from nlgauge.lab.training.weak_labels.masking import Span
from nlgauge.lab.training.weak_labels.pseudo_targets import stem
from nlgauge.lab.training.weak_labels.syntax import Sentence
from nlgauge.maths.stopwords import is_stopword

_LONGEST = 9
_PER_KIND = 4000
_TRIED = 8
_DIGITS = re.compile(r"\d")


def kind(sentence: Sentence, first: int, last: int) -> str | None:
    """The kind of a span that can stand for another of its kind: entity, number or phrase; None where it has none."""
    words = sentence.words[first:last]
    part = sentence.part(first, last)
    if not is_word(part) or is_stopword(part) or last - first > _LONGEST:
        return None
    entity = words[0].entity
    whole = entity and words[0].entity_begins and all(word.entity == entity for word in words)
    whole = whole and not any(word.entity_begins for word in words[1:])
    ends = last == len(sentence.words) or not sentence.words[last].entity or sentence.words[last].entity_begins
    if whole and ends:
        return f"entity {entity} {_shape(part)}"
    heads = [index for index in range(first, last) if not first <= sentence.words[index].head < last]
    heads += [index for index in range(first, last) if sentence.words[index].head == index]
    if len(heads) != 1:
        return None
    tag = sentence.words[heads[0]].tag
    if not tag[0].isalpha() or tag in ("DT", "PRP$", "POS", "MD", "WDT", "EX", "PRP", "UH", "LS", "XX", "FW"):
        return None
    opening = words[0].lemma if words[0].tag in ("IN", "TO", "DT", "PRP$", "WDT", "WRB") else words[0].tag
    size = last - first
    lengths = str(size) if size < 3 else ("3-4" if size < 5 else "5-9")
    return f"{tag} {opening} {lengths}"


def _shape(part: str) -> str:
    digits = [len(run) for run in re.findall(r"\d+", part)]
    return f"{min(3, part.count(' ') + 1)}{'d' + str(max(digits)) if digits else ''}{'' if part[0].isupper() else 'l'}"


@dataclass(frozen=True)
class SpanBank:
    """Spans of many texts by kind, and how words are written in them."""

    spans: Mapping[str, tuple[str, ...]]
    spellings: Mapping[str, str]
    """How words are spelt that are seldom written in small letters within a sentence: {"paris": "Paris"}"""

    @classmethod
    def collect(cls, sentences: Iterable[Sentence]) -> SpanBank:
        """All spans of the sentences that have a kind, in order of appearance."""
        found: dict[str, dict[str, None]] = {}
        written: Counter[str] = Counter()
        for sentence in sentences:
            candidates = {(node.first, node.last) for node in sentence.nodes} | set(entities(sentence))
            for first, last in sorted(candidates):
                name = kind(sentence, first, last)
                if name is not None and len(same := found.setdefault(name, {})) < _PER_KIND:
                    same.setdefault(sentence.part(first, last))
            written.update(sentence.text[word.begin : word.end] for word in sentence.words[1:])
        return cls({name: tuple(same) for name, same in found.items()}, _spellings(written))

    def others(self, sentence: Sentence, span: Span, rng: np.random.Generator, near: Sequence[str] = ()) -> list[str]:
        """A few spans of the same kind with other words; a number with another digit where there is none.

        near: spans of the same kind to draw among instead.
        """
        part = sentence.part(*span)
        own = _stems(part)
        pool = near or self.spans.get(kind(sentence, *span) or "", ())
        some = [pool[index] for index in rng.permutation(len(pool))[: 3 * _TRIED]]
        some = [one for one in some if not _stems(one) <= own and not own <= _stems(one)][:_TRIED]
        return some or ([other_number(part, rng)] if _DIGITS.search(part) and part.count(" ") < 3 else [])


def entities(sentence: Sentence) -> list[Span]:
    """The named entities and numbers of a sentence."""
    spans: list[Span] = []
    for index, word in enumerate(sentence.words):
        if word.entity and (word.entity_begins or not spans or spans[-1][1] != index):
            spans.append((index, index + 1))
        elif word.entity:
            spans[-1] = (spans[-1][0], index + 1)
    return spans


def other_number(part: str, rng: np.random.Generator) -> str:
    """The part with one digit of one of its numbers changed; a number of one digit never becomes 0."""
    places = [found.start() for found in _DIGITS.finditer(part)]
    # The last digits are where people err, and a year stays a year.
    place = places[-1 - int(rng.integers(min(2, len(places))))]
    choices = [digit for digit in "123456789" if digit != part[place]]
    return part[:place] + choices[int(rng.integers(len(choices)))] + part[place + 1 :]


def _stems(part: str) -> set[str]:
    return {stem(word) for word in re.findall(r"[^\W_]+", part) if not is_stopword(word)}


def _spellings(written: Counter[str]) -> dict[str, str]:
    forms: dict[str, Counter[str]] = {}
    for word, count in written.items():
        forms.setdefault(word.lower(), Counter())[word] += count
    best = {lower: max(same, key=lambda word: (same[word], word)) for lower, same in forms.items()}
    return {lower: word for lower, word in best.items() if word != lower and is_word(word)}
