"""TER: Snover et al., "A Study of Translation Edit Rate with Targeted Human Annotation", AMTA 2006.

sacrebleu splits the texts into words. `nlgauge.maths.shifts` counts the edits, with sacrebleu's results in less time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from nlgauge.data.corpus import Row
from nlgauge.engine.features.request import Features
from nlgauge.errors import MissingExtraError
from nlgauge.maths.shifts import Distance, fewest_shifted_edits
from nlgauge.metrics.base import Prepared, RowMetric, Setup, Value
from nlgauge.metrics.evidence import Evidence, shared_with_references
from nlgauge.metrics.translation_counts import Pair, Sacrebleu, counted_values, sacrebleu_facts, sacrebleu_metric

_FORMULA: Mapping[str, object] = {"name": "rate"}
_MOST_CELLS = 25_000_000
"""Words of a candidate times words of a reference (5,000 each): the search for shifts takes seconds if words differ,
and up to an hour if a text repeats three words"""


@dataclass(frozen=True)
class TER(RowMetric):
    """TER: word edits and block shifts, in percent of the reference's words; 0 is best.

    lowercase: compare texts in lower case.
    normalized, punctuation, asian: as in Tercom, split off punctuation, keep punctuation, and treat Chinese and
    Japanese characters as words. references: 'joint', the fewest edits to any reference divided by the references' mean
    length. With 'best' or 'mean', references are scored one by one, and the corpus score is the mean over rows. Texts
    with more than 25 million pairs of words (5,000 each) are not compared.
    """

    higher_is_better: ClassVar[bool] = False
    citation: ClassVar[str] = "Snover et al. 2006, AMTA"
    libraries: ClassVar[tuple[str, ...]] = ("sacrebleu", "rapidfuzz")
    choices: ClassVar[Mapping[str, Sequence[object]]] = {
        "references": ("joint", "best", "mean"),
        "empty": ("undefined", "worst"),
    }

    references: str = "joint"
    empty: str = "undefined"
    """As in BLEU"""
    lowercase: bool = True
    normalized: bool = False
    punctuation: bool = True
    asian: bool = False

    @property
    def formula(self) -> Mapping[str, object] | None:
        return _FORMULA if self.references == "joint" else None

    def prepare(self, setup: Setup) -> Prepared:
        _distance()
        return Prepared(facts=sacrebleu_facts(self._sacrebleu(), setup.corpus))

    def score_rows(self, rows: Sequence[Row], prepared: Prepared, features: Features) -> list[Value]:
        tokenize, distance = self._sacrebleu().tokenizer, _distance()

        def count(pairs: Sequence[Pair]) -> list[tuple[float, float]]:
            together: dict[tuple[str, ...], list[str]] = {}
            for candidate, references in pairs:
                together.setdefault(references, []).append(candidate)
            found: dict[Pair, tuple[float, float]] = {}
            for references, candidates in together.items():
                ours, theirs = (
                    [tokenize(text.rstrip()).split() for text in texts] for texts in (candidates, references)
                )
                lengths = [len(words) for words in theirs]
                near = [words for words in ours if len(words) * max(lengths) <= _MOST_CELLS]
                edits = iter(fewest_shifted_edits(near, theirs, distance) if near else ())
                for text, words in zip(candidates, ours, strict=True):
                    few = next(edits) if len(words) * max(lengths) <= _MOST_CELLS else math.nan
                    found[text, references] = few, sum(lengths) / len(lengths)
            return [found[pair] for pair in pairs]

        return counted_values(self, rows, count, _FORMULA)

    def evidence(self, row: Row, prepared: Prepared, features: Features) -> Evidence:
        """The words that the candidate shares with its references."""
        return shared_with_references(row)

    def _sacrebleu(self) -> Sacrebleu:
        return sacrebleu_metric(
            "TER",
            "TER",
            normalized=self.normalized,
            no_punct=not self.punctuation,
            asian_support=self.asian,
            case_sensitive=not self.lowercase,
        )


def _distance() -> Distance:
    try:
        from rapidfuzz.distance.Levenshtein import distance
    except ImportError:
        raise MissingExtraError("TER", "strings") from None
    return distance
