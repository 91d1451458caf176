"""METEOR: matches words exactly, by stem and by synonym, with a penalty for matches out of order.

2005: Banerjee and Lavie, "METEOR: An Automatic Metric for MT Evaluation with Improved Correlation with Human
Judgments", ACL workshop on measures for machine translation and summarisation. 2007: Lavie and Agarwal, "Meteor: An
Automatic Metric for MT Evaluation with High Levels of Correlation with Human Judgments", WMT, whose weights were fitted
to human ratings. Meteor 1.5, the Java program with paraphrase tables, is a different metric with different scores.

In the papers, the alignment with most matches has the fewest crossings. Here, as in NLTK, words are matched from the
end of the candidate, each with the last free word of the reference: first all exact matches, then stems, then synonyms.
With equal words, stems and synonyms the scores equal NLTK's. By default NLTK has its own stemming rules (unless
`PorterStemmer.ORIGINAL_ALGORITHM` is set), which variant 'nltk' uses.

Synonyms from WordNet's files: Miller, "WordNet: A Lexical Database for English", CACM 1995.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import ClassVar, NamedTuple, TypeAlias

from nlgauge.contract.base import SHARE, Limits, Prepared, Setup
from nlgauge.contract.parameters import param
from nlgauge.data.corpus.place import shown
from nlgauge.errors import MissingExtraError, SpecError
from nlgauge.metrics.references import StringReferenceMetric, splitter, splitter_library, splitter_param

_KINDS = ("noun", "verb", "adj", "adv")
_ENDINGS: Mapping[str, Sequence[tuple[str, str]]] = {
    "noun": [
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ],
    "verb": [("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")],
    "adj": [("er", ""), ("est", ""), ("er", "e"), ("est", "e")],
    "adv": [],
}


@dataclass(frozen=True)
class Kind:
    """WordNet's entries for one part of speech: nouns, verbs, adjectives or adverbs."""

    senses: Mapping[str, Sequence[int]]
    """The senses of each base form, by their numbers"""
    words: Mapping[int, Sequence[str]]
    """The words of each sense"""
    exceptions: Mapping[str, Sequence[str]]
    """The base forms of each irregular form"""
    endings: Sequence[tuple[str, str]]
    """Pairs of the ending of a form and the ending of its base form"""

    def synonyms(self, word: str) -> set[str]:
        """Return all single words that share a sense with a base form of a word."""
        return {
            name
            for base in self._bases(word)
            for sense in self.senses[base]
            for name in self.words[sense]
            if "_" not in name
        }

    def _bases(self, word: str) -> list[str]:
        """Return the forms of a word that have an entry: itself, and its base forms by exceptions or by rules."""
        bases = self.exceptions.get(word)
        if bases is None:
            bases = [word[: -len(ending)] + base for ending, base in self.endings if word.endswith(ending)]
        return [form for form in dict.fromkeys([word, *bases]) if form in self.senses]


@dataclass(frozen=True)
class WordNet:
    """WordNet's dictionary, which has the synonyms of words and of their base forms."""

    kinds: Sequence[Kind]
    digest: str
    """The digest of the files' content"""

    @classmethod
    def read(cls, folder: Path) -> WordNet:
        """Read a folder with index.noun, data.noun, noun.exc, ... Raises OSError if a file cannot be read."""
        digest = hashlib.sha256()
        kinds = []
        for kind in _KINDS:
            contents = [(folder / name).read_bytes() for name in (f"index.{kind}", f"data.{kind}", f"{kind}.exc")]
            for content in contents:
                digest.update(content)
            index, data, exceptions = (content.decode("utf-8", "replace").splitlines() for content in contents)
            bases = {form: bases for form, *bases in map(str.split, filter(None, exceptions))}
            senses, words = dict(map(_index, _entries(index))), dict(map(_data, _entries(data)))
            kinds.append(Kind(senses, words, bases, _ENDINGS[kind]))
        return cls(kinds, digest.hexdigest())

    def synonyms(self, word: str) -> frozenset[str]:
        """Return the word and all single words that share a sense with it."""
        return frozenset({word}.union(*(kind.synonyms(word) for kind in self.kinds)))


def _entries(lines: Sequence[str]) -> list[list[str]]:
    """Return the fields of all lines except the licence at the top, without glosses."""
    return [line.partition("|")[0].split() for line in lines if line and not line.startswith(" ")]


def _index(fields: list[str]) -> tuple[str, list[int]]:
    """Return the base form of a line of an index file, and its senses.

    The third field of the line is the number of senses. The senses are the last fields.
    """
    return fields[0], [int(field) for field in fields[-int(fields[2]) :]]


def _data(fields: list[str]) -> tuple[int, list[str]]:
    """Return the sense of a line of a data file, and the words of the sense, without marks of position such as (a)."""
    count = int(fields[3], 16)
    return int(fields[0]), [word.partition("(")[0] for word in fields[4 : 4 + 2 * count : 2]]


_WEIGHTS = {"2005": (0.9, 3.0, 0.5), "2007": (0.81, 0.83, 0.28), "nltk": (0.9, 3.0, 0.5)}
"""For each variant: recall's share of F, exponent and weight of the penalty"""

Synonyms: TypeAlias = Callable[[str], frozenset[str]]


class StemmedWords(NamedTuple):
    """The words of a text and their stems."""

    words: list[str]
    stems: list[str]


@dataclass(frozen=True, kw_only=True)
class METEORPrepared(Prepared):
    """The dictionary of synonyms; None if synonyms do not count."""

    net: WordNet | None


@dataclass(frozen=True)
class METEOR(StringReferenceMetric[StemmedWords]):
    """METEOR (2005 or 2007): recall-weighted F of matched words, minus a penalty for scattered matches; 0 to 1."""

    limits: ClassVar[Mapping[str, Limits]] = {"score": SHARE}
    citation: ClassVar[str] = "Banerjee and Lavie 2005, ACL workshop; Lavie and Agarwal 2007, WMT"

    variant: str = param(
        "2005",
        choices=tuple(_WEIGHTS),
        help="'2005', with recall weighted 9 to 1; '2007', with weights fitted for English; or 'nltk', as '2005' "
        "with NLTK's own stemming rules (needs nltk)",
    )
    stemmer: str = param(
        "porter", help="'porter', 'none', or a Snowball language ('german', 'english' for Porter 2, ...)"
    )
    wordnet: str | None = param(
        None,
        help="a folder with WordNet's files (data.noun, index.noun, ...) for matches by synonym, as in the published "
        "scores. Debian's wordnet-base puts them into /usr/share/wordnet, NLTK into corpora/wordnet. By default, "
        "synonyms do not count.",
    )
    tokenizer: str = splitter_param("13a")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.variant == "nltk" and self.stemmer != "porter":
            raise SpecError("METEOR: variant='nltk' has NLTK's stemmer: leave stemmer out")

    @property
    def libraries(self) -> tuple[str, ...]:  # type: ignore[override]
        stems = {"nltk": ("nltk",), "none": ()}.get(self._stems, ("snowballstemmer",))
        return (*splitter_library(self.tokenizer), *stems)

    def prepare(self, setup: Setup) -> METEORPrepared:
        splitter(self.tokenizer)
        _stemmer(self._stems)
        net = self._net()
        synonyms = "none" if net is None else {"name": "wordnet", "digest": net.digest}
        facts = {"variant": self.variant, "case": "lc", "tok": self.tokenizer, "stemmer": self._stems}
        return METEORPrepared(net=net, facts={**facts, "synonyms": synonyms})

    def read(self, text: str, prepared: METEORPrepared) -> StemmedWords | None:
        words = splitter(self.tokenizer)(text)
        return StemmedWords(words, [*map(_stemmer(self._stems), words)]) if words else None

    def compare(
        self, pairs: Sequence[tuple[StemmedWords, StemmedWords]], prepared: METEORPrepared
    ) -> list[tuple[float]]:
        synonyms = None if prepared.net is None else cache(prepared.net.synonyms)
        return [(self._score(*pair, synonyms),) for pair in pairs]

    def _score(self, candidate: StemmedWords, reference: StemmedWords, synonyms: Synonyms | None) -> float:
        alpha, beta, gamma = _WEIGHTS[self.variant]
        matches = matched(candidate, reference, synonyms)
        if not matches:
            return 0.0
        precision, recall = len(matches) / len(candidate.words), len(matches) / len(reference.words)
        f = precision * recall / (alpha * precision + (1 - alpha) * recall)
        together = sum([matches.get(i + 1) == j + 1 for i, j in matches.items()])
        penalty: float = gamma * ((len(matches) - together) / len(matches)) ** beta
        return (1 - penalty) * f

    @property
    def _stems(self) -> str:
        return "nltk" if self.variant == "nltk" else self.stemmer

    def _net(self) -> WordNet | None:
        try:
            return None if self.wordnet is None else WordNet.read(Path(self.wordnet))
        except OSError as error:
            name = Path(str(error.filename)).name
            raise SpecError(f"METEOR: wordnet={shown(self.wordnet)}: {name}: {error.strerror}") from None


def matched(candidate: StemmedWords, reference: StemmedWords, synonyms: Synonyms | None) -> dict[int, int]:
    """Return, for the index of each matched word of the candidate, the index of its match in the reference."""
    matches: dict[int, int] = {}
    left, free = [*range(len(candidate.words))], [*range(len(reference.words))]
    for candidate_forms, reference_forms in ((candidate.words, reference.words), (candidate.stems, reference.stems)):
        places: dict[str, list[int]] = {}
        for j in free:
            places.setdefault(reference_forms[j], []).append(j)
        for i in reversed(left):
            if same := places.get(candidate_forms[i]):
                matches[i] = same.pop()
        taken = set(matches.values())
        left, free = [i for i in left if i not in matches], [j for j in free if j not in taken]
        if not left or not free:
            return matches
    if synonyms is not None:
        for i in reversed(left):
            words = synonyms(candidate.words[i])
            last = max((j for j in free if reference.words[j] in words), default=None)
            if last is not None:
                matches[i] = last
                free.remove(last)
    return matches


@cache
def _stemmer(name: str) -> Callable[[str], str]:
    if name == "none":
        return str
    if name == "nltk":
        try:
            from nltk.stem.porter import PorterStemmer
        except ImportError:
            raise MissingExtraError("METEOR(variant='nltk')", "strings") from None
        by_nltk: Callable[[str], str] = lru_cache(1 << 17)(PorterStemmer().stem)
        return by_nltk
    try:
        import snowballstemmer
    except ImportError:
        raise MissingExtraError("METEOR", "strings") from None
    if name not in snowballstemmer.algorithms():
        choices = ", ".join(["none", *sorted(snowballstemmer.algorithms())])
        raise SpecError(f"METEOR: stemmer={shown(name)} is not one of {choices}")
    stem: Callable[[str], str] = lru_cache(1 << 17)(snowballstemmer.stemmer(name).stemWord)
    return stem
