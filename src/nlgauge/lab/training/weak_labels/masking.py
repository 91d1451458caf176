"""Which parts of a sentence are masked: syntactic units, larger ones more seldom.

Deng et al. 2021, appendix A, step 3, with the probabilities of the published code: a unit of height h with a share w of
the sentence's words is masked with probability w / (h + 1), but never one stop-word or what holds no letter or digit. A
masked unit swallows the masks within it.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from nlgauge.engine.words import is_word
from nlgauge.lab.training.weak_labels.syntax import Sentence
from nlgauge.maths.stopwords import is_stopword

Span = tuple[int, int]
"""Words [first, last) of a sentence"""


def masks(sentence: Sentence, rng: np.random.Generator, attempts: int = 5, longest: int = 6) -> list[Span] | None:
    """Disjoint spans in order, at least one; None where every attempt was refused.

    attempts: how often to draw anew where the draw is refused: no mask, two that touch, the whole sentence.
    longest: words a mask at most. The published code has no such limit; a small masked LM writes no long phrases.
    """
    size = max(1, len(sentence.text.split()))
    wordlike = [is_word(sentence.text[word.begin : word.end]) for word in sentence.words]
    chances: dict[Span, float] = {}
    for first, last, height in sentence.nodes:
        while first < last and not wordlike[first]:
            first += 1
        while first < last and not wordlike[last - 1]:
            last -= 1
        if 0 < last - first <= longest:
            part = sentence.part(first, last)
            never = is_stopword(part) or not is_word(part)
            chances.setdefault((first, last), 0.0 if never else len(part.split()) / size / (height + 1))
    for _ in range(attempts):
        chosen: list[Span] = []
        for (first, last), draw in zip(chances, rng.random(len(chances)), strict=True):
            if draw < chances[first, last]:
                chosen = [span for span in chosen if not (first <= span[0] and span[1] <= last)]
                chosen.append((first, last))
        chosen.sort()
        covered = {index for span in chosen for index in range(*span)}
        whole = all(index in covered for index, word in enumerate(wordlike) if word)
        if chosen and not whole and all(before[1] < after[0] for before, after in pairwise(chosen)):
            return chosen
    return None
