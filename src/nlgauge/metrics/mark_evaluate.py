"""Mark-Evaluate: estimates the size of the population of two sets of texts. A better estimate means more overlap.

Mordido and Meinel, "Mark-Evaluate: Assessing Language Generation using Population Estimation Methods", COLING 2020.

Texts become points. The ball of a point reaches to its k-th nearest other point in its own set. P is the number of
points of both sets. An estimate P^ of P is computed from counts of points that lie in balls of the other set. The score
is 1 - min(|P^ - P| / P, 1). docs/mark-evaluate.md says what each estimator can show.

In the formulas S is a set of n points and S' a set of m:

    a = points of S' in a ball of S           B1 = pairs of a point of S' and a ball of S around it
    b = points of S in a ball of S'           B2 = pairs of a point of S and a ball of S' around it

These counts give all three estimates P^ of P = n + m without simulating the marking. Corrections of the paper:

- Equation 1 has max(|P^ - P| / P, 1), so that no score could be above 0. It must be min.
- Equations 4 and 6 add each ball's K + 1 neighbours once for every point of the other set. We add them once per ball:
  otherwise equal sets get P^ = 4 for P = 80.
- f(s, NN(s', S')) says whether s is in the ball of s', as in the paper's text, and not in the balls of the K + 1
  neighbours.
- S u S' is a disjoint union (n + m points), as in theorem A.2.
- If K is larger than the number of other points in a set, it is that number.

MarkEvaluate compares all outputs of a system with a set of texts. MarkEvaluateText compares the words of one text with
those of its references, as in the paper's section 6.2 and table 3. The paper does not say how several references are
combined. It says that both sets are likely of unequal size and reports the quality for that reason, so the words of all
references are one set here (references='all').
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nlgauge.contract.base import AMOUNT, SHARE, Cost, Limits, Setup, Value
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Row
from nlgauge.data.evidence import Evidence
from nlgauge.engine.features.request import Features, Request
from nlgauge.engine.features.vectors import TokenVectors
from nlgauge.maths.neighbours import Points, between, squared_radii
from nlgauge.metrics.references import Compared, RowPairs, best, each_once, paired
from nlgauge.metrics.sets import SetMetric, SetPrepared, SetText, covered_texts

Words: TypeAlias = NDArray[np.float32]
"""The points of a text's words: [points, width]"""


class Counts(NamedTuple):
    """The counts that the estimators take, with the names of the module's docstring."""

    a: int
    b: int
    B1: int
    B2: int
    n: int
    m: int
    k: int

    @property
    def size(self) -> int:
        """The true size P = n + m."""
        return self.n + self.m

    @property
    def swapped(self) -> Counts:
        return Counts(a=self.b, b=self.a, B1=self.B2, B2=self.B1, n=self.m, m=self.n, k=self.k)

    @property
    def apart(self) -> Counts:
        """The counts that two sets of the same sizes have if they do not overlap."""
        return Counts(a=0, b=0, B1=0, B2=0, n=self.n, m=self.m, k=self.k)


class Balls(NamedTuple):
    """The balls around the points of a set, for several k."""

    points: Points
    """The centres of the balls: [points, width]"""
    squared_radii: NDArray[np.float64]
    """The squared distance of each point to its k-th nearest other point, for each k: [points, ks]"""

    @classmethod
    def of(cls, points: Points, ks: Sequence[int]) -> Balls:
        """Return the balls around points [points, width] that reach to the k-th nearest other point, for each k."""
        return cls(points, squared_radii(points, ks))


class SizeEstimate(NamedTuple):
    """An estimated size and its score."""

    population: float
    """P^; infinite if nothing was recaptured"""
    score: float
    """1 - min(|P^ - P| / P, 1) (equations 1 and 8), from 0 to 1"""


def petersen(counts: Counts) -> SizeEstimate:
    """Return the size by one marking and one recapture (equation 3): P^ - P = (n - b)(m - a) / (a + b).

    It is symmetric in S and S'. P^ = P if one of the sets is completely covered.

    Args:
        counts: the numbers of points, and of points and pairs in balls.

    Returns:
        The estimate.
    """
    a, b, *_, n, m, _ = counts
    return _estimate(counts.size, (n - b) * (m - a), a + b)


def schnabel(counts: Counts) -> SizeEstimate:
    """Return the size by a marking and a recapture for every point of S' (equations 4 and 5).

    S is marked from the start. A point of S' in no ball of S is captured unmarked exactly once, whatever the order of
    S': when the first ball with it is drawn. So C = (K + 1) m + B2, R = C - (m - a), and P^ / P - 1 = (m - a) / R. This
    is at most 1 / K, so the score is in [1 - 1/K, 1].

    Args:
        counts: the numbers of points, and of points and pairs in balls.

    Returns:
        The estimate.
    """
    unmarked = counts.m - counts.a
    caught = (min(counts.k, counts.m - 1) + 1) * counts.m + counts.B2
    return _estimate(counts.size, unmarked * counts.size, caught - unmarked)


def capture(counts: Counts) -> SizeEstimate:
    """Return the maximum-likelihood size under model M0 of program CAPTURE (equations 6 and 7; Otis et al. 1978).

    Each of the T = P balls is an occasion, M = P points are marked at the end, and there are
    C = (K + 1) (n + m) + B1 + B2 captures. ln L(N + 1) - ln L(N) becomes negative at most once as N grows: P^ is the
    first N >= M where it is not above 0.

    Args:
        counts: the numbers of points, and of points and pairs in balls.

    Returns:
        The estimate.
    """
    P = counts.size
    C = sum((min(counts.k, size - 1) + 1) * size for size in (counts.n, counts.m)) + counts.B1 + counts.B2
    if C == P:  # each point was captured only once, so the likelihood grows with N
        return SizeEstimate(math.inf, 0.0)
    low, high = P - 1, P
    while _gain(high, P, C) > 0:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _gain(middle, P, C) > 0 else (low, middle)
    return _estimate(P, (high - P), 1)


def _gain(N: int, P: int, C: int) -> float:
    """Return ln L(N + 1) - ln L(N) of equation 6, with large terms cancelled.

    Args:
        N: the size whose likelihood is compared with that of the next size.
        P: the number of points, which is the number T of occasions and the number M of marked points.
        C: the number of captures.
    """
    free = P * N - C
    gain = math.log((N + 1) / (N + 1 - P)) - P * N * math.log1p(1 / N) + P * math.log1p(-C / (P * (N + 1)))
    return gain + free * math.log1p(P / free) if free else gain


def _estimate(size: int, excess: int, over: int) -> SizeEstimate:
    """Return the estimate P^ = P + excess / over, where P is `size`, and neither excess nor over is negative."""
    if not over:
        return SizeEstimate(math.inf, 0.0)
    return SizeEstimate(size + excess / over, 1 - min(excess / over / size, 1.0))


_ESTIMATORS = {"petersen": petersen, "schnabel": schnabel, "capture": capture}


@dataclass(frozen=True)
class MarkEvaluate(SetMetric):
    """Similarity of outputs and references as sets, by capture-recapture estimates of their size.

    Sub-scores: score; quality and diversity by Schnabel's estimator; floor, the score of two sets of these sizes that
        do not overlap; precision a/m and recall b/n; and the counts of outputs in a reference's ball (a), references in
        an output's ball (b), pairs of both kinds (B1, B2), references (n) and outputs (m).
    """

    parts: ClassVar[tuple[str, ...]] = (
        *("score", "quality", "diversity", "floor", "precision", "recall"),
        *("a", "b", "B1", "B2", "n", "m"),
    )
    details: ClassVar[tuple[str, ...]] = ("floor", "a", "b", "B1", "B2", "n", "m")
    limits: ClassVar[Mapping[str, Limits]] = {
        **dict.fromkeys(parts[:6], SHARE),
        **dict.fromkeys(parts[6:], AMOUNT),
    }
    short: ClassVar[str] = "estimator"
    citation: ClassVar[str] = "Mordido and Meinel 2020, COLING, arXiv:2010.04606"

    estimator: str = param(
        "petersen",
        choices=tuple(_ESTIMATORS),
        help="'petersen' is 1 if one set is completely covered, even if little of the other is. 'schnabel' scores "
        "quality (the share of outputs that are covered); the sub-score diversity is the same for references; "
        "both are from 1 - 1/k to 1. 'capture' is useful only at k=1: it is from about 0.74 to 0.98 for large "
        "sets, so that equal sets do not reach 1 (the paper's theorem A.3 holds for small sets). With a "
        "larger k, any two sets reach 1.",
    )
    k: int = param(
        1, minimum=1, help="a ball reaches to the k-th neighbour. Scores with different k cannot be compared."
    )

    def compare(self, evaluated: NDArray[np.float32], reference: NDArray[np.float32]) -> Value:
        return self.of_balls(Balls.of(evaluated, (self.k,)), Balls.of(reference, (self.k,)))

    def of_balls(self, evaluated: Balls, reference: Balls) -> Value:
        """Return the score of two sets as `compare` does, from balls that are computed already.

        Args:
            evaluated: the balls of the outputs, for the metric's k.
            reference: the balls of the references, for the metric's k.

        Returns:
            The score with all sub-scores.
        """
        (swept,) = assessed(evaluated, reference, (self.k,))
        a, b, *_, n, m, k = swept.counts
        estimate: SizeEstimate = getattr(swept, self.estimator)
        floor = _ESTIMATORS[self.estimator](swept.counts.apart)
        scores = (estimate.score for estimate in (estimate, swept.schnabel, swept.diversity, floor))
        note = _beyond(k, min(n, m))
        return Value((*scores, a / m, b / n, *map(float, swept.counts[:-1])), None, (note,) if note else ())

    def evidence(self, evaluated: Sequence[SetText], reference: Sequence[SetText]) -> Evidence:
        """Return the texts that are not fully covered by balls of the other side, farthest first, and covered texts."""
        return covered_texts(evaluated, reference, self.k)


@dataclass(frozen=True)
class MarkEvaluateText(Compared[Words]):
    """Similarity of the words of a text and of its references, by capture-recapture estimates of their number.

    The sub-scores are those of MarkEvaluate, computed for points of words in place of points of texts.
    """

    cost: ClassVar[Cost] = "encoding"
    parts: ClassVar[tuple[str, ...]] = MarkEvaluate.parts
    details: ClassVar[tuple[str, ...]] = MarkEvaluate.details
    limits: ClassVar[Mapping[str, Limits]] = MarkEvaluate.limits
    short: ClassVar[str] = "estimator"
    citation: ClassVar[str] = MarkEvaluate.citation

    references: str = param(
        "all",
        choices=("all", "best", "mean"),
        help="the words of 'all' references are one set; or the 'best' one, or the 'mean' over references",
    )
    estimator: str = param(
        "petersen",
        choices=tuple(_ESTIMATORS),
        help="as of MarkEvaluate: 'petersen' is 1 if either side is completely covered, 'schnabel' is the share of the "
        "candidate's words that are covered, from 1 - 1/k to 1, and 'capture' is useful only at k=1",
    )
    k: int = param(
        1, minimum=1, help="a ball reaches to the k-th neighbour. Scores with different k cannot be compared."
    )
    layers: int = param(5, minimum=1, help="how many of the model's last layers give a point of each word")
    normalize: bool = param(True, help="scale points to unit length")
    model: str | None = None

    @property
    def scored_by(self) -> tuple[type, ...]:
        return (type(self), MarkEvaluate)

    @property
    def of_sets(self) -> MarkEvaluate:
        """The metric MarkEvaluate with these parameters. It compares two sets of points: the words of texts."""
        return MarkEvaluate(
            estimator=self.estimator,
            k=self.k,
            unit="token",
            layers=self.layers,
            normalize=self.normalize,
            model=self.model,
        )

    def prepare(self, setup: Setup) -> SetPrepared:
        """Return the layers that are read. Raises SpecError if the model has fewer layers."""
        return self.of_sets.prepare(setup)

    def requests(self, row: Row, prepared: SetPrepared) -> list[Request[TokenVectors]]:
        of_sets = self.of_sets
        return [of_sets.request(text, prepared) for text in (row.candidate, *row.references)]

    def unusable(self, side: Words) -> str | None:
        return None if len(side) else "nothing but punctuation"

    def compare(self, pairs: Sequence[tuple[Words, Words]], prepared: SetPrepared) -> list[tuple[float, ...]]:
        of_sets = self.of_sets
        # The references of many candidates are the same, and larger.
        sides = each_once(lambda points: Balls.of(points, (self.k,)), pairs)
        return [of_sets.of_balls(candidate, reference).parts for candidate, reference in sides]

    def score_rows(self, rows: Sequence[Row], prepared: SetPrepared, features: Features) -> Sequence[Value]:
        of_sets = self.of_sets
        requests = [self.requests(row, prepared) for row in rows]
        read = {request: features[request] for asked in requests for request in asked}
        points = {request: None if feature is None else of_sets.points(feature) for request, feature in read.items()}
        joined: dict[tuple[int, ...], Words] = {}
        sides = []
        for candidate, *references in requests:
            of_row = paired(points[candidate], [points[request] for request in references], self.unusable)
            if of_row.pairs and self.references == "all":
                others = [reference for _, reference in of_row.pairs]
                together = joined.setdefault(tuple(map(id, others)), np.concatenate(others))
                of_row = RowPairs([(of_row.pairs[0][0], together)], of_row.numbers)
            sides.append(of_row)
        return self._values(rows, sides, prepared)

    def pair_note(self, candidate: Words, reference: Words, prepared: SetPrepared) -> str | None:
        return _beyond(self.k, min(len(candidate), len(reference)))

    def evidence(self, row: Row, prepared: SetPrepared, features: Features) -> Evidence:
        """Return the words that are not fully covered by balls of the other side, farthest first, and covered words."""
        read = [features[request] for request in self.requests(row, prepared)]
        names = ["candidate", *(f"reference {number}" for number in range(1, len(read)))]
        candidate, *references = (
            [] if feature is None else self.of_sets.points_of_words(feature, name)
            for feature, name in zip(read, names, strict=True)
        )
        used = [number for number, words in enumerate(references) if words]
        if not candidate or not used:
            return Evidence()
        if self.references != "all":
            points = [np.concatenate([word.points for word in words]) for words in (candidate, *references) if words]
            scores = np.array(self.compare([(points[0], reference) for reference in points[1:]], prepared), np.float64)
            used = [used[best(scores, self.higher_is_better)]]
        shown = covered_texts(candidate, [word for number in used for word in references[number]], self.k)
        return replace(shown, reference=used[0] if len(used) == 1 else None)


def _beyond(k: int, least: int) -> str | None:
    """Return a note if k is above the number of other points in the smaller of two sets; else None.

    Args:
        k: the number of the neighbour that a ball reaches to.
        least: the number of points in the smaller set.
    """
    return f"k={k} is more than the number of other points in a set: that number was used" if k >= least else None


class Assessment(NamedTuple):
    """The estimates of the population's size, each with its score, for balls up to the k-th nearest point."""

    k: int
    counts: Counts
    petersen: SizeEstimate
    schnabel: SizeEstimate
    """Schnabel's estimate with the references marked, which measures quality"""
    diversity: SizeEstimate
    """Schnabel's estimate with the outputs marked, which measures diversity"""
    capture: SizeEstimate


def sweep(evaluated: Points, reference: Points, ks: Sequence[int]) -> list[Assessment]:
    """Return all estimates for several k, from one pass over the distances.

    Args:
        evaluated: points of the outputs [m, width].
        reference: points of the references [n, width].
        ks: the values of k, ascending, each at least 1.

    Returns:
        The estimates for each k.
    """
    return assessed(Balls.of(evaluated, ks), Balls.of(reference, ks), ks)


def assessed(evaluated: Balls, reference: Balls, ks: Sequence[int]) -> list[Assessment]:
    """Return the estimates for each k as `sweep` does, from the balls of both sets for these k."""
    by_reference, by_output = between(*reference, *evaluated)
    counted = (by_reference.covered, by_output.covered, by_reference.pairs, by_output.pairs)
    out = []
    for k, a, b, B1, B2 in zip(ks, *(values.tolist() for values in counted), strict=True):
        counts = Counts(a=a, b=b, B1=B1, B2=B2, n=len(reference.points), m=len(evaluated.points), k=k)
        out.append(
            Assessment(
                k=k,
                counts=counts,
                petersen=petersen(counts),
                schnabel=schnabel(counts),
                diversity=schnabel(counts.swapped),
                capture=capture(counts),
            )
        )
    return out
