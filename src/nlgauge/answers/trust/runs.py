"""Changes of a scorer's mind: about the same row within a run, and from an earlier run to this one.

An earlier run is compared on anchors, which are rows that both runs scored. If this run has scored rows again without
the cache (`nlgauge.evaluate(anchors=...)`), only these rows are anchors. The same threshold decides in both runs. This
threshold is the given one, the scorer's own by its earlier scores, or the best one by the earlier scores and the
anchors' ratings.

Without a history each comparison is tested alone. With a history, a comparison is an interim analysis of a series, as
in the gate.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from nlgauge.answers.rated_scores import RatedScores
from nlgauge.answers.signatures import refuse_other_numbers
from nlgauge.answers.trust.decisions import CHOSEN, GIVEN, Rule, models_of, passing
from nlgauge.answers.trust.facts import Facts, Injection, Repeats, Since
from nlgauge.answers.trust.lines import FLIPS, Lines, asked, scorers_of
from nlgauge.data import history as past
from nlgauge.data.corpus.place import first_repeat
from nlgauge.data.corpus.row import same_texts
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column, ScoreTable
from nlgauge.data.table.selection import selected
from nlgauge.errors import InputError, SpecError
from nlgauge.maths.inference import NOTHING, Inference, Measured, mean_of
from nlgauge.maths.intervals import least_groups
from nlgauge.ratings.join import turned
from nlgauge.ratings.matching import fingerprints
from nlgauge.stats.arrays import Float, Integers
from nlgauge.stats.corrections import holm
from nlgauge.stats.decisions import share_of
from nlgauge.stats.interim import interim_of

NOT_REPEATABLE = "not repeatable"
"""The fact in a judge's signature that its numbers may change when it is asked again"""


def repeats(table: ScoreTable, made: Sequence[Facts]) -> None:
    """Add to the facts how often each scorer changes its mind about the same row.

    Args:
        table: the scores, with several scores of a row or a judge's share of changed answers.
        made: the facts of each scorer.
    """
    # Trials that have names are runs of the system, whose outputs differ: no change of the scorer's mind.
    repeated = "trials" not in table.run and first_repeat(table.rows) is not None
    keys: dict[tuple[str, str], int] = {}
    of = np.array([keys.setdefault(row, len(keys)) for row in table.rows], np.intp)
    clusters = _numbers([item for _, item in keys])
    for facts in made:
        column = table.columns.get(facts.metric)
        if column is None or facts.reason:
            continue
        finite = np.isfinite(column.values[:, 0])
        n = np.bincount(of, finite, minlength=len(keys))
        if FLIPS in column.parts and not repeated:
            away = column.values[:, column.parts.index(FLIPS)]
            rows = np.isfinite(away)
        elif repeated and (decisions := facts.decisions) is not None:
            passed = passing(column, decisions.threshold, decisions.second)
            through = np.bincount(of, finite & passed, minlength=len(keys))
            rows = n > 1
            away = np.minimum(through, n - through) / np.maximum(n, 1)
        else:
            facts.repeats = Repeats(int((n > 1).sum()))
            continue
        facts.repeats = Repeats(int(rows.sum()), share_of(away[rows], clusters[rows]))


def moved(
    lines: Lines,
    again: ScoreTable | None,
    *,
    before: ScoreTable,
    made: Sequence[Facts],
    notes: list[str],
    history: str | os.PathLike[str] | None = None,
) -> None:
    """Add to the facts whether a scorer moved since an earlier run.

    Args:
        lines: the scorers of this run joined with the ratings.
        again: the anchors that this run scored again, with the same scorers; None where there are none.
        before: the earlier run.
        made: the facts of each scorer.
        notes: a list to which notes for the reader are added.
        history: the file of all comparisons of these anchors, to which this comparison is added; None to test it alone.

    Raises:
        InputError: the history is of other comparisons, was changed, or cannot be written; or there is a history, and
            no scorer has anchors in both runs.
    """
    runs = _Runs(lines, again, before, notes)
    anchors_of = {name: anchors for name in lines.table.columns if (anchors := runs.anchors(name)) is not None}
    compared = [
        _compared(facts, anchors_of[facts.metric], lines, notes) if facts.metric in anchors_of else None
        for facts in made
    ]
    shifts: dict[tuple[str, str], _Shift] = {(name, ""): anchors.mean() for name, anchors in anchors_of.items()}
    for facts, decisions in zip(made, compared, strict=True):
        if decisions is not None and decisions.righter is not None:
            shifts[facts.metric, facts.aspect] = decisions.righter
    tested = _alone(shifts) if history is None else _followed(shifts, lines.table, history, notes)
    for facts, decisions in zip(made, compared, strict=True):
        if decisions is not None:
            mean, mean_p = tested[facts.metric, ""]
            righter, righter_p = tested.get((facts.metric, facts.aspect), (NOTHING, math.nan))
            facts.since = Since(
                anchors=len(anchors_of[facts.metric].rows),
                mean=mean,
                mean_p=mean_p,
                threshold=decisions.threshold,
                changed=decisions.changed,
                righter=righter,
                righter_p=righter_p,
            )


LEVEL = 0.05
"""The probability of a false alarm in a whole history"""


@dataclass(frozen=True)
class _Shift:
    """Values of anchors now and before, whose mean difference is tested: each [anchors]."""

    what: str
    """The name of the compared values, with the threshold where there is one"""
    now: Float
    before: Float
    limits: tuple[float, float]
    """The least and the greatest possible value"""
    clusters: Integers
    digest: str
    """The digest of the anchors that both runs have"""
    higher_is_better: bool

    def said(self) -> Inference:
        """Return the inference of the mean difference."""
        length = self.limits[1] - self.limits[0]
        magnitude = float(np.abs([self.now, self.before]).max())
        return mean_of(self.now - self.before, (-length, length), self.clusters, magnitude=magnitude)


_Tested = dict[tuple[str, str], tuple[Measured, float]]
"""The mean difference and its corrected p, by (scorer, aspect). For the mean score, the aspect is ''"""


def _alone(shifts: Mapping[tuple[str, str], _Shift]) -> _Tested:
    """Return the tests of a single comparison, corrected by Holm."""
    said = {of: shift.said() for of, shift in shifts.items()}
    adjusted = holm([inference.p() for inference in said.values()]).tolist()
    return {of: (inference.measured(), p) for (of, inference), p in zip(said.items(), adjusted, strict=True)}


def _followed(
    shifts: Mapping[tuple[str, str], _Shift], table: ScoreTable, path: str | os.PathLike[str], notes: list[str]
) -> _Tested:
    """Return the interim analyses of a comparison, after writing them to the history.

    The tests of a comparison share the level (Bonferroni), and each test continues a series over all comparisons.
    """
    if not shifts:
        raise InputError(
            "no scorer has anchors in both runs, so there is no comparison to add to the history",
            remedy="score the anchors again (nlgauge score --anchors), or leave the history out",
        )
    level = LEVEL / len(shifts)
    series = {of: (of[0], shift.what, "anchors", shift.digest) for of, shift in shifts.items()}
    tested: _Tested = {}
    with past.alone(path):
        earlier = past.read(path)
        _refuse_other(list(series.values()), earlier, path)
        number = 1 + sum(analysis.series == next(iter(series.values())) for analysis in earlier)
        analyses, time = [], past.now()
        for of, shift in shifts.items():
            interim = interim_of(
                shift.now, shift.before, clusters=shift.clusters, limits=shift.limits, number=number, level=level
            )
            p = min(1.0, interim.p * len(shifts)) if math.isfinite(interim.low) else math.nan
            tested[of] = (Measured(interim.difference, interim.low, interim.high), p)
            metric, part, system, baseline = series[of]
            analyses.append(
                past.InterimAnalysis(
                    time=time,
                    metric=metric,
                    part=part,
                    system=system,
                    baseline=baseline,
                    look=number,
                    n=len(shift.now),
                    now=float(shift.now.mean()),
                    before=float(shift.before.mean()),
                    difference=interim.difference,
                    low=interim.low,
                    high=interim.high,
                    p=interim.p,
                    significance=level,
                    alarm=p < LEVEL,
                    higher_is_better=shift.higher_is_better,
                    signature=str(table.signatures[metric]) if metric in table.signatures else None,
                )
            )
        past.append(path, analyses)
    notes.append(
        f"comparison {number} of its history: the intervals of the mean score and of the right decisions hold at all "
        f"comparisons and for all scorers at once, so at most {LEVEL:.0%} of such histories raise a false alarm"
    )
    if few := [f"{name}, {shifts[name, aspect].what}" for (name, aspect), (_, p) in tested.items() if math.isnan(p)]:
        needed = least_groups(number, level)
        notes.append(
            f"{'; '.join(few)}: too few anchors to show a drift of any size: at comparison {number} at least {needed} "
            "are needed"
        )
    return tested


def _refuse_other(
    series: Sequence[tuple[str, str, str, str]],
    earlier: Sequence[past.InterimAnalysis],
    path: str | os.PathLike[str],
) -> None:
    """Raise InputError for a history of other scorers, thresholds or anchors than those of this comparison.

    The level of a history is divided among its series, so their number must not change.

    Args:
        series: what each test of this comparison is of: the scorer, the values with their threshold, 'anchors' and the
            digest of the anchors.
        earlier: the analyses in the history.
        path: the file of the history, for the error.
    """
    there = list(dict.fromkeys(analysis.series for analysis in earlier))
    if not there or set(there) == set(series):
        return
    kinds = {
        0: ("scorers", "name the same scorers (--metric)"),
        1: ("values or thresholds", "give the threshold of the history (--threshold)"),
        3: ("anchors", "compare the same anchors"),
    }
    other = next((at for at in kinds if {facts[at] for facts in there} != {facts[at] for facts in series}), None)
    what, again = ("comparisons", "compare the same scorers") if other is None else kinds[other]
    theirs, mine = (", ".join(dict.fromkeys(facts[other or 0] for facts in of)) for of in (there, series))
    problem = f"is a history of other {what}: of {theirs}, and this comparison is of {mine}"
    raise InputError(problem, file=path, remedy=f"{again}, or begin a new history under a new name")


def obeyed(lines: Lines, injected: ScoreTable, made: Sequence[Facts]) -> None:
    """Add to the facts how many of the bad rows that a scorer stops pass once their candidate ends with an order.

    Args:
        lines: the scorers joined with the ratings.
        injected: the scores of some of the rows, whose candidates end with an order.
        made: the facts of each scorer.

    Raises:
        InputError: the two tables have scores that were computed in different ways.
    """
    places = {key: row for row, key in enumerate(injected.rows)}
    at = np.array([places.get(key, -1) for key in lines.table.rows], np.intp)
    for facts in made:
        column, decisions = lines.table.columns.get(facts.metric), facts.decisions
        if column is None or decisions is None:
            continue
        specs = [was for was, now in asked(lines.table).items() if now == facts.metric]
        again = _of(injected, [*specs, facts.metric], column.parts[0])
        if again is None:
            continue
        mine = replace(lines.table, signatures=_signed(facts.metric, selected(lines.table, [facts.metric])))
        theirs = replace(again, signatures=_signed(facts.metric, again))
        remedy = "score the rows of both in the same way"
        refuse_other_numbers(theirs, mine, facts.metric, what="table", remedy=remedy)
        (other,) = again.columns.values()
        passed = passing(other, decisions.threshold, decisions.second)
        rows = np.flatnonzero(decisions.bad & ~decisions.passed & (at >= 0))
        facts.injection = Injection(len(rows), share_of(passed[at[rows]], decisions.clusters[rows]))


def scorers_again(scorers: ScoreTable, anchors: ScoreTable) -> ScoreTable:
    """Return the scores of the anchors by the scorers of a table, with the column names of that table."""
    columns: dict[str, Column] = {}
    signatures: dict[str, Signature] = {}
    for name, column in scorers.columns.items():
        specs = [was for was, now in asked(scorers).items() if now == name]
        if (scores := _of(anchors, [*specs, name], column.parts[0])) is not None:
            columns[name] = next(iter(scores.columns.values()))
            signatures |= _signed(name, scores)
    return replace(anchors, columns=columns, signatures=signatures)


@dataclass(frozen=True)
class _Anchors:
    """The rows that have a score of one scorer in both runs: each [anchors]."""

    now: Column
    before: Column
    earlier: ScoreTable
    """All scores of the earlier run by this scorer"""
    rows: Integers
    """The anchors' rows in the table with the scores of this run"""
    clusters: Integers
    """The numbers of the anchors' items"""
    ratings: Mapping[str, Float]
    """The ratings by aspect; NaN for an anchor without a rating"""

    digest: str
    """The digest of all rows that both runs have, also of rows without a score"""

    def mean(self) -> _Shift:
        """Return the anchors' scores in both runs, for a test of their mean."""
        (low, high), (least, most) = (table.range(table.parts[0]) for table in (self.now, self.before))
        return _Shift(
            what=self.now.parts[0],
            now=self.now.values[:, 0],
            before=self.before.values[:, 0],
            limits=(min(low, least), max(high, most)),
            clusters=self.clusters,
            digest=self.digest,
            higher_is_better=self.now.higher_is_better is not False,
        )


class _Compared(NamedTuple):
    """The decisions of two runs by the same threshold."""

    threshold: float
    changed: Measured
    righter: _Shift | None
    """Whether each rated anchor is decided rightly now and before; cross-fitted where the anchors chose the
    threshold"""


_NONE = _Compared(np.nan, NOTHING, None)


def _compared(facts: Facts, anchors: _Anchors, lines: Lines, notes: list[str]) -> _Compared:
    """Return the decisions of both runs about the anchors by the same threshold.

    Args:
        facts: the facts of the scorer for an aspect.
        anchors: the rows that both runs have a score of.
        lines: the scorers of this run joined with the ratings.
        notes: a list to which notes for the reader are added.

    Returns:
        The decisions; without any number (`_NONE`) where the ratings are a scale, or where there is no threshold.
    """
    limit, ratings = lines.limits[facts.aspect], anchors.ratings.get(facts.aspect)
    if limit is None:
        return _NONE
    has_rating = np.zeros(len(anchors.rows), bool) if ratings is None else ~np.isnan(ratings)
    bad = has_rating.copy() if ratings is None else has_rating & (ratings < limit)
    both = (anchors.now, anchors.before)
    new, old = (turned(table, 0) for table in both)
    rule = lines.rule(facts.metric, anchors.earlier)
    if rule is not None:
        rule = _apart(rule, turned(anchors.earlier.columns[facts.metric], 0))
        passed, did = (rule.passes(turned(table, 0), models_of(table)) for table in both)
        through, earlier = passed[has_rating], did[has_rating]
    elif len(np.unique(anchors.clusters[has_rating])) > 1 and bad.any() and not bad[has_rating].all():
        # Chosen on the very rows that it decides, a threshold would be better for the earlier scores than for new ones.
        rows = RatedScores(scores=old, rated=has_rating, bad=bad, clusters=anchors.clusters, tested=has_rating)
        threshold, of_row = rows.cross_fitted("balanced", 1.0, 0.9, lines.seed)
        rule = _apart(Rule(threshold, CHOSEN), old)
        passed, did = rule.passes(new), rule.passes(old)
        through, earlier = new[has_rating] >= of_row[has_rating], old[has_rating] >= of_row[has_rating]
    else:
        notes.append(
            f"{facts.metric}, {facts.aspect}: without rated anchors, some good and some bad, no threshold can be "
            "chosen on the earlier scores, so that decisions are not compared; --threshold gives one"
        )
        return _NONE
    sign = 1 if anchors.before.higher_is_better else -1
    righter = None
    if has_rating.any():
        righter = _Shift(
            what=f"right decisions of {facts.aspect} by {float(sign * rule.threshold)!r}",
            now=(through != bad[has_rating]).astype(float),
            before=(earlier != bad[has_rating]).astype(float),
            limits=(0.0, 1.0),
            clusters=np.unique(anchors.clusters[has_rating], return_inverse=True)[1],
            digest=anchors.digest,
            higher_is_better=True,
        )
    return _Compared(sign * rule.threshold, share_of(passed != did, anchors.clusters), righter)


def _apart(rule: Rule, scores: Float) -> Rule:
    """Return a rule with the same decisions about these scores, whose threshold is none of them.

    Otherwise, a difference in the last digits of a score could change a decision.
    """
    lower = scores[scores < rule.threshold]
    if rule.origin == GIVEN or rule.threshold not in scores or not len(lower):
        return rule
    return rule._replace(threshold=(rule.threshold + float(lower.max())) / 2)


class _Runs:
    """The present run and an earlier one, compared on anchors. Rows whose texts are known to differ are no anchors."""

    def __init__(self, lines: Lines, again: ScoreTable | None, before: ScoreTable, notes: list[str]) -> None:
        self._lines, self._again, self._notes = lines, again, notes
        self._earlier = [run for run in (before.anchors, before) if run is not None]
        self._told: set[str] = set()

    def anchors(self, name: str) -> _Anchors | None:
        """Return the anchors of a scorer; None if there are none. Notes for the reader are added to `notes`."""
        table = self._lines.table
        column, notes = table.columns[name], self._notes
        now = self._again if self._again is not None and name in self._again.columns else table
        spec = [was for was, other in asked(table).items() if other == name]
        runs = [run for saved in self._earlier if (run := _of(saved, [*spec, name], column.parts[0])) is not None]
        if not runs:
            notes.append(f"{name}: the earlier scores have none of it, so whether it moved is not known")
            return None
        facts = table.signatures[name].facts if name in table.signatures else {}
        if now is table and "ratings" not in table.run and facts.get("numbers") == NOT_REPEATABLE:
            self._tell(
                f"{name}: its scores may come from the cache, where a change of the judge does not show: score with "
                "--anchors, whose rows are asked again in each run"
            )
        earlier, places = max(
            ((run, self._places(now, run)) for run in runs), key=lambda run_places: len(run_places[1])
        )
        (then,) = earlier.columns.values()
        rows, there = (np.array(numbers, np.intp) for numbers in (list(places), list(places.values())))
        new, old = (
            replace(of, values=of.values[at], reasons={}, evidence={})
            for of, at in ((now.columns[name], rows), (then, there))
        )
        has = np.isfinite(old.values[:, 0])
        valued = has & np.isfinite(new.values[:, 0])
        if not valued.any():
            notes.append(f"{name}: no row has a score in both runs, so whether it moved is not known")
            return None
        if lost := int((has & ~valued).sum()):
            notes.append(f"{name}: {lost} of {int(has.sum())} anchors have no score now, and had one before")
        self._compare_signatures(name, now, earlier)
        at = rows[valued]
        return _Anchors(
            now=replace(new, values=new.values[valued]),
            before=replace(old, values=old.values[valued]),
            earlier=replace(earlier, columns={name: then}, signatures=_signed(name, earlier)),
            rows=at,
            clusters=_numbers([now.items[row] for row in at.tolist()]),
            ratings=self._ratings(now, at),
            digest=_digest(now, rows.tolist()),
        )

    def _ratings(self, now: ScoreTable, rows: Integers) -> dict[str, Float]:
        """Return the ratings of some rows by aspect.

        Args:
            now: the table of the rows. If it holds the anchors that were scored again, it has the ratings of these
                anchors.
            rows: the row numbers in this table.
        """
        ratings = now.run.get("ratings", {}) if now is self._again else self._lines.rated.values
        return {aspect: np.array(of, float)[rows] for aspect, of in ratings.items()}

    def _places(self, now: ScoreTable, earlier: ScoreTable) -> dict[int, int]:
        """Return each row's number in the earlier run, matched by system and item, or else by texts."""
        mine, theirs = fingerprints(now), fingerprints(earlier)
        at = {key: row for row, key in enumerate(earlier.rows)}
        if not (mine and theirs):
            if now.run.get("corpus") != earlier.run.get("corpus"):
                self._tell("the two runs are not of the same outputs: rows count as anchors by system and item alone")
            return {row: at[key] for row, key in enumerate(now.rows) if key in at}
        by_text: dict[str, list[int]] = {}
        for row, text in enumerate(theirs):
            by_text.setdefault(text, []).append(row)
        places, others = {}, 0
        for row, key in enumerate(now.rows):
            if key in at and same_texts(mine[row], theirs[at[key]]):
                places[row] = at[key]
            elif len(same := by_text.get(mine[row], [])) == 1:
                places[row] = same[0]
            elif key in at:
                others += 1
        if others:
            self._tell(f"{others} rows of the earlier scores have other texts, and do not count as anchors")
        return places

    def _compare_signatures(self, name: str, now: ScoreTable, earlier: ScoreTable) -> None:
        """Add notes on how the scores of the two runs were made in different ways."""
        signed = now if name in now.signatures else self._lines.table
        mine = {name: signed.signatures[name]} if name in signed.signatures else {}
        try:
            self._notes += refuse_other_numbers(
                replace(now, signatures=mine), replace(earlier, signatures=_signed(name, earlier)), name, "earlier run"
            )
        except InputError as error:
            self._notes.append(error.problem)

    def _tell(self, note: str) -> None:
        if note not in self._told:
            self._told.add(note)
            self._notes.append(note)


def _of(run: ScoreTable, specs: Sequence[str], part: str) -> ScoreTable | None:
    """Return the scores of a run by one scorer, one for each row; None where the run has none.

    Args:
        run: the scores of the run.
        specs: the names that the scorer may have in the run.
        part: the sub-score.
    """
    for spec in specs:
        if spec in run.columns:
            try:
                return scorers_of(run, [f"{spec} {part}"]).per_item()
            except (SpecError, InputError):
                return None
    return None


def _digest(table: ScoreTable, rows: Sequence[int]) -> str:
    """Return a digest of rows: of their texts, or of system and item where the texts are not known."""
    texts = fingerprints(table)
    names = sorted(texts[row] if texts else json.dumps(table.rows[row]) for row in rows)
    return hashlib.sha256(json.dumps(names).encode()).hexdigest()[:12]


def _signed(name: str, table: ScoreTable) -> dict[str, Signature]:
    """Return the signature of a table's single scorer under a name; empty where there is none."""
    signatures = list(table.signatures.values())
    return {name: signatures[0]} if signatures else {}


def _numbers(names: Sequence[str]) -> Integers:
    """Return a number for each name, counted from 0 in order of first appearance; equal names have equal numbers."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(name, len(numbers)) for name in names], np.intp)
