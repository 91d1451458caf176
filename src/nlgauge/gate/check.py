"""The check of a table of scores against a threshold, against an earlier run, or against both."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from nlgauge.answers.estimate import estimate
from nlgauge.answers.rated_threshold import RatedThreshold
from nlgauge.answers.trials import trials as trials_of
from nlgauge.data.corpus import Corpus
from nlgauge.data.evidence import refuses_worst, surely_differs
from nlgauge.data.table import ScoreTable
from nlgauge.data.table.intervals import without_draws
from nlgauge.data.table.selection import meant
from nlgauge.errors import InputError, SpecError
from nlgauge.gate.accepted import Acceptance, accepted_rows
from nlgauge.gate.baseline import Baseline, Terms
from nlgauge.gate.decision import alone, by_ratings, by_run
from nlgauge.gate.thresholds import (
    Limits,
    deciders,
    grounded_by,
    of_ratings,
    second_decides,
    shares_decided,
    shown,
)
from nlgauge.gate.trials import by_trials, refuse_others
from nlgauge.gate.verdict import (
    NO_CLAIM,
    Decision,
    Found,
    Outcome,
    State,
    Verdict,
    finding_of,
    unsupported,
)
from nlgauge.maths.inference import Measured
from nlgauge.ratings.join import Source
from nlgauge.ratings.join import ratings as joined
from nlgauge.ratings.trials import by_trial, refuse_unnamed

_OF_A_COMPARISON = "a margin and a history are of the comparison with an earlier run: give it (against)"


def check(
    table: ScoreTable,
    metric: object = None,
    *,
    part: str | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    threshold: RatedThreshold | None = None,
    bar: RatedThreshold | None = None,
    outputs: Corpus | None = None,
    grounded: bool = False,
    against: ScoreTable | None = None,
    margin: float | None = None,
    history: str | os.PathLike[str] | None = None,
    strict: Literal["fails", "doubtful"] | None = None,
    ratings: Source | None = None,
    at_most_wrong: float | None = None,
    accepted: Sequence[Acceptance] = (),
    trials: int | None = None,
    pass_at: float | None = None,
    allow_missing: bool = False,
    significance: float = 0.05,
    replicates: int | None = None,
    seed: int | None = None,
) -> Verdict:
    """Return the verdict about a table of scores, by a threshold, by a comparison with an earlier run, or both.

    `grounded` asks whether the source supports each candidate. The probability of `Faithfulness` is compared with two
    thresholds that were measured for its model. A row below the lower threshold fails, a row that reaches the upper one
    passes, and a row between them is doubtful. A row in quite other words than its source is not judged ('unread'), if
    measurements show that the model cannot distinguish right from wrong answers of such wording. But a row with a sure
    difference from its source, such as another number, is always judged, and a doubtful one fails by it. The ruling is
    about the whole set (`nlgauge.gate.decision`). It comes from `ratings` and `at_most_wrong` if given, else from
    `against` if given. Else it comes from the count of doubtful and failing rows, which is compared with the count that
    right answers alone, or the accepted answers, would give. Unread rows do not count. If the model's card does not say
    how often it doubts right answers, single rows decide.

    `against` is an earlier run, the baseline. A system fails if its mean is worse than before and the two-sided p of
    the difference (as of `nlgauge.compare`, corrected by Holm for the number of systems) is below `significance`. It
    also fails if there is a loss without a p, because a score is infinite. Rows of both runs are matched by system and
    item, or by item alone if both tables have one system. A row that has a value in the baseline and is missing in the
    table fails. If the table is `clustered`, whole clusters are the units of the test.

    With evidence in the table (`evaluate(evidence=True)`), the verdict also names the unsupported words of a failing or
    doubtful row.

    Args:
        table: the scores.
        metric: the spec or the name of a metric. It may be left out if the table has only one metric.
        part: a sub-score of the metric; the deciding one by default (`ScoreTable.named`).
        at_least: the least value that passes, if higher is better. A sub-score without a better direction takes
            `at_least`, `at_most` or both. With a corpus-level metric, systems are checked in place of rows.
        at_most: the greatest value that passes, if lower is better.
        threshold: a threshold of `nlgauge.calibrate`, in place of metric, part, at_least and at_most. A note of the
            verdict repeats its promise. If the rows' scores are unlike those of the rated rows, another note says that
            the promise does not hold.
        outputs: the texts of the rows, for a threshold that does not judge answers in quite other words than their
            source.
        bar: the deprecated name of `threshold`, accepted for one version more.
        grounded: whether to check that the source supports each candidate, as described above.
        against: the scores of an earlier run, as described above.
        margin: the largest loss that would not matter. A system then passes only if a one-sided test shows, with p
            below `significance`, that it lost less than the margin. Several systems need no correction.
        history: a file (JSON Lines) of all interim analyses against the same baseline, to which the present one is
            added. A system then fails only if the whole of an interval that is valid for all analyses at once
            (`nlgauge.maths.intervals.interim_analysis`) is a loss. If nothing changes, at most the share `significance`
            of such histories ever fails, however long they are.
        strict: with grounded, lets single rows decide. With 'fails' the gate fails if one row fails, with 'doubtful'
            also if one row is doubtful.
        ratings: with grounded and at_most_wrong, people's ratings of some rows, as `nlgauge.estimate` takes them. They
            are from 0 to 1, and an answer rated below 0.5 is wrong.
        at_most_wrong: the largest share of wrong answers that passes, such as 0.05. If it lies within the interval of
            the estimated share, the ruling is 'cannot tell'.
        accepted: the answers that a person has accepted (`nlgauge.gate.accepted.read`). They count as right as long as
            their texts do not change.
        trials: the k of pass^k, for systems that were run several times on each item (`nlgauge.trials`). pass^k is the
            chance that k trials of an item all pass. A system passes if the whole interval of pass^k reaches
            `at_least`, and pass^k is not significantly worse than in the earlier run. If `at_least` lies within the
            interval, the ruling is 'cannot tell'.
        pass_at: with trials, a trial passes with this score or a better one. It may be left out for scores of 0 and 1.
        allow_missing: whether rows without a value are counted and left out. Else such a row fails.
        significance: the significance level of the comparison with the earlier run, between 0 and 1.
        replicates: without effect since version 0.2, and accepted for one version more.
        seed: without effect since version 0.2, and accepted for one version more.

    Returns:
        The verdict, with an outcome for each row, a test of each system against the earlier run, and a ruling.

    Raises:
        SpecError: a threshold is not possible, arguments contradict each other, or the table lacks the metric or the
            sub-score.
        InputError: the earlier run, the threshold or the ratings do not fit the table.

    >>> import nlgauge
    >>> table = nlgauge.evaluate(candidates=["A cat sat."], references=[["A cat slept."]], metrics="TokenF1")
    >>> check(table, "TokenF1", at_least=0.9).passed
    False
    """
    without_draws(replicates, seed)
    if bar is not None:
        warnings.warn("check(bar=...) is now check(threshold=...)", DeprecationWarning, stacklevel=2)
        threshold = bar
    if trials is not None:
        refuse_others(
            part=part,
            at_most=at_most,
            threshold=threshold,
            grounded=grounded,
            strict=strict,
            ratings=ratings,
            at_most_wrong=at_most_wrong,
            accepted=tuple(accepted),
        )
        if against is None and (margin is not None or history is not None):
            raise SpecError(_OF_A_COMPARISON)
        asked: dict[str, Any] = {"pass_at": pass_at, "k": [trials], "allow_missing": allow_missing}
        return by_trials(
            trials_of(table, metric, **asked),
            None if against is None else trials_of(against, metric, **asked),
            at_least=at_least,
            margin=margin,
            history=history,
            significance=significance,
            allow_missing=allow_missing,
        )
    if pass_at is not None:
        raise SpecError("pass_at says when a trial passes: give trials too, the k of pass^k")
    if grounded:
        if any(option is not None for option in (threshold, part, at_least, at_most)):
            raise SpecError("grounded has its own part and thresholds: leave out part, at_least, at_most and threshold")
        limits = grounded_by(table, metric)
    elif threshold is not None:
        if any(option is not None for option in (metric, part, at_least, at_most)):
            raise SpecError("a threshold of calibrate names its metric and its sub-score, and stands alone")
        limits = of_ratings(table, threshold, outputs)
    else:
        spec, parts = meant(table, metric)
        of_part = parts[0] if part is None else table.named(f"{spec} {part}")[1][0]
        limits = Limits(spec=spec, part=of_part, column=table.columns[spec], at_least=at_least, at_most=at_most)
    _refuse_wrong(
        grounded=grounded,
        strict=strict,
        ratings=ratings is not None,
        at_most_wrong=at_most_wrong,
        accepted=bool(accepted),
    )
    limits.refuse_wrong(against is not None)
    if against is None and (margin is not None or history is not None):
        raise SpecError(_OF_A_COMPARISON)
    names = deciders(table, limits.spec)
    outcomes = tuple(_outcomes(table, limits, names, allow_missing))
    decided = [shares_decided(table, limits.spec, names)] if names else []
    verdict = Verdict(
        metric=limits.spec,
        part=limits.part,
        higher_is_better=limits.upwards,
        at_least=limits.at_least,
        at_most=limits.at_most,
        sure=limits.sure,
        significance=significance,
        outcomes=outcomes,
        strict=strict,
        notes=(*limits.notes, *decided, *(table.told_trials() if against else ())),
        second_at_least=None if limits.second is None else limits.second.at_least,
    )
    by_set = grounded and strict is None
    if by_set and ratings is not None and at_most_wrong is not None:
        verdict = replace(verdict, decision=_by_ratings(table, limits, outcomes, ratings=ratings, most=at_most_wrong))
    if against is None:
        if accepted and limits.right is None:
            problem = f"the card of the model of {limits.spec} does not say how often it doubts right answers"
            raise SpecError(f"{problem}: leave accepted out, and use a model that has it or ratings")
        if by_set and verdict.decision is None and limits.right is not None:
            decision = alone(outcomes, limits.right, accepted_rows(table, accepted) if accepted else frozenset())
            verdict = replace(verdict, decision=decision)
        return verdict
    upwards = limits.at_most is None if limits.upwards is None else limits.upwards
    baseline = Baseline(table=table, earlier=against, spec=limits.spec, part=limits.part, upwards=upwards)
    regressions = baseline.regressions(Terms(significance, margin), history)
    gone, left_out = baseline.unmatched()
    state: State = "allowed" if allow_missing else "missing"
    problem = "the baseline has this row, and the outputs do not"
    missing = (
        Outcome(system=system, item=item, row=None, value=math.nan, state=state, problem=problem)
        for system, item in gone
    )
    if by_set and verdict.decision is None:
        verdict = replace(verdict, decision=by_run(outcomes, regressions, margin))
    return replace(
        verdict,
        outcomes=(*verdict.outcomes, *missing),
        regressions=regressions,
        margin=margin,
        left_out=left_out,
        notes=(*verdict.notes, *baseline.notes),
    )


_JUDGED = ("passed", "doubtful", "failed")


def _outcomes(table: ScoreTable, limits: Limits, names: Sequence[str | None], allow_missing: bool) -> Iterator[Outcome]:
    """Yield the outcome of each row, or of each system for a corpus-level metric.

    Args:
        table: the scores.
        limits: the values with which a row passes.
        names: for each row, the name of the model that decided about the row; empty if the metric has a single model.
        allow_missing: whether a row without a value is allowed.
    """
    column = limits.column
    values = column.values[:, column.parts.index(limits.part)].tolist()
    first = limits
    for index, ((system, item), value) in enumerate(zip(table.places(column.level), values, strict=True)):
        by = names[index] if names else None
        decided = "" if by is None else f" (decided by {by})"
        if first.second is not None:
            limits = first.second if second_decides(column, index) else first
        row = index + 1 if column.level == "item" else None
        evidence = column.evidence.get(index)
        state, problem = _state(limits, value, column.reasons.get(index), allow_missing)
        difference = surely_differs(evidence)
        # A promise of ratings is of the rows that it was tested on, and of no others, whatever is found in them.
        plain = limits.shares is None and (difference is not None or refuses_worst(evidence))
        if state in _JUDGED and not plain and (why := limits.unread(index)):
            state, problem = "unread", why
        if state == "doubtful" and difference is not None:
            state, problem = "failed", f"{problem}, and a difference is sure: {difference}"
        wrong = problem is not None and state != "unread"
        marked = unsupported(evidence) if wrong and not math.isnan(value) else ()
        problem = problem + decided if problem is not None and not math.isnan(value) else problem
        outcome = Outcome(
            system=system,
            item=item,
            row=row,
            value=value,
            state=state,
            problem=problem,
            unsupported=marked,
            doubted=limits.sure is not None
            and (state == "failed" or (state == "doubtful" and value < limits.doubted_below)),
            decided_by=by,
        )
        if math.isnan(value):
            said = Found(None if limits.sure is None else "no claim" if state == "passed" else "cannot say")
        else:
            said = finding_of(evidence, state)
            said = said if limits.sure is not None else said._replace(finding=None)
        yield replace(outcome, **said._asdict())


def _state(limits: Limits, value: float, reason: str | None, allow_missing: bool) -> tuple[State, str | None]:
    """Return the state of a row, and the reason why the row does not pass (None if it passes).

    Args:
        limits: the values with which a row passes.
        value: the value of the row; NaN if it has none.
        reason: why the row has no value; None if that was not saved.
        allow_missing: whether a row without a value is allowed.
    """
    grounded = limits.sure is not None
    if math.isnan(value):
        if grounded and reason is not None and reason.endswith(NO_CLAIM):
            return "passed", None
        unknown = f"{'cannot say' if grounded else 'no value'}: {reason or 'no reason was saved'}"
        return "allowed" if allow_missing else "missing", unknown
    if problem := limits.problem(value):
        return "failed", problem
    if limits.sure is not None and value < limits.sure:
        counts = limits.right is None or value < limits.doubted_below
        least, most = (limits.at_least, limits.sure) if counts else (limits.doubted_below, limits.sure)
        aside = "" if counts else ", and does not count"
        return "doubtful", f"doubtful: {shown(value, limits.sure)} is between {least:g} and {most:g}{aside}"
    return "passed", None


def _refuse_wrong(
    grounded: bool, strict: str | None, ratings: bool, at_most_wrong: float | None, accepted: bool
) -> None:
    """Raise SpecError for options about a set of answers that contradict each other.

    Args:
        grounded: whether the source's support is checked.
        strict: the option `strict` of `check`.
        ratings: whether ratings are given.
        at_most_wrong: the option `at_most_wrong` of `check`.
        accepted: whether accepted answers are given.
    """
    if not grounded and (strict is not None or at_most_wrong is not None or accepted):
        raise SpecError("strict, at_most_wrong and accepted are of the source's support: ask for it (grounded)")
    if strict not in (None, "fails", "doubtful"):
        raise SpecError(f"strict {strict!r} is neither 'fails' nor 'doubtful'")
    if strict is not None and (at_most_wrong is not None or accepted):
        raise SpecError("strict lets single rows decide: leave out at_most_wrong and accepted")
    if at_most_wrong is not None and not 0 < at_most_wrong < 1:
        raise SpecError(f"at_most_wrong {at_most_wrong!r} is no share between 0 and 1: give 0.05, for one")
    if (at_most_wrong is None) == ratings:
        lacking = "ratings of some answers (ratings)" if not ratings else "the share that may be wrong (at_most_wrong)"
        raise SpecError(f"the share of wrong answers is told by ratings: give {lacking} too")


def _by_ratings(
    table: ScoreTable, limits: Limits, outcomes: Sequence[Outcome], ratings: Source, most: float
) -> Decision:
    table, ratings, _ = by_trial(table, ratings)
    refuse_unnamed(table)
    aspects = joined(table, ratings).values
    if len(aspects) != 1:
        problem = f"the answers are rated for {', '.join(aspects)}"
        raise InputError(problem, remedy="give the ratings of one question: whether an answer is right")
    ((aspect, values),) = aspects.items()
    present = values[~np.isnan(values)]
    if present.size and not (present.min() >= 0 and present.max() <= 1):
        problem = (
            f"{aspect}: ratings go from {present.min():g} to {present.max():g}, and nobody has said which are wrong"
        )
        raise InputError(problem, remedy="give ratings of 0 (wrong) and 1 (right)")
    shares = estimate(table, ratings, metrics=[f"{limits.spec} {limits.part}"], below=0.5, margin=most / 2)
    wrong, more = {}, {}
    for share in shares:
        if share.system in table.systems:
            if share.reason is not None:
                raise InputError(f"system {share.system!r}: {share.reason}")
            wrong[share.system], more[share.system] = Measured(share.estimate, share.low, share.high), share.more
    return by_ratings(outcomes, wrong, more, most)
