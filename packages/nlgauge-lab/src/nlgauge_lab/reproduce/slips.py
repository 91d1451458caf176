"""Slips in the published tables: numbers that the tables themselves contradict. Finding them needs no rated data."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np

from nlgauge_lab.reproduce.published import Column, Entry, Table, tables

_LEAST_ROWS, _LEAST_MORE = 8, 1 / 3
"""The least number of rows of a table whose columns may be called exchanged, and a share of the rows. In at least this
share more rows, the number under r has to be a possible rho than the number under rho
"""
_LEAST_EQUAL = {"pearson": 3, "spearman": 3, "kendall": 5}
"""How many equal numbers in two rows are too many for chance. For tau it is more, because of few systems it takes few
values
"""


class Slip(NamedTuple):
    """Printed numbers, in one row or in every row, that cannot all be right."""

    table: str
    row: str
    columns: str
    printed: str
    why: str
    taken: str
    """The number that is used for the comparison instead. Empty if the printed one is used, as the right one is not
    known
    """


def slips() -> list[Slip]:
    """Return every slip, table by table."""
    known = [one for one in tables().values() if any(row.printed for row in one.rows)]
    found = [slip for one in known for check in _CHECKS for slip in check(one)]
    place = {one.name: n for n, one in enumerate(known)}
    return sorted([*found, *_printed_twice(known)], key=lambda slip: place[slip.table])


def _slip(one: Table, entry: Entry, numbers: Sequence[int], why: str) -> Slip:
    """Return a slip in some columns of a row.

    Args:
        one: the table.
        entry: the row.
        numbers: the numbers of the columns, from 0.
        why: why the printed numbers cannot all be right.
    """
    printed, taken = (" ".join(_shown(one, values[n]) for n in numbers) for values in (entry.printed, entry.published))
    return Slip(
        table=one.name,
        row=entry.name,
        columns=_named(one, numbers),
        printed=printed,
        why=why,
        taken="" if taken == printed else taken,
    )


def _named(one: Table, numbers: Sequence[int]) -> str:
    return "; ".join(" ".join(one.columns[n]) for n in numbers)


def _shown(one: Table, value: float | None) -> str:
    return "-" if value is None else f"{value:.{one.digits}f}"


def _cells(one: Table) -> Iterator[tuple[Entry, int, float]]:
    """Yield the row, the column's number and the correlation of each printed number."""
    for entry in one.rows:
        yield from ((entry, n, value / one.scale) for n, value in enumerate(entry.printed) if value is not None)


def _unit(one: Table) -> float:
    """Return the unit of the last printed digit in correlations, such as 0.001 for three digits and the scale 1.

    A printed number, rounded or cut off, differs from the exact number by less than this.
    """
    return 10.0**-one.digits / one.scale


def _outside(one: Table) -> Iterator[Slip]:
    for entry, n, value in _cells(one):
        if abs(value) > 1:
            yield _slip(one, entry, [n], "a correlation is between -1 and 1")


def _not_the_mean(one: Table) -> Iterator[Slip]:
    for entry in one.rows:
        known = [value for value in entry.printed if value is not None]
        if entry.average is None:
            continue
        mean = sum(known) / len(known)
        if abs(mean - entry.average) > 2 * 10.0**-one.digits:
            told = f"the mean of the {len(known)} numbers is {_shown(one, mean)}"
            yield Slip(
                table=one.name,
                row=entry.name,
                columns="average",
                printed=_shown(one, entry.average),
                why=told,
                taken=_shown(one, mean),
            )


def _rated(one: Table) -> dict[str, Entry]:
    """Return the rows that show ratings like a metric, by the rated aspect."""
    return {entry.rating: entry for entry in one.rows if entry.rating is not None and entry.printed}


def _mirrored(one: Table, first: str, second: str) -> Iterator[tuple[int, int]]:
    """Yield pairs of columns that differ in the aspect alone, as their numbers from 0.

    Args:
        one: the table.
        first: the aspect of the first column of each pair.
        second: the aspect of the second column of each pair.
    """
    place = {column: n for n, column in enumerate(one.columns)}
    for column, n in place.items():
        if column.aspect == first and (m := place.get(column._replace(aspect=second))) is not None:
            yield n, m


def _not_symmetric(one: Table) -> Iterator[Slip]:
    """Yield slips where the correlation of two ratings is printed twice, with different numbers."""
    for (first, row), (second, other) in combinations(_rated(one).items(), 2):
        pairs = [(other.printed[n], row.printed[m], n) for n, m in _mirrored(one, first, second)]
        apart = [
            (n, there)
            for here, there, n in pairs
            if here is not None and there is not None and abs(here - there) > 2 * 10.0**-one.digits
        ]
        if apart:
            told = " ".join(_shown(one, there) for _, there in apart)
            yield _slip(one, other, [n for n, _ in apart], f"the row of {row.name} prints {told} for these ratings")


def _exchanged(one: Table) -> Iterator[Slip]:
    """Yield slips where columns of r and of rho seem exchanged.

    For few systems rho can take few values. The numbers under r are such values, and the numbers under rho are not.
    """
    rows = [entry for entry in one.rows if entry.rating is None and entry.printed]
    for n, column in enumerate(one.columns):
        other = column._replace(coefficient="spearman")
        if column.coefficient != "pearson" or other not in one.columns or len(rows) < _LEAST_ROWS:
            continue
        m = one.columns.index(other)
        fits = [
            sum(
                _of_rho(value / one.scale, size, _unit(one))
                for entry in rows
                if (value := entry.printed[at]) is not None and (size := _size(one, entry, column)) is not None
            )
            for at in (n, m)
        ]
        if fits[0] - fits[1] > _LEAST_MORE * len(rows):
            told = (
                f"{fits[0]} of {len(rows)} numbers under pearson, and {fits[1]} under spearman, are values that rho "
                "can take: the two are exchanged"
            )
            taken = "exchanged" if (n, m) in one.exchanged else ""
            yield Slip(table=one.name, row="every row", columns=_named(one, [n, m]), printed="", why=told, taken=taken)


def _impossible_together(one: Table) -> Iterator[Slip]:
    """Yield slips where correlations of a metric with two ratings are impossible.

    They contradict the printed correlation of these two ratings.
    """
    rated = _rated(one)
    for entry in one.rows:
        if entry.rating is not None or not entry.printed:
            continue
        found: dict[str, dict[str, list[int]]] = {}
        for first, second in combinations(rated, 2):
            for n, m in _mirrored(one, first, second):
                a, b = entry.printed[n], entry.printed[m]
                mutual = [both for both in (rated[first].printed[m], rated[second].printed[n]) if both is not None]
                if a is None or b is None or not mutual:
                    continue
                coefficient = one.columns[n].coefficient
                three = [(a / one.scale, b / one.scale, both / one.scale) for both in mutual]
                if all(_impossible(*some, _unit(one), coefficient) for some in three):
                    told = f"{first} and {second} ({' or '.join(_shown(one, both) for both in dict.fromkeys(mutual))})"
                    found.setdefault(coefficient, {}).setdefault(told, []).extend((n, m))
        for coefficient, pairs in found.items():
            numbers = sorted({n for some in pairs.values() for n in some})
            ties = " unless many systems tie" if coefficient == "kendall" else ""
            yield _slip(one, entry, numbers, f"impossible beside what is printed for {', '.join(pairs)}{ties}")


def _impossible(a: float, b: float, both: float, unit: float, coefficient: str) -> bool:
    """Return whether no three variables can have these three correlations, each within the last printed digit.

    Args:
        a: the correlation of the first and the third variable.
        b: the correlation of the second and the third variable.
        both: the correlation of the first and the second variable.
        unit: the unit of the last printed digit.
        coefficient: 'pearson', 'spearman' or 'kendall'.
    """
    if coefficient == "kendall":
        # Without ties (1 - tau) / 2 is a distance, so no side of the triangle is longer than the other two.
        return min(a - b - both, b - a - both, both - a - b) < -1 - 3 * unit
    # r and rho are cosines, whose matrix has no negative eigenvalue; rounding moves none by more than twice the unit.
    return bool(np.linalg.eigvalsh([[1, both, a], [both, 1, b], [a, b, 1]])[0] < -2 * unit)


def _size(one: Table, entry: Entry, column: Column) -> int | None:
    """Return how many systems are behind a number; None if the table does not say."""
    known = one.systems.get(column.data) if column.level == "system" else None
    return None if known is None else known - len(entry.without)


def _of_rho(value: float, n: int, unit: float) -> bool:
    """Return whether Spearman's rho of n systems without ties can have this printed value."""
    return _on_grid(1 - value, 12 / (n * (n * n - 1)), unit)


def _of_tau(value: float, n: int, unit: float) -> bool:
    """Return whether Kendall's tau of n systems without ties can have this printed value."""
    return _on_grid(1 - value, 4 / (n * (n - 1)), unit)


def _on_grid(value: float, step: float, unit: float) -> bool:
    return abs(round(value / step) * step - value) < unit


def _not_of_so_many(one: Table) -> Iterator[Slip]:
    """Yield slips where the printed rho and tau of a metric cannot come from the same systems, if there are no ties.

    The number of systems is the one that the table states.
    """
    for entry, n, rho in _cells(one):
        column = one.columns[n]
        size, other = _size(one, entry, column), column._replace(coefficient="kendall")
        if column.coefficient != "spearman" or size is None or size < 3 or other not in one.columns:
            continue
        m = one.columns.index(other)
        if (printed := entry.printed[m]) is None:
            continue
        tau, unit = printed / one.scale, _unit(one)
        # Daniels 1950
        distance = abs(3 * size * tau - 2 * (size + 1) * rho) / (size - 2)
        if distance > 1 + (5 * size + 2) / (size - 2) * unit:
            yield _slip(one, entry, [n, m], f"no {size} systems without ties have such a rho and such a tau")
        elif not _of_rho(rho, size, unit) and not _of_tau(tau, size, unit):
            fits = [k for k in (size - 1, size + 1) if _of_rho(rho, k, unit) and _of_tau(tau, k, unit)]
            of = f"; both are of {fits[0]}" if fits and one.digits > 3 else ""
            yield _slip(one, entry, [n, m], f"neither is a value of {size} systems without ties{of}")


def _not_the_best(one: Table) -> Iterator[Slip]:
    """Yield slips where the number called the best of some settings is worse than the number of one of them."""
    by_name = {entry.name: entry for entry in one.rows}
    for entry, n, value in _cells(one):
        for other in (by_name[name] for name in entry.best if by_name[name].printed):
            if (printed := other.printed[n]) is not None and printed / one.scale > value + 1e-9:
                yield _slip(one, entry, [n], f"{other.name} has {_shown(one, printed)}, and is one of those")


def _repeated(one: Table) -> Iterator[Slip]:
    """Yield slips where two metrics have the same number in every column of a coefficient, such as Spearman's.

    A few columns may be equal by chance: `_LEAST_EQUAL` has the least number of columns.
    """
    of_metrics = [entry for entry in one.rows if entry.rating is None and entry.printed]
    for coefficient, least in _LEAST_EQUAL.items():
        numbers = [n for n, column in enumerate(one.columns) if column.coefficient == coefficient]
        for first, second in combinations(of_metrics, 2):
            pairs = {(first.printed[n], second.printed[n]) for n in numbers}
            if len(numbers) >= least and all(a is not None and a == b for a, b in pairs):
                yield _slip(one, second, numbers, f"every {coefficient} is that of {first.name}")


_CHECKS = (
    _outside,
    _not_the_mean,
    _not_symmetric,
    _exchanged,
    _impossible_together,
    _not_of_so_many,
    _not_the_best,
    _repeated,
)


class _Printed(NamedTuple):
    """A printed number, as a correlation."""

    table: Table
    entry: Entry
    column: int
    value: float


def _printed_twice(known: Sequence[Table]) -> Iterator[Slip]:
    """Yield slips where two tables print different numbers for the same thing.

    Two tables are compared only if most of their shared numbers agree.
    """
    found = {one.name: _meant(one) for one in known}
    apart: dict[tuple[str, object], list[_Printed]] = {}
    for one, other in permutations(known, 2):
        unit = max(_unit(one), _unit(other))
        shared = [what for what in found[one.name] if what in found[other.name]]
        differing = [
            what
            for what in shared
            if all(abs(a.value - b.value) > unit for a in found[one.name][what] for b in found[other.name][what])
        ]
        if 2 * len(differing) < len(shared):
            for what in differing:
                apart.setdefault((one.name, what), []).extend(found[other.name][what])
    times = Counter({key: len({there.table.name for there in others}) for key, others in apart.items()})
    names = [one.name for one in known]
    for (name, what), others in apart.items():
        # The one against most others is the slip; of two, the one in the later table.
        rank = times[name, what], names.index(name)
        if all(rank > (times[there.table.name, what], names.index(there.table.name)) for there in others):
            there = ", ".join(f"{one.table.name} {_shown(one.table, one.value * one.table.scale)}" for one in others)
            for here in found[name][what]:
                yield _slip(here.table, here.entry, [here.column], f"elsewhere: {there}")


def _meant(one: Table) -> Mapping[object, list[_Printed]]:
    """Return the numbers of a table by their meaning: data, column, metric with its settings, and texts."""
    found: dict[object, list[_Printed]] = defaultdict(list)
    for entry, n, value in _cells(one):
        column = one.columns[n]
        spec = entry.spec.get(column.data) if isinstance(entry.spec, Mapping) else entry.spec
        if spec is not None and one.kind == "agreement":
            settings = spec, tuple(entry.own.items()), entry.part, entry.view or one.view, entry.without
            found[one.data[column.data], column[1:], settings, tuple(one.defaults.items())].append(
                _Printed(one, entry, n, value)
            )
    return found
