"""Paraphrases: words are replaced by fitting ones of a list, and sentences are reworded by rules.

A masked LM decides whether a word fits.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nlgauge.engine.models.capabilities import Model
from nlgauge.errors import InputError
from nlgauge_lab.training.support.faithful import reworded
from nlgauge_lab.training.weak_labels.infilling import fits
from nlgauge_lab.training.weak_labels.inflection import article, inflected
from nlgauge_lab.training.weak_labels.syntax import Sentence, template
from nlgauge_lab.training.weak_labels.targets import stem

_CLASSES = {"VB": "V", "NN": "N", "JJ": "J"}
_LONGEST = 4
_PARTICLES = {"off", "out", "up", "down", "away", "back", "over", "on", "along", "around", "forth"}


class Substitution(NamedTuple):
    """Words [first, last) of a sentence, and the words that can replace them in the same form."""

    first: int
    last: int
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Lexicon:
    """Substitutes by class and lemma or phrase.

    The classes are V verb, N noun, J adjective, and R. Entries of the first three are lemmas, which are put into the
    form of the word that they replace. Entries of R are never inflected.
    """

    entries: Mapping[tuple[str, str], tuple[str, ...]]

    @classmethod
    def read(cls, path: Path | None = None) -> Lexicon:
        """Read a list in the format of `lexicon.txt` in this folder, which is the default.

        The head of that file explains it.

        Raises:
            InputError: a line is no entry.
        """
        path = path or Path(__file__).with_name("lexicon.txt")
        found: dict[tuple[str, str], dict[str, None]] = {}
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"cannot be read: {error}", file=path, remedy="give a text file in UTF-8") from None
        for row, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            for key, substitute in _pairs(line, path, row):
                found.setdefault(key, {})[substitute] = None
        return cls({key: tuple(substitutes) for key, substitutes in found.items()})

    def substitutions(self, sentence: Sentence) -> list[Substitution]:
        """Return the words of a sentence that can be replaced. They may overlap, and longer phrases come first."""
        surface = [sentence.text[word.begin : word.end] for word in sentence.words]
        found: list[Substitution] = []
        for first in range(len(surface)):
            for last in range(min(len(surface), first + _LONGEST), first, -1):
                if choices := self._choices(sentence, surface, first, last):
                    found.append(Substitution(first, last, choices))
        return found

    def _choices(self, sentence: Sentence, surface: list[str], first: int, last: int) -> tuple[str, ...]:
        words = sentence.words[first:last]
        head = words[0]
        # Names are what they are.
        named = any(word.tag in ("NNP", "NNPS") or word.entity in ("PERSON", "WORK_OF_ART") for word in words)
        if named or (first > 0 and surface[first][0].isupper()):
            written = " ".join(surface[first:last])
            return self.entries.get(("R", written), ()) if written[0].isupper() else ()
        # "died out" is not "died", nor "high-ranking" what "ranking" is.
        beyond = sentence.words[last].tag if last < len(surface) else ""
        verb = words[0].tag.startswith("VB")
        if verb and (words[0].relation == "amod" or (last < len(surface) and surface[last] in _PARTICLES)):
            return ()
        if beyond in ("RP", "HYPH", "POS") or (first and sentence.words[first - 1].tag == "HYPH"):
            return ()
        plain = " ".join(surface[first:last]).lower()
        choices = self.entries.get(("R", plain), ()) if last - first > 1 or head.tag[:2] in ("RB", "IN") else ()
        kind = _CLASSES.get(head.tag[:2])
        if kind is not None and head.relation not in ("aux", "auxpass"):
            rest = [text.lower() for text in surface[first + 1 : last]]
            lemma = " ".join([head.lemma, *rest])
            forms = (inflected(one, head.tag) for one in self.entries.get((kind, lemma), ()))
            choices += tuple(form for form in forms if form is not None and form.lower() != plain)
        return choices

    def alike(self, word: str, other: str) -> bool:
        """Return whether two words have the same stem, or the list gives one of them as a paraphrase of the other."""
        pairs = ((word, other), (other, word))
        listed = any(b in self.entries.get((kind, a), ()) for kind in "VNJR" for a, b in pairs)
        return listed or stem(word) == stem(other)


def _pairs(line: str, path: Path, row: int) -> Iterable[tuple[tuple[str, str], str]]:
    kind, _, rest = line.strip().partition(" ")
    mutual = "=" in rest
    left, _, right = rest.partition("=" if mutual else ">")
    ours, theirs = left.strip(), [one.strip() for one in right.split(",")]
    if kind not in ("V", "N", "J", "R") or not ours or not all(theirs):
        remedy = "write V, N, J or R, then 'word = word' or 'word > word, word'"
        raise InputError(f"not an entry: {line.strip()!r}", file=path, row=row, remedy=remedy)
    for other in theirs:
        yield (kind, ours), other
        if mutual:
            yield (kind, other), ours


_ARTICLE = re.compile(r"\b([Aa])(n?) (?=([A-Za-z0-9]\w*))")


@dataclass(frozen=True)
class Paraphraser:
    """Replaces words by a lexicon, and then rewords the sentence by rules that lose nothing.

    model: a masked LM, which refuses a substitute whose first piece is more than `tolerance` nats less likely than the
    first piece of the replaced words. share: share of the possible substitutions that are tried. reworded: share of the
    sentences to which the rules are applied.
    """

    lexicon: Lexicon
    model: Model
    tolerance: float = 3.5
    share: float = 0.6
    reworded: float = 0.7

    def paraphrase(self, sentences: Sequence[Sentence], rngs: Sequence[np.random.Generator]) -> list[str]:
        """Return each sentence in other words, or unchanged if nothing could be replaced."""
        drawn = [self._drawn(sentence, rng) for sentence, rng in zip(sentences, rngs, strict=True)]
        places = [[(change.first, change.last) for change in some] for some in drawn]
        templates = [template(one, some) for one, some in zip(sentences, places, strict=True)]
        wordings = [
            [(old, *change.choices) for old, change in zip(holed.originals, changes, strict=True)]
            for holed, changes in zip(templates, drawn, strict=True)
        ]
        scores = fits(self.model, templates, wordings)
        return [
            self._written(
                sentence, [one for one, (old, new) in zip(changes, fit, strict=True) if old - new < self.tolerance], rng
            )
            for sentence, changes, fit, rng in zip(sentences, drawn, scores, rngs, strict=True)
        ]

    def _drawn(self, sentence: Sentence, rng: np.random.Generator) -> list[Substitution]:
        """Return substitutions to try, at disjoint places, each with one choice."""
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
    """Return the text with 'a' and 'an' as the following words need them.

    Phrases in `known` stay as they are ("an der Mur").
    """

    def right(found: re.Match[str]) -> str:
        return found[0] if f"{found[0]}{found[3]}" in known else f"{found[1]}{article(found[3])[1:]} "

    return _ARTICLE.sub(right, text)
