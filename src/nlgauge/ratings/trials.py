"""Ratings of trials, where a system was run several times on an item.

A rating belongs to one text, and so to one trial. Where both the scores and the ratings name their trials, each trial
is a row, and the trials of an item are a cluster, because they mostly agree. Ratings that name no trial belong to the
mean of an item's trials.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from nlgauge.data.corpus import Corpus
from nlgauge.data.corpus.place import first_repeat
from nlgauge.data.corpus.row import of_trial
from nlgauge.data.table import ScoreTable
from nlgauge.errors import InputError

C = TypeVar("C", bound=Corpus)
S = TypeVar("S")


def by_trial(
    table: ScoreTable, ratings: S, outputs: Corpus | None = None, *, drawn: bool = False
) -> tuple[ScoreTable, S, Corpus | None]:
    """Return scores, ratings and outputs with a row for each trial, if scores and ratings name their trials.

    Args:
        table: the scores.
        ratings: as `nlgauge.ratings.join.ratings` takes them.
        outputs: the outputs of the table's rows.
        drawn: whether the ratings are by names on a sheet whose rows are trials.

    Returns:
        The scores, the ratings and the outputs. They are unchanged if the scores or the ratings name no trial.
    """
    if "trials" not in table.run or not (drawn or _named(ratings)):
        return table, ratings, outputs
    rated: Any = ratings.per_trial() if isinstance(ratings, ScoreTable) else ratings
    rated = each_trial(rated) if isinstance(rated, Corpus) else rated
    return table.per_trial(), rated, None if outputs is None else each_trial(outputs)


def each_trial(rows: C) -> C:
    """Return rows in which each trial is an item, with the name that `ScoreTable.per_trial` gives it."""
    if all(row.trial is None for row in rows):
        return rows
    return replace(rows, rows=tuple(replace(row, item=of_trial(row.item, row.trial), trial=None) for row in rows))


def refuse_unnamed(table: ScoreTable) -> None:
    """Raise InputError if a table has several trials of an item, and nothing says which of them was rated."""
    if (repeat := first_repeat(table.rows)) is not None:
        system, item = table.rows[repeat[1]]
        which = "and the ratings do not say of which they are"
        problem = f"the scores have several trials of system {system!r}, item {item!r}, {which}"
        remedy = "name the trial of each row in a column trial, in the outputs that are scored and in the ratings"
        raise InputError(problem, remedy=remedy)


def _named(ratings: object) -> bool:
    """Return whether the ratings name the trials that they belong to."""
    if isinstance(ratings, ScoreTable):
        return "trials" in ratings.run
    return isinstance(ratings, Corpus) and any(row.trial is not None for row in ratings)
