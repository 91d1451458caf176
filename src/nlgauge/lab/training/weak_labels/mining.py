"""Substitutes found in pairs of texts that say the same: what one writer puts where another put something else."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable

from nlgauge.lab.training.weak_labels.lexicon import Lexicon
from nlgauge.lab.training.weak_labels.pseudo_targets import stem
from nlgauge.lab.training.weak_labels.spellings import SMALL_NUMBERS
from nlgauge.maths.stopwords import is_stopword

_TOKEN = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")
_LIKE = 0.5  # share of words in common without which two texts are no pair
_LONGEST = 3


def mined(pairs: Iterable[tuple[str, str]], least: int = 2) -> Lexicon:
    """Words and phrases that stand for each other in at least `least` pairs, as they are written: class S.

    A phrase of up to 3 words counts where the words around it are the same in both texts. Names, numbers, changes of
    inflection alone and of stop-words alone are left out.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for one, other in pairs:
        counts.update(set(_replaced(_TOKEN.findall(one), _TOKEN.findall(other))))
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for (old, new), times in sorted(counts.items()):
        if times >= least:
            found["S", old] = (*found.get(("S", old), ()), new)
    return Lexicon(found)


def _replaced(ours: list[str], theirs: list[str]) -> Iterable[tuple[str, str]]:
    if not ours or not theirs:
        return
    matcher = difflib.SequenceMatcher(None, [w.lower() for w in ours], [w.lower() for w in theirs], autojunk=False)
    if matcher.quick_ratio() < _LIKE or matcher.ratio() < _LIKE:
        return
    for kind, i, j, k, m in matcher.get_opcodes():
        inner = i > 0 and k > 0 and j < len(ours) and m < len(theirs)
        if kind == "replace" and inner and j - i <= _LONGEST and m - k <= _LONGEST:
            old, new = ours[i:j], theirs[k:m]
            if _telling(old) and _telling(new) and {stem(w) for w in old}.isdisjoint(stem(w) for w in new):
                yield " ".join(old), " ".join(new)


def _telling(words: list[str]) -> bool:
    plain = all(word[0].isalpha() and word.islower() and word not in SMALL_NUMBERS for word in words)
    return plain and not all(is_stopword(word) for word in words)
