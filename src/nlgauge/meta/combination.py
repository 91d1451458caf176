"""Several metrics as one: weights fitted to people's ratings, and an honest figure of how well the whole agrees.

Each metric's part is brought to mean 0 and deviation 1 over the rows, larger better, and the rating is predicted as a
sum of weights times these numbers. 'nnls': weights that are not negative, so that a metric counts for or not at all
(Lawson and Hanson 1974; no penalty, and most weights end at 0). 'ridge': weights of either sign with a penalty on their
squares (Hoerl and Kennard 1970), which is chosen by cross-fitting.

What the weights were fitted to cannot tell how good they are. So the items are dealt into folds; the rows of each fold
are predicted by weights that were fitted, standardisation and penalty included, to the rows of all other items; and
agreement is measured on those predictions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nlgauge.errors import InputError
from nlgauge.maths.least_squares import nonnegative, ridge
from nlgauge.meta.agreement import Agreement, correlate
from nlgauge.meta.correlation import Float
from nlgauge.meta.join import grid, ratings
from nlgauge.meta.selection import selected
from nlgauge.table import Column, ScoreTable
from nlgauge.weights import Member, Weights

if TYPE_CHECKING:
    from nlgauge.corpus import Corpus

METHODS = ("nnls", "ridge")
PENALTIES = tuple(float(10**exponent) for exponent in np.arange(-4, 2.5, 0.5))
"""What 'ridge' chooses from: of squared weights, beside the mean squared error, features having deviation 1"""
COMBINED, EQUAL = "Combination", "EqualWeights"


@dataclass(frozen=True)
class Combined:
    """What `combine` found."""

    weights: Weights
    """Fitted to all rows"""
    agreements: list[Agreement]
    """Of the out-of-fold predictions ('Combination'), of the mean of all members at equal weights ('EqualWeights',
    which nothing was fitted for), and of each member, on the same rows"""
    predictions: ScoreTable
    """Those columns: to be saved, contrasted, correlated at other levels"""
    rows: int
    """Rows fitted to: with a rating and a number of every member"""
    items: int
    unrated: int
    left_out: dict[str, int]
    """Rated rows that could not be used, by the member without a (finite) number there; a row may count for several"""
    penalties: list[float]
    """Of 'ridge': the penalty chosen within each fold's other items"""
    notes: list[str]


class _Fit(NamedTuple):
    means: Float
    deviations: Float
    weights: Float
    intercept: float
    penalty: float | None

    def of(self, x: Float) -> Float:
        """[rows, members] -> [rows]"""
        return np.asarray(self.intercept + (x - self.means) / self.deviations @ self.weights)


def combine(
    table: ScoreTable,
    source: Corpus | ScoreTable | Column | Mapping[Any, Any],
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
    """Fit weights of the table's metrics of rows to people's ratings of an aspect.

    source: ratings as `nlgauge.correlate` takes them. aspect: may be left out where one alone is rated. metrics: specs
    (all parts) or "spec part"; all metrics of rows where none is given. A row counts where it has a rating and a finite
    number of every member; what is left out is counted. level, coefficient, resample, replicates, seed: of the
    agreements, as in `correlate`. Raises InputError where there is too little to fit, and as `correlate` does.
    """
    if method not in METHODS:
        raise InputError(f"the method {method!r} is unknown", remedy=f"take {', '.join(METHODS)}")
    if folds < 2:
        raise InputError(f"{folds} folds leave nothing to predict", remedy="take 2 or more")
    place, rated = grid(table), ratings(table, source)
    chosen = _aspect(list(rated.values), aspect)
    members = _members(table, metrics)
    signs = [1.0 if table.columns[spec].higher_is_better else -1.0 for spec, _ in members]
    x = np.stack([table.values(*member) for member in members], 1) * signs
    y, finite = rated.values[chosen], np.isfinite(x)
    known = finite.all(1) & np.isfinite(y)
    items, wide = np.array(place.place[0]), len(members)
    fitted = items[known]
    if len(x[known]) < wide + 2 or len(set(fitted.tolist())) < 2:
        raise InputError(
            f"{known.sum()} rows of {len(set(fitted.tolist()))} items have a rating and a number of all {wide} members",
            remedy="give more rated rows, or fewer metrics",
        )
    fold = _folds(fitted, folds, seed)
    predicted = np.full(len(y), np.nan)
    penalties, where = [], np.flatnonzero(known)
    for number in range(int(fold.max()) + 1):
        out = fold == number
        one = _fit(x[where[~out]], y[where[~out]], fitted[~out], method, folds, seed)
        predicted[where[out]] = one.of(x[where[out]])
        penalties += [] if one.penalty is None else [one.penalty]
    final = _fit(x[known], y[known], fitted, method, folds, seed)
    notes = [f"{' '.join(members[i])} is the same on all rows" for i in np.flatnonzero(np.ptp(x[known], 0) == 0)]
    if not final.weights.any():
        raise InputError(f"no member agrees with {chosen}: all weights are 0", remedy="add metrics, or take ridge")
    predictions = _table(table, members, known, predicted, ((x - final.means) / final.deviations).mean(1))
    source_of = {chosen: {key: float(value) for key, value in zip(table.rows, y, strict=True)}}
    found = correlate(
        predictions, source_of, level=level, coefficient=coefficient, resample=resample, replicates=replicates,
        seed=seed,
    )  # fmt: skip
    weights = Weights(
        tuple(
            Member(spec, part, sign > 0, *map(float, numbers))
            for (spec, part), sign, *numbers in zip(members, signs, *final[:3], strict=True)
        ),
        final.intercept,
        chosen,
        method,
        final.penalty,
        _models(table, [spec for (spec, _), weight in zip(members, final.weights, strict=True) if weight]),
        {
            "rows": int(known.sum()),
            "items": len(set(fitted.tolist())),
            "folds": int(fold.max()) + 1,
            "seed": seed,
            "corpus": table.run.get("corpus"),
            "agreement": _told(found.get(COMBINED, chosen)),
        },
    )
    left_out = {
        " ".join(member): int((~finite[:, i] & np.isfinite(y)).sum())
        for i, member in enumerate(members)
        if (~finite[:, i] & np.isfinite(y)).any()
    }
    return Combined(
        weights, found.records, predictions, int(known.sum()), len(set(fitted.tolist())), int((~np.isfinite(y)).sum()),
        left_out, penalties, [*notes, *found.notes],
    )  # fmt: skip


def applied(table: ScoreTable, weights: Weights) -> ScoreTable:
    """A saved table with the combination as one metric more, `Combination`, where it holds all members in use.

    The way to use members that cannot be scored in one run: of several models, or from elsewhere. Raises InputError.
    """
    if COMBINED in table.columns:
        raise InputError(f"the table has a {COMBINED} already", remedy="take a table without one")
    columns = []
    for member in weights.used:
        column = table.columns.get(member.metric)
        if column is None or member.part not in column.parts or column.level != "item":
            raise InputError(f"the table lacks {member.name}", remedy="score it first")
        columns.append(column.values[:, column.parts.index(member.part)])
    values = np.stack(columns, 1)
    found = weights.combined(values)
    reasons = {
        row: "no value of " + ", ".join(m.name for m, v in zip(weights.used, values[row], strict=True) if not _ok(v))
        for row in np.flatnonzero(np.isnan(found)).tolist()
    }
    return ScoreTable(
        table.rows,
        {**table.columns, COMBINED: Column(("score",), found[:, None], reasons)},
        {**table.signatures, COMBINED: f"{COMBINED}|weights:{weights.digest[:8]}"},
        table.run,
        table.version,
    )


def _ok(value: float) -> bool:
    return bool(np.isfinite(value))


def _aspect(rated: list[str], aspect: str | None) -> str:
    if aspect is None and len(rated) == 1:
        return rated[0]
    if aspect is None or aspect not in rated:
        problem = "several aspects are rated" if aspect is None else f"nothing is rated for {aspect!r}"
        raise InputError(problem, remedy=f"name one of {', '.join(rated)}")
    return aspect


def _members(table: ScoreTable, wanted: Sequence[str] | None) -> list[tuple[str, str]]:
    """(spec, part) of what is combined."""
    columns = selected(table, wanted, every_part=True).columns
    sets = [spec for spec, column in columns.items() if column.level != "item"]
    if sets and (wanted is not None or len(sets) == len(columns)):
        raise InputError(f"{sets[0]} is a metric of sets, which has no number for a row", remedy="take metrics of rows")
    return [(spec, part) for spec, column in columns.items() if spec not in sets for part in column.parts]


def _folds(items: NDArray[np.int64], folds: int, seed: int) -> NDArray[np.int64]:
    """The fold of each row: rows of one item share one, and folds have nearly equally many items."""
    distinct, place = np.unique(items, return_inverse=True)
    count = min(folds, len(distinct))
    dealt = np.random.default_rng([seed, len(distinct)]).permutation(np.arange(len(distinct)) % count)
    return np.asarray(dealt[place])


def _fit(x: Float, y: Float, items: NDArray[np.int64], method: str, folds: int, seed: int) -> _Fit:
    means, spread = x.mean(0), x.std(0)
    deviations = np.where(np.ptp(x, 0) > 0, spread, 1.0)
    level = float(y.mean())
    z, rest = (x - means) / deviations, y - level
    if method == "nnls":
        return _Fit(means, deviations, nonnegative(z, rest).coefficients, level, None)
    penalty = _penalty(x, y, items, folds, seed)
    return _Fit(means, deviations, ridge(z, rest, [penalty])[0], level, penalty)


def _penalty(x: Float, y: Float, items: NDArray[np.int64], folds: int, seed: int) -> float:
    """The penalty whose predictions of items that were not fitted to are nearest to the ratings."""
    fold = _folds(items, folds, seed)
    errors = np.zeros(len(PENALTIES))
    for number in range(int(fold.max()) + 1):
        out = fold == number
        means, deviations, level = x[~out].mean(0), x[~out].std(0), y[~out].mean()
        deviations = np.where(np.ptp(x[~out], 0) > 0, deviations, 1.0)
        weights = ridge((x[~out] - means) / deviations, y[~out] - level, PENALTIES)
        errors += ((level + (x[out] - means) / deviations @ weights.T - y[out, None]) ** 2).sum(0)
    return PENALTIES[int(errors.argmin())]


def _table(
    table: ScoreTable, members: Sequence[tuple[str, str]], known: NDArray[np.bool_], predicted: Float, equal: Float
) -> ScoreTable:
    """Predictions and members on the rows that were fitted to; the others have no number."""
    reasons = dict.fromkeys(np.flatnonzero(~known).tolist(), "no rating, or no number of a member")
    columns = {
        COMBINED: Column(("score",), predicted[:, None], reasons),
        EQUAL: Column(("score",), np.where(known, equal, np.nan)[:, None], reasons),
    }
    for spec in dict.fromkeys(spec for spec, _ in members):
        parts = tuple(part for own, part in members if own == spec)
        values = np.stack([table.values(spec, part) for part in parts], 1)
        values = np.where(known[:, None], values, np.nan)
        columns[spec] = Column(parts, values, reasons, higher_is_better=table.columns[spec].higher_is_better)
    signatures = {spec: table.signatures.get(spec, "") for spec in columns}
    signatures.update({COMBINED: f"{COMBINED}|out of fold", EQUAL: f"{EQUAL}|not fitted"})
    return ScoreTable(table.rows, columns, signatures, {"rows": len(table.rows)}, table.version)


def _models(table: ScoreTable, specs: Sequence[str]) -> dict[str, str]:
    """Digests of the models that scores came from, by name, as their signatures tell."""
    found = {}
    for spec in specs:
        for fact in table.signatures.get(spec, "").split("|"):
            key, _, value = fact.partition(":")
            if key == "model" and "@" in value:
                name, _, digest = value.rpartition("@")
                found[name] = digest
    return found


def _told(one: Agreement) -> dict[str, Any]:
    """An agreement for a file, which has no NaN."""
    numbers = {name: getattr(one, name) for name in ("value", "low", "high", "p")}
    return {
        "level": one.level,
        "coefficient": one.coefficient,
        "n": one.n,
        **{name: value if np.isfinite(value) else None for name, value in numbers.items()},
    }
