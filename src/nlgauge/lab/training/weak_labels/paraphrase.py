"""The same content in other words: substitutes from a list that a masked LM finds fitting, and rewordings by rule."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nlgauge.engine.models.capabilities import Model
from nlgauge.lab.training.support.faithful import reworded
from nlgauge.lab.training.weak_labels.infilling import fits
from nlgauge.lab.training.weak_labels.inflection import article
from nlgauge.lab.training.weak_labels.lexicon import Lexicon, Substitution
from nlgauge.lab.training.weak_labels.syntax import Sentence, template

_ARTICLE = re.compile(r"\b([Aa])(n?) (?=([A-Za-z0-9]\w*))")


@dataclass(frozen=True)
class Paraphraser:
    """Substitutes words by a lexicon, and rewords what comes of it by rules that lose nothing.

    model: a masked LM that refuses substitutes that do not fit the place: those whose first piece is more than
    `tolerance` nats less likely than that of the words that they replace. share: of the words that could be
    substituted. reworded: how often the rules are applied.
    """

    lexicon: Lexicon
    model: Model
    tolerance: float = 3.5
    share: float = 0.6
    reworded: float = 0.7

    def paraphrase(self, sentences: Sequence[Sentence], rngs: Sequence[np.random.Generator]) -> list[str]:
        """Each sentence in other words, or unchanged where nothing could be done."""
        drawn = [self._drawn(sentence, rng) for sentence, rng in zip(sentences, rngs, strict=True)]
        places = [[(change.first, change.last) for change in some] for some in drawn]
        templates = [template(one, some) for one, some in zip(sentences, places, strict=True)]
        wordings = [
            [(old, *change.choices) for old, change in zip(holed.originals, changes, strict=True)]
            for holed, changes in zip(templates, drawn, strict=True)
        ]
        scores = fits(self.model, templates, wordings)
        return [
            self._written(sentence, [one for one, (old, new) in zip(changes, fit, strict=True)
                                     if old - new < self.tolerance], rng)
            for sentence, changes, fit, rng in zip(sentences, drawn, scores, rngs, strict=True)
        ]  # fmt: skip

    def _drawn(self, sentence: Sentence, rng: np.random.Generator) -> list[Substitution]:
        """Substitutions to try: disjoint places, each with the one choice that was drawn."""
        drawn: list[Substitution] = []
        taken = 0
        for place in self.lexicon.substitutions(sentence):
            draw, index = rng.random(), int(rng.integers(len(place.choices)))
            if place.first >= taken:
                # A phrase that is left alone is not touched in parts either.
                taken = place.last
                if draw < self.share:
                    drawn.append(place._replace(choices=(place.choices[index],)))
        return drawn

    def _written(self, sentence: Sentence, changes: list[Substitution], rng: np.random.Generator) -> str:
        text = sentence.text
        for first, last, (wording,) in reversed(changes):
            begin, end = sentence.words[first].begin, sentence.words[last - 1].end
            capital = first == 0 and text[begin].isupper()
            text = text[:begin] + (wording[0].upper() + wording[1:] if capital else wording) + text[end:]
        if rng.random() < self.reworded:
            text = reworded(text, random.Random(int(rng.integers(2**32))))
        return with_articles(text, sentence.text)


def with_articles(text: str, known: str = "") -> str:
    """The text with 'a' and 'an' as the words that follow ask; what stands so in `known` stays ("an der Mur")."""

    def right(found: re.Match[str]) -> str:
        return found[0] if f"{found[0]}{found[3]}" in known else f"{found[1]}{article(found[3])[1:]} "

    return _ARTICLE.sub(right, text)
