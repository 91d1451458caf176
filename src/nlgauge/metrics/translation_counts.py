"""Shared by BLEU, ChrF and TER: scores from counts of candidates against references, by sacrebleu's rules.

Post, "A Call for Clarity in Reporting BLEU Scores", WMT 2018. Row scores come from the counts of a row and equal
sacrebleu's sentence_score. Corpus scores come from summed counts and equal corpus_score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeAlias

import numpy as np

from nlgauge.data.corpus import Corpus, Row
from nlgauge.errors import MissingExtraError
from nlgauge.maths.totals import total
from nlgauge.metrics.base import Value
from nlgauge.metrics.references import LEFT_OUT

TOO_LONG = "the texts are too long to be compared"
"""The reason for a pair whose count is NaN"""
Pair: TypeAlias = tuple[str, tuple[str, ...]]
"""A candidate and the references that are used together"""
Count: TypeAlias = Callable[[Sequence[Pair]], Sequence[Sequence[float]]]
"""The counts of some pairs"""


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


class _Signature(Protocol):
    info: Mapping[str, object]


class Sacrebleu(Protocol):
    """A metric of sacrebleu."""

    num_refs: int
    tokenizer: Callable[[str], str]
    """Splits texts for BLEU and TER"""

    def get_signature(self) -> _Signature: ...


def sacrebleu_metric(name: str, kind: str, **settings: object) -> Sacrebleu:
    """sacrebleu's metric class `kind` with settings. Raises MissingExtraError, naming the metric `name`, without it."""
    try:
        import sacrebleu.metrics
    except ImportError:
        raise MissingExtraError(name, "strings") from None
    metric: Sacrebleu = getattr(sacrebleu.metrics, kind)(**settings)
    return metric


def sacrebleu_facts(metric: Sacrebleu, corpus: Corpus) -> dict[str, object]:
    """The signature of sacrebleu for a corpus score, in sacrebleu's order.

    `rows` is added if row scores have another setting than the corpus score.
    """
    numbers = {len(_usable(row)) for row in corpus} - {0}
    metric.num_refs = numbers.pop() if len(numbers) == 1 else -1
    info = dict(metric.get_signature().info)
    info["version"] = info.pop("version")
    printed = {True: "yes", False: "no"}
    facts = {
        name: printed[fact] if isinstance(fact, bool) else str(fact) for name, fact in info.items() if fact is not None
    }
    rows = {"rows": "eff=yes"} if facts.get("eff") == "no" else {}
    return {"library": "sacrebleu", **facts, **rows}


def counted_values(metric: Counted, rows: Sequence[Row], count: Count, formula: Mapping[str, object]) -> list[Value]:
    """Row scores by a formula of `nlgauge.maths.totals`. Each distinct pair of texts is counted once."""
    pairs = [_pairs(row, metric.references == "joint") for row in rows]
    distinct = list(dict.fromkeys(pair for each in pairs for pair in each))
    counted = count(distinct) if distinct else ()
    counts = {pair: tuple(map(float, one)) for pair, one in zip(distinct, counted, strict=True)}
    numbers = total(formula, np.array([*counts.values()], np.float64))[:, 0].tolist() if counts else []
    values = dict(zip(counts, numbers, strict=True))
    return [
        _value(metric, row, [counts[pair] for pair in each], [values[pair] for pair in each])
        for row, each in zip(rows, pairs, strict=True)
    ]


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
