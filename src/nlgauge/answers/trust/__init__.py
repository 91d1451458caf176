"""`nlgauge.trust`: how far to trust each scorer of a table, by people's ratings of some of its rows.

A scorer is any metric, judge or detector. Each kind of number is computed in one module: shares, AUROC and calibration
error from `nlgauge.stats.decisions`, the certified threshold from `nlgauge.answers.calibrate`, the effective number of
ratings from `nlgauge.answers.estimate`, correlations from `nlgauge.answers.correlate`, sentinels from
`nlgauge.answers.sentinels`, and raters from `nlgauge.answers.raters`. `nlgauge.answers.trust.numbers` declares all
numbers.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nlgauge.answers.trust.declared import values_by
from nlgauge.answers.trust.facts import Facts
from nlgauge.answers.trust.lines import Lines, scorers_of, stand_ins
from nlgauge.answers.trust.numbers import Trust
from nlgauge.answers.trust.records import Dispute, Trusts
from nlgauge.answers.trust.runs import moved, obeyed, repeats, scorers_again
from nlgauge.data.corpus import Corpus
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError, SpecError
from nlgauge.ratings.join import Source
from nlgauge.ratings.matching import matched, of_ratings
from nlgauge.ratings.project import ProjectRatings
from nlgauge.ratings.rated import fitted, rated_rows, unseen
from nlgauge.ratings.trials import by_trial, refuse_unnamed
from nlgauge.stats.arrays import Float

__all__ = ["Dispute", "Trust", "Trusts", "trust"]

_HALF = 0.5
"""The least mean rating of a good row, where several raters say yes (1) or no (0)"""


def trust(
    table: ScoreTable,
    ratings: Source,
    *,
    metrics: Sequence[str] | None = None,
    aspects: Sequence[str] | None = None,
    below: float | None = None,
    thresholds: Mapping[str, float] | None = None,
    probabilities: Sequence[str] = (),
    risk: float = 0.1,
    confidence: float = 0.9,
    rater_aspects: Sequence[str] = (),
    epsilon: float = 0.2,
    before: ScoreTable | None = None,
    history: str | os.PathLike[str] | None = None,
    cluster: str | None = None,
    outputs: Corpus | None = None,
    margin: float | None = None,
    injected: ScoreTable | None = None,
    replicates: int = 1000,
    seed: int = 0,
) -> Trusts:
    """Return how far to trust each scorer of a table, measured on people's ratings of some of its rows.

    The rows of all systems are used together. All intervals have a confidence of 95 %, and allow for the dependence of
    rows of the same item or cluster. The rated rows have to be drawn at random, or by `nlgauge.sample`. Where some rows
    were drawn with a larger probability than others, some of these rows are left out at random.

    Args:
        table: the scores of all rows. A row may have several scores (`repeats='mean'`): their mean is then measured,
            and they also show how often a scorer changes its mind.
        ratings: as `nlgauge.estimate` takes them.
        metrics: which scorers, with their sub-scores; all by default, each by its deciding sub-score.
        aspects: which aspects of the ratings; all by default.
        below: a row rated below this is bad. Ratings of 0 and 1 do not need it. In a rating project of yes and no, a
            row is good by default if at least half of its raters say so. Other ratings are read as a scale without it.
        thresholds: thresholds by scorer. By default it is the lower threshold of `check --grounded`, if the signature
            of the scorer has it; for a scorer with only two different scores, it is the better score; and for any other
            scorer, it is the best threshold on these ratings, cross-fitted.
        probabilities: scorers whose scores are probabilities that a row is good. Columns and judges with scores from 0
            to 1 need not be named here, nor sub-scores with the name probability: their scores are taken to be
            probabilities.
        risk: the promised largest share of bad rows among those that pass the certified threshold.
        confidence: the confidence of this promise.
        rater_aspects: the aspects that each hold the ratings of one rater, for the same question. A rating project does
            not need them.
        epsilon: by how much a scorer may be worse than a rater whom it stands in for.
        before: the scores of an earlier run, for some of the same rows (anchors). If given, the answer says whether a
            scorer moved since. If this run has scored anchors again (`nlgauge.evaluate(anchors=...)`), these scores are
            compared with the earlier ones. If the ratings are of these anchors alone, all numbers are of the anchors.
        history: with `before`, a file (JSON Lines) of all comparisons of the same anchors, scorers and thresholds, to
            which this comparison is added. A scorer then counts as moved only if 0 is outside of an interval that is
            valid for all comparisons at once (`nlgauge.maths.intervals.interim_analysis`). If nothing changes, at most
            5 % of such histories raise an alarm, however long they are.
        cluster: as `nlgauge.estimate` takes it.
        outputs: as `nlgauge.estimate` takes them. The sentinels are computed from their texts.
        margin: half of the wanted length of the intervals of TPR and TNR. If given, the records say how many bad and
            how many good rows have to be rated to reach it.
        injected: scores by the same scorers of some rated rows whose candidate ends with an order
            (`nlgauge.data.injections`). If given, the records say how often a scorer obeys.
        replicates: the number of resamples and permutations.
        seed: the seed of all random choices.

    Returns:
        A record and a sentence for each aspect and scorer, and the rows on which scorers and people differ most.

    Raises:
        InputError: no scorer can be measured, an argument names something that does not exist, or arguments contradict
            each other.
    """
    for what, value in (("risk", risk), ("confidence", confidence)):
        if not 0 < value < 1:
            raise InputError(f"the {what} {value!r} is not between 0 and 1", remedy="0.1 or 0.9, for two")
    if margin is not None and not 0 < margin < _HALF:
        raise InputError(f"the margin {margin!r} is not between 0 and 0.5", remedy="0.05, for one")
    if history is not None and before is None:
        raise SpecError("a history is of the comparison with an earlier run: give it (before)")
    again = table.anchors
    if isinstance(ratings, Corpus) and (theirs := of_ratings(table, ratings)) is not table:
        if outputs is not None:
            raise InputError("the ratings are of the anchors, and the outputs are not", remedy="leave the outputs out")
        table, again = theirs, None
    whole = scorers_of(table, metrics)
    named = {name: whole.find(name) for name in (*(thresholds or {}), *probabilities)}
    scorers, ratings, outputs = by_trial(whole, ratings, outputs)
    if scorers is not whole:
        whole = scorers
        again, before, injected = (run and run.per_trial() for run in (again, before, injected))
    elif "trials" in whole.run:
        refuse_unnamed(whole)
    scorers = scorers.per_item()
    outputs = fitted(scorers, outputs, ratings)
    ratings = matched(scorers, ratings) if isinstance(ratings, Corpus) else ratings
    asked = aspects or ([*rater_aspects, *_others(ratings, rater_aspects)] if rater_aspects else None)
    rated = rated_rows(scorers, ratings, asked, cluster=cluster, outputs=outputs)
    if rated.clusters is not None and cluster not in (None, "item"):
        scorers = scorers.clustered(rated.clusters.tolist())
    notes = list(rated.notes)
    scorers, fitted_here = unseen(scorers, rated.values, notes)
    limits = {aspect: _limit(ratings, aspect, values, below) for aspect, values in rated.values.items()}
    texts = outputs if outputs is not None else ratings if isinstance(ratings, Corpus) else None
    lines = Lines(
        table=scorers,
        rated=rated,
        limits=limits,
        thresholds={named[name]: float(value) for name, value in (thresholds or {}).items()},
        probabilities={named[name] for name in probabilities},
        fitted_here=fitted_here,
        margin=margin,
        risk=risk,
        confidence=confidence,
        replicates=replicates,
        seed=seed,
        texts=texts,
    )
    if again is None and "ratings" in table.run:
        notes.append(f"all numbers are of the {len(table)} anchors, which this run scored again")
    if before is None and again is not None:
        notes.append("this run scored anchors again; --before compares them with an earlier run")
    for aspect in (aspect for aspect, limit in limits.items() if limit == _HALF != below):
        notes.append(f"{aspect}: a row is good where at least half of its raters say so; --below takes another share")
    if len(table.systems) > 1:
        notes.append(f"the {len(table.systems)} systems count together")
    made: list[Facts] = []
    disputes: list[Dispute] = []
    for aspect in rated.values:
        if aspect in rater_aspects and aspect not in (aspects or ()):
            continue
        of_aspect = lines.aspect(aspect, notes)
        of = _raters_of(ratings, aspect, rater_aspects)
        if len(of) > 1:
            stand_ins(lines, of_aspect, of=of, epsilon=epsilon, notes=notes)
        made += of_aspect
        disputes += lines.disputes(aspect)
    repeats(whole, made)
    if lines.scored > 1 and any(facts.promise is not None for facts in made):
        each = 1 - (1 - confidence) / lines.scored
        notes.append(
            f"{lines.scored} scorers are certified at once, each with a confidence of {each:.4g}, so that all promises "
            f"of an aspect hold together with {confidence:g} (Bonferroni)"
        )
    if injected is not None:
        obeyed(lines, injected, made)
    if before is not None:
        anchors = None if again is None else scorers_again(scorers, again)
        moved(lines, anchors, before=before, made=made, notes=notes, history=history)
    if all(facts.reason for facts in made):
        raise InputError(made[0].reason or "nothing can be measured")
    records = [Trust(**values_by(Trust, facts)) for facts in made]
    single = len({record.aspect for record in records}) == 1
    answers = [
        record.answer if single else f"{record.aspect}: {record.answer}"
        for record in records
        if " + " not in record.metric
    ]
    return Trusts(
        records=records,
        notes=list(dict.fromkeys(notes)),
        answers=answers,
        disputes=disputes,
        agreement=rated.agreement,
        risk=risk,
        confidence=confidence,
        below=below,
        margin=margin,
        lines=lines,
    )


def _limit(ratings: Source, aspect: str, values: Float, below: float | None) -> float | None:
    """Return the rating from which a row is good; None where the ratings are a scale.

    Args:
        ratings: the ratings as the user gave them; a rating project also has its scale.
        aspect: the aspect of the ratings.
        values: the ratings of the aspect: [rows]; NaN for a row without one.
        below: the limit that the user gave; else None.
    """
    if below is not None or np.isin(values[~np.isnan(values)], (0, 1)).all():
        return 1.0 if below is None else below
    several = isinstance(ratings, ProjectRatings) and ratings.scales.get(aspect) == (0, 1)
    return _HALF if several else None


def _others(ratings: Source, names: Sequence[str]) -> list[str]:
    """Return the aspects of the ratings that are not the ratings of a single rater (`names`)."""
    if not isinstance(ratings, Corpus):
        return []
    return [name for name in dict.fromkeys(name for row in ratings for name in row.scores) if name not in names]


def _raters_of(ratings: Source, aspect: str, names: Sequence[str]) -> Mapping[str, Any]:
    """Return the ratings of each rater by the rater's name; empty where the raters are not known."""
    if isinstance(ratings, ProjectRatings):
        return ratings.raters.get(aspect, {})
    if not names or not isinstance(ratings, Corpus):
        return {}
    return {name: {(row.system, row.item): row.scores[name] for row in ratings if name in row.scores} for name in names}
