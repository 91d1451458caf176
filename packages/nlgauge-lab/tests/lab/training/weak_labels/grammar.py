"""Parsed sentences for tests, written by hand, and a parser that needs no library."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from nlgauge_lab.training.weak_labels.syntax import Sentence, SpacyParser, Word
from nlgauge_lab.training.weak_labels.targets import sentence_list


def sentence(text: str, *words: str) -> Sentence:
    """A sentence of which each word is told as 'word tag head relation [lemma] [ENTITY]', heads counted from 1."""
    at, made = 0, []
    for index, line in enumerate(words):
        form, tag, head, relation, *rest = line.split()
        begin = text.index(form, at)
        at = begin + len(form)
        lemma = next((part for part in rest if not part.isupper()), form.lower())
        entity = next((part for part in rest if part.isupper()), "")
        number = int(head) - 1 if int(head) else index
        made.append(Word(begin, at, tag, number, relation, lemma, entity))
    return Sentence(text, tuple(made))


class PlainParser:
    """Sentences whose words all hang on the first: enough where only the flow is tested."""

    name = "plain"

    def parse(self, texts: Sequence[str]) -> list[list[Sentence]]:
        return [[self._sentence(one) for one in sentence_list(text)] for text in texts]

    @staticmethod
    def _sentence(text: str) -> Sentence:
        words, at = [], 0
        for form in text.replace(".", " .").split():
            begin = text.index(form, at)
            at = begin + len(form)
            tag = "." if form == "." else "CD" if form.isdigit() else "NN"
            words.append(Word(begin, at, tag, 0, "dep", form.lower(), "CARDINAL" if form.isdigit() else ""))
        return Sentence(text, tuple(words))


@functools.cache
def _loaded() -> SpacyParser:
    return SpacyParser()
