"""How often the intervals of `nlgauge estimate` and the thresholds of `nlgauge calibrate` are right, on rated sets.

A rated set is taken as the whole population, so its mean rating is the truth. Each draw makes a file from the set:
items are drawn with replacement, each with all its rows. Only the ratings of some randomly drawn rows of the file are
used.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from nlgauge.answers.rated_scores import RatedScores
from nlgauge.data.corpus import Corpus
from nlgauge.data.table.selection import label
from nlgauge.errors import InputError
from nlgauge.maths.inference import mean_of
from nlgauge.maths.prediction_powered import Design, Float, Integers
from nlgauge.maths.rated_means import inference, rated_means
from nlgauge.ratings.rated import codes
from nlgauge.ratings.refusing import chosen_by_score, refusal
from nlgauge.stats.fitting import combined
from nlgauge_lab.reproduce.detecting import read_set
from nlgauge_lab.reproduce.labelled_sets import LABELLED_SETS
from nlgauge_lab.reproduce.rated import VIEWS, Data
from nlgauge_lab.reproduce.scoring import Job, Scores
from nlgauge_lab.reproduce.specs import metric_of
from nlgauge_lab.reproduce.suites import SUITES
from nlgauge_lab.written import HELD_OUT

RATINGS = (50, 100, 200)
ALONE, TOGETHER = "ratings alone", "all of them, cross-fitted"
_RATED = ("TokenF1", "CopyRate", "EmbeddingAverage", "BERTScore")
_GROUNDED = ("Faithfulness", *_RATED[1:])
_PARTS = ("score", "probability")
"""The parts that are used of metrics that have them. Of other metrics the first part is used"""
_COPIED = "Original Ground Truth"
"""A system that is the reference itself"""
CONFIDENCE = 0.95
"""Confidence of the intervals"""
PROMISED, PROMISE_RATINGS, RISKS = 0.9, (100, 300), (0.1, 0.2)
"""Confidence of the thresholds, numbers of rated rows that they are made from, and shares that may be unsupported"""
PROMISING = ("Faithfulness score", "Faithfulness probability")
ROWS_A_RATING = 4
"""A file has at least this many rows for each rated row"""


@dataclass(frozen=True)
class Population:
    """A rated set with its scores."""

    name: str
    title: str
    clusters: Integers
    """Number of the item, or of the source, of each row: [rows]"""
    ratings: Mapping[str, Float]
    """Ratings by aspect: [rows], NaN where a row has no rating"""
    scores: Mapping[str, Float]
    """Scores by metric: [rows]"""
    systems: Integers
    """Number of the system of each row: [rows]"""


class Cell(NamedTuple):
    """The result over all draws for intervals of one kind."""

    aspect: str
    metric: str
    ratings: int
    """How many rows were rated in each draw"""
    covered: float
    """Share of the intervals that held the truth, among those that were given"""
    half: float
    """Mean of half the length of an interval"""
    refused: float
    """Share of the draws in which no interval was given"""
    bare: bool = False
    """Whether the interval is around the metric's own mean, which is then taken for the mean rating"""


class Promise(NamedTuple):
    """The result over all draws for certified thresholds."""

    metric: str
    ratings: int
    risk: float
    certified: float
    """Share of the draws in which a threshold was certified"""
    passing: float
    """Mean share of rows that pass, over the draws with a threshold"""
    broken: float
    """Share of all draws in which a threshold was certified and its true risk is larger than was promised"""


Ends: TypeAlias = "tuple[float, float] | None"
"""Lower and upper end of an interval; None where the interval is refused"""


def summed(aspect: str, metric: str, n: int, drawn: Sequence[tuple[Ends, float]], bare: bool = False) -> Cell:
    """Return the summary of all draws.

    Args:
        aspect: the rated aspect.
        metric: the metric.
        n: number of rated rows in each draw.
        drawn: for each draw, the interval and the truth that it should hold.
        bare: whether the intervals are around the metric's own mean.
    """
    given = [(ends[0] <= truth <= ends[1], (ends[1] - ends[0]) / 2) for ends, truth in drawn if ends is not None]
    covered, half = np.mean(given, 0).tolist() if given else (math.nan, math.nan)
    return Cell(
        aspect=aspect,
        metric=metric,
        ratings=n,
        covered=covered,
        half=half,
        refused=1 - len(given) / len(drawn),
        bare=bare,
    )


class Tried(NamedTuple):
    """A rated set, and the results of all draws from it."""

    population: Population
    cells: Sequence[Cell]
    """Results for intervals of means"""
    differences: Sequence[Cell]
    promises: Sequence[Promise]

    @property
    def items(self) -> int:
        return int(self.population.clusters.max()) + 1


def populations(data: Data, scores: Scores) -> tuple[list[Population], list[str]]:
    """Return the scored rated sets of the data folder, and the names of the sets that are missing there.

    Raises:
        InputError: the folder has no set, or a set cannot be scored.
    """
    sets: list[tuple[str, Job, Integers, Mapping[str, Float]]] = []
    absent = []
    for suite in SUITES:
        if data.missing([source.file for source in suite.sources]):
            absent.append(suite.name)
            continue
        (corpus,) = VIEWS[suite.view](data.corpus(suite.sources))
        corpus = Corpus(tuple(row for row in corpus if row.system != _COPIED))
        rated = {a: np.array([row.scores.get(a, math.nan) for row in corpus], float) for a in suite.aspects}
        job = Job(corpus, suite.name, [metric_of(spec, None, suite.defaults) for spec in _RATED])
        sets.append((suite.title, job, codes([row.item for row in corpus]), rated))
    for one in LABELLED_SETS:
        if one.name in HELD_OUT:
            continue  # no people rated these rows: their writers say what is right
        labels = read_set(data.folder, one.name, None)
        if labels is None:
            absent.append(one.name)
            continue
        job = Job(labels.corpus, one.name, [metric_of(spec, None, {}) for spec in _GROUNDED])
        sets.append((one.title, job, labels.sources.astype(np.intp), {"supported": labels.truth.astype(float)}))
    if not sets:
        raise InputError("none of the rated data is there", file=data.folder, remedy="see docs/reproduce.md")
    scores.fill(job for _, job, _, _ in sets)
    made = []
    for title, (corpus, name, metrics), clusters, by_aspect in sets:
        found: dict[str, Float] = {}
        for metric in metrics:
            table = scores.table(corpus, metric)
            if table is None or len(table.rows) != len(corpus):
                raise InputError(f"{name} cannot be scored by {metric}: {scores.why(corpus, metric)}")
            column = table.columns[str(metric)]
            for part in [part for part in column.scores if part in _PARTS] or column.shown[:1]:
                values = column.values[:, column.parts.index(part)]
                found[label(table, str(metric), part)] = np.where(np.isfinite(values), values, np.nanmean(values))
        systems = codes([row.system for row in corpus])
        made.append(
            Population(name=name, title=title, clusters=clusters, ratings=by_aspect, scores=found, systems=systems)
        )
    return made, absent


def cover(population: Population, draws: int) -> list[Cell]:
    """Return the results of intervals over `draws` draws, for each aspect, metric and number of ratings."""
    cells: list[Cell] = []
    patterns: dict[bytes, list[str]] = {}
    for aspect, ratings in population.ratings.items():
        patterns.setdefault(np.isnan(ratings).tobytes(), []).append(aspect)
    for aspects in patterns.values():
        for n in RATINGS:
            cells += Drawing(population, aspects, n).cells(draws)
    order = {key: place for place, key in enumerate(dict.fromkeys((one.aspect, one.metric, one.bare) for one in cells))}
    return sorted(cells, key=lambda one: (order[one.aspect, one.metric, one.bare], one.ratings))


def promises(population: Population, draws: int) -> list[Promise]:
    """Return the results of certified thresholds over `draws` draws.

    The list is empty unless the set's rows are labelled as supported or not.
    """
    if set(population.ratings) != {"supported"}:
        return []
    found: dict[tuple[str, int, float], list[tuple[bool, float, bool]]] = {}
    for n in PROMISE_RATINGS:
        drawing = Drawing(population, ["supported"], n)
        wrong = drawing.ratings["supported"] < 1
        rng = np.random.default_rng([n, len(drawing.members), draws, 1])
        for _ in range(draws):
            rows, design = drawing.file(rng)
            clusters = np.arange(len(rows)) if design.clusters is None else design.clusters
            for metric in PROMISING:
                scores = drawing.scores[metric]
                rated = RatedScores(
                    scores=scores[rows],
                    rated=design.rated,
                    bad=design.rated & wrong[rows],
                    clusters=clusters,
                    tested=design.rated,
                )
                rated, _ = rated.independent(np.random.default_rng(n))
                for risk in RISKS:
                    threshold = rated.certified(risk, 1 - PROMISED)
                    broken = threshold.reason is None and bool(wrong[scores >= threshold.threshold].mean() > risk)
                    found.setdefault((metric, n, risk), []).append(
                        (threshold.reason is None, threshold.passing, broken)
                    )
    made = []
    for key, thresholds in sorted(found.items()):
        certified, _, broken = np.mean(thresholds, axis=0).tolist()
        passing = float(np.mean([passing for given, passing, _ in thresholds if given] or [np.nan]))
        made.append(Promise(*key, certified, passing, broken))
    return made


class Drawing:
    """Draws of files from a population, for aspects that are rated on the same rows."""

    def __init__(self, population: Population, aspects: Sequence[str], n: int) -> None:
        self.aspects, self.n = aspects, n
        known = ~np.isnan(population.ratings[aspects[0]])
        self.ratings = {aspect: population.ratings[aspect][known] for aspect in aspects}
        self.first = next(iter(population.ratings))
        """The only aspect for which all metrics are also combined, because this takes the longest"""
        self.truth = {aspect: float(ratings.mean()) for aspect, ratings in self.ratings.items()}
        self.scores = {metric: x[known] for metric, x in population.scores.items()}
        clusters = np.unique(population.clusters[known], return_inverse=True)[1]
        self.members = [np.flatnonzero(clusters == number) for number in range(int(clusters.max()) + 1)]
        self.sizes = np.array([len(rows) for rows in self.members])
        self.files = math.ceil(ROWS_A_RATING * n / len(clusters))

    def cells(self, draws: int) -> Iterator[Cell]:
        """Yield the results of intervals for every metric and aspect, all on the same draws."""
        rng = np.random.default_rng([self.n, len(self.members), draws])
        found: dict[tuple[str, str, bool], list[tuple[Ends, float]]] = {}
        for _ in range(draws):
            for key, ends in self._intervals(*self.file(rng)):
                found.setdefault(key, []).append((ends, self.truth[key[0]]))
        for (aspect, metric, bare), drawn in found.items():
            yield summed(aspect, metric, n=self.n, drawn=drawn, bare=bare)

    def file(self, rng: np.random.Generator) -> tuple[Integers, Design]:
        """Return a file drawn from the population: the numbers of its rows, and which of them are rated."""
        drawn = rng.integers(len(self.members), size=self.files * len(self.members))
        rows = np.concatenate([self.members[number] for number in drawn])
        rated = np.zeros(len(rows), bool)
        rated[rng.choice(len(rows), self.n, replace=False)] = True
        clusters = np.repeat(np.arange(len(drawn)), self.sizes[drawn])
        alone = len(self.members) == len(self.sizes) == self.sizes.sum()
        return rows, Design(rated, np.zeros(len(rows), np.intp), None, None if alone else clusters)

    def _intervals(self, rows: Integers, design: Design) -> Iterator[tuple[tuple[str, str, bool], Ends]]:
        scores = {metric: x[rows] for metric, x in self.scores.items()}
        every = np.stack(list(scores.values()), 1)
        # What is refused for its scores is the same for every aspect.
        chosen = {metric: chosen_by_score(x[:, None], design) for metric, x in scores.items()}
        for aspect in self.aspects:
            y = self.ratings[aspect][rows]
            nothing = np.zeros(len(rows))
            scale = (0.0, 1.0) if np.isin(y, (0, 1)).all() else None
            refused = refusal(y, nothing[:, None], design, False, bounds=scale) is not None
            yield (aspect, ALONE, False), None if refused else self._ends(y, nothing, design)
            for metric, x in scores.items():
                bad = refused or chosen[metric]
                yield (aspect, metric, False), None if bad else self._ends(y, x, design)
                if all(one.min() >= 0 and one.max() <= 1 for one in (self.ratings[aspect], self.scores[metric])):
                    # Then the metric's mean could be taken for the mean rating.
                    yield (aspect, metric, True), mean_of(x, clusters=design.clusters).interval(CONFIDENCE)
            if aspect == self.first:
                bad = refused or any(chosen.values()) or refusal(y, every, design, False, bounds=scale) is not None
                items = np.arange(len(rows)) if design.clusters is None else design.clusters
                fitted = None if bad else combined(every, y, rated=design.rated, items=items, seed=0)
                yield (aspect, TOGETHER, False), None if fitted is None else self._ends(y, fitted, design, 0.0)

    def _ends(self, y: Float, x: Float, design: Design, least: float = -math.inf) -> tuple[float, float]:
        """Return the ends of the interval of the mean rating that `nlgauge.estimate` gives.

        Args:
            y: the ratings: [rows].
            x: the scores: [rows]; zeros for an interval by the ratings alone.
            design: which rows are rated.
            least: the lower limit of the scores' weight, as in `nlgauge.maths.rated_means.rated_means`.
        """
        scale = (0.0, 1.0) if np.isin(y, (0, 1)).all() else None
        mean = rated_means(y, x, design=design, scale=scale, least=least, yes_no=scale is not None).taken
        levels = [None] if design.clusters is None else [design.clusters, None]
        return inference([mean], levels, design.rated, scale).interval(CONFIDENCE)
