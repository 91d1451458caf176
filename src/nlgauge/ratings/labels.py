"""Labels of ratings: the number on the aspect's scale for a text in a cell, such as yes, pass, supported or 3,5."""

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
    """A question that people answer for each row, with its scale: whole numbers from `low` to `high`."""

    name: str
    low: int = 0
    high: int = 1
    labels: Mapping[str, float] = field(default_factory=dict, hash=False)
    """The rating for each label that people may write in place of a number"""

    @property
    def scale(self) -> list[int]:
        """The ratings that the rating page offers."""
        return list(range(self.low, self.high + 1))

    def names(self, rating: int) -> list[str]:
        """Return the labels of one rating."""
        return [name for name, value in self.labels.items() if value == rating]

    def rating(self, cell: str) -> float | None:
        """Return the rating that the text of a cell stands for.

        Args:
            cell: the text that people wrote.

        Returns:
            The number. NaN for a cell that says "not rated" (n/a, -, ?), None for an empty one.

        Raises:
            ValueError: the text is neither a number on the scale nor a label of the aspect; the message describes the
                problem.
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
    """Return the aspects that a command's options name.

    Args:
        names: the names of the aspects.
        scales: "1-5" for all aspects, or "ASPECT=1-5" for one.
        labels: the labels, as `labelled` takes them.

    Returns:
        The aspects in the order of their names, with their scales and labels.

    Raises:
        SpecError: an aspect is named twice, or a scale or a label is not possible.
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
    """Return aspects to which further labels are added.

    Args:
        aspects: the aspects of a project.
        labels: NAME=VALUE for all aspects or ASPECT:NAME=VALUE for one, where the value is a number on the scale or one
            of the `STANDARD` labels.

    Returns:
        The aspects in their order. A label that an aspect has already gets its new number.

    Raises:
        SpecError: a label is not of this form, or its value is not on the scale.
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
    """Return the numbers of labels, for a table whose aspects are not known before it is read.

    Args:
        labels: NAME=VALUE or ASPECT:NAME=VALUE, as `labelled` takes them.

    Returns:
        The number of each NAME, or of each ASPECT:NAME.

    Raises:
        SpecError: a label is not of this form.
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
