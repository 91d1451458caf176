"""Numbers and texts that rows have in a column. True and False count as 1 and 0, and a label as its number."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import tee
from numbers import Real
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from nlgauge.data.corpus.corpus import Corpus
from nlgauge.data.corpus.labels import STANDARD
from nlgauge.data.corpus.place import absent, kind, looked_up, shown
from nlgauge.data.corpus.row import Row
from nlgauge.errors import InputError, SpecError

Labels: TypeAlias = Mapping[str, float | None]
"""Numbers by label, in lower case; None for a label that stands for no value"""
LABELS: Labels = {**STANDARD, "": None, "none": None, "null": None, "nan": None}
"""The numbers of labels that need no explanation"""


def label_key(label: object) -> str:
    """Return a label as a key of `Labels`: in lower case, without blanks around it."""
    return str(label).strip().casefold()


def labels_of(metric: str, values: object) -> Labels:
    """Return numbers by label, sorted by label.

    Args:
        metric: the metric, as errors name it.
        values: the value of the metric's parameter `values`: a mapping from labels to numbers, or to None for a label
            that stands for no value.

    Returns:
        The numbers, by label as `label_key` returns it.

    Raises:
        SpecError: there is no such mapping, or a label is given twice.
    """
    wrong = SpecError(f"{metric}: values={shown(values)} are not numbers by label; write {{'pass': 1, 'fail': 0}}")
    if not isinstance(values, Mapping) or not values:
        raise wrong
    numbers: dict[str, float | None] = {}
    for label, number in values.items():
        if not (number is None or (isinstance(number, Real) and math.isfinite(number))):
            raise wrong
        if (key := label_key(label)) in numbers:
            raise SpecError(f"{metric}: values={shown(values)} has the label {key!r} twice")
        exact = None if number is None else float(number)
        numbers[key] = int(exact) if exact is not None and exact.is_integer() else exact
    return dict(sorted(numbers.items()))


def numbers_in(rows: Iterable[Row], column: str, labels: Labels | None = None) -> list[float]:
    """Return the number that each row has in a column, NaN where it has none.

    Args:
        rows: the rows.
        column: a column that is no field of ours, a rating (`scores.NAME` or NAME), or a path into one of them: a.b is
            b inside a.
        labels: the numbers of the labels in the column. By default, `LABELS` and texts that are numbers are read.

    Returns:
        A number for each row.

    Raises:
        InputError: a value is neither a number nor a label, and the error names its row; or no row has a value.
    """
    rows, others = tee(rows)
    numbers = [number_in(row, column, labels, number) for number, row in enumerate(rows, 1)]
    if all(map(math.isnan, numbers)):
        names = dict.fromkeys(name for row in others for name in (*row.extra, *row.scores))
        remedy = f"there are {', '.join(names)}" if names else "there are no other columns and no ratings"
        raise InputError(f"no row has a number in the column {column!r}", remedy=remedy)
    return numbers


_OURS = ("candidate", "source", "context", "question", "item", "system", "trial")


def texts_in(rows: Sequence[Row], column: str) -> list[str | None]:
    """Return the text of each row in a column.

    Args:
        rows: the rows.
        column: a field of ours (`source`, `context`, `item`), or another column of the rows; a.b is b inside a.

    Returns:
        A text for each row: a value that is no text is written as JSON, and an absent or empty value is None.
    """
    values = [getattr(row, column) if column in _OURS else looked_up(row.extra, column) for row in rows]
    return [
        None
        if value is None or value == ""
        else value
        if isinstance(value, str)
        else json.dumps(value, sort_keys=True, default=str)
        for value in values
    ]


def provenance(corpus: Corpus, column: str, numbers: ArrayLike) -> dict[str, object]:
    """Return facts about a column of numbers for a signature: its name, the files of the rows, the numbers' digest."""
    file = "+".join(corpus.files) or "rows"
    digest = hashlib.sha256(np.asarray(numbers, float).tobytes()).hexdigest()
    return {"column": column, "from": {"name": file, "digest": digest}}


def number_in(row: Row, column: str, labels: Labels | None = None, number: int | None = None) -> float:
    """Return the number that a row has in a column, as `numbers_in` does. `number` names the row in the error."""
    value = looked_up({**row.scores, **{f"scores.{key}": value for key, value in row.scores.items()}}, column)
    value = looked_up(row.extra, column) if value is None else value
    if absent(value):
        return math.nan
    if not isinstance(value, str | Real) and hasattr(value, "item"):
        value = value.item()  # numpy's bool
    try:
        if labels is None and isinstance(value, Real):
            return float(value)
        meanings = LABELS if labels is None else labels
        if isinstance(value, str | Real) and (key := label_key(value)) in meanings:
            return math.nan if (meant := meanings[key]) is None else float(meant)
        if labels is None and isinstance(value, str):
            return float(value)
    except (ValueError, OverflowError):
        pass
    said = f"the column {column!r} is {kind(value)}, not a number"
    said = said if labels is None else f"{said} or one of the labels {', '.join(map(repr, labels))}"
    remedy = "give labels their numbers, None for no value: Column('NAME', values={'pass': 1, 'fail': 0, 'n/a': None})"
    raise InputError(said, row=number, remedy=remedy)
