"""Thresholds of a check: one that the user gives, one that ratings chose, or the defaults of `--grounded`.

A threshold that ratings chose is a file (`RatedThreshold`). It has the threshold, the promise, and the signature of the
scores that it is for. The defaults were calibrated for each model, and are read from the table's signature.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nlgauge.answers.rated_threshold import RatedThreshold
from nlgauge.answers.signatures import refuse_other_numbers
from nlgauge.answers.wordings import wording_of
from nlgauge.data.corpus import Corpus
from nlgauge.data.renamed import now_of
from nlgauge.data.signature import FLOAT32, Signature
from nlgauge.data.table import Column, ScoreTable
from nlgauge.data.table.column import CLAIMS, DECIDED, MIDDLE, PROBABILITY, WORDING
from nlgauge.errors import InputError, SpecError
from nlgauge.gate.decision import RightAnswers
from nlgauge.maths.wording import Band, Bands, readable
from nlgauge.ratings.matching import fingerprints
from nlgauge.ratings.refusing import CHOSEN
from nlgauge.show.numbers import fixed


@dataclass(frozen=True)
class Limits:
    """The least and the greatest value with which a row passes, by one sub-score of a metric."""

    spec: str
    part: str
    column: Column
    at_least: float | None = None
    at_most: float | None = None
    sure: float | None = None
    """The least value with which a row passes, if rows between `at_least` and this value are doubtful; None without
    doubtful rows"""
    doubted_below: float = -math.inf
    """A doubtful row counts among the doubted answers of a set only if it is below this value. How often the model
    doubts right answers was measured with this value"""
    right: Sequence[RightAnswers] | None = None
    """For each row, how often right answers of its kind are doubted; None where this was not measured"""
    notes: tuple[str, ...] = ()
    second: Limits | None = None
    """The limits of rows that a second model decided; None if they are the same as these"""
    bands: Bands = ()
    """How well the model reads answers in each band of wording; empty where this was not measured"""
    shares: NDArray[np.float64] | None = None
    """The wording of each answer, which is the share of its longer words that its source contains: [rows]. None where
    the metric itself has this share as a sub-score, or it is not needed"""

    def unread(self, index: int) -> str | None:
        """Return the reason why the model cannot read a row's answer, from its wording; None if it can."""
        wording = self._wording[index]
        return None if readable(wording, self.bands) else f"{UNREAD} ({wording:.0%} of its longer words stand there)"

    @cached_property
    def _wording(self) -> NDArray[np.float64]:
        """The share of each answer's longer words that its source contains: [rows]; NaN where it was not measured."""
        if self.shares is not None:
            return self.shares
        column = self.column
        there = WORDING in column.parts and bool(self.bands)
        return column.values[:, column.parts.index(WORDING)] if there else np.full(len(column.values), np.nan)

    @property
    def upwards(self) -> bool | None:
        """Whether higher values are better; None for a sub-score without a better direction."""
        return None if self.part in self.column.details else self.column.higher_is_better

    def refuse_wrong(self, compared: bool) -> None:
        """Raise SpecError for an impossible threshold, or if there is nothing to check.

        Args:
            compared: whether there is an earlier run to compare with, so that a threshold may be left out.
        """
        named = {"at_least": self.at_least, "at_most": self.at_most}
        thresholds = {name: value for name, value in named.items() if value is not None}
        if not thresholds and not compared:
            raise SpecError("there is nothing to check: give at_least, at_most, or an earlier run (against)")
        for name, value in thresholds.items():
            if not math.isfinite(value):
                raise SpecError(f"{name.replace('_', ' ')} {value!r} is no threshold: give a finite number")
        wrong = {None: None, True: "at_most", False: "at_least"}[self.upwards]
        if wrong in thresholds:
            way, right = ("higher", "at_least") if self.upwards else ("lower", "at_most")
            label = self.column.label(self.spec, self.part)
            raise SpecError(f"{way} is better for {label}: give {right}, --{right.replace('_', '-')} in the command")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise SpecError(f"nothing is at least {self.at_least:g} and at most {self.at_most:g}")
        if compared and self.upwards is None and len(thresholds) != 1:
            label = self.column.label(self.spec, self.part)
            problem = f"{label} has no better direction: give either a least or a most value beside the earlier run"
            raise SpecError(f"{problem}, to say which way is worse")

    def problem(self, value: float) -> str | None:
        """Return in words how a value misses the threshold; None if it passes."""
        if self.at_least is not None and value < self.at_least:
            return f"{shown(value, self.at_least)} is below {self.at_least:g}"
        if self.at_most is not None and value > self.at_most:
            return f"{shown(value, self.at_most)} is above {self.at_most:g}"
        return None


def shown(value: float, threshold: float) -> str:
    """Return a value as text, with enough digits to differ from the threshold."""
    for digits in (4, 6, 9):
        if (written := fixed(value, digits)) != fixed(threshold, digits):
            return written
    return repr(value)


def of_ratings(table: ScoreTable, made: RatedThreshold, outputs: Corpus | None = None) -> Limits:
    """Return the limits from a threshold that ratings chose, for a table whose scores have the same meaning.

    Args:
        table: the scores that are checked.
        made: the threshold that ratings chose.
        outputs: the texts of the rows, for a threshold that does not judge answers in quite other words than their
            source.

    Returns:
        The limits, with notes on what the threshold promises for these rows.

    Raises:
        InputError: the table lacks the threshold's metric; its scores were computed in another way than those that the
            threshold was made from; or the threshold needs the texts, and they are not given.
    """
    if made.metric not in table.columns or made.part not in table.columns[made.metric].parts:
        problem = f"the table has no {made.metric} {made.part}, of which the threshold was made"
        if (other := now_of(made.metric, made.part)) is not None:
            raise InputError(problem, remedy=f"{other} has it now: score with it, and run nlgauge calibrate again")
        raise InputError(problem, remedy=f"it has {', '.join(table.columns) or 'no metric'}")
    of = {made.metric: Signature(made.metric, made.facts)} if made.facts else {}
    notes = refuse_other_numbers(
        table,
        ScoreTable([], {}, of),
        spec=made.metric,
        what="threshold",
        remedy="run nlgauge calibrate again, on new scores",
    )
    values, bands, shares = table.values(made.metric, made.part), made.bands or (), None
    if bands:
        if outputs is None:
            problem = (
                "the threshold judges no answers in quite other words than their source, and the texts are missing"
            )
            raise InputError(problem, remedy="give the outputs (outputs=), or run nlgauge calibrate without bands")
        shares = wording_of(table, outputs)
        read = np.array([readable(float(share), bands) for share in shares])
        values = values[read]
        notes.append(
            f"{int((~read).sum())} of {len(read)} answers are in other words than their source, and not judged"
        )
    p, effective = made.mix(values)
    rated = f"{made.n} rated rows"
    if made.recall is not None:
        share = f"at least {made.recall:.0%} of those rated below {made.below:g} for {made.aspect} are stopped"
        notes.append(f"of rows like those that the threshold was made of, {share}: {made.confidence:.0%} sure, {rated}")
    elif made.risk is None:
        notes.append(f"the threshold was chosen by {made.by} on {rated}: it promises nothing")
    else:
        share = f"at most {made.risk:.0%} are rated below {made.below:g} for {made.aspect}"
        notes.append(
            f"of rows like those that it was made of and that pass, {share}: {made.confidence:.0%} sure, {rated}"
        )
    if not math.isnan(p) and p < CHOSEN:
        unlike = "these rows' scores are not like those of the rated rows, so nothing is promised of them"
        notes.append(f"{unlike}: for these rows the {rated} count as {effective:.0f}; rate some of these rows too")
    upwards = made.direction == "at_least"
    return Limits(
        made.metric,
        made.part,
        table.columns[made.metric],
        at_least=made.threshold if upwards else None,
        at_most=None if upwards else made.threshold,
        notes=tuple(notes),
        bands=bands,
        shares=shares,
    )


UNREAD = "cannot say: in other words than the source"
"""The beginning of the problem of a row that no model could read"""
METRIC, PART = "Faithfulness", PROBABILITY
"""The metric of `--grounded`, and its sub-score: the probability that the source supports all of a candidate. The mean
over the words would be no gate, because it forgives one wrong word among many right ones"""


def grounded_by(table: ScoreTable, metric: object = None) -> Limits:
    """Return the limits of the metric that decides for `--grounded`, with the thresholds in the table's signature.

    Args:
        table: the scores.
        metric: the metric that decides, if the table has several.

    Returns:
        The limits, with those of the second model if the metric uses two models. A judge, or another scorer from 0 to
        1, fails a row below 0.5.

    Raises:
        InputError: the table has no such metric, or several, or no thresholds were measured for the metric's model.
    """
    of_rows = [spec for spec, column in table.columns.items() if column.level == "item"]
    if metric is not None:
        of_rows = [
            spec for spec in of_rows if spec == str(metric) or table.run.get("asked", {}).get(str(metric)) == spec
        ]
    able = [spec for spec in of_rows if PART in table.columns[spec].parts]
    if not able and len(of_rows) == 1 and _is_probability(table.columns[of_rows[0]]):
        return _of_scorer(table, of_rows[0])
    if len(able) != 1:
        problem = f"the table has {'several metrics' if able else 'no metric'} with a {PART}"
        raise InputError(problem, remedy=f"name one of {', '.join(able)}" if able else f"score with {METRIC}")
    (spec,) = able
    if DECIDED not in table.columns[spec].parts:
        return _of_model(table, spec, "grounded")
    first, then = _of_model(table, spec, "unsure"), _of_model(table, spec, "then_grounded", "then_")
    # The rates of the two models together were not measured: the widest limits hold for both.
    pairs = None if first.right is None or then.right is None else zip(first.right, then.right, strict=True)
    both = None if pairs is None else [_widest(pair) for pair in pairs]
    notes = tuple(dict.fromkeys((*first.notes, *then.notes)))
    return replace(first, right=both, notes=notes, second=replace(then, right=first.right, notes=notes))


def _of_model(table: ScoreTable, spec: str, fact: str, which: str = "") -> Limits:
    """Return the limits of one model of a metric, from the facts of the table's signature.

    Args:
        table: the scores.
        spec: the metric.
        fact: the name of the fact with the two thresholds.
        which: the prefix of the names of this model's other facts.

    Returns:
        The limits.

    Raises:
        InputError: no thresholds were measured for the model.
    """
    model = f"{'second ' * bool(which)}model"
    facts = table.signatures[spec].facts if spec in table.signatures else {}
    thresholds, origin = facts.get(fact), facts.get(f"{which}grounded_from")
    if not (isinstance(thresholds, Sequence) and len(thresholds) == 2):
        remedy = (
            "name the least probability that passes (at_least), or choose a threshold by ratings (nlgauge calibrate)"
        )
        raise InputError(f"the {model} of {spec} has no measured thresholds", remedy=remedy)
    fail_below, pass_from = map(float, thresholds)
    strict, rates, bands = (facts.get(f"{which}{name}") for name in ("strict", "right_answers", "bands"))
    notes = [] if origin is None else [f"thresholds {fail_below:g} and {pass_from:g} of the {model}: {origin}"]
    measured_in = facts.get(f"{which}grounded_in", FLOAT32)
    if (precision := facts.get("precision", FLOAT32)) != measured_in:
        notes.append(
            f"these scores were computed in {precision}, and the thresholds of the {model} and their rates were "
            f"measured in {measured_in}: a row near a threshold may be on its other side; score in {measured_in}, or "
            "choose a threshold of these scores by ratings (nlgauge calibrate)"
        )
    right, at_least = None, fail_below
    if isinstance(strict, int | float) and isinstance(rates, Mapping) and rates:
        by_kind = {kind: RightAnswers(*map(float, shares)) for kind, shares in rates.items()}
        right, at_least = _by_row(table, spec, by_kind), min(float(strict), fail_below)
    return Limits(
        spec=spec,
        part=PART,
        column=table.columns[spec],
        at_least=at_least,
        sure=pass_from,
        doubted_below=fail_below,
        right=right,
        notes=tuple(notes),
        bands=tuple(Band(*map(float, band)) for band in bands) if isinstance(bands, Sequence) else (),
    )


def _is_probability(column: Column) -> bool:
    """Return whether the first sub-score of a metric lies between 0 and 1, and 1 is best."""
    low, high = column.limits.get(column.parts[0], (0.0, 1.0))
    values = column.values[:, 0]
    present = values[~np.isnan(values)]
    within = low >= 0 and high <= 1 and bool(((present >= 0) & (present <= 1)).all())
    return within and column.higher_is_better and column.parts[0] not in column.details


def _of_scorer(table: ScoreTable, spec: str) -> Limits:
    """Return the limits of a judge, or of any other scorer from 0 to 1: a row below 0.5 fails."""
    note = f"{spec} fails a row below {MIDDLE:g}: how often it doubts right answers was not measured, so rows decide"
    column = table.columns[spec]
    return Limits(
        spec=spec,
        part=column.parts[0],
        column=column,
        at_least=MIDDLE,
        sure=MIDDLE,
        doubted_below=MIDDLE,
        notes=(note,),
    )


ANSWERS, LONG_ANSWERS, OTHERS = "answers", "long answers", "others"
"""The kinds of texts. A model doubts right texts of each kind at a rate of its own"""
LONG = 3
"""The least number of claims of a long answer. In a long answer, two of the claims decide"""


def kind_of(asked: bool, claims: float) -> str:
    """Return the kind of a text. How often a model doubts right texts was measured for each kind.

    Args:
        asked: whether the text answers a question.
        claims: the number of claims in the text.

    Returns:
        `ANSWERS`, `LONG_ANSWERS` or `OTHERS`.
    """
    return OTHERS if not asked else LONG_ANSWERS if claims >= LONG else ANSWERS


def _by_row(table: ScoreTable, spec: str, rates: Mapping[str, RightAnswers]) -> list[RightAnswers]:
    """Return for each row how often right answers of its kind are doubted.

    Args:
        table: the scores.
        spec: the metric.
        rates: by kind, how often right answers are doubted.

    Returns:
        The rates of each row. A row of an unknown or unmeasured kind gets the widest range of the rates that may apply
        to it.
    """
    every = _widest(list(rates.values()))
    of_answers = [rates[kind] for kind in (ANSWERS, LONG_ANSWERS) if kind in rates]
    answers = _widest(of_answers) if of_answers else every
    column, texts = table.columns[spec], fingerprints(table)
    if not texts or column.level != "item":
        return [every] * len(column.values)
    claims = column.values[:, column.parts.index(CLAIMS)] if CLAIMS in column.parts else None
    right: list[RightAnswers] = []
    for row, text in enumerate(texts):
        asked = bool(text.rpartition(".")[2])
        counted = claims is not None and not math.isnan(claims[row])
        kind = kind_of(asked, float(claims[row])) if claims is not None and counted else None
        right.append(rates.get(kind or "", answers if asked else rates.get(OTHERS, every)))
    return right


def _widest(rates: Sequence[RightAnswers]) -> RightAnswers:
    return RightAnswers(
        failing=max(shares.failing for shares in rates),
        doubted_low=min(shares.doubted_low for shares in rates),
        doubted=max(shares.doubted for shares in rates),
    )


def _models(table: ScoreTable, spec: str) -> list[str]:
    """Return the names of the first model and of the second."""
    facts = table.signatures[spec].facts
    models = [fact for name, fact in facts.items() if isinstance(fact, Mapping) and name.startswith("model")]
    return [str(model["name"]) for model in models]


def deciders(table: ScoreTable, spec: str) -> list[str | None]:
    """Return the name of the model that decided about each row.

    Args:
        table: the scores.
        spec: the metric.

    Returns:
        A name for each row, or None for a row that neither model decided. The list is empty for a metric without a
        second model.
    """
    column = table.columns[spec]
    if DECIDED not in column.parts or spec not in table.signatures:
        return []
    models = _models(table, spec)
    numbers = column.values[:, column.parts.index(DECIDED)].tolist() if models else []
    return [models[int(number) - 1] if number in (1.0, 2.0) else None for number in numbers]


def second_decides(column: Column, index: int) -> bool:
    """Return whether the second model was asked about a row."""
    return bool(column.values[index, column.parts.index(DECIDED)] != 1)


def shares_decided(table: ScoreTable, spec: str, names: Sequence[str | None]) -> str:
    """Return a note on how many rows each model decided. names: what `deciders` returns, not empty."""
    first, second = _models(table, spec)[:2]
    asked, decided = len(names) - names.count(first), names.count(second)
    neither = f"; {asked - decided} were decided by neither" if asked > decided else ""
    return (
        f"{second} read {asked} of {len(names)} rows ({asked / len(names):.0%}), which the first model cannot decide"
        f"{neither}"
    )
