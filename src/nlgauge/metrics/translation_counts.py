"""Shared by BLEU, ChrF and TER: row scores, counts and signature of sacrebleu.

Post, "A Call for Clarity in Reporting BLEU Scores", WMT 2018. sacrebleu counts each row and makes its score, so that a
row score equals its sentence_score. A corpus score comes from the summed counts by `nlgauge.maths.totals`, which is
vectorised for resampling and reads a saved table without sacrebleu; it equals corpus_score.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Protocol, TypeAlias

from nlgauge.data.corpus import Row
from nlgauge.engine.features.request import Features
from nlgauge.metrics.base import Prepared, RowMetric, Setup, Value
from nlgauge.metrics.evidence import Evidence, shared_with_references
from nlgauge.metrics.parameters import param
from nlgauge.metrics.references import EMPTY, LEFT_OUT

TOO_LONG = "the texts are too long to be compared"
"""The reason for a pair whose count is NaN"""
Pair: TypeAlias = tuple[str, tuple[str, ...]]
"""A candidate and the references that are used together"""
Counts: TypeAlias = Sequence[float]


class Counted(Protocol):
    """The settings of a metric that row scores depend on."""

    @property
    def references(self) -> str:
        """'joint': used together; 'best' or 'mean': scored one by one."""

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
        """Return the counts of pairs of texts by `tool`, sacrebleu's metric."""

        @cache  # systems share their references
        def read(references: tuple[str, ...]) -> Any:
            return tool._extract_reference_info([tool._preprocess_segment(text) for text in references])

        return [
            tool._compute_segment_statistics(tool._preprocess_segment(candidate), read(references))
            for candidate, references in pairs
        ]

    def evidence(self, row: Row, prepared: Prepared, features: Features) -> Evidence:
        """The words that the candidate shares with its references."""
        return shared_with_references(row)


def counted_values(
    metric: Counted,
    rows: Sequence[Row],
    count: Callable[[Sequence[Pair]], Sequence[Counts]],
    score: Callable[[Counts], float],
) -> list[Value]:
    """Return row scores from counts. Each distinct pair of texts is counted once.

    Args:
        metric: its settings say which references are used together, and what a text without words means.
        rows: the rows.
        count: counts pairs of texts; NaN for texts that are too long.
        score: makes a score of a pair's counts.
    """
    pairs = [_pairs(row, metric.references == "joint") for row in rows]
    distinct = list(dict.fromkeys(pair for each in pairs for pair in each))
    counts = {pair: tuple(map(float, own)) for pair, own in zip(distinct, count(distinct), strict=True)}
    values = {pair: math.nan if any(map(math.isnan, own)) else score(own) for pair, own in counts.items()}
    return [
        _value(metric, row, [counts[pair] for pair in each], [values[pair] for pair in each])
        for row, each in zip(rows, pairs, strict=True)
    ]


@cache
def _tool(kind: str, **settings: object) -> Any:
    """sacrebleu's metric. Metrics with equal settings share it, because its tokenizer caches the texts it has read."""
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
