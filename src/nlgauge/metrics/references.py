"""Base classes of metrics that compare a candidate with each of its references, and word tokenizers for strings."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import RowMetric, Value, Values
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence
from nlgauge.engine.features.request import Features, Request
from nlgauge.metrics.evidence import shared_words

T = TypeVar("T")
"""What represents a text in a comparison: a feature, or something made from the string"""
S = TypeVar("S")
"""What a metric computes from a text, once for all pairs that have the text"""
Scores: TypeAlias = Sequence[Sequence[float]]
"""The sub-scores of each pair"""
LEFT_OUT = "references without words left out"
EMPTY = "the score of a row with references but words on one side only: 'undefined', or the 'worst' score"
"""The help of the parameter `empty`"""
SPLITTERS = ("13a", "intl", "zh", "char", "unicode", "spaces")
"""The word tokenizers: four of sacrebleu, Unicode words without punctuation (rouge-score-rs), and str.split"""


_FIRST = (0,)


@dataclass(eq=False, slots=True)
class RowPairs(Generic[T]):
    """A row's candidate paired with each reference that it can be compared with."""

    pairs: Sequence[tuple[T, T]]
    numbers: Sequence[int]
    """The index of each pair's reference among all references of the row"""
    reason: str = ""
    """Why there is no pair; empty if there is one"""


def paired(
    candidate: T | None, references: Sequence[T | None], unusable: Callable[[T], str | None] | None = None
) -> RowPairs[T]:
    """Return the pairs of a candidate with each of its references.

    Args:
        candidate: what a metric read from the candidate; None if it has no words.
        references: what the metric read from each reference; None for a reference without words.
        unusable: a function that returns why a text cannot be compared, or None.

    Returns:
        The pairs that can be compared, or the reason why there is none.
    """
    if candidate is None:
        return RowPairs((), (), "the candidate has no words")
    if unusable is not None and (why := unusable(candidate)) is not None:
        return RowPairs((), (), f"the candidate has {why}")
    if not references:
        return RowPairs((), (), "no reference")
    pairs: list[tuple[T, T]] = []
    numbers: list[int] = []
    reasons: list[str] = []
    for number, reference in enumerate(references):
        if reference is None:
            continue
        if unusable is not None and (why := unusable(reference)) is not None:
            reasons.append(why)
            continue
        pairs.append((candidate, reference))
        numbers.append(number)
    if pairs:
        return RowPairs(pairs, numbers)
    return RowPairs((), (), f"the references have {reasons[0]}" if reasons else "no reference has words")


def best(scores: NDArray[np.float64], higher_is_better: bool) -> int:
    """Return the index of the reference with the best scores.

    If the first sub-scores are equal, the next one decides, and so on. So the order of the references never decides.

    Args:
        scores: [references, parts]. NaN is never the best of several.
        higher_is_better: the direction of the scores.

    Returns:
        The index of the reference.
    """
    if len(scores) == 1:
        return 0
    sign = 1 if higher_is_better else -1
    ranked = [[-math.inf if math.isnan(part) else sign * part for part in parts] for parts in scores.tolist()]
    return ranked.index(max(ranked))


def best_or_mean(scores: NDArray[np.float64], how: str, higher_is_better: bool) -> NDArray[np.float64]:
    """Return the scores of the 'best' reference, or the 'mean' over all: [references, parts] -> [parts]."""
    reduced: NDArray[np.float64] = scores[best(scores, higher_is_better)] if how == "best" else scores.mean(axis=0)
    return reduced


def each_once(make: Callable[[T], S], pairs: Sequence[tuple[T, T]]) -> list[tuple[S, S]]:
    """Return the pairs after `make` was applied to both sides. `make` is called once for each distinct object.

    Args:
        make: the function.
        pairs: the pairs.

    Returns:
        The pairs of results.
    """
    distinct = {id(side): side for pair in pairs for side in pair}
    made = {key: make(side) for key, side in distinct.items()}
    return [(made[id(candidate)], made[id(reference)]) for candidate, reference in pairs]


def splitter_param(default: str) -> Any:
    """Return the declaration of a metric's parameter that names a word tokenizer."""
    told = "how words are found: '13a', 'intl', 'zh' or 'char' of sacrebleu, 'unicode' (any script, no punctuation) or "
    return param(default, choices=SPLITTERS, help=f"{told}'spaces'. Texts are compared in lower case.")


def splitter_library(name: str) -> tuple[str, ...]:
    """Return the distributions that a tokenizer needs, for `Metric.libraries`: one, or none."""
    return {"spaces": (), "unicode": ("rouge-score-rs",)}.get(name, ("sacrebleu",))


@cache
def splitter(name: str) -> Callable[[str], list[str]]:
    """Return a function that splits a text into lower-case words.

    All metrics share this function, because sacrebleu's tokenizer caches the last texts.

    Args:
        name: 'spaces', 'unicode', or the name of a tokenizer of sacrebleu.

    Returns:
        The function.
    """
    if name == "spaces":
        return lambda text: text.lower().split()
    if name == "unicode":
        from rouge_score_rs.tokenizers import UnicodeTokenizer

        tokenize: Callable[[str], list[str]] = UnicodeTokenizer().tokenize
        return tokenize
    from sacrebleu.metrics.bleu import BLEU

    tokenizer: Callable[[str], str] = BLEU(tokenize=name).tokenizer
    return lambda text: tokenizer(text.lower().rstrip()).split()


@dataclass(frozen=True)
class Compared(RowMetric, Generic[T]):
    """The base class of metrics that compare a candidate with each of its references.

    T is what the metric reads from a text, such as its words or its vectors.
    """

    undefined: ClassVar[str] = "the measure is not defined for these texts"
    """The reason for a row whose pairs have no score, if there is only one possible reason"""
    of_any_reference: ClassVar[tuple[str, ...]] = ()
    """The sub-scores that are by definition the highest over all references. With references='best', the other
    sub-scores are those of the reference that is best by the first sub-score"""

    references: str = param("best", choices=("best", "mean"), help="the 'best' one, or the 'mean' over references")

    @abstractmethod
    def compare(self, pairs: Sequence[tuple[T, T]], prepared: Any) -> Scores:
        """Return the sub-scores of each pair (candidate, reference): [pairs, parts]; NaN if undefined."""

    def unusable(self, side: T) -> str | None:
        """Return why a text with words cannot be compared; None if it can."""
        return None

    def unusable_of(self, sides: Iterable[T | None]) -> Callable[[T], str | None] | None:
        """Return the function `unusable` for these texts, or None if all texts with words can be compared."""
        return None if type(self).unusable is Compared.unusable else self.unusable

    def pair_note(self, candidate: T, reference: T, prepared: Any) -> str | None:
        """Return a note for the reader about the pair's score, or None."""
        return None

    def why(self, pairs: Sequence[tuple[T, T]]) -> str:
        """Return the reason for a row whose pairs have no score."""
        return self.undefined

    def reduced(self, pairs: Sequence[tuple[T, T]], scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores of a row from the scores of its pairs: [pairs, parts] -> [parts]."""
        reduced = best_or_mean(scores, self.references, self.higher_is_better)
        if self.references == "best" and (places := [self.parts.index(part) for part in self.of_any_reference]):
            reduced = reduced.copy()
            reduced[places] = scores[:, places].max(axis=0)
        return reduced

    def _values(self, rows: Sequence[Row], sides: Sequence[RowPairs[T]], prepared: Any) -> Values:
        """Return the values of rows. One call compares all pairs, which is faster, and each distinct pair once.

        Args:
            rows: the rows.
            sides: the pairs of each row.
            prepared: the result of `prepare`.
        """
        pairs = [pair for row in sides for pair in row.pairs]
        of_pairs: Scores
        if len({id(row.pairs[0][0]) for row in sides if row.pairs}) == sum(1 for row in sides if row.pairs):
            of_pairs = self.compare(pairs, prepared)  # no candidate is there twice, and so hardly a pair
        else:
            distinct = {(id(candidate), id(reference)): (candidate, reference) for candidate, reference in pairs}
            compared = dict(zip(distinct, self.compare(list(distinct.values()), prepared), strict=True))
            of_pairs = [compared[id(first), id(second)] for first, second in pairs]
        numbers = np.fromiter(chain.from_iterable(of_pairs), np.float64, len(pairs) * len(self.parts))
        scores = numbers.reshape(-1, len(self.parts))
        counts = np.array([len(row.pairs) for row in sides], np.intp)
        ends = counts.cumsum()
        # The best of one reference is this one, and so is the mean: most rows need no array of their own.
        as_they_are = counts == (1 if self.references in ("best", "mean") else -1)
        values = np.full((len(sides), len(self.parts)), math.nan)
        values[as_they_are] = scores[ends[as_they_are] - 1]
        for at in np.flatnonzero((counts > 0) & ~as_they_are).tolist():
            values[at] = self.reduced(sides[at].pairs, scores[ends[at] - counts[at] : ends[at]])
        reasons = {
            at: self.why(sides[at].pairs) if sides[at].pairs else sides[at].reason
            for at in np.flatnonzero(np.isnan(values).any(axis=1)).tolist()
        }
        return Values(values, reasons, self._notes(rows, sides, prepared))

    def _notes(self, rows: Sequence[Row], sides: Sequence[RowPairs[T]], prepared: Any) -> dict[int, tuple[str, ...]]:
        """Return the notes of each row that has notes, by the index of the row.

        Args:
            rows: the rows.
            sides: the pairs of each row.
            prepared: the result of `prepare`.
        """
        notes: dict[int, tuple[str, ...]] = {}
        if type(self).pair_note is not Compared.pair_note:
            for at, side in enumerate(sides):
                if told := {note: None for pair in side.pairs if (note := self.pair_note(*pair, prepared))}:
                    notes[at] = tuple(told)
        for at, (row, side) in enumerate(zip(rows, sides, strict=True)):
            if len(side.numbers) < len(row.references) and side.pairs:
                notes[at] = (*notes.get(at, ()), LEFT_OUT)
        return notes


@dataclass(frozen=True)
class ReferenceMetric(Compared[T]):
    """The base class of metrics that compare features of a model. A text without words has no score."""

    @abstractmethod
    def request(self, text: str, prepared: Any, reference: bool) -> Request[T]:
        """Return the request for the feature of a text: of a reference if `reference`, else of the candidate."""

    def requests(self, row: Row, prepared: Any) -> list[Request[T]]:
        references = (self.request(text, prepared, True) for text in row.references)
        return [self.request(row.candidate, prepared, False), *references]

    def score_rows(self, rows: Sequence[Row], prepared: Any, features: Features) -> Sequence[Value]:
        return self._values(rows, [self._paired(row, prepared, features) for row in rows], prepared)

    def _paired(self, row: Row, prepared: Any, features: Features) -> RowPairs[T]:
        candidate, *references = (features[request] for request in self.requests(row, prepared))
        return paired(candidate, references, self.unusable_of((candidate, *references)))

    def chosen(self, row: Row, prepared: Any, features: Features) -> tuple[int, tuple[T, T]] | None:
        """Return the index of the reference that the row's score is based on, and its pair; None without a pair."""
        of_row = self._paired(row, prepared, features)
        if not of_row.pairs:
            return None
        which = best(np.array(self.compare(of_row.pairs, prepared), np.float64), self.higher_is_better)
        return of_row.numbers[which], of_row.pairs[which]


@dataclass(frozen=True)
class StringReferenceMetric(Compared[T]):
    """The base class of metrics that compare strings. A text without words has no score."""

    worst: ClassVar[float] = 0.0
    """The score of two texts with nothing in common"""
    too_long: ClassVar[str | None] = None
    """The reason for texts that are too long to compare. They never get the 'worst' score, because they may be
    similar"""

    empty: str = param("undefined", choices=("undefined", "worst"), help=EMPTY)

    @abstractmethod
    def read(self, text: str, prepared: Any) -> T | None:
        """Return what is compared for a text, such as the list of its words; None if it has no words."""

    def read_all(self, texts: Iterable[str], prepared: Any) -> list[T | None]:
        """Return the result of `read` for each of many texts. A metric may do this faster than one by one."""
        return [self.read(text, prepared) for text in texts]

    def score_rows(self, rows: Sequence[Row], prepared: Any, features: Features) -> Sequence[Value]:
        texts = dict.fromkeys(row.candidate for row in rows)
        texts.update(dict.fromkeys(chain.from_iterable(row.references for row in rows)))
        forms = self.read_all(texts, prepared)
        unusable, read = self.unusable_of(forms), dict(zip(texts, forms, strict=True)).__getitem__
        sides: list[RowPairs[T]] = []
        for row in rows:
            candidate, references = read(row.candidate), row.references
            if len(references) == 1 and unusable is None and candidate is not None:  # nearly all rows of most tables
                only = read(references[0])
                if only is not None:
                    sides.append(RowPairs(((candidate, only),), _FIRST))
                    continue
            sides.append(paired(candidate, [*map(read, references)], unusable))
        values = self._values(rows, sides, prepared)
        return values if self.empty == "undefined" else list(map(self._worst, rows, values))

    def evidence(self, row: Row, prepared: Any, features: Features) -> Evidence:
        """Return the words that the candidate shares with the reference that the score is based on."""
        of_row = paired(
            self.read(row.candidate, prepared), [self.read(text, prepared) for text in row.references], self.unusable
        )
        if not of_row.pairs:
            return Evidence()
        which = of_row.numbers[best(np.array(self.compare(of_row.pairs, prepared), np.float64), self.higher_is_better)]
        return shared_words(row.candidate, {"reference": row.references[which]}, which)

    def _worst(self, row: Row, value: Value) -> Value:
        """Return a value in which the 'worst' score replaces a missing one.

        The value stays if the row has no reference, or if its texts are too long.
        """
        if value.reason in (None, self.too_long) or not row.references:
            return value
        parts = tuple(self.worst if math.isnan(part) else part for part in value.parts)
        return Value(parts, None, (*value.notes, f"{value.reason}: scored as worst"))
