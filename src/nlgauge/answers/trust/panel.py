"""Panels of scorers, fitted to ratings: weights, a curve to the probability, and thresholds, all cross-fitted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from nlgauge._version import __version__
from nlgauge.answers.fitted_panel import FittedPanel, PanelMember
from nlgauge.answers.rated_scores import RatedTask
from nlgauge.answers.trust.lines import Lines, asked
from nlgauge.data.table import Column
from nlgauge.errors import InputError
from nlgauge.ratings.matching import fingerprints
from nlgauge.stats.arrays import Float, Mask
from nlgauge.stats.fitting import FoldWeights, logistic

_FEWEST = 2


def fitted_panel(lines: Lines, aspect: str, names: Sequence[str]) -> FittedPanel:
    """Return a panel of scorers that is fitted to the ratings of an aspect.

    The weights are those of the combination that `nlgauge.trust` measures. They come from least squares with weights of
    at least 0, fitted without each fold of the ratings in turn. A row that is not rated gets the mean of these weights.
    For the curve to the probability and for the certified threshold, each rated row has a value by weights that were
    fitted without its rating. The threshold of the panel is the share of good rows among the ratings. A row with this
    probability has a value that is as frequent among good rows as among bad ones. So this threshold gives the best
    balanced accuracy. (A threshold that is chosen for the best shares on the ratings also fits their noise, and is
    worse on other rows.)

    Args:
        lines: the scorers joined with the ratings.
        aspect: the aspect of the ratings.
        names: the names of the scorers among the columns of `lines`.

    Returns:
        The panel.

    Raises:
        InputError: no panel can be fitted, for example because the ratings are a scale or there is only one scorer.
    """
    of = lines.of(aspect)
    if not of.yes_no:
        remedy = "say which rating is the lowest of a good row: below=X, --below X in the command"
        raise InputError(f"the ratings of {aspect} are a scale, and a panel decides about good and bad", remedy=remedy)
    if len(names) < _FEWEST:
        problem = f"a panel is made of at least two scorers, and {len(names)} can be measured"
        raise InputError(problem, remedy="score with more, or add columns of other tools by Column('NAME')")
    members = [_spec(lines, name) for name in names]
    texts = fingerprints(lines.table)
    if not texts:
        problem = "the scores do not hold the digests of their rows' texts, by which a panel knows its rated rows"
        raise InputError(problem, remedy="score the outputs again, one score for each row")
    x, weights = lines.weights(names, of)
    fitted_to = weights.fold >= 0
    value = weights.of(x)
    good = of.y == 1
    curve = logistic(value[fitted_to], good[fitted_to])
    if not (curve.slope > 0 and weights.slopes.mean(0).any()):
        problem = "on ratings that they were not fitted to, the weights do not tell good rows from bad ones"
        raise InputError(problem, remedy="rate more rows, or take other scorers")
    limit = lines.limits[aspect]
    assert limit is not None
    probability = 1 / (1 + np.exp(-(curve.intercept + curve.slope * value)))
    deviations = np.where(np.ptp(x, 0) > 0, x.std(0), 1.0)
    scale = curve.slope * deviations
    facts = lines.table.signatures
    return FittedPanel(
        nlgauge=__version__,
        aspect=aspect,
        below=float(limit),
        members=tuple(
            PanelMember(
                metric=member.metric,
                part=member.part,
                higher_is_better=member.column.higher_is_better,
                mean=float(weights.means[at]),
                deviation=float(deviations[at]),
                weight=float(weights.slopes[:, at].mean() * scale[at]),
                fold_weights=tuple((weights.slopes[:, at] * scale[at]).tolist()),
                facts=facts[name].facts if name in facts else {},
            )
            for at, (name, member) in enumerate(zip(names, members, strict=True))
        ),
        intercept=curve.intercept,
        ratings=int(fitted_to.sum()),
        bad=int((fitted_to & ~good).sum()),
        # Where a row is as likely to be drawn from the good ones as from the bad ones: the best balanced accuracy.
        threshold=float(good[fitted_to].mean()),
        certified=_certified(lines, aspect, probability),
        risk=lines.risk,
        confidence=lines.confidence,
        rows=_folds(texts, weights, fitted_to),
    )


class _Member(NamedTuple):
    metric: str
    part: str
    column: Column


def _spec(lines: Lines, name: str) -> _Member:
    """Return the spec and the column of a scorer. Raise InputError if it cannot score rows, or is a panel."""
    column = lines.table.columns[name]
    spec = next((was for was, now in asked(lines.table).items() if now == name), name)
    if spec in lines.table.run.get("joined", {}):
        problem = f"{spec} was joined to the scores, and a panel has to score rows itself"
        raise InputError(problem, remedy=f"give the outputs that column, and score with Column({spec!r})")
    if spec.partition("(")[0] == "Panel":
        raise InputError(f"{spec} is a panel itself", remedy="name the other scorers (--metric)")
    return _Member(spec, column.parts[0], column)


def _certified(lines: Lines, aspect: str, probability: Float) -> float | None:
    """Return the certified threshold on the probability; None where none can be certified."""
    every = np.ones(len(probability), bool)
    task = RatedTask.of(
        lines.rated, aspect, scores=probability, below=lines.limits[aspect], within=every, seed=lines.seed
    )
    apart, _ = task.rows.independent(task.rng)
    chosen = apart.certified(lines.risk, 1 - lines.confidence)
    return None if chosen.reason else float(chosen.threshold)


def _folds(texts: Sequence[str], weights: FoldWeights, fitted_to: Mask) -> dict[str, int]:
    """Return the fold of each rated row, by the digest of its texts. Of rows with equal texts, the first counts.

    Args:
        texts: the digest of each row's texts: [rows].
        weights: the weights, with the fold of each rated row.
        fitted_to: which rows are rated: [rows].
    """
    folds: dict[str, int] = {}
    for row in np.flatnonzero(fitted_to).tolist():
        folds.setdefault(texts[row], int(weights.fold[row]))
    return folds
