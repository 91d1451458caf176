"""The card of a scorer: how it agrees with people on sets of ratings, on our probes, and what it costs; and boards.

A card holds no text and no rating. For each set it holds a number for each item, whose mean is the agreement: the
correlation within the item, or the jackknife's pseudo-value (Tukey 1958) of a correlation or an area over all rows. So
two cards can be tested against each other, item by item, where nobody has the sets at hand.

Scorers are compared on all rated rows. A row to which a scorer gave no score counts as one of which it knows nothing,
so that nobody gains by leaving out the rows on which it would err: in the AUROC it is as good as every other row, and
in a correlation it has the mean score (within items that of the item, and where the item has none, the item counts 0).
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from nlgauge.answers.correlate import agreements_of
from nlgauge.data.atomic_write import atomic_write
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.jsonable import Number, jsonable, read_record
from nlgauge.data.probes import KINDS, Probed
from nlgauge.data.table import Column, ScoreTable
from nlgauge.errors import InputError
from nlgauge.maths.inference import Measured, mean_of
from nlgauge.ratings.join import turned
from nlgauge.ratings.rated import Measurement, joined, unseen
from nlgauge.stats.arrays import Float, Mask
from nlgauge.stats.coefficients import correlation
from nlgauge.stats.corrections import clusters, holm
from nlgauge.stats.decisions import auroc, auroc_without, share_of

FORMAT, _EARLIER = "nlgauge-card-2", "nlgauge-card-1"
"""The earlier one left out the rows that had no score"""
MEASURES = ("AUROC", "item", "pooled")
_LEAST_SYSTEMS = 3
"""Rated outputs for an item from which a correlation within items is taken"""
_DIGITS = 6


@dataclass(frozen=True)
class SetAgreement:
    """How a scorer agrees with one aspect of one set."""

    set: str
    digest: str
    """Of the rows of the set and their ratings"""
    aspect: str
    rows: int = 0
    """Rated rows with a score"""
    unscored: int = 0
    measure: str = ""
    """'AUROC', for ratings of yes or no; 'item', Pearson within items where these have three outputs; else 'pooled'"""
    value: Number = math.nan
    low: Number = math.nan
    high: Number = math.nan
    """Of all rated rows: one without a score counts as a row of which nothing is known. The next three leave it out"""
    pooled: Number = math.nan
    """Pearson over all rows, as `nlgauge.correlate` has it"""
    item: Number = math.nan
    """Pearson within items"""
    system: Number = math.nan
    """Pearson of the systems' means"""
    units: tuple[Number, ...] = field(default=(), repr=False)
    """A number for each item of the set, in its order, whose mean is the value; NaN for an item that has none"""


@dataclass(frozen=True)
class ProbeShare:
    """In which share of our probes of one kind a true statement has a better score than one with an error."""

    kind: str
    """'paraphrase': true statements in other words against all errors of the same source; else the kind of error"""
    share: Number
    low: Number
    high: Number
    pairs: int


@dataclass(frozen=True)
class Card:
    """What is known of a scorer."""

    scorer: str
    signature: str
    """What its numbers depend on, on all sets alike"""
    digest: str
    """Of the signature"""
    trained_on: tuple[str, ...] | None
    """What the scorer may have been trained on, where it is said; None where it is not"""
    cost: Mapping[str, Number]
    """Rows and seconds of this machine, and what a judge asked for"""
    sets: tuple[SetAgreement, ...]
    probes: tuple[ProbeShare, ...]
    notes: tuple[str, ...] = ()
    version: str = ""
    format: str = FORMAT

    def save(self, path: str | Path) -> None:
        """Write JSON, complete or not at all. Raises InputError where it cannot be written."""
        with atomic_write(path) as file:
            file.write(json.dumps(jsonable(self), ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Card:
        """Read what `save` wrote. Raises InputError for anything else."""
        what, remedy = "a card", "give what nlgauge rate -o wrote"
        made = read_record(cls, path, what, remedy)
        if made.format not in (FORMAT, _EARLIER) or any(of_set.measure not in MEASURES for of_set in made.sets):
            raise InputError(f"is not {what}", file=path, remedy=remedy)
        return made


def _how(level: str, replicates: int = 0, seed: int = 0) -> Measurement:
    """Return how agreement is measured, of other items."""
    return Measurement(
        level=level, coefficient="pearson", resample="items", confidence=0.95, replicates=replicates, seed=seed
    )


def agreements(
    table: ScoreTable, outputs: Corpus, name: str, *, replicates: int = 1000, seed: int = 0
) -> list[SetAgreement]:
    """Return how the one scorer of a table agrees with each aspect of a set, whose rows were scored."""
    table = table.per_item()
    ((spec, column),) = table.columns.items()
    both = joined(table, outputs, None)
    place, values = both.place, both.ratings.values
    beside = both.of(unseen(table, values, [])[0])
    scores = turned(column, 0)
    x = np.where(np.isfinite(scores), scores, np.nan)
    items, count = np.array(place.place[0]), len(place.items)
    digest = hashlib.sha256(outputs.digest.encode())
    for aspect in both.aspects:
        digest.update(aspect.encode() + values[aspect].tobytes())
    named = digest.hexdigest()[:12]
    made = []
    for aspect in both.aspects:
        y = values[aspect]
        rated = ~np.isnan(y)
        unscored = int((rated & np.isnan(x)).sum())
        numbers: dict[str, Any] = {"rows": int(rated.sum()) - unscored, "unscored": unscored}
        of_aspect = replace(beside, aspects=[aspect])
        for level in ("pooled", "item", "system"):
            numbers[level] = agreements_of(of_aspect, _how(level))[0].value
        bad = y[rated] == 0
        outputs_of = np.bincount(items[rated], minlength=count)
        if bad.any() and np.isin(y[rated], (0, 1)).all():
            measure, measured = "AUROC", auroc(x[rated], bad, items[rated])
            units = _of_area(x[rated], bad, items[rated], count)
        elif rated.any() and float(np.median(outputs_of[outputs_of > 0])) >= _LEAST_SYSTEMS:
            measure, units = "item", _within(x, y, rated=rated, items=items, count=count)
            measured = mean_of(units[~np.isnan(units)], (-1.0, 1.0)).measured()
        else:
            measure, filled = "pooled", np.where(np.isnan(x) & rated, _mean(x[rated]), x)
            whole = replace(table, columns={spec: Column(("score",), filled[:, None])})
            (line,) = agreements_of(of_aspect.of(whole), _how(measure, replicates, seed))
            measured, units = (
                Measured(line.value, line.low, line.high),
                _of_rows(filled, y, rated=rated, items=items, count=count),
            )
        numbers |= {"measure": measure, "value": measured.value, "low": measured.low, "high": measured.high}
        rounded = tuple(round(unit, _DIGITS) for unit in units.tolist())
        made.append(SetAgreement(set=name, digest=named, aspect=aspect, **numbers, units=rounded))
    return made


def _mean(values: Float) -> float:
    """Return the mean of the values that there are; 0 where there is none."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else 0.0


def _within(x: Float, y: Float, rated: Mask, items: Any, count: int) -> Float:
    """Return the correlation within each item; 0 where it has no other score than that of rows without one."""
    units = np.full(count, np.nan)
    for item in range(count):
        rows = rated & (items == item)
        if rows.sum() > 1:
            scores, ratings = x[rows], y[rows]
            missing = np.isnan(scores)
            filled = np.where(missing, _mean(scores), scores)
            alike = bool(missing.any() and np.ptp(filled) == 0 < np.ptp(ratings))
            units[item] = 0.0 if alike else float(correlation(filled, ratings))
    return units


def _of_rows(x: Float, y: Float, rated: Mask, items: Any, count: int) -> Float:
    """Return pseudo-values of the correlation over all rows, which leave out one item after the other."""
    x, y, of = x[rated], y[rated], items[rated]
    units = np.full(count, np.nan)
    if len(x) < 3:
        return units
    x, y = x - x.mean(), y - y.mean()
    sums = np.stack([np.ones(len(x)), x, y, x * x, y * y, x * y])
    left = sums.sum(1)[:, None] - np.stack([np.bincount(of, terms, count) for terms in sums])
    n, sx, sy, sxx, syy, sxy = left
    with np.errstate(invalid="ignore", divide="ignore"):
        without = (sxy - sx * sy / n) / np.sqrt((sxx - sx * sx / n) * (syy - sy * sy / n))
    whole = float(correlation(x, y))
    there = np.bincount(of, minlength=count) > 0
    units[there] = whole * there.sum() - (there.sum() - 1) * without[there]
    return units


def _of_area(x: Float, bad: Mask, of: Any, count: int) -> Float:
    """Return pseudo-values of the AUROC, which leave out one item after the other."""
    units = np.full(count, np.nan)
    areas = auroc_without(x, bad, of)
    if areas is not None:
        groups = len(areas[1])
        units[np.unique(of)] = groups * areas[0] - (groups - 1) * areas[1]
    return units


def probe_rows(sources: Sequence[Probed]) -> list[tuple[Row, str]]:
    """Return the statements of the probes as rows.

    A row has its source, its question, and the other paraphrases of the source as references.

    Args:
        sources: the sources, and what is said of them.

    Returns:
        The rows, with the role of each: 'right', 'wrong' or 'paraphrase'.
    """
    made: list[tuple[Row, str]] = []
    for source in sources:
        for probe in source.probes:
            for role, text in (("right", probe.right), ("wrong", probe.wrong)):
                made.append((_statement(len(made), text, source, probe.question or source.question), role))
        for text in source.paraphrases:
            made.append((_statement(len(made), text, source, source.question), "paraphrase"))
    return made


def _statement(number: int, text: str, of: Probed, question: str) -> Row:
    references = tuple(other for other in of.paraphrases if other != text)
    return Row(text, references=references, source=of.source, question=question, item=f"{number}")


def probe_shares(table: ScoreTable, sources: Sequence[Probed]) -> list[ProbeShare]:
    """Return how often the one scorer of a table of `probe_rows` orders our probes well, by kind."""
    (column,) = table.columns.values()
    values = iter(turned(column, 0).tolist())
    pairs: dict[str, list[tuple[float, int]]] = {kind: [] for kind in (*KINDS, "paraphrase")}
    for number, source in enumerate(sources):
        wrong: list[float] = []
        for probe in source.probes:
            right, error = next(values), next(values)
            pairs[probe.kind].append((_above(right, error), number))
            wrong += [error] if probe.question is None else []
        free = [next(values) for _ in source.paraphrases]
        pairs["paraphrase"] += [(_above(text, error), number) for text in free for error in wrong]
    made = []
    for kind, shares in pairs.items():
        won = np.array([share for share, _ in shares])
        of = np.array([source for _, source in shares])
        defined = ~np.isnan(won)
        if defined.any():
            made.append(ProbeShare(kind, *share_of(won[defined], of[defined]), pairs=int(defined.sum())))
    return made


def _above(value: float, other: float) -> float:
    return math.nan if math.isnan(value + other) else 1.0 if value > other else 0.5 if value == other else 0.0


@dataclass(frozen=True, kw_only=True)
class BoardLine:
    """A scorer's place on one aspect of one set."""

    set: str
    aspect: str
    measure: str
    scorer: str
    rows: int
    """Rated rows with a score"""
    unscored: int
    """Rated rows without one, of which the scorer is taken to know nothing"""
    value: float
    low: float
    high: float
    cluster: int
    """From 1 for the best: scorers of one cluster do not differ significantly"""
    trained: bool
    """Whether the scorer may have been trained on this set"""


@dataclass(frozen=True)
class Board:
    """Several scorers beside each other."""

    cards: tuple[Card, ...]
    lines: tuple[BoardLine, ...]
    """By set and aspect, the best first"""
    notes: tuple[str, ...]

    def first(self, scorer: str) -> tuple[int, int]:
        """Return on how many sets and aspects a scorer is in the first cluster, and how many it was rated on."""
        lines = [line for line in self.lines if line.scorer == scorer]
        return sum(line.cluster == 1 for line in lines), len(lines)


def board(cards: Iterable[Card], significance: float = 0.05) -> Board:
    """Return several cards as one board, with clusters of significance for each aspect of each set.

    Two scorers are tested by Student's t of the differences of their numbers for each item, corrected by Holm for all
    pairs of the aspect.

    Args:
        cards: those of different scorers.
        significance: the level.

    Returns:
        The board.

    Raises:
        InputError: there are fewer than two cards, two cards are of one scorer, or the cards have no set in common.
    """
    cards = tuple(cards)
    names = [card.scorer for card in cards]
    if len(cards) < 2 or len(set(names)) < len(names):
        problem = "a board needs two cards" if len(cards) < 2 else "two cards are of one scorer"
        raise InputError(problem, remedy="rate several scorers, each with a card of its own")
    by_set: dict[tuple[str, str, str], list[tuple[Card, SetAgreement]]] = {}
    notes = []
    for card in cards:
        for of_set in card.sets:
            if of_set.unscored and card.format == _EARLIER:
                left = (
                    f"an earlier version left {of_set.unscored} rows without a score out of the card of {card.scorer}"
                )
                notes.append(f"{of_set.set}, {of_set.aspect}: {left}, which is not compared: rate it again")
                continue
            by_set.setdefault((of_set.set, of_set.digest, of_set.aspect), []).append((card, of_set))
    digests: dict[str, set[str]] = {}
    for name, digest, _ in by_set:
        digests.setdefault(name, set()).add(digest)
    notes += [
        f"{name}: the cards are of different rows of this set, which are not compared"
        for name, versions in digests.items()
        if len(versions) > 1
    ]
    lines: list[BoardLine] = []
    for (name, _, aspect), entries in by_set.items():
        if len(entries) < 2:
            continue
        if len({(of_set.measure, len(of_set.units)) for _, of_set in entries}) > 1:
            notes.append(f"{name}, {aspect}: the cards have different measures, which are not compared")
            continue
        for card, of_set in entries:
            if of_set.unscored:
                of = f"{of_set.unscored} of {of_set.rows + of_set.unscored} rated rows have no score by {card.scorer}"
                notes.append(f"{name}, {aspect}: {of}, and count as rows of which it knows nothing")
        pairs = list(combinations(range(len(entries)), 2))
        units = np.array([of_set.units for _, of_set in entries])
        gaps = [units[a] - units[b] for a, b in pairs]
        p = [mean_of(gap[~np.isnan(gap)]).p() for gap in gaps]
        different = np.zeros((len(entries), len(entries)), bool)
        for (a, b), adjusted in zip(pairs, holm(p).tolist(), strict=True):
            different[a, b] = different[b, a] = adjusted < significance
        values = [of_set.value for _, of_set in entries]
        made = [
            BoardLine(
                set=name,
                aspect=aspect,
                measure=of_set.measure,
                scorer=card.scorer,
                rows=of_set.rows,
                unscored=of_set.unscored,
                value=of_set.value,
                low=of_set.low,
                high=of_set.high,
                cluster=cluster,
                trained=any(name.casefold() in text.casefold() for text in card.trained_on or ()),
            )
            for (card, of_set), cluster in zip(entries, clusters(values, different), strict=True)
        ]
        lines += sorted(made, key=lambda line: (line.cluster, -line.value if line.value == line.value else math.inf))
    if not lines:
        raise InputError("the cards have no set in common", remedy="rate all scorers on the same sets")
    return Board(cards, tuple(lines), tuple(notes))
