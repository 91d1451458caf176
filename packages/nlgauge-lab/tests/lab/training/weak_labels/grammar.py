"""Parsed sentences for tests, written by hand, and a parser that needs no library."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from nlgauge_lab.training.weak_labels.syntax import Sentence, SpacyParser, Word
from nlgauge_lab.training.weak_labels.targets import sentence_list


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
