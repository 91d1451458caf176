"""Parsed sentences for tests, written by hand, and a parser that needs no library."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from nlgauge_lab.training.weak_labels.syntax import Sentence, SpacyParser, Word
from nlgauge_lab.training.weak_labels.targets import sentence_list
from tests.extras import english_pipeline


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


BRIDGE = sentence(
    "The firm built an old bridge in May.",
    "The DT 2 det",
    "firm NN 3 nsubj",
    "built VBD 0 ROOT build",
    "an DT 6 det",
    "old JJ 6 amod",
    "bridge NN 3 dobj",
    "in IN 3 prep",
    "May NNP 7 pobj may DATE",
    ". . 3 punct",
)


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


def real_parser() -> SpacyParser:
    """spaCy with an English pipeline; the test that asks for it is skipped where there is none."""
    english_pipeline()
    return _loaded()
