"""Mark-Evaluate: estimates the size of the population of two sets of texts. A better estimate means more overlap.

Mordido and Meinel, "Mark-Evaluate: Assessing Language Generation using Population Estimation Methods", COLING 2020.

Texts become points. The ball of a point reaches to its k-th nearest other point in its own set. From the points of one
set in balls of the other comes an estimate P^ of the number of points P, and the score is 1 - min(|P^ - P| / P, 1).
maths/population.py has the three estimators and corrections of the paper's equations. docs/mark-evaluate.md says what
each can show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.maths.neighbours import Points, coverage
from nlgauge.maths.population import Counts, SizeEstimate, capture, petersen, schnabel
from nlgauge.metrics.base import Value
from nlgauge.metrics.evidence import Evidence
from nlgauge.metrics.parameters import param
from nlgauge.metrics.sets import SetMetric, SetText, covered_texts

_ESTIMATORS = {"petersen": petersen, "schnabel": schnabel, "capture": capture}


@dataclass(frozen=True)
class MarkEvaluate(SetMetric):
    """Similarity of outputs and references as sets, by capture-recapture estimates of their size.

    Parts: score; quality and diversity by Schnabel's estimator; floor, the score of two sets of these sizes that do not
        overlap; precision a/m and recall b/n; and the counts of outputs in a reference's ball (a), references in an
        output's ball (b), pairs of both kinds (B1, B2), references (n) and outputs (m).
    """

    parts: ClassVar[tuple[str, ...]] = (
        *("score", "quality", "diversity", "floor", "precision", "recall"),
        *("a", "b", "B1", "B2", "n", "m"),
    )
    details: ClassVar[tuple[str, ...]] = ("floor", "a", "b", "B1", "B2", "n", "m")
    citation: ClassVar[str] = "Mordido and Meinel 2020, COLING, arXiv:2010.04606"

    estimator: str = param(
        "petersen", choices=tuple(_ESTIMATORS),
        help="'petersen' is 1 if one set is completely covered, even if little of the other is. 'schnabel' scores "
        "quality (the share of outputs that are covered); the part diversity is the same for references; both are from "
        "1 - 1/k to 1. 'capture' is useful only at k=1: it is from about 0.74 to 0.98 for large sets, so that equal "
        "sets do not reach 1 (the paper's theorem A.3 holds for small sets). With a larger k, any two sets reach 1.",
    )  # fmt: skip
    k: int = param(
        1, minimum=1, help="a ball reaches to the k-th neighbour. Scores with different k cannot be compared."
    )

    def compare(self, evaluated: NDArray[np.float32], reference: NDArray[np.float32]) -> Value:
        (swept,) = sweep(evaluated, reference, (self.k,))
        a, b, *_, n, m, k = swept.counts
        estimate: SizeEstimate = getattr(swept, self.estimator)
        floor = _ESTIMATORS[self.estimator](swept.counts.apart)
        scores = (one.score for one in (estimate, swept.schnabel, swept.diversity, floor))
        beyond = f"k={k} is more than the number of other points in a set: that number was used"
        notes = (beyond,) if k >= min(n, m) else ()
        return Value((*scores, a / m, b / n, *map(float, swept.counts[:-1])), None, notes)

    def evidence(self, evaluated: Sequence[SetText], reference: Sequence[SetText]) -> Evidence:
        """Texts that are not fully covered by balls of the other side, farthest first, and covered texts."""
        return covered_texts(evaluated, reference, self.k)


class Assessment(NamedTuple):
    """The estimates at one k."""

    k: int
    counts: Counts
    petersen: SizeEstimate
    schnabel: SizeEstimate
    """Quality: of references and outputs"""
    diversity: SizeEstimate
    """Schnabel's estimate of outputs and references"""
    capture: SizeEstimate


def sweep(evaluated: Points, reference: Points, ks: Sequence[int]) -> list[Assessment]:
    """All estimates at many k from one pass over the distances.

    evaluated [m, width], reference [n, width]; ks ascending, each at least 1.
    """
    by_reference, by_output = coverage(reference, evaluated, ks)
    counted = (by_reference.covered, by_output.covered, by_reference.pairs, by_output.pairs)
    out = []
    for k, a, b, B1, B2 in zip(ks, *(values.tolist() for values in counted), strict=True):
        counts = Counts(a, b, B1, B2, len(reference), len(evaluated), k)
        out.append(Assessment(k, counts, petersen(counts), schnabel(counts), schnabel(counts.swapped), capture(counts)))
    return out
