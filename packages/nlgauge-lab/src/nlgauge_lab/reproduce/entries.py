"""The scores of the rows of published tables: for each row its metric in nlgauge, the texts, and the scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from nlgauge.contract.base import Metric
from nlgauge.data.corpus import Corpus
from nlgauge.data.table import Column, ScoreTable
from nlgauge.errors import NlgaugeError, SpecError
from nlgauge.ratings.join import join, turned
from nlgauge.stats.arrays import Float
from nlgauge_lab.reproduce.columns import defined, only, part_of, without
from nlgauge_lab.reproduce.published import Entry, Table
from nlgauge_lab.reproduce.rated import CORRELATIONS, VIEWS, Data
from nlgauge_lab.reproduce.scoring import Scores
from nlgauge_lab.reproduce.specs import metric_of, names_of, refusal

PAPER = "paper"
"""Takes the place of a model: each row is scored on the checkpoint that its paper used"""


class Entries:
    """The rows of published tables, scored on the rated data.

    Args:
        data: The rated data.
        scores: Has the scores of corpora by metrics.
        model: A model for all rows; PAPER for the checkpoint that each row's paper used; None for the embedded model.
        only_these: Names or specs of metrics; no others are scored.
        places: With PAPER, where each checkpoint is loaded from, or the error why it cannot be
            (`rebuild.checkpoints_found`).
    """

    def __init__(
        self,
        data: Data,
        scores: Scores,
        model: str | None = None,
        only_these: Sequence[str] = (),
        places: Mapping[str, str | NlgaugeError] | None = None,
    ) -> None:
        self.data, self._model, self._places = data, model, places or {}
        self._scores, self._only = scores, tuple(only_these)
        self._views: dict[tuple[str, str], tuple[Corpus, ...]] = {}
        self._offered: set[str] = set()
        self._met: set[str] = set()

    def meant(self, table: Table, entry: Entry, data: str) -> tuple[tuple[Corpus, ...], Metric] | str:
        """Return the corpora and the metric to score for a row, or the reason why nothing is scored.

        If there are several corpora, their values or their correlations are averaged.

        Args:
            table: the published table.
            entry: the row.
            data: the name of one of the table's data sets.
        """
        if entry.why is not None:
            return entry.why
        spec = entry.on(data, self.checkpoint(table, entry))
        if spec is None:
            return "not of these data"
        try:
            metric = metric_of(spec, self._place(table, entry), table.defaults)
        except SpecError as error:
            return refusal(error)
        if self._model == PAPER and metric.reads is not None and (lacking := self._lacking(table, entry)):
            return lacking
        self._offered.add(type(metric).__name__)
        meant = names_of(spec, metric).intersection(self._only)
        self._met |= meant
        if self._only and not meant:
            return "left out by --metrics"
        corpora = self._view(table, entry.view or table.view, data)
        return (corpora, metric) if corpora else "no row has the texts for it"

    def checkpoint(self, table: Table, entry: Entry) -> str | None:
        """Return the name of the model that a row is scored on; None for the embedded model.

        A row may have settings for a model of this name.
        """
        return table.used(entry) if self._model == PAPER else self._model

    def _place(self, table: Table, entry: Entry) -> str | None:
        if self._model != PAPER:
            return self._model
        place = self._places.get(table.used(entry) or "")
        return place if isinstance(place, str) else None

    def _lacking(self, table: Table, entry: Entry) -> str | None:
        used = table.used(entry)
        if used is None:
            return "the paper names no checkpoint for it, or used several together"
        return f"{used} is not there" if isinstance(self._places.get(used), NlgaugeError) else None

    def refuse_unused(self) -> None:
        """Raise SpecError if a metric was chosen (`only_these`) that none of the rows so far has."""
        if unused := [name for name in self._only if name not in self._met]:
            known = ", ".join(sorted(self._offered))
            raise SpecError(f"--metrics {unused[0]}: no row that is asked for has it; there are {known}")

    def scored(self, table: Table, entry: Entry, data: str) -> list[ScoreTable] | str:
        """Return the scores of a row's metric: a table for each corpus that the row's view (`VIEWS`) makes of the data.

        Args:
            table: the published table.
            entry: the row.
            data: the name of one of the table's data sets.

        Returns:
            The tables; or the reason why there are none.
        """
        meant = self.meant(table, entry, data)
        if isinstance(meant, str):
            return meant
        corpora, metric = meant
        scored: list[ScoreTable] = []
        for corpus in corpora:
            one = self._scores.table(corpus, metric)
            if one is None or len(one.rows) < len(corpus):
                return self._scores.progress(corpus, metric)
            scored.append(defined(one, entry.undefined))
        if entry.part and entry.part not in only(scored[0]).parts:
            return f"{metric} has no sub-score {entry.part!r}"
        return scored

    def values(self, table: Table, entry: Entry, data: str) -> ScoreTable | str:
        """Return a table with one column, named after the row, or the reason why there is none.

        The values are means over the corpora that the row's view (`VIEWS`) makes of the data. A row that stands for a
        rating has the ratings as its values.

        Args:
            table: the published table.
            entry: the row.
            data: the name of one of the table's data sets.
        """
        corpus = self.data.corpus(table.data[data])
        rows = [(row.system, row.item) for row in corpus]
        if entry.rating is not None:
            return join(ScoreTable(rows, {}, {}), entry.name, corpus, column=f"scores.{entry.rating}")
        scored = self.scored(table, entry, data)
        if isinstance(scored, str):
            return scored
        if len(scored) == 1 and scored[0].rows == rows:
            return ScoreTable(rows, {entry.name: only(scored[0])}, {})
        values = _mean(scored, entry.part, rows)
        reasons = dict.fromkeys(np.flatnonzero(np.isnan(values)).tolist(), "no value")
        return ScoreTable(rows, {entry.name: Column(("score",), values[:, None], reasons)}, {})

    def cut(self, table: Table, entry: Entry, data: str) -> list[ScoreTable] | str:
        """Return the score tables of a row, or the reason why there are none.

        Most often it is a single table. The correlations of several tables are averaged. A table has the part that the
        row names, and lacks the systems that the row leaves out.

        Args:
            table: the published table.
            entry: the row.
            data: the name of one of the table's data sets.
        """
        if (entry.view or table.view) == CORRELATIONS and entry.spec is not None:
            tables = self.scored(table, entry, data)
        else:
            values = self.values(table, entry, data)
            tables = values if isinstance(values, str) else [values]
        if isinstance(tables, str):
            return tables
        named = [ScoreTable(one.rows, {entry.name: part_of(only(one), entry.part)}, {}) for one in tables]
        return [without(one, entry.without) for one in named]

    def _view(self, table: Table, view: str, data: str) -> tuple[Corpus, ...]:
        corpus = self.data.corpus(table.data[data])
        key = corpus.digest, view
        if key not in self._views:
            self._views[key] = tuple(some for some in VIEWS[view](corpus) if len(some))
        return self._views[key]


def _mean(scored: Sequence[ScoreTable], part: str | None, rows: Sequence[tuple[str, str]]) -> Float:
    """Return the mean of a part's values over several tables: [rows].

    Values are turned so that larger is better. `rows` gives the order. A row without any value has NaN.
    """
    at = only(scored[0]).parts.index(part) if part else 0
    place = {key: n for n, key in enumerate(rows)}
    values = np.full((len(scored), len(rows)), np.nan)
    for number, one in enumerate(scored):
        values[number, [place[key] for key in one.rows]] = turned(only(one), at)
    known = ~np.isnan(values)
    total = np.where(known, values, 0).sum(axis=0)
    mean = np.full(len(rows), np.nan)
    np.divide(total, known.sum(axis=0), out=mean, where=known.any(axis=0))
    return mean
