"""Labels of ratings: what people write into a cell (yes, pass, supported, 3,5) as a number on the aspect's scale."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from nlgauge.data.corpus.labels import NOT_RATED, STANDARD, plain
from nlgauge.errors import SpecError

_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")


@dataclass(frozen=True)
class Aspect:
    """A question that people answer of each row, and its scale: whole numbers from `low` to `high`."""

    name: str
    low: int = 0
    high: int = 1
    labels: Mapping[str, float] = field(default_factory=dict, hash=False)
    """Numbers by the names that people may write in their place"""

    @property
    def scale(self) -> list[int]:
        """The ratings that the page offers."""
        return list(range(self.low, self.high + 1))

    def names(self, rating: int) -> list[str]:
        """Return the labels of one rating."""
        return [name for name, value in self.labels.items() if value == rating]

    def rating(self, cell: str) -> float | None:
        """Return the number that a cell stands for.

        Args:
            cell: what people wrote.

        Returns:
            The number. NaN for a cell that says "not rated" (n/a, -, ?), None for an empty one.

        Raises:
            ValueError: with the problem, where the cell is neither a number on the scale nor a label of the aspect.
        """
        text = plain(cell)
        if not text:
            return None
        ratings = {plain(name): value for name, value in self.labels.items()}
        if text in ratings:
            return ratings[text]
        if _NUMBER.fullmatch(text):
            number = float(text.replace(",", "."))
            if not self.low <= number <= self.high:
                raise ValueError(f"{cell.strip()!r} is not on the scale from {self.low} to {self.high}")
            return number
        if (self.low, self.high) == (0, 1) and text in STANDARD:
            return STANDARD[text]
        if text in NOT_RATED:
            return math.nan
        raise ValueError(f"the label {cell.strip()!r:.60} is unknown")


def aspects_from(names: Sequence[str], scales: Iterable[str], labels: Iterable[str]) -> list[Aspect]:
    """Return the aspects that a command names.

    Args:
        names: of the aspects.
        scales: "1-5" for all aspects, or "ASPECT=1-5" for one.
        labels: as in `labelled`.

    Returns:
        The aspects in the order of their names, with their scales and labels.

    Raises:
        SpecError: for an aspect twice, and for a scale or a label that cannot be meant.
    """
    if wrong := [name for name in names if not name.strip() or names.count(name) > 1]:
        raise SpecError(f"--aspect {wrong[0]}: give each aspect a name of its own")
    of = dict[str, tuple[int, int]]()
    for scale in scales:
        name, equals, ends = scale.rpartition("=")
        if equals and name not in names:
            raise SpecError(f"--scale {scale}: there is no aspect {name!r}; there are {', '.join(names)}")
        of.update(
            dict.fromkeys([name] if equals else [aspect for aspect in names if aspect not in of], _ends(scale, ends))
        )
    made = []
    for name in names:
        values = [value for aspect, _, value in _parsed(labels, names) if aspect in (None, name)]
        low, high = of.get(name, (0, 1))
        if name not in of and values and not set(values) <= {0, 1}:
            low, high = math.floor(min(values)), math.ceil(max(values))
            if low == high or low < 0 or high > 9:
                raise SpecError(f"--label: say with --scale from which number to which {name} is rated, as in 0-2")
        made.append(Aspect(name, low, high))
    return labelled(made, labels)


def labelled(aspects: Sequence[Aspect], labels: Iterable[str]) -> list[Aspect]:
    """Return the aspects with further labels.

    Args:
        aspects: those of a project.
        labels: NAME=VALUE for all aspects or ASPECT:NAME=VALUE for one, where the value is a number on the scale or one
            of the `STANDARD` labels.

    Returns:
        The aspects in their order. A label that an aspect has already gets its new number.

    Raises:
        SpecError: for a label that is no such text, or that is off the scale.
    """
    made = {aspect.name: aspect for aspect in aspects}
    for of, name, value in _parsed(labels, list(made)):
        for aspect in list(made.values()) if of is None else [made[of]]:
            if not aspect.low <= value <= aspect.high:
                problem = f"--label {name}={value:g}: {aspect.name} is rated from {aspect.low} to {aspect.high}"
                raise SpecError(f"{problem}; --scale gives it another scale, and ASPECT:NAME=VALUE labels one aspect")
            rest = {label: rating for label, rating in aspect.labels.items() if plain(label) != plain(name)}
            made[aspect.name] = replace(aspect, labels={**rest, name: value})
    return list(made.values())


def by_name(labels: Iterable[str]) -> dict[str, float]:
    """Return the numbers of the labels of a table, whose aspects are not known before it is read.

    Args:
        labels: NAME=VALUE or ASPECT:NAME=VALUE, as in `labelled`.

    Returns:
        The number of each NAME, or of each ASPECT:NAME.

    Raises:
        SpecError: for a label that is no such text.
    """
    return {name: value for _, name, value in _parsed(labels, ())}


def _parsed(labels: Iterable[str], aspects: Sequence[str]) -> list[tuple[str | None, str, float]]:
    """Return the aspect (None for all), the name and the number of each label."""
    parsed = []
    for label in labels:
        name, equals, text = label.rpartition("=")
        of = next((aspect for aspect in aspects if name.startswith(f"{aspect}:")), None)
        name = name if of is None else name[len(of) + 1 :]
        value = STANDARD.get(plain(text))
        if value is None and _NUMBER.fullmatch(text.strip()):
            value = float(text.strip().replace(",", "."))
        if not plain(name) or not equals or value is None:
            example = "as in --label supported=yes or --label hallucinated=0"
            raise SpecError(f"--label {label}: write NAME=VALUE, where VALUE is a number or yes or no, {example}")
        parsed.append((of, name, value))
    return parsed


def _ends(scale: str, ends: str) -> tuple[int, int]:
    low, _, high = ends.partition("-")
    if not (low.isdecimal() and high.isdecimal() and 0 <= int(low) < int(high) <= 9):
        raise SpecError(f"--scale {scale}: give two whole numbers from 0 to 9, as in 0-1 or 1-5")
    return int(low), int(high)
