"""Combination of several metrics by weights that are fitted to people's ratings, and its agreement on other rows.

The score of each metric is standardised over the rows to mean 0 and standard deviation 1, with its sign turned so that
larger is better. The rating is predicted as a weighted sum of these standardised scores. With 'nnls' no weight is
negative (Lawson and Hanson 1974). There is no penalty, and most weights end at 0. With 'ridge' weights may have either
sign, and their squares have a penalty (Hoerl and Kennard 1970), which is chosen by cross-fitting.

The rows that the weights were fitted to cannot tell how good the weights are. So the items are divided into folds. The
rows of each fold are predicted by weights that were fitted to the rows of all other items. The standardisation and the
penalty come from these other items too. The agreement is measured on these out-of-fold predictions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nlgauge.answers.correlate import Agreement, correlate
from nlgauge.data.signature import Signature
from nlgauge.data.table import Column, ScoreTable
from nlgauge.data.table.selection import selected
from nlgauge.errors import InputError
from nlgauge.ratings.join import Source, grid, ratings
from nlgauge.stats.arrays import Float, Mask
from nlgauge.stats.fitting import METHODS, Fit, cross_fitted, fit
from nlgauge_lab.combination_file import CombinationFile, Member

COMBINED, EQUAL = "Combination", "EqualWeights"


@dataclass(frozen=True)
class Combined:
    """The result of `combine`."""

    combination: CombinationFile
    """The weights, fitted to all usable rows"""
    agreements: list[Agreement]
    """The agreement with people of the out-of-fold predictions ('Combination'), of the mean of all members at equal
    weights ('EqualWeights', to which nothing is fitted) and of each member, all on the same rows
    """
    predictions: ScoreTable
    """A table with the columns of `agreements`, to be saved, contrasted, or correlated at other levels"""
    rows: int
    """Number of rows that the weights were fitted to: those with a rating and a finite score by every member"""
    items: int
    unrated: int
    left_out: dict[str, int]
    """By member, the number of rated rows that could not be used because the member has no finite score there. A row
    may count for several members
    """
    penalties: list[float]
    """With 'ridge': for each fold, the penalty that was chosen on the items of the other folds"""
    notes: list[str]


def combine(
    table: ScoreTable,
    source: Source,
    aspect: str | None = None,
    *,
    metrics: Sequence[str] | None = None,
    method: str = "nnls",
    folds: int = 5,
    level: str = "item",
    coefficient: str = "pearson",
    resample: str = "both",
    replicates: int = 1000,
    seed: int = 0,
) -> Combined:
    """Fit weights of a table's metrics to people's ratings of an aspect.

    A row is used if it has a rating and a finite score by every member. The other rows are counted.

    Args:
        table: scores of the rows.
        source: ratings, as `nlgauge.correlate` takes them.
        aspect: may be left out if only one is rated.
        metrics: specs (all scores of each) or "spec part". By default all metrics that score rows.
        method: 'nnls' or 'ridge'.
        folds: number of folds of the items, at least 2.
        level, coefficient, resample, replicates, seed: of the agreements, as in `nlgauge.correlate`.

    Returns:
        The weights, with their agreement out of fold.

    Raises:
        InputError: there are too few rows to fit, or as `nlgauge.correlate` raises it.
    """
    table = table.per_item()
    if method not in METHODS:
        raise InputError(f"the method {method!r} is unknown", remedy=f"take {', '.join(METHODS)}")
    if folds < 2:
        raise InputError(f"{folds} folds leave nothing to predict", remedy="take 2 or more")
    place, rated = grid(table), ratings(table, source)
    chosen = _aspect(list(rated.values), aspect)
    chosen_table = _of_rows(table, metrics)
    members = [(spec, part) for spec, column in chosen_table.columns.items() for part in column.parts]
    signs = [1.0 if table.columns[spec].higher_is_better else -1.0 for spec, _ in members]
    x, y = np.stack([table.values(*member) for member in members], 1) * signs, rated.values[chosen]
    finite, is_rated = np.isfinite(x), np.isfinite(y)
    known = finite.all(1) & is_rated
    items = np.array(place.place[0])[known]
    rows, distinct = len(items), len(set(items.tolist()))
    if rows < len(members) + 2 or distinct < 2:
        raise InputError(
            f"{rows} rows of {distinct} items have a rating and a number of all {len(members)} members",
            remedy="give more rated rows, or fewer metrics",
        )
    crossed = cross_fitted(x[known], y[known], items=items, method=method, folds=folds, seed=seed)
    final = fit(x[known], y[known], items=items, method=method, folds=folds, seed=seed)
    if not final.weights.any():
        raise InputError(f"no member agrees with {chosen}: all weights are 0", remedy="add metrics, or take ridge")
    predicted = np.full(len(y), np.nan)
    predicted[known] = crossed.predicted
    predictions = _table(chosen_table, known, predicted, ((x - final.means) / final.deviations).mean(1))
    agreements = correlate(
        predictions,
        {chosen: dict(zip(table.rows, y.tolist(), strict=True))},
        level=level,
        coefficient=coefficient,
        resample=resample,
        replicates=replicates,
        seed=seed,
    )
    facts: dict[str, object] = {
        "rows": rows,
        "items": distinct,
        "folds": crossed.folds,
        "seed": seed,
        "corpus": table.run.get("corpus"),
        "agreement": _record(agreements.get(COMBINED, chosen)),
    }
    unusable = (~finite & is_rated[:, None]).sum(0).tolist()
    constant = np.flatnonzero(np.ptp(x[known], 0) == 0)
    notes = [f"{' '.join(members[at])} is the same on all rows" for at in constant]
    return Combined(
        combination=_file(table, members, signs=signs, final=final, aspect=chosen, method=method, facts=facts),
        agreements=agreements.records,
        predictions=predictions,
        rows=rows,
        items=distinct,
        unrated=int((~is_rated).sum()),
        left_out={" ".join(member): n for member, n in zip(members, unusable, strict=True) if n},
        penalties=crossed.penalties,
        notes=[*notes, *agreements.notes],
    )


def _file(
    table: ScoreTable,
    members: Sequence[tuple[str, str]],
    signs: Sequence[float],
    final: Fit,
    aspect: str,
    method: str,
    facts: Mapping[str, object],
) -> CombinationFile:
    numbers = zip(final.means.tolist(), final.deviations.tolist(), final.weights.tolist(), strict=True)
    fitted = tuple(
        Member(spec, part, sign > 0, *three) for (spec, part), sign, three in zip(members, signs, numbers, strict=True)
    )
    used = [table.signatures[one.metric] for one in fitted if one.weight and one.metric in table.signatures]
    named = [signature.facts.get("model") for signature in used]
    models = {str(model["name"]): str(model["digest"]) for model in named if isinstance(model, Mapping)}
    return CombinationFile(
        members=fitted,
        intercept=final.intercept,
        aspect=aspect,
        method=method,
        penalty=final.penalty,
        models=models,
        facts=facts,
    )


def applied(table: ScoreTable, combination: CombinationFile) -> ScoreTable:
    """Return a saved table with one more metric, `Combination`, computed from the scores in the table.

    In this way a combination can use members that cannot be scored in one run, such as metrics on several models.

    Args:
        table: scores with all members whose weight is not 0.
        combination: the weights.

    Returns:
        The table with the new column.

    Raises:
        InputError: the table lacks a member, or has a column `Combination` already.
    """
    table = table.per_item()
    if COMBINED in table.columns:
        raise InputError(f"the table has a {COMBINED} already", remedy="take a table without one")
    columns = []
    for member in combination.used:
        column = table.columns.get(member.metric)
        if column is None or member.part not in column.parts or column.level != "item":
            raise InputError(f"the table lacks {member.name}", remedy="score it first")
        columns.append(column.values[:, column.parts.index(member.part)])
    values = np.stack(columns, 1)
    combined = combination.combined(values)
    reasons = {
        row: "no value of " + ", ".join(combination.used[at].name for at in np.flatnonzero(~np.isfinite(values[row])))
        for row in np.flatnonzero(np.isnan(combined)).tolist()
    }
    return replace(
        table,
        columns={**table.columns, COMBINED: Column(("score",), combined[:, None], reasons)},
        signatures={**table.signatures, COMBINED: Signature(COMBINED, {"weights": combination.digest[:8]})},
    )


def _aspect(rated: list[str], aspect: str | None) -> str:
    if aspect is None and len(rated) == 1:
        return rated[0]
    if aspect is None or aspect not in rated:
        problem = "several aspects are rated" if aspect is None else f"nothing is rated for {aspect!r}"
        raise InputError(problem, remedy=f"name one of {', '.join(rated)}")
    return aspect


def _of_rows(table: ScoreTable, wanted: Sequence[str] | None) -> ScoreTable:
    """Return the table with only the metrics to combine, which have a score for each row.

    Args:
        table: the scores.
        wanted: specs or "spec part"; None for all metrics that score rows, without their informational sub-scores.

    Raises:
        InputError: a wanted metric is a corpus-level metric, or no metric scores rows.
    """
    chosen = selected(table, wanted, every_part=True)
    sets = [spec for spec, column in chosen.columns.items() if column.level != "item"]
    if sets and (wanted is not None or len(sets) == len(chosen.columns)):
        raise InputError(
            f"{sets[0]} is a corpus-level metric, which has no number for a row", remedy="take metrics of rows"
        )
    return replace(chosen, columns={spec: one for spec, one in chosen.columns.items() if spec not in sets})


def _table(table: ScoreTable, known: Mask, predicted: Float, equal: Float) -> ScoreTable:
    """Return a table with the predictions and the members' scores, without values for rows that were not fitted to.

    Args:
        table: the scores of the members.
        known: marks the rows that were fitted to: [rows].
        predicted: out-of-fold predictions: [rows].
        equal: mean of the members at equal weights: [rows].
    """
    reasons = dict.fromkeys(np.flatnonzero(~known).tolist(), "no rating, or no number of a member")
    columns = {
        COMBINED: Column(("score",), predicted[:, None], reasons),
        EQUAL: Column(("score",), np.where(known, equal, np.nan)[:, None], reasons),
    }
    for spec, one in table.columns.items():
        values = np.where(known[:, None], one.values, np.nan)
        columns[spec] = replace(one, values=values, reasons=reasons, evidence={}, sums=None, details=())
    signatures = {spec: table.signatures[spec] for spec in columns if spec in table.signatures}
    signatures[COMBINED] = Signature(COMBINED, {"predicted": "out of fold"})
    signatures[EQUAL] = Signature(EQUAL, {"weights": "equal"})
    return ScoreTable(
        rows=table.rows, columns=columns, signatures=signatures, run={"rows": len(table.rows)}, version=table.version
    )


def _record(one: Agreement) -> dict[str, object]:
    """Return an agreement as a JSON record, in which None stands for NaN."""
    numbers = {name: getattr(one, name) for name in ("value", "low", "high", "p")}
    return {
        "level": one.level,
        "coefficient": one.coefficient,
        "n": one.n,
        **{name: value if np.isfinite(value) else None for name, value in numbers.items()},
    }
