"""BLEU, chrF and TER, the metrics of machine translation, on sacrebleu.

BLEU: Papineni, Roukos, Ward and Zhu, "Bleu: a Method for Automatic Evaluation of Machine Translation", ACL 2002.
ChrF: Popović, "chrF: character n-gram F-score for automatic MT evaluation", WMT 2015; chrF++: WMT 2017.
TER: Snover et al., "A Study of Translation Edit Rate with Targeted Human Annotation", AMTA 2006.
sacrebleu: Post, "A Call for Clarity in Reporting BLEU Scores", WMT 2018.

sacrebleu prepares the texts and counts; the values come from the counts, those of rows one by one and those of a
system from their sums, and equal sacrebleu's sentence_score and corpus_score. TER's edits are counted by
`nlgauge.maths.shifts`, which gives sacrebleu's numbers a hundred times as fast. All are percentages.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.corpus import Corpus, Row
from nlgauge.errors import MissingExtraError
from nlgauge.maths.ngrams import shared_ngrams
from nlgauge.maths.shifts import fewest_shifted_edits
from nlgauge.maths.totals import total
from nlgauge.metrics.base import TextMetric, TextScorer, Value

_TOKENIZERS = ("13a", "intl", "zh", "char", "none")
_CONSTANTS = {"floor": 0.1, "add-k": 1.0}


@dataclass(frozen=True)
class _Translation(TextMetric):
    choices: ClassVar[Mapping[str, Sequence[object]]] = {
        "references": ("joint", "best", "mean"),
        "empty": ("undefined", "worst"),
        "lowercase": (True, False),
    }

    references: str = "joint"
    empty: str = "undefined"
    """A row that has references but words on one side only is 'undefined', or has the 'worst' number, as sacrebleu has
    it; the value of all rows together counts it in any case"""

    @abstractmethod
    def tool(self, library: Any) -> Any:
        """sacrebleu's metric, from its module."""

    @abstractmethod
    def formula(self, whole: bool) -> dict[str, object]:
        """Of rows one by one, or of the whole of them."""

    def counts(self, tool: Any, candidates: Sequence[str], references: tuple[str, ...]) -> Sequence[Sequence[float]]:
        """Of each candidate against the references taken together."""
        theirs = tool._extract_reference_info([tool._preprocess_segment(text) for text in references])
        return [tool._compute_segment_statistics(tool._preprocess_segment(text), theirs) for text in candidates]

    def scorer(self, corpus: Corpus) -> TranslationScorer:
        return TranslationScorer(self, corpus)


@dataclass(frozen=True)
class BLEU(_Translation):
    """BLEU: precision of n-grams of words, with a penalty for brevity; 0 to 100.

    A row's value leaves out the orders for which the candidate is too short (sacrebleu's effective order), that of all
    rows does not. smooth: 'exp', 'floor' (0.1), 'add-k' (1) or 'none', of orders without a match. tokenizer: '13a',
    'intl', 'zh', 'char' or 'none' of sacrebleu.
    references: 'joint', n-grams of any reference count; or the 'best' or the 'mean' of those taken one by one, which
    has no value of all rows together but their mean.
    """

    citation: ClassVar[str] = "Papineni et al. 2002, ACL"
    choices: ClassVar[Mapping[str, Sequence[object]]] = {
        **_Translation.choices,
        "smooth": ("exp", "floor", "add-k", "none"),
        "tokenizer": _TOKENIZERS,
    }

    lowercase: bool = False
    tokenizer: str = "13a"
    smooth: str = "exp"
    ngram: int = 4

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_whole(ngram=1)

    def tool(self, library: Any) -> Any:
        return library.BLEU(
            lowercase=self.lowercase,
            force=True,
            tokenize=self.tokenizer,
            smooth_method=self.smooth,
            max_ngram_order=self.ngram,
            effective_order=self.references != "joint",
        )

    def formula(self, whole: bool) -> dict[str, object]:
        settings = {"smooth": self.smooth, "constant": _CONSTANTS.get(self.smooth, 0.0), "effective": not whole}
        return {"name": "bleu", **settings}


@dataclass(frozen=True)
class ChrF(_Translation):
    """chrF: F-score of n-grams of characters, recall weighing more; 0 to 100.

    words: with n-grams of words up to this order too; 2 is chrF++. beta: weight of recall.
    references: 'joint', sacrebleu's, which is the best one; or the 'mean' of those taken one by one, which has no value
    of all rows together but their mean.
    """

    citation: ClassVar[str] = "Popović 2015, WMT"
    choices: ClassVar[Mapping[str, Sequence[object]]] = {**_Translation.choices, "references": ("joint", "mean")}

    lowercase: bool = False
    characters: int = 6
    words: int = 0
    beta: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_whole(characters=1, words=0, beta=1)

    def tool(self, library: Any) -> Any:
        return library.CHRF(char_order=self.characters, word_order=self.words, beta=self.beta, lowercase=self.lowercase)

    def formula(self, whole: bool) -> dict[str, object]:
        return {"name": "chrf", "beta": self.beta}

    def counts(self, tool: Any, candidates: Sequence[str], references: tuple[str, ...]) -> Sequence[Sequence[float]]:
        """Of the best reference, as sacrebleu chooses it; it compares n-grams one by one, which is slower."""
        prepared = [tool._preprocess_segment(text) for text in (*candidates, *references)]
        letters = _numbered([list("".join(text.split())) for text in prepared])
        kinds = [(letters, self.characters)]
        if self.words:
            kinds.append((_numbered([tool._remove_punctuation(text) for text in prepared]), self.words))
        cut = len(candidates)
        found = np.concatenate([shared_ngrams(each[:cut], each[cut:], longest) for each, longest in kinds], axis=2)
        found[..., 0][found[..., 1] == 0] = 0  # sacrebleu counts none of ours of an order that theirs are too short for
        counts: list[list[list[int]]] = found.reshape(cut, len(references), -1).tolist()
        return [max(each, key=tool._compute_f_score) for each in counts]


@dataclass(frozen=True)
class TER(_Translation):
    """TER: edits of words and shifts of blocks, in hundredths of the reference's words; 0 is best.

    normalized, punctuation, asian: Tercom's splitting off of punctuation, keeping it, and treating Chinese and
    Japanese characters as words. references: 'joint', the fewest edits to any reference over their mean length; or the
    'best' or the 'mean' of those taken one by one, which has no value of all rows together but their mean.
    """

    higher_is_better: ClassVar[bool] = False
    citation: ClassVar[str] = "Snover et al. 2006, AMTA"
    choices: ClassVar[Mapping[str, Sequence[object]]] = {
        **_Translation.choices,
        "normalized": (True, False),
        "punctuation": (True, False),
        "asian": (True, False),
    }

    lowercase: bool = True
    normalized: bool = False
    punctuation: bool = True
    asian: bool = False

    def tool(self, library: Any) -> Any:
        return library.TER(
            normalized=self.normalized,
            no_punct=not self.punctuation,
            asian_support=self.asian,
            case_sensitive=not self.lowercase,
        )

    def formula(self, whole: bool) -> dict[str, object]:
        return {"name": "rate"}

    def counts(self, tool: Any, candidates: Sequence[str], references: tuple[str, ...]) -> Sequence[Sequence[float]]:
        try:
            from rapidfuzz.distance.Levenshtein import distance
        except ImportError:
            raise MissingExtraError("TER", "strings") from None
        theirs = [tool._preprocess_segment(text).split() for text in references]
        length = sum(map(len, theirs)) / len(theirs)
        ours = [tool._preprocess_segment(text).split() for text in candidates]
        return [(edits, length) for edits in fewest_shifted_edits(ours, theirs, distance)]


class TranslationScorer(TextScorer):
    """Counts distinct rows and gives their values."""

    def __init__(self, metric: _Translation, corpus: Corpus) -> None:
        try:
            import sacrebleu.metrics
        except ImportError:
            raise MissingExtraError(type(metric).__name__, "strings") from None
        self._metric, self._tool = metric, metric.tool(sacrebleu.metrics)
        self.formula = metric.formula(whole=True) if metric.references == "joint" else None
        numbers = {len(_usable(row)) for row in corpus} - {0}
        self._tool.num_refs = numbers.pop() if len(numbers) == 1 else -1
        facts = dict(fact.split(":", 1) for fact in str(self._tool.get_signature()).split("|"))
        rows = {"rows": "eff=yes"} if facts.get("eff") == "no" else {}
        self.signature = {"library": "sacrebleu", **facts, **rows}

    def score(self, rows: Sequence[Row]) -> list[Value]:
        groups = [self._groups(row) for row in rows]
        together: dict[tuple[str, ...], dict[str, None]] = {}
        for candidate, references in (pair for own in groups for pair in own):
            together.setdefault(references, {})[candidate] = None
        counts = {
            (candidate, references): tuple(map(float, found))
            for references, candidates in together.items()
            for candidate, found in zip(
                candidates, self._metric.counts(self._tool, list(candidates), references), strict=True
            )
        }
        found = total(self._metric.formula(whole=False), np.array([*counts.values()], np.float64)) if counts else ()
        values = dict(zip(counts, found, strict=True))
        return [
            self._value(row, [counts[pair] for pair in own], np.array([values[pair] for pair in own]))
            for row, own in zip(rows, groups, strict=True)
        ]

    def _groups(self, row: Row) -> list[tuple[str, tuple[str, ...]]]:
        """The candidate with the references that it is counted against together."""
        usable = _usable(row)
        if self._metric.references == "joint":
            return [(row.candidate, usable)] if usable else []
        return [(row.candidate, (text,)) for text in usable]

    def _value(self, row: Row, counts: list[tuple[float, ...]], values: NDArray[np.float64]) -> Value:
        worst = self._metric.empty == "worst"
        if not counts:
            reason = "no reference has words" if row.references else "no reference"
            if not worst or not row.references:
                return Value((np.nan,), reason)
            return Value(
                (0.0 if self._metric.higher_is_better else 100.0,), None, (f"{reason}: the worst number given",)
            )
        # sacrebleu counts an empty candidate for a system, as all of its references missed.
        own = counts[0] if self.formula is not None else None
        if not row.candidate.strip() and not worst:
            return Value((np.nan,), "the candidate has no words", counts=own)
        best = values.max() if self._metric.higher_is_better else values.min()
        notes = ("references without words left out",) if len(_usable(row)) < len(row.references) else ()
        return Value((float(values.mean() if self._metric.references == "mean" else best),), None, notes, own)


def _usable(row: Row) -> tuple[str, ...]:
    return tuple(text for text in row.references if text.strip())


def _numbered(sequences: Sequence[Sequence[str]]) -> list[NDArray[np.int64]]:
    """Sequences of symbols as numbers, equal ones alike."""
    numbers: dict[str, int] = {}
    return [np.array([numbers.setdefault(each, len(numbers)) for each in own], np.int64) for own in sequences]
