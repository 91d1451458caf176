"""ROUGE, on rouge-score-rs, whose numbers are those of Google's rouge-score.

Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", ACL workshop Text Summarization Branches Out, 2004.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.corpus import Corpus
from nlgauge.errors import MissingExtraError, SpecError
from nlgauge.maths.sentences import sentence_ends
from nlgauge.metrics.base import Pair, TextPairScorer, TextReferenceMetric


class _Read(NamedTuple):
    text: str
    """A sentence a line, for ROUGE-Lsum"""
    words: int


@dataclass(frozen=True)
class ROUGE(TextReferenceMetric):
    """ROUGE: words (1), runs of words (2 to 9) or common subsequences (L, Lsum) that candidate and reference share.

    variant: '1' to '9'; 'L', the longest common subsequence of the texts; 'Lsum', of each sentence of the reference
        with all sentences of the candidate, their union.
    stemmer: compare stems (Porter), English only.
    tokenizer: 'ascii' is rouge-score's, to which every other letter is a space; 'unicode' finds the words of any
        script, Chinese and Japanese ones a character each; 'character' takes letters and digits one by one.
    references: the 'best' by F; the 'mean'; or 'sum', ROUGE-1.5.5's -f A: matches and words summed over references.
    sentences: of Lsum, 'lines' of the text, or 'split' to find where sentences end.
    """

    parts: ClassVar[tuple[str, ...]] = ("f1", "precision", "recall")
    citation: ClassVar[str] = "Lin 2004, ACL workshop Text Summarization Branches Out"
    choices: ClassVar[Mapping[str, Sequence[object]]] = {
        **TextReferenceMetric.choices,
        "references": ("best", "mean", "sum"),
        "variant": (*"123456789", "L", "Lsum"),
        "stemmer": (True, False),
        "tokenizer": ("ascii", "unicode", "character"),
        "sentences": ("lines", "split"),
    }

    variant: str = "L"
    stemmer: bool = False
    tokenizer: str = "ascii"
    sentences: str = "lines"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stemmer and self.tokenizer != "ascii":
            raise SpecError("ROUGE: stemmer=True knows English only: it goes with tokenizer='ascii'")

    def scorer(self, corpus: Corpus) -> ROUGEScorer:
        return ROUGEScorer(self)


class ROUGEScorer(TextPairScorer):
    """Reads texts and scores pairs, many at a time."""

    metric: ROUGE
    undefined = "neither text has so many words in a row"

    def __init__(self, metric: ROUGE) -> None:
        try:
            import rouge_score_rs
            from rouge_score_rs import tokenizers
        except ImportError:
            raise MissingExtraError("ROUGE", "strings") from None
        super().__init__(metric)
        library: Any = rouge_score_rs
        kinds: Any = tokenizers
        if metric.tokenizer == "ascii":
            tokenizer = kinds.DefaultTokenizer(metric.stemmer)
        else:
            tokenizer = kinds.UnicodeTokenizer() if metric.tokenizer == "unicode" else kinds.CharacterTokenizer()
        self._words, self._name = tokenizer.tokenize, f"rouge{metric.variant}"
        self._tool = library.RougeScorer([self._name], tokenizer=tokenizer)
        self.signature = {"library": f"rouge-score-rs-{library.__version__}"}

    def read(self, text: str) -> _Read | None:
        if self.metric.variant == "Lsum" and self.metric.sentences == "split":
            text = "\n".join(text[begin:end] for begin, end in _sentences(text))
        words = len(self._words(text))
        return _Read(text, words) if words else None

    def measure(self, pairs: Sequence[Pair]) -> list[tuple[float, float, float]]:
        shortest = int(self.metric.variant) if self.metric.variant.isdigit() else 1
        found = self._tool.score_batch([reference.text for _, reference in pairs], [ours.text for ours, _ in pairs])
        return [
            (score.fmeasure, score.precision, score.recall)
            if max(ours.words, theirs.words) >= shortest
            else (np.nan, np.nan, np.nan)
            for (ours, theirs), score in zip(pairs, (one[self._name] for one in found), strict=True)
        ]

    def reduced(self, pairs: Sequence[Pair], scores: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.metric.references != "sum":
            return super().reduced(pairs, scores)
        shortest = int(self.metric.variant) if self.metric.variant.isdigit() else 1
        units = np.array([[side.words for side in pair] for pair in pairs]) - shortest + 1
        ours, theirs = np.maximum(units, 0).T
        # The library gives shares; matches are whole numbers.
        matches = np.where(ours > 0, scores[:, 1] * ours, 0).round().sum()
        if not ours.sum() and not theirs.sum():
            return np.full(3, np.nan)
        precision, recall = (matches / side.sum() if side.sum() else 0.0 for side in (ours, theirs))
        return np.array([2 * matches / (ours.sum() + theirs.sum()), precision, recall])


def _sentences(text: str) -> list[tuple[int, int]]:
    ends = [0, *sentence_ends(text), len(text)]
    return list(pairwise(ends))
