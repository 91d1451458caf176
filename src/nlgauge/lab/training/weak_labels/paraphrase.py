"""The same content in other words: by a checkpoint, or by our own substitutions and rewritings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from nlgauge.engine.models.capabilities import Model
from nlgauge.lab.training.weak_labels.inflection import article
from nlgauge.lab.training.weak_labels.lexicon import Lexicon
from nlgauge.lab.training.weak_labels.reading import fits
from nlgauge.lab.training.weak_labels.rewriting import RULES
from nlgauge.lab.training.weak_labels.sentence_order import Order, write
from nlgauge.lab.training.weak_labels.shortening import SHORTENING
from nlgauge.lab.training.weak_labels.spellings import written_otherwise
from nlgauge.lab.training.weak_labels.syntax import Sentence, template


class Paraphraser(Protocol):
    """What a paraphraser of another kind has to offer."""

    @property
    def name(self) -> str:
        """For the data card"""
        ...

    def paraphrase(self, sentences: Sequence[Sentence], rngs: Sequence[np.random.Generator]) -> list[str]:
        """Each sentence in other words, or unchanged where nothing could be done. One may become two."""
        ...


class Change(NamedTuple):
    """Another wording for words [first, last) of a sentence."""

    first: int
    last: int
    wording: str


@dataclass(frozen=True)
class Rewriter:
    """Substitutes words by a lexicon and rewrites grammar by rules, without a checkpoint.

    judge: a masked LM that refuses substitutes that do not fit the place: those whose first piece is more than
    `tolerance` nats less likely than that of the words that they replace. None takes all.
    share: of the words that could be substituted. rewritten, shortened: how often a rule that applies is applied.
    """

    lexicon: Lexicon = field(default_factory=Lexicon.read)
    judge: Model | None = None
    tolerance: float = 3.5
    share: float = 0.6
    rewritten: float = 0.7
    shortened: float = 0.25

    @property
    def name(self) -> str:
        judge = f"judged by {self.judge.name} within {self.tolerance}" if self.judge else "not judged"
        return (
            f"lexicon of {len(self.lexicon.entries)} ({judge}, share {self.share}) and {len(RULES) + len(SHORTENING)} "
            f"rules (rewritten {self.rewritten}, shortened {self.shortened})"
        )

    def paraphrase(self, sentences: Sequence[Sentence], rngs: Sequence[np.random.Generator]) -> list[str]:
        drawn = [self._drawn(sentence, rng) for sentence, rng in zip(sentences, rngs, strict=True)]
        fitting = self._fitting(sentences, drawn)
        return [
            self._written(sentence, changes, rng)
            for sentence, changes, rng in zip(sentences, fitting, rngs, strict=True)
        ]

    def _drawn(self, sentence: Sentence, rng: np.random.Generator) -> list[Change]:
        """Substitutions to try: disjoint places and a wording for each."""
        drawn: list[Change] = []
        taken = 0
        for place in self.lexicon.substitutions(sentence):
            draw, index = rng.random(), int(rng.integers(len(place.choices)))
            if place.first >= taken:
                # A phrase that is left alone is not touched in parts either.
                taken = place.last
                if draw < self.share:
                    drawn.append(Change(place.first, place.last, place.choices[index]))
        return drawn

    def _fitting(self, sentences: Sequence[Sentence], drawn: list[list[Change]]) -> list[list[Change]]:
        if self.judge is None:
            return drawn
        templates = [
            template(one, [(c.first, c.last) for c in some]) for one, some in zip(sentences, drawn, strict=True)
        ]
        wordings = [
            [(old, change.wording) for old, change in zip(holed.originals, changes, strict=True)]
            for holed, changes in zip(templates, drawn, strict=True)
        ]
        return [
            [change for change, (old, new) in zip(changes, scores, strict=True) if old - new < self.tolerance]
            for changes, scores in zip(drawn, fits(self.judge, templates, wordings), strict=True)
        ]

    def _written(self, sentence: Sentence, changes: list[Change], rng: np.random.Generator) -> str:
        surface = [sentence.text[word.begin : word.end] for word in sentence.words]
        for first, last, wording in changes:
            capital = surface[first][0].isupper() and first == 0
            surface[first:last] = [wording[0].upper() + wording[1:] if capital else wording] + [""] * (last - first - 1)
        order: Order = list(range(len(surface)))
        for rules, often in ((SHORTENING, self.shortened), (RULES, self.rewritten)):
            names = [list(rules)[index] for index in rng.permutation(len(rules))]
            found = next((new for name in names if (new := rules[name](sentence)) is not None), None)
            if found is not None and rng.random() < often:
                order = found
                break
        text = write(sentence, order, surface)
        ways = written_otherwise(text)
        if ways and rng.random() < self.rewritten:
            text = ways[int(rng.integers(len(ways)))](text)
        return with_articles(text, sentence.text)


_ARTICLE = re.compile(r"\b([Aa])(n?) (?=([A-Za-z0-9]\w*))")


def with_articles(text: str, known: str = "") -> str:
    """The text with 'a' and 'an' as the words that follow ask; what stands so in `known` stays ("an der Mur")."""

    def right(found: re.Match[str]) -> str:
        return found[0] if f"{found[0]}{found[3]}" in known else f"{found[1]}{article(found[3])[1:]} "

    return _ARTICLE.sub(right, text)
