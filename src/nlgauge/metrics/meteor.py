"""METEOR: words matched exactly, by stem and by synonym, with a penalty for matches out of order.

2005: Banerjee and Lavie, "METEOR: An Automatic Metric for MT Evaluation with Improved Correlation with Human
Judgments", ACL workshop on measures for machine translation and summarisation. 2007: Lavie and Agarwal, "Meteor: An
Automatic Metric for MT Evaluation with High Levels of Correlation with Human Judgments", WMT, whose weights were fitted
to people's judgements. Meteor 1.5, the Java program with paraphrase tables, is another metric by this name: its numbers
are not these.

Of the alignments with most matches the papers want the one with fewest crossings; here, as in NLTK, words are matched
from the end of the candidate, each with the last word of the reference that is still free, first all exact matches,
then stems, then synonyms. On equal words, stems and synonyms the numbers are NLTK's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar, NamedTuple

from nlgauge.corpus import Corpus
from nlgauge.errors import MissingExtraError, SpecError
from nlgauge.metrics.base import SPLITTERS, Pair, TextPairScorer, TextReferenceMetric, splitter

_WEIGHTS = {"2005": (0.9, 3.0, 0.5), "2007": (0.81, 0.83, 0.28)}
"""By variant: recall's share of F, exponent and weight of the penalty"""


class _Read(NamedTuple):
    words: list[str]
    stems: list[str]


@dataclass(frozen=True)
class METEOR(TextReferenceMetric):
    """METEOR of 2005 or 2007: F of matched words, recall weighing more, less a penalty for scattered matches; 0 to 1.

    variant: '2005', F weighed 9 to 1 (NLTK's default), or '2007', the weights fitted for English.
    stemmer: 'porter', 'none', or a language of Snowball ('german', 'english' for Porter 2, ...).
    wordnet: a folder with WordNet's files (data.noun, index.noun, ...), for matches by synonym, which the published
        numbers have: Debian's wordnet-base puts them into /usr/share/wordnet, NLTK into corpora/wordnet. None: without.
    tokenizer: how words are found: '13a', 'intl', 'zh' or 'char' of sacrebleu, 'unicode' (any script, no punctuation)
        or 'spaces'. All in lower case.
    """

    citation: ClassVar[str] = "Banerjee and Lavie 2005, ACL workshop; Lavie and Agarwal 2007, WMT"
    choices: ClassVar[Mapping[str, Sequence[object]]] = {
        **TextReferenceMetric.choices,
        "variant": tuple(_WEIGHTS),
        "tokenizer": SPLITTERS,
    }

    variant: str = "2005"
    stemmer: str = "porter"
    wordnet: str | None = None
    tokenizer: str = "13a"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.stemmer, str) or not isinstance(self.wordnet, str | None):
            raise SpecError("METEOR: stemmer is a name, wordnet a folder or None")

    def scorer(self, corpus: Corpus) -> METEORScorer:
        return METEORScorer(self)


class METEORScorer(TextPairScorer):
    """Finds words, stems and synonyms once for each distinct text or word."""

    metric: METEOR

    def __init__(self, metric: METEOR) -> None:
        super().__init__(metric)
        self._split, self._stem = splitter(metric.tokenizer), _stemmer(metric.stemmer)
        self._synonyms: Callable[[str], frozenset[str]] | None = None
        synonyms = "none"
        if metric.wordnet is not None:
            net = WordNet(Path(metric.wordnet))
            self._synonyms, synonyms = cache(net.synonyms), f"wordnet@{net.digest[:8]}"
        self.signature = {"synonyms": synonyms}

    def read(self, text: str) -> _Read | None:
        words = self._split(text)
        return _Read(words, [*map(self._stem, words)]) if words else None

    def measure(self, pairs: Sequence[Pair]) -> list[tuple[float]]:
        alpha, beta, gamma = _WEIGHTS[self.metric.variant]
        return [(self._score(*pair, alpha, beta, gamma),) for pair in pairs]

    def _score(self, candidate: _Read, reference: _Read, alpha: float, beta: float, gamma: float) -> float:
        matches = self._matches(candidate, reference)
        if not matches:
            return 0.0
        precision, recall = len(matches) / len(candidate.words), len(matches) / len(reference.words)
        f = precision * recall / (alpha * precision + (1 - alpha) * recall)
        together = sum((i + 1) in matches and matches[i + 1] == j + 1 for i, j in matches.items())
        penalty: float = gamma * ((len(matches) - together) / len(matches)) ** beta
        return (1 - penalty) * f

    def _matches(self, candidate: _Read, reference: _Read) -> dict[int, int]:
        """Places of the reference's words by those of the candidate's that they are matched with."""
        matches: dict[int, int] = {}
        ours, theirs = [*range(len(candidate.words))], [*range(len(reference.words))]
        for one, other in ((candidate.words, reference.words), (candidate.stems, reference.stems)):
            free: dict[str, list[int]] = {}
            for j in theirs:
                free.setdefault(other[j], []).append(j)
            for i in reversed(ours):
                if places := free.get(one[i]):
                    matches[i] = places.pop()
            taken = set(matches.values())
            ours, theirs = [i for i in ours if i not in matches], [j for j in theirs if j not in taken]
            if not ours or not theirs:
                return matches
        if self._synonyms is not None:
            for i in reversed(ours):
                words = self._synonyms(candidate.words[i])
                found = max((j for j in theirs if reference.words[j] in words), default=None)
                if found is not None:
                    matches[i] = found
                    theirs.remove(found)
        return matches


def _stemmer(name: str) -> Callable[[str], str]:
    if name == "none":
        return lambda word: word
    try:
        import snowballstemmer
    except ImportError:
        raise MissingExtraError("METEOR", "strings") from None
    if name not in snowballstemmer.algorithms():
        known = ", ".join(["none", *sorted(snowballstemmer.algorithms())])
        raise SpecError(f"METEOR: stemmer={name!r} is not one of {known}")
    stem: Callable[[str], str] = cache(snowballstemmer.stemmer(name).stemWord)
    return stem


_KINDS = ("noun", "verb", "adj", "adv")
_ENDINGS: Mapping[str, Sequence[tuple[str, str]]] = {
    "noun": [("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
             ("men", "man"), ("ies", "y")],
    "verb": [("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")],
    "adj": [("er", ""), ("est", ""), ("er", "e"), ("est", "e")],
    "adv": [],
}  # fmt: skip


class WordNet:
    """Synonyms from WordNet's files (Miller, "WordNet: A Lexical Database for English", CACM 1995).

    Words are looked up as they are and by their base forms. Raises SpecError where a file is missing.
    """

    def __init__(self, folder: Path) -> None:
        digest = hashlib.sha256()
        self._senses: dict[str, dict[str, list[int]]] = {}
        self._words: dict[str, dict[int, list[str]]] = {}
        self._exceptions: dict[str, dict[str, list[str]]] = {}
        for kind in _KINDS:
            lines = {}
            for name in (f"index.{kind}", f"data.{kind}", f"{kind}.exc"):
                try:
                    content = (folder / name).read_bytes()
                except OSError as error:
                    raise SpecError(f"METEOR: wordnet={str(folder)!r}: {name}: {error.strerror}") from None
                digest.update(content)
                lines[name] = content.decode("utf-8", "replace").splitlines()
            self._senses[kind] = dict(map(_index, _entries(lines[f"index.{kind}"])))
            self._words[kind] = dict(map(_data, _entries(lines[f"data.{kind}"])))
            self._exceptions[kind] = {
                form: bases for form, *bases in map(str.split, filter(None, lines[f"{kind}.exc"]))
            }
        self.digest = digest.hexdigest()

    def synonyms(self, word: str) -> frozenset[str]:
        """The word and all single words that share a sense with it."""
        found = {word}
        for kind in _KINDS:
            senses = self._senses[kind]
            for base in self._bases(word, kind):
                found.update(name for sense in senses[base] for name in self._words[kind][sense] if "_" not in name)
        return frozenset(found)

    def _bases(self, word: str, kind: str) -> list[str]:
        """The forms under which a word is found: itself, and those of the list of exceptions or without an ending."""
        bases = self._exceptions[kind].get(word)
        if bases is None:
            bases = [word[: -len(old)] + new for old, new in _ENDINGS[kind] if word.endswith(old)]
        return [form for form in dict.fromkeys([word, *bases]) if form in self._senses[kind]]


def _entries(lines: Sequence[str]) -> list[list[str]]:
    """The fields of the lines that are not part of the licence at the top, without the glosses."""
    return [line.partition("|")[0].split() for line in lines if line and not line.startswith(" ")]


def _index(fields: list[str]) -> tuple[str, list[int]]:
    """Lemma and its senses: the last fields of a line, as many as its third says."""
    return fields[0], [int(field) for field in fields[-int(fields[2]) :]]


def _data(fields: list[str]) -> tuple[int, list[str]]:
    """Sense and its words, some of which carry a mark of their place such as (a)."""
    count = int(fields[3], 16)
    return int(fields[0]), [word.partition("(")[0] for word in fields[4 : 4 + 2 * count : 2]]
