"""ROUGE, computed by the library rouge-score-rs, with the same scores as Google's rouge-score.

Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", ACL workshop Text Summarization Branches Out, 2004.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from nlgauge._plugins import installed_version
from nlgauge.contract.base import SHARE, Limits, Prepared, Setup
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.errors import SpecError
from nlgauge.maths.text import sentence_spans
from nlgauge.metrics.references import StringReferenceMetric

_TOKENIZERS = {"ascii": "DefaultTokenizer", "unicode": "UnicodeTokenizer", "character": "CharacterTokenizer"}
"""The tokenizers, with their names in rouge-score-rs"""
_LETTER = re.compile("[A-Za-z0-9]")
"""A character that every tokenizer reads as part of a word"""
_MOST_CELLS = 10_000_000_000
"""The largest product of the numbers of words of a candidate and its reference (100,000 each) that are compared. Then a
common subsequence takes minutes. For the longest possible texts it would take a day"""
_UNDEFINED = (math.nan, math.nan, math.nan)


class OtherScript(str):
    """A text that has words, but none that the tokenizer finds."""

    __slots__ = ()


class _Tokenizer(Protocol):
    def tokenize(self, text: str) -> list[str]: ...


class _Score(Protocol):
    fmeasure: float
    precision: float
    recall: float


class _Scorer(Protocol):
    def score_batch(self, targets: Sequence[str], predictions: Sequence[str]) -> Sequence[Mapping[str, _Score]]: ...


@dataclass(frozen=True)
class ROUGE(StringReferenceMetric[str]):
    """ROUGE: words (1), word n-grams (2 to 9) or common subsequences (L, Lsum) of candidate and reference."""

    parts: ClassVar[tuple[str, ...]] = ("f1", "precision", "recall")
    limits: ClassVar[Mapping[str, Limits]] = dict.fromkeys(parts, SHARE)
    short: ClassVar[str] = "variant"
    citation: ClassVar[str] = "Lin 2004, ACL workshop Text Summarization Branches Out"
    libraries: ClassVar[tuple[str, ...]] = ("rouge-score-rs",)
    undefined: ClassVar[str] = "neither text has enough words"
    too_long: ClassVar[str | None] = f"the texts are too long: over {_MOST_CELLS:,} pairs of words"

    references: str = param(
        "best",
        choices=("best", "mean", "sum"),
        help="the 'best' by F; the 'mean'; or 'sum', matches and words summed over references (ROUGE-1.5.5 -f A)",
    )
    variant: str = param(
        "L",
        choices=(*"123456789", "L", "Lsum"),
        help="what is matched: '1' to '9', n-grams of so many words; 'L', the longest common subsequence of the "
        "texts; 'Lsum', the union of those of each reference sentence with all candidate sentences",
    )
    stemmer: bool = param(False, help="compare Porter stems, for English only")
    tokenizer: str = param(
        "ascii",
        choices=tuple(_TOKENIZERS),
        help="how words are found: 'ascii' is rouge-score's, which ignores all other letters; 'unicode' finds words "
        "in any script, with one character per word in Chinese and Japanese; 'character' uses letters and digits",
    )
    sentences: str = param(
        "lines",
        choices=("lines", "split"),
        help="for Lsum, the 'lines' of the text, or 'split' to find the ends of sentences",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stemmer and self.tokenizer != "ascii":
            raise SpecError("ROUGE: stemmer=True is for English only and needs tokenizer='ascii'")

    def prepare(self, setup: Setup) -> Prepared:
        _tokenizer(self.tokenizer, self.stemmer)
        stemmer = "porter" if self.stemmer else "none"
        facts = {
            "library": f"rouge-score-rs-{installed_version('rouge-score-rs')}",
            "variant": self.variant,
            "stemmer": stemmer,
            "tok": self.tokenizer,
        }
        return Prepared(facts=facts if self.variant != "Lsum" else {**facts, "sentences": self.sentences})

    def read(self, text: str, prepared: Prepared) -> str | None:
        """Return the text that is compared, for ROUGE-Lsum with one sentence per line; None if it has no words."""
        if self.variant == "Lsum" and self.sentences == "split":
            text = "\n".join(text[begin:end] for begin, end in sentence_spans(text))
        if _LETTER.search(text) or self._words(text):
            return text
        return OtherScript(text) if any(map(str.isalnum, text)) else None

    def read_all(self, texts: Iterable[str], prepared: Prepared) -> list[str | None]:
        if self.variant == "Lsum":
            return super().read_all(texts, prepared)
        has_letter = _LETTER.search
        return [text if has_letter(text) else self.read(text, prepared) for text in texts]

    def unusable(self, side: str) -> str | None:
        return "no words of a to z: tokenizer='unicode' reads any script" if type(side) is OtherScript else None

    def unusable_of(self, sides: Iterable[str | None]) -> Callable[[str], str | None] | None:
        return self.unusable if OtherScript in {*map(type, sides)} else None

    def compare(self, pairs: Sequence[tuple[str, str]], prepared: Prepared) -> list[tuple[float, float, float]]:
        name, shortest = f"rouge{self.variant}", self._shortest
        scorer = _scorer(name, self.tokenizer, self.stemmer)
        near, far = (
            pairs,
            {at for at, (a, b) in enumerate(pairs) if len(a) * len(b) > _MOST_CELLS and self._is_far(a, b)},
        )
        near = [pair for at, pair in enumerate(pairs) if at not in far] if far else pairs
        scored = scorer.score_batch([reference for _, reference in near], [candidate for candidate, _ in near])
        scores = [
            (score.fmeasure, score.precision, score.recall)
            if (score := scores[name]).fmeasure or max(map(self._words, pair)) >= shortest
            else _UNDEFINED
            for scores, pair in zip(scored, near, strict=True)
        ]
        for at in sorted(far):
            scores.insert(at, _UNDEFINED)
        return scores

    def is_cheap(self, row: Row) -> bool:
        return self.variant != "Lsum"

    def why(self, pairs: Sequence[tuple[str, str]]) -> str:
        return self.too_long if self.too_long and any(self._is_far(*pair) for pair in pairs) else self.undefined

    def _is_far(self, candidate: str, reference: str) -> bool:
        """Return whether two texts are too long for a common subsequence, whose time is the product of lengths."""
        if len(candidate) * len(reference) <= _MOST_CELLS or self.variant.isdigit():
            return False
        return self._words(candidate) * self._words(reference) > _MOST_CELLS

    def _words(self, text: str) -> int:
        """Return the number of words that the tokenizer finds in a text."""
        return len(_tokenizer(self.tokenizer, self.stemmer).tokenize(text))

    def reduced(self, pairs: Sequence[tuple[str, str]], scores: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.references != "sum":
            return super().reduced(pairs, scores)
        words = {text: self._words(text) for pair in pairs for text in pair}
        units = np.array([[words[side] for side in pair] for pair in pairs]) - self._shortest + 1
        of_candidate, of_reference = np.maximum(units, 0).T
        # The library returns shares; matches are whole numbers.
        matches = np.where(of_candidate > 0, scores[:, 1] * of_candidate, 0).round().sum()
        sums = of_candidate.sum(), of_reference.sum()
        if not any(sums):
            return np.full(3, np.nan)
        precision, recall = (matches / units if units else 0.0 for units in sums)
        return np.array([2 * matches / sum(sums), precision, recall])

    @property
    def _shortest(self) -> int:
        """The least number of words with which a text has an n-gram of the variant; 1 for subsequences."""
        return int(self.variant) if self.variant.isdigit() else 1


@cache
def _tokenizer(name: str, stemmer: bool) -> _Tokenizer:
    from rouge_score_rs import tokenizers

    kind = getattr(tokenizers, _TOKENIZERS[name])
    tokenizer: _Tokenizer = kind(stemmer) if name == "ascii" else kind()
    return tokenizer


@cache
def _scorer(name: str, tokenizer: str, stemmer: bool) -> _Scorer:
    import rouge_score_rs

    scorer: _Scorer = getattr(rouge_score_rs, "RougeScorer")([name], tokenizer=_tokenizer(tokenizer, stemmer))  # noqa: B009
    return scorer
