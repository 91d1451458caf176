"""Cards of scorers, with their agreement with people, their success on probes and their cost; and boards of cards.

A card holds no text and no rating. For each set of ratings it holds one number for each item. This is the correlation
within the item, or the jackknife's pseudo-value (Tukey 1958) of a correlation or an AUROC over all rows. The mean of
these numbers is the agreement (for pseudo-values, with the jackknife's correction of its bias). So two cards can be
tested against each other, item by item, without the sets themselves.

Scorers are compared on all rated rows, so that no scorer gains by leaving out the rows on which it would err. A row
without a score counts as a row about which the scorer knows nothing. In the AUROC it ties with every other row. In a
correlation over all rows it has the mean score. In a correlation within items it has the mean score of the item, and an
item without any score counts 0.
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
"""The present format of cards and the earlier one, which left out the rows without a score"""
MEASURES = ("AUROC", "item", "pooled")
_LEAST_SYSTEMS = 3
"""The least median number of rated outputs for an item with which the correlation within items is taken"""
_DIGITS = 6


@dataclass(frozen=True)
class SetAgreement:
    """The agreement of a scorer with one aspect of one set of ratings."""

    set: str
    digest: str
    """The digest of the set's rows and their ratings"""
    aspect: str
    rows: int = 0
    """The number of rated rows with a score"""
    unscored: int = 0
    measure: str = ""
    """'AUROC' for ratings of yes or no; 'item', the Pearson correlation within items, if the median item has at least
    three rated outputs; else 'pooled'"""
    value: Number = math.nan
    low: Number = math.nan
    high: Number = math.nan
    """The upper end of the 95 % interval of `value`, as `low` is the lower end. These three are of all rated rows, and
    a row without a score counts as one about which the scorer knows nothing. `pooled`, `item` and `system` leave such
    rows out"""
    pooled: Number = math.nan
    """The Pearson correlation over all rows, as `nlgauge.correlate` computes it"""
    item: Number = math.nan
    """The Pearson correlation within items, averaged over items"""
    system: Number = math.nan
    """The Pearson correlation of the systems' means"""
    units: tuple[Number, ...] = field(default=(), repr=False)
    """A number for each item, in the order of the set; NaN for an item without one. Their mean is `value` (for
    pseudo-values, with the jackknife's correction of its bias)"""


@dataclass(frozen=True)
class ProbeShare:
    """The share of probes of one kind in which the true statement has a better score than the one with an error."""

    kind: str
    """The kind of error; or 'paraphrase', where true statements in other words are compared with all errors of their
    source"""
    share: Number
    low: Number
    high: Number
    pairs: int


@dataclass(frozen=True)
class Card:
    """The facts about one scorer: its agreement with people, its success on probes, and its cost."""

    scorer: str
    signature: str
    """The signature of the scorer, which holds for all sets"""
    digest: str
    """The digest of the signature"""
    trained_on: tuple[str, ...] | None
    """The names of data that the scorer may have been trained on; None where this is not known"""
    cost: Mapping[str, Number]
    """The number of rows, the seconds on this machine, and for a judge the numbers of its requests and tokens"""
    sets: tuple[SetAgreement, ...]
    probes: tuple[ProbeShare, ...]
    notes: tuple[str, ...] = ()
    version: str = ""
    format: str = FORMAT

    def save(self, path: str | Path) -> None:
        """Write the card as JSON, completely or not at all. Raise InputError if it cannot be written."""
        with atomic_write(path) as file:
            file.write(json.dumps(jsonable(self), ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Card:
        """Return the card of a file that `save` wrote. Raise InputError for any other file."""
        what, remedy = "a card", "give what nlgauge rate -o wrote"
        made = read_record(cls, path, what, remedy)
        if made.format not in (FORMAT, _EARLIER) or any(of_set.measure not in MEASURES for of_set in made.sets):
            raise InputError(f"is not {what}", file=path, remedy=remedy)
        return made


def _how(level: str, replicates: int = 0, seed: int = 0) -> Measurement:
    """Return the settings of a Pearson correlation whose interval is for other items."""
    return Measurement(
        level=level, coefficient="pearson", resample="items", confidence=0.95, replicates=replicates, seed=seed
    )


def agreements(
    table: ScoreTable, outputs: Corpus, name: str, *, replicates: int = 1000, seed: int = 0
) -> list[SetAgreement]:
    """Return the agreement of a table's single scorer with each aspect of a set of ratings.

    Args:
        table: the scores of the set's rows.
        outputs: the set: its rows with their ratings.
        name: the name of the set.
        replicates: as `nlgauge.correlate` takes it.
        seed: as `nlgauge.correlate` takes it.

    Returns:
        A record for each aspect.
    """
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
    """Return the mean of the values that are not NaN; 0 where all are NaN."""
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else 0.0


def _within(x: Float, y: Float, rated: Mask, items: Any, count: int) -> Float:
    """Return the correlation of scores and ratings within each item: [items].

    Missing scores are set to the item's mean score. If this makes all scores of the item equal, its correlation is
    taken to be 0. It is NaN for an item with fewer than two rated rows, with equal ratings, or with equal scores and
    none missing.

    Args:
        x: the scores: [rows]; NaN for a missing one.
        y: the ratings: [rows].
        rated: which rows are rated: [rows].
        items: the number of each row's item: [rows].
        count: the number of items.
    """
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
    """Return the jackknife's pseudo-value of each item, for the correlation over all rows: [items].

    Args:
        x: the scores, none missing on a rated row: [rows].
        y: the ratings: [rows].
        rated: which rows are rated: [rows].
        items: the number of each row's item: [rows].
        count: the number of items.
    """
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
    """Return the jackknife's pseudo-value of each item, for the AUROC over all rows: [items].

    Args:
        x: the scores of the rated rows: [rated]; NaN for a missing one.
        bad: which of these rows are bad: [rated].
        of: the number of each row's item: [rated].
        count: the number of items.
    """
    units = np.full(count, np.nan)
    areas = auroc_without(x, bad, of)
    if areas is not None:
        groups = len(areas[1])
        units[np.unique(of)] = groups * areas[0] - (groups - 1) * areas[1]
    return units


def probe_rows(sources: Sequence[Probed]) -> list[tuple[Row, str]]:
    """Return the statements of the probes as rows.

    The row of a statement has the source, a question, and the other paraphrases of the source as references.

    Args:
        sources: the sources with their statements.

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
    """Return for each kind of probe how often the scorer gives the true statement a better score than the false one.

    Args:
        table: the scores by a single scorer of the rows that `probe_rows` makes.
        sources: the sources with their statements.

    Returns:
        A record for each kind in which both statements of at least one pair have a score. Equal scores count half.
    """
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
    """The result of one scorer on one aspect of one set."""

    set: str
    aspect: str
    measure: str
    scorer: str
    rows: int
    """The number of rated rows with a score"""
    unscored: int
    """The number of rated rows without a score, about which the scorer is taken to know nothing"""
    value: float
    low: float
    high: float
    cluster: int
    """The number of the cluster, from 1 for the best. Scorers of one cluster do not differ significantly"""
    trained: bool
    """Whether the scorer may have been trained on this set, according to its card"""


@dataclass(frozen=True)
class Board:
    """A comparison of several scorers, from their cards."""

    cards: tuple[Card, ...]
    lines: tuple[BoardLine, ...]
    """The results by set and aspect, the best scorer first"""
    notes: tuple[str, ...]

    def first(self, scorer: str) -> tuple[int, int]:
        """Return on how many aspects of sets a scorer is in the first cluster, and on how many it is compared."""
        lines = [line for line in self.lines if line.scorer == scorer]
        return sum(line.cluster == 1 for line in lines), len(lines)


def board(cards: Iterable[Card], significance: float = 0.05) -> Board:
    """Return a board of several cards, with clusters of scorers for each aspect of each set.

    Two scorers are tested by Student's t of the differences of their numbers for each item, corrected by Holm for all
    pairs of the aspect.

    Args:
        cards: the cards, each of another scorer.
        significance: the significance level of the tests.

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
