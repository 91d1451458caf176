"""BLEU, ChrF, TER, WER and CER: metrics of machine translation and speech, whose corpus score comes from summed counts.

Post, "A Call for Clarity in Reporting BLEU Scores", WMT 2018. sacrebleu computes the counts and the score of each row,
so that a row score equals its sentence_score. A corpus score is computed from the summed counts by
`nlgauge.maths.totals`, and equals sacrebleu's corpus_score. That module is vectorised for resampling, and needs no
sacrebleu for a saved table.

BLEU: Papineni, Roukos, Ward and Zhu, "Bleu: a Method for Automatic Evaluation of Machine Translation", ACL 2002.

ChrF: Popović, "chrF: character n-gram F-score for automatic MT evaluation", WMT 2015; chrF++: WMT 2017.

TER: Snover et al., "A Study of Translation Edit Rate with Targeted Human Annotation", AMTA 2006. sacrebleu splits the
texts into words and computes the score. `nlgauge.maths.shifts` counts the edits. It gives the same numbers as
sacrebleu's search some hundred times faster: 0.2 seconds instead of 31 for 32 summaries with eleven references each.

WER and CER: the rates of inserted, deleted and replaced words or characters, as in speech recognition. Levenshtein,
"Binary codes capable of correcting deletions, insertions and reversals", Soviet Physics Doklady 1966. Edits are counted
by rapidfuzz. The scores equal jiwer's, times 100.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import compress
from typing import Any, ClassVar, Protocol, TypeAlias

from nlgauge.contract.base import AMOUNT, PERCENT, Limits, Prepared, RowMetric, Setup, Value
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence
from nlgauge.engine.features.request import Features
from nlgauge.errors import MissingExtraError, SpecError
from nlgauge.maths.shifts import Distance, fewest_shifted_edits
from nlgauge.metrics.evidence import shared_with_references
from nlgauge.metrics.references import EMPTY, LEFT_OUT

TOO_LONG = "the texts are too long to be compared"
"""The reason for a pair whose count is NaN"""
Pair: TypeAlias = tuple[str, tuple[str, ...]]
"""A candidate, and the references that it is compared with together"""
Counts: TypeAlias = Sequence[float]


class Counted(Protocol):
    """The settings of a metric on which its row scores depend."""

    @property
    def references(self) -> str:
        """How several references are used: 'joint' for all together, 'best' or 'mean' for one by one."""

    @property
    def empty(self) -> str:
        """Whether a row with words on one side only is 'undefined' or has the 'worst' score."""

    @property
    def higher_is_better(self) -> bool: ...


@dataclass(frozen=True)
class SacrebleuMetric(RowMetric):
    """A metric whose counts, row scores and signature are those of a class of `sacrebleu.metrics`."""

    library: ClassVar[str]
    """The name of sacrebleu's class"""
    libraries: ClassVar[tuple[str, ...]] = ("sacrebleu",)

    references: str = "joint"
    empty: str = param("undefined", choices=("undefined", "worst"), help=EMPTY)

    @property
    @abstractmethod
    def settings(self) -> Mapping[str, object]:
        """The arguments of sacrebleu's class for the corpus score, which are in the signature."""

    @property
    def row_settings(self) -> Mapping[str, object]:
        """The arguments of sacrebleu's class for row scores."""
        return self.settings

    def prepare(self, setup: Setup) -> Prepared:
        tool = _tool(self.library, **self.settings)
        numbers = {len(_usable(row)) for row in setup.corpus} - {0}
        references = numbers.pop() if len(numbers) == 1 else -1
        info = dict(tool._SIGNATURE_TYPE({**vars(tool), "num_refs": references}).info)
        info["version"] = info.pop("version")  # last, as in sacrebleu's text of it
        printed = {True: "yes", False: "no"}
        facts = {
            name: printed[fact] if isinstance(fact, bool) else str(fact)
            for name, fact in info.items()
            if fact is not None
        }
        rows = {"rows": "eff=yes"} if facts.get("eff") == "no" else {}
        return Prepared(facts={"library": "sacrebleu", **facts, **rows})

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        tool = _tool(self.library, **self.row_settings)

        def score(counts: Counts) -> float:
            number: float = tool._compute_score_from_stats(list(counts)).score
            return number

        return counted_values(self, rows, lambda pairs: self.count(tool, pairs), score)

    def count(self, tool: Any, pairs: Sequence[Pair]) -> Sequence[Counts]:
        """Return the counts of each pair of texts by `tool`, a metric of sacrebleu."""

        @cache  # systems share their references
        def read(references: tuple[str, ...]) -> Any:
            return tool._extract_reference_info([tool._preprocess_segment(text) for text in references])

        return [
            tool._compute_segment_statistics(tool._preprocess_segment(candidate), read(references))
            for candidate, references in pairs
        ]

    def evidence(self, row: Row, prepared: Prepared, features: Features) -> Evidence:
        """Return the words that the candidate shares with its references."""
        return shared_with_references(row)


def counted_values(
    metric: Counted,
    rows: Sequence[Row],
    count: Callable[[Sequence[Pair]], Sequence[Counts]],
    score: Callable[[Counts], float],
) -> list[Value]:
    """Return row scores from counts. Each distinct pair of texts is counted once.

    Args:
        metric: the metric, whose settings say how several references and texts without words are treated.
        rows: the rows.
        count: a function from pairs of texts to their counts, with NaN for texts that are too long.
        score: a function from the counts of a pair to its score.

    Returns:
        A value for each row.
    """
    pairs = [_pairs(row, metric.references == "joint") for row in rows]
    distinct = list(dict.fromkeys(pair for each in pairs for pair in each))
    counts = {pair: tuple(map(float, of_pair)) for pair, of_pair in zip(distinct, count(distinct), strict=True)}
    values = {pair: math.nan if any(map(math.isnan, of_pair)) else score(of_pair) for pair, of_pair in counts.items()}
    return [
        _value(metric, row, [counts[pair] for pair in each], [values[pair] for pair in each])
        for row, each in zip(rows, pairs, strict=True)
    ]


@cache
def _tool(kind: str, **settings: object) -> Any:
    """Return a metric of sacrebleu. Equal settings share one object, whose tokenizer caches the texts it has read."""
    import sacrebleu.metrics

    return getattr(sacrebleu.metrics, kind)(**settings)


def _usable(row: Row) -> tuple[str, ...]:
    return tuple(text for text in row.references if text.strip())


def _pairs(row: Row, joint: bool) -> list[Pair]:
    usable = _usable(row)
    if joint:
        return [(row.candidate, usable)] if usable else []
    return [(row.candidate, (text,)) for text in usable]


def _value(metric: Counted, row: Row, counts: Sequence[tuple[float, ...]], values: Sequence[float]) -> Value:
    worst = metric.empty == "worst"
    if not values:
        reason = "no reference has words" if row.references else "no reference"
        if not worst or not row.references:
            return Value((math.nan,), reason)
        number = 0.0 if metric.higher_is_better else 100.0
        return Value((number,), None, (f"{reason}: scored as worst",))
    if any(map(math.isnan, values)):
        return Value((math.nan,), TOO_LONG)
    # In sacrebleu's corpus score an empty candidate counts as missing all of its references.
    to_sum = counts[0] if metric.references == "joint" else None
    if not row.candidate.strip() and not worst:
        return Value((math.nan,), "the candidate has no words", counts=to_sum)
    notes = (LEFT_OUT,) if len(_usable(row)) < len(row.references) else ()
    best = max if metric.higher_is_better else min
    return Value((sum(values) / len(values) if metric.references == "mean" else best(values),), None, notes, to_sum)


_CONSTANTS = {"floor": 0.1, "add-k": 1.0}


@dataclass(frozen=True)
class BLEU(SacrebleuMetric):
    """BLEU: precision of word n-grams, with a brevity penalty; 0 to 100.

    A row score leaves out orders for which the candidate is too short (sacrebleu's effective order); the corpus score
    does not.
    """

    citation: ClassVar[str] = "Papineni et al. 2002, ACL"
    library: ClassVar[str] = "BLEU"
    limits: ClassVar[Mapping[str, Limits]] = {"score": PERCENT}

    references: str = param(
        "joint",
        choices=("joint", "best", "mean"),
        help="with 'joint', n-grams of all references count; with 'best' or 'mean', references are scored one by "
        "one, and the corpus score is the mean over rows",
    )
    lowercase: bool = param(False, help="compare texts in lower case")
    tokenizer: str = param("13a", choices=("13a", "intl", "zh", "char", "none"), help="sacrebleu's tokenizer")
    smooth: str = param(
        "exp",
        choices=("exp", "floor", "add-k", "none"),
        help="smoothing of orders without a match",
    )
    smooth_value: float | None = param(
        None, help="the matches that 'floor' uses (by default 0.1) or that 'add-k' adds (1)"
    )
    ngram: int = param(4, minimum=1, help="maximum length of n-grams")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.smooth_value is not None and (self.smooth not in _CONSTANTS or not 0 < self.smooth_value < math.inf):
            raise SpecError("BLEU: smooth_value is a number above 0, for smooth='floor' or 'add-k'")

    @property
    def formula(self) -> Mapping[str, object] | None:  # type: ignore[override]
        constant = _CONSTANTS.get(self.smooth, 0.0) if self.smooth_value is None else float(self.smooth_value)
        formula = {"name": "bleu", "smooth": self.smooth, "constant": constant, "effective": False}
        return formula if self.references == "joint" else None

    @property
    def settings(self) -> Mapping[str, object]:
        return {
            "lowercase": self.lowercase,
            "tokenize": self.tokenizer,
            "smooth_method": self.smooth,
            "smooth_value": self.smooth_value,
            "max_ngram_order": self.ngram,
            "effective_order": self.references != "joint",
        }

    @property
    def row_settings(self) -> Mapping[str, object]:
        return {**self.settings, "effective_order": True}


@dataclass(frozen=True)
class ChrF(SacrebleuMetric):
    """chrF: F-score of character n-grams, with more weight on recall; 0 to 100."""

    citation: ClassVar[str] = "Popović 2015, WMT"
    library: ClassVar[str] = "CHRF"
    limits: ClassVar[Mapping[str, Limits]] = {"score": PERCENT}

    references: str = param(
        "joint",
        choices=("joint", "mean"),
        help="'joint' uses the best reference, as in sacrebleu. With 'mean', references are scored one by one, and "
        "the corpus score is the mean over rows.",
    )
    lowercase: bool = param(False, help="compare texts in lower case")
    characters: int = param(6, minimum=1, help="maximum length of character n-grams")
    words: int = param(0, minimum=0, help="also use word n-grams up to this length; 2 is chrF++")
    beta: int = param(2, minimum=1, help="weight of recall")
    eps_smoothing: bool = param(
        False,
        help="the mean of F over all orders, as in chrF++.py, Moses and NLTK, instead of F of the means over orders "
        "that both texts have",
    )

    @property
    def formula(self) -> Mapping[str, object] | None:  # type: ignore[override]
        formula = {"name": "chrf", "beta": self.beta, **({"smooth": True} if self.eps_smoothing else {})}
        return formula if self.references == "joint" else None

    @property
    def settings(self) -> Mapping[str, object]:
        return {
            "char_order": self.characters,
            "word_order": self.words,
            "beta": self.beta,
            "lowercase": self.lowercase,
            "eps_smoothing": self.eps_smoothing,
        }


_RATE: Mapping[str, object] = {"name": "rate"}
_MOST_SHIFTED = 25_000_000
"""The largest product of the numbers of words of candidate and reference (5,000 each) that are compared. The search for
shifts then takes seconds if words differ, and up to an hour if a text repeats three words"""


@dataclass(frozen=True)
class TER(SacrebleuMetric):
    """TER: word edits and block shifts, in percent of the reference's words; 0 is best.

    Texts with more than 25 million pairs of words (5,000 each) are not compared.
    """

    higher_is_better: ClassVar[bool] = False
    citation: ClassVar[str] = "Snover et al. 2006, AMTA"
    library: ClassVar[str] = "TER"
    limits: ClassVar[Mapping[str, Limits]] = {"score": AMOUNT}
    libraries: ClassVar[tuple[str, ...]] = ("sacrebleu", "rapidfuzz")

    references: str = param(
        "joint",
        choices=("joint", "best", "mean"),
        help="'joint', the fewest edits to any reference divided by the references' mean length. With 'best' or "
        "'mean', references are scored one by one, and the corpus score is the mean over rows.",
    )
    lowercase: bool = param(True, help="compare texts in lower case")
    normalized: bool = param(False, help="split off punctuation, as in Tercom")
    punctuation: bool = param(True, help="keep punctuation, as in Tercom")
    asian: bool = param(False, help="treat Chinese and Japanese characters as words, as in Tercom")

    @property
    def formula(self) -> Mapping[str, object] | None:  # type: ignore[override]
        return _RATE if self.references == "joint" else None

    @property
    def settings(self) -> Mapping[str, object]:
        return {
            "normalized": self.normalized,
            "no_punct": not self.punctuation,
            "asian_support": self.asian,
            "case_sensitive": not self.lowercase,
        }

    def prepare(self, setup: Setup) -> Prepared:
        _distance()
        return super().prepare(setup)

    def count(self, tool: Any, pairs: Sequence[Pair]) -> Sequence[Counts]:
        distance = _distance()
        together: dict[tuple[str, ...], list[str]] = {}
        for candidate, references in pairs:
            together.setdefault(references, []).append(candidate)
        counts: dict[Pair, Counts] = {}
        for references, candidates in together.items():
            ours, theirs = tool._extract_reference_info(candidates), tool._extract_reference_info(references)
            lengths = [len(words) for words in theirs["ref_words"]]
            near = [len(words) * max(lengths) <= _MOST_SHIFTED for words in ours["ref_words"]]
            edits = iter(fewest_shifted_edits([*compress(ours["ref_words"], near)], theirs["ref_words"], distance))
            for text, is_near in zip(candidates, near, strict=True):
                counts[text, references] = next(edits) if is_near else math.nan, sum(lengths) / len(lengths)
        return [counts[pair] for pair in pairs]


def _distance() -> Distance:
    try:
        from rapidfuzz.distance.Levenshtein import distance
    except ImportError:
        raise MissingExtraError("TER", "strings") from None
    return distance


_FEW_EDITED = 2_000_000
"""The product of the numbers of characters of a candidate and its references up to which edits take at most a tenth of
a millisecond"""
_MOST_EDITED = 10**12
"""The largest product of the numbers of symbols of candidate and reference. A million each take about ten seconds"""


@dataclass(frozen=True)
class WER(RowMetric):
    """WER: word edits, in percent of the reference's words; 0 is best.

    Words are separated by spaces and include punctuation.
    """

    higher_is_better: ClassVar[bool] = False
    limits: ClassVar[Mapping[str, Limits]] = {"score": AMOUNT}
    citation: ClassVar[str] = "Levenshtein 1966, Soviet Physics Doklady"
    libraries: ClassVar[tuple[str, ...]] = ("rapidfuzz",)

    references: str = param(
        "joint",
        choices=("joint", "mean"),
        help="'joint' uses the reference with the lowest rate. With 'mean', references are scored one by one, and "
        "the corpus score is the mean over rows.",
    )
    empty: str = param("undefined", choices=("undefined", "worst"), help=EMPTY)
    lowercase: bool = param(False, help="compare texts in lower case")

    @property
    def formula(self) -> Mapping[str, object] | None:  # type: ignore[override]
        return _RATE if self.references == "joint" else None

    def prepare(self, setup: Setup) -> Prepared:
        try:
            import rapidfuzz
        except ImportError:
            raise MissingExtraError(self.name, "strings") from None
        facts = {"library": f"rapidfuzz-{rapidfuzz.__version__}", "case": "lc" if self.lowercase else "mixed"}
        return Prepared(facts=facts)

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        from rapidfuzz.distance.Levenshtein import distance

        numbers: dict[str, int] = {}

        def edits(candidate: Sequence[Hashable], reference: Sequence[Hashable]) -> float:
            return math.nan if len(candidate) * len(reference) > _MOST_EDITED else distance(candidate, reference)

        def count(pairs: Sequence[Pair]) -> list[tuple[float, float]]:
            counts = []
            for text, references in pairs:
                symbols = self._symbols(text, numbers)
                others = [self._symbols(reference, numbers) for reference in references]
                counted = [(edits(symbols, other), float(len(other))) for other in others]
                # Equal rates may be of unlike counts, which the corpus score sums: their order must not decide.
                counts.append(min(counted, key=lambda count: (count[0] / count[1], count[1])))
            return counts

        return counted_values(self, rows, count, lambda counts: 100 * counts[0] / counts[1])

    def evidence(self, row: Row, prepared: Prepared, features: Features) -> Evidence:
        """Return the words that the candidate shares with its references."""
        return shared_with_references(row)

    def is_cheap(self, row: Row) -> bool:
        return True

    def _symbols(self, text: str, numbers: dict[str, int]) -> Sequence[Hashable]:
        """Return the symbols that are compared: a number for each word, because rapidfuzz compares strings by hash.

        Args:
            text: the text.
            numbers: the numbers of the words so far. New words are added to it.
        """
        words = (text.lower() if self.lowercase else text).split()
        return [numbers.setdefault(word, len(numbers)) for word in words]


@dataclass(frozen=True)
class CER(WER):
    """CER: character edits, in percent of the reference's characters; 0 is best.

    A run of spaces counts as one character, and spaces at the ends do not count.
    """

    def is_cheap(self, row: Row) -> bool:
        return len(row.candidate) * sum(map(len, row.references)) <= _FEW_EDITED

    def _symbols(self, text: str, numbers: dict[str, int]) -> Sequence[Hashable]:
        return " ".join((text.lower() if self.lowercase else text).split())
