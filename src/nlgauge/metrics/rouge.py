"""ROUGE by rouge-score-rs, with the same scores as Google's rouge-score.

Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", ACL workshop Text Summarization Branches Out, 2004.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.metadata import version
from itertools import pairwise
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import SHARE, Limits, Prepared, Setup
from nlgauge.contract.parameters import param
from nlgauge.errors import SpecError
from nlgauge.maths.text import sentence_ends
from nlgauge.metrics.references import StringReferenceMetric

_TOKENIZERS = {"ascii": "DefaultTokenizer", "unicode": "UnicodeTokenizer", "character": "CharacterTokenizer"}
"""Their names in rouge-score-rs"""
_LETTER = re.compile("[A-Za-z0-9]")
"""A character that every tokenizer reads as part of a word"""
_MOST_CELLS = 10_000_000_000
"""Words of a candidate times words of its reference (100,000 each): a common subsequence takes minutes, and for the
longest possible texts a day"""


@dataclass(eq=False)
class Text:
    """A text for ROUGE; for ROUGE-Lsum, with one sentence per line."""

    text: str
    tokenizer: _Tokenizer
    other_script: bool = False
    """Whether it has words but none that the tokenizer finds"""

    @cached_property
    def words(self) -> int:
        return len(self.tokenizer.tokenize(self.text))


class _Tokenizer(Protocol):
    def tokenize(self, text: str) -> list[str]: ...


class _Score(Protocol):
    fmeasure: float
    precision: float
    recall: float


class _Scorer(Protocol):
    def score_batch(self, targets: Sequence[str], predictions: Sequence[str]) -> Sequence[Mapping[str, _Score]]: ...


@dataclass(frozen=True)
class ROUGE(StringReferenceMetric[Text]):
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
            "library": f"rouge-score-rs-{version('rouge-score-rs')}",
            "variant": self.variant,
            "stemmer": stemmer,
            "tok": self.tokenizer,
        }
        return Prepared(facts=facts if self.variant != "Lsum" else {**facts, "sentences": self.sentences})

    def read(self, text: str, prepared: Prepared) -> Text | None:
        if self.variant == "Lsum" and self.sentences == "split":
            text = "\n".join(text[begin:end] for begin, end in pairwise([0, *sentence_ends(text), len(text)]))
        read = Text(text, _tokenizer(self.tokenizer, self.stemmer))
        if _LETTER.search(text) or read.words:
            return read
        return replace(read, other_script=True) if any(map(str.isalnum, text)) else None

    def unusable(self, side: Text) -> str | None:
        return "no words of a to z: tokenizer='unicode' reads any script" if side.other_script else None

    def compare(self, pairs: Sequence[tuple[Text, Text]], prepared: Prepared) -> list[tuple[float, float, float]]:
        name, shortest = f"rouge{self.variant}", self._shortest
        scorer = _scorer(name, self.tokenizer, self.stemmer)
        far = list(map(self._is_far, pairs))
        near = [pair for pair, is_far in zip(pairs, far, strict=True) if not is_far]
        found = iter(scorer.score_batch([reference.text for _, reference in near], [one.text for one, _ in near]))
        scores = [None if is_far else next(found)[name] for is_far in far]
        return [
            (score.fmeasure, score.precision, score.recall)
            if score is not None and (score.fmeasure or max(candidate.words, reference.words) >= shortest)
            else (math.nan, math.nan, math.nan)
            for (candidate, reference), score in zip(pairs, scores, strict=True)
        ]

    def why(self, pairs: Sequence[tuple[Text, Text]]) -> str:
        return self.too_long if self.too_long and any(map(self._is_far, pairs)) else self.undefined

    def _is_far(self, pair: tuple[Text, Text]) -> bool:
        """Return whether a common subsequence, whose time is the product of both lengths, would take hours."""
        if self.variant.isdigit() or len(pair[0].text) * len(pair[1].text) <= _MOST_CELLS:
            return False
        return pair[0].words * pair[1].words > _MOST_CELLS

    def reduced(self, pairs: Sequence[tuple[Text, Text]], scores: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.references != "sum":
            return super().reduced(pairs, scores)
        units = np.array([[side.words for side in pair] for pair in pairs]) - self._shortest + 1
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
        """The minimum number of words for a text to have a unit that counts."""
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
