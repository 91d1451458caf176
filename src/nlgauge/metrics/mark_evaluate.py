"""Mark-Evaluate: two sets of texts as a population to be counted; the better the count, the more they overlap.

Mordido and Meinel, "Mark-Evaluate: Assessing Language Generation using Population Estimation Methods", COLING 2020.

Texts become points; the ball of a point reaches to its k-th nearest other point of its own set. What the balls of one
set hold of the other gives an estimate P^ of the number of points P, and the score is 1 - min(|P^ - P| / P, 1). The
three estimators, and what is wrong in the paper's equations: maths/population.py. docs/mark-evaluate.md says what each
can show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.maths.neighbours import Points, coverage
from nlgauge.maths.population import Counts, Estimate, capture, petersen, schnabel
from nlgauge.metrics.base import Value
from nlgauge.metrics.evidence import Evidence
from nlgauge.metrics.sets import SetMetric, SetText, covered_texts

_ESTIMATORS = {"petersen": petersen, "schnabel": schnabel, "capture": capture}


@dataclass(frozen=True)
class MarkEvaluate(SetMetric):
    """How alike outputs and references are as sets, by capture-recapture estimates of their number.

    estimator: 'petersen' is 1 as soon as all of one set is covered, however little of the other is. 'schnabel' scores
        quality (what share of the outputs is covered), and diversity (of the references) stands beside it; both are
        from 1 - 1/k to 1. 'capture' tells something at k=1 only: from about 0.74 to 0.98 for large sets, equal sets
        do not reach 1 (the paper's theorem A.3 holds for small ones), and with a larger k any two sets do.
    k: the neighbour that a ball reaches to. Scores of different k cannot be compared.
    unit: 'sentence', a point a text, of its vectors at the model's last layer. 'token', a point for every word at each
        of the last `layers` layers.
    pooling: how unit='sentence' makes one vector of a text's: 'mean', or 'max', the largest number of each dimension.
    normalize: points to unit length.

    Parts: score; quality and diversity, Schnabel's whatever the estimator; floor, the score of two sets of these sizes
    with nothing in common; precision a/m and recall b/n; and the counts, of outputs in a reference's ball (a), of
    references in an output's (b), of pairs of both kinds (B1, B2), of references (n) and outputs (m).
    """

    least: ClassVar[Mapping[str, float]] = {**SetMetric.least, "k": 1}
    parts: ClassVar[tuple[str, ...]] = (
        *("score", "quality", "diversity", "floor", "precision", "recall"),
        *("a", "b", "B1", "B2", "n", "m"),
    )
    details: ClassVar[tuple[str, ...]] = ("floor", "a", "b", "B1", "B2", "n", "m")
    citation: ClassVar[str] = "Mordido and Meinel 2020, COLING, arXiv:2010.04606"
    choices: ClassVar[Mapping[str, Sequence[object]]] = {"estimator": tuple(_ESTIMATORS), **SetMetric.choices}

    estimator: str = "petersen"
    k: int = 1

    def compare(self, evaluated: NDArray[np.float32], reference: NDArray[np.float32]) -> Value:
        (swept,) = sweep(evaluated, reference, (self.k,))
        a, b, *_, n, m, k = swept.counts
        estimate: Estimate = getattr(swept, self.estimator)
        floor = _ESTIMATORS[self.estimator](swept.counts.apart)
        scores = (one.score for one in (estimate, swept.schnabel, swept.diversity, floor))
        notes = (f"k={k} is more than a set has other points: their number was taken",) if k >= min(n, m) else ()
        return Value((*scores, a / m, b / n, *map(float, swept.counts[:-1])), None, notes)

    def evidence(self, evaluated: Sequence[SetText], reference: Sequence[SetText]) -> Evidence:
        """Texts that no ball of the other side holds (all the points of), farthest first, and those that one does."""
        outputs, references = (np.concatenate([text.points for text in texts]) for texts in (evaluated, reference))
        by_reference, by_output = coverage(references, outputs, (self.k,))
        return covered_texts(evaluated, reference, by_reference.points == 0, by_output.points == 0)


class Assessment(NamedTuple):
    """What the estimators say at one k."""

    k: int
    counts: Counts
    petersen: Estimate
    schnabel: Estimate
    """From the references and the outputs: quality"""
    diversity: Estimate
    """Schnabel's of the outputs and the references"""
    capture: Estimate


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
