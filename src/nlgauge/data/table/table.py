"""ScoreTable: the scores of a run, with signatures and reasons for missing values. All later work starts from it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nlgauge.data.corpus.opening import file_at, opened
from nlgauge.data.corpus.place import first_repeat, refuse_repeats
from nlgauge.data.corpus.row import of_trial
from nlgauge.data.renamed import now_of
from nlgauge.data.signature import Signature
from nlgauge.data.table import writing
from nlgauge.data.table.column import Column
from nlgauge.data.table.frame import long_frame, wide_frame
from nlgauge.data.table.intervals import SystemScores, by_system, without_draws
from nlgauge.errors import InputError, SpecError

if TYPE_CHECKING:
    import pandas as pd

_LONGEST_HEADER = 64 << 20
"""Bytes of the first line that `is_at` reads"""


@dataclass(eq=False, repr=False)
class ScoreTable:
    """Scores of a corpus by metrics: all rows in the order of the corpus, with a reason for each NaN.

    Two tables are equal if their rows, trials, columns and signatures are equal. Evidence and the facts of the run do
    not count.
    """

    rows: list[tuple[str, str]]
    """(system, item) of each row"""
    columns: dict[str, Column]
    """The column of each metric, by spec"""
    signatures: dict[str, Signature]
    """The signature of each metric, by spec. Equal signatures on equal rows give equal numbers"""
    run: MutableMapping[str, Any] = field(default_factory=dict)
    """Facts of the run that are the same when it is repeated: corpus digest, number of rows, notes, specs asked for"""
    version: str = ""
    """The version of nlgauge that made the table"""
    spent: dict[str, Any] = field(default_factory=dict)
    """Facts of the run that differ when it is repeated: seconds, passes of models, cached results. Not saved"""
    clusters: Sequence[str] | None = None
    """The cluster of each row, as `clustered` sets it; None without clusters. It is not saved"""
    anchors: ScoreTable | None = None
    """The scores of rated rows that were scored again in the same run, without the cache (`evaluate(anchors=...)`)"""
    seal: str | None = None
    """The digest in the seal of the scores file that the table was loaded from; "" for a file without a seal"""

    @property
    def metrics(self) -> list[str]:
        """The specs of the metrics, in the order in which they were asked for."""
        return list(self.columns)

    @property
    def systems(self) -> list[str]:
        """The systems, in order of first appearance."""
        return list(dict.fromkeys(map(itemgetter(0), self.rows)))  # a report asks a hundred times

    def clustered(self, clusters: Sequence[object]) -> ScoreTable:
        """Return this table with clusters: no interval and no test takes rows of one cluster as independent.

        Args:
            clusters: the cluster of each row, in row order. Rows of one cluster are alike beyond their item, because
                several questions share a source, say, or an item was answered with several seeds. Rows that have
                nothing in common need different clusters. `nlgauge.ratings.join.by_column` takes clusters from a
                column of the outputs.

        Returns:
            The table; the scores are the same.

        Raises:
            InputError: there is not one cluster for each row.
        """
        if len(clusters) != len(self.rows):
            problem = f"there are {len(clusters)} clusters for {len(self.rows)} rows"
            raise InputError(problem, remedy="give one for each row, in row order")
        return replace(self, clusters=[str(cluster) for cluster in clusters])

    def renamed(self, labels: Mapping[str, str]) -> ScoreTable:
        """Return this table with other names for some metrics and systems, as figures, pages and papers call them.

        Args:
            labels: new names by old names. A metric is named as `find` takes it, and is still found by its old name.

        Returns:
            The table; the scores are the same.

        Raises:
            SpecError: a name is not in the table, or two metrics or two systems would have one name.
        """
        systems = {name: labels.get(name, name) for name in self.systems}
        asked = {self.find(name): label for name, label in labels.items() if name not in systems}
        specs = {spec: asked.get(spec, spec) for spec in self.columns}
        for names in (systems, specs):
            if len(set(names.values())) < len(names):
                raise SpecError(f"two of {', '.join(names)} would have the same name")
        asked_now = {
            **specs,
            **{name: specs[spec] for name, spec in self.run.get("asked", {}).items() if spec in specs},
        }
        told: dict[str, Any] = {
            kind: {specs.get(spec, spec): content for spec, content in self.run[kind].items()}
            for kind in ("notes", "noted")
            if kind in self.run
        }
        anchors = self.anchors
        if anchors is not None:
            theirs = {name: label for name, label in labels.items() if name in anchors.systems}
            anchors = anchors.renamed({**theirs, **{spec: specs[spec] for spec in anchors.columns}})
        return replace(
            self,
            rows=[(systems[system], item) for system, item in self.rows],
            columns={specs[spec]: column for spec, column in self.columns.items()},
            signatures={specs.get(spec, spec): signature for spec, signature in self.signatures.items()},
            run={**self.run, "asked": asked_now, **told},
            anchors=anchors,
        )

    @property
    def items(self) -> list[str]:
        """The item of each row. In the result of `per_trial`, each row is a trial, and has the item of that trial."""
        return list(self.run.get("items") or map(itemgetter(1), self.rows))

    @property
    def trials(self) -> Sequence[str] | None:
        """The name of each row's trial; None if rows neither name trials nor were numbered as trials.

        If rows name their trials, these names are used, and "1" for a row without a name. Otherwise the rows of one
        system and item are numbered "1", "2" and so on in their order, if the table was made with
        `evaluate(repeats='mean')`.
        """
        named: Sequence[str | None] | None = self.run.get("trials")
        if named is not None:
            return ["1" if trial is None else trial for trial in named]
        if self.run.get("repeats") != "mean" or first_repeat(self.rows) is None:
            return None
        counts: Counter[tuple[str, str]] = Counter()
        numbered = []
        for row in self.rows:
            counts[row] += 1
            numbered.append(str(counts[row]))
        return numbered

    def named_trial(self, row: int) -> dict[str, str | None]:
        """Return {"trial": name} for a row, counted from 0, where rows name their trials; else an empty dict."""
        named: Sequence[str | None] | None = self.run.get("trials")
        return {} if named is None else {"trial": named[row]}

    def told_trials(self) -> list[str]:
        """Return a list with a sentence on how the trials of an item count; an empty list where each row is an item."""
        if "items" in self.run:
            items = len({(system, item) for (system, _), item in zip(self.rows, self.run["items"], strict=True)})
            said = f"{len(self.rows):,} rows are trials of {items:,} outputs, and the trials of an item are one cluster"
            return [] if items == len(self.rows) else [said]
        items = len(set(self.rows))
        rows = int(self.run.get("averaged", 0)) or len(self.rows)
        if rows == items:
            return []
        return [f"{rows:,} rows are trials of {items:,} outputs: the mean over its trials stands for each"]

    def per_item(self) -> ScoreTable:
        """Return this table with one row for each system and item, with the mean over the trials that have a value.

        For a metric that computes the value of a system from the counts of all rows, the counts are averaged too.
        Evidence belongs to single rows, and is left out where rows are averaged. The column of a corpus-level metric
        is not changed: each row counts in its values.

        Returns:
            The table; itself where no row is repeated.

        Raises:
            InputError: rows of one item are not known to be trials, because they name none and the run was not asked
                for `evaluate(repeats='mean')`; or rows of one item are of several clusters.
        """
        if first_repeat(self.rows) is None:
            return self
        if self.trials is None:
            refuse_repeats([(*row, None) for row in self.rows], {})
        places: dict[tuple[str, str], int] = {}
        of = np.array([places.setdefault(row, len(places)) for row in self.rows], np.intp)
        clusters: dict[tuple[str, str], str] = {}
        for number, (row, cluster) in enumerate(zip(self.rows, self.clusters or (), strict=False)):
            if clusters.setdefault(row, cluster) != cluster:
                problem = f"the outputs of system {row[0]!r} for item {row[1]!r} are of several clusters"
                raise InputError(problem, row=number + 1, remedy="cluster by what all outputs for an item share")
        first = np.unique(of, return_index=True)[1].tolist()
        texts = [self.run["texts"][number] for number in first] if "texts" in self.run else None
        return replace(
            self,
            rows=list(places),
            columns={spec: column.per_item(of, len(places)) for spec, column in self.columns.items()},
            run={
                **{name: about for name, about in self.run.items() if name != "trials"},
                "rows": len(places),
                "repeats": "mean",
                "averaged": len(self.rows),
                **({"texts": texts} if texts else {}),
            },
            clusters=list(clusters.values()) if self.clusters is not None else None,
        )

    def per_trial(self) -> ScoreTable:
        """Return this table with each named trial as a row of its own, and the trials of an item as a cluster.

        A rating of a trial is then compared with the scores of the same trial.

        Returns:
            The table, whose items are named by `of_trial`; itself where rows name no trial.

        Raises:
            InputError: two rows would have one name.
        """
        named: Sequence[str | None] | None = self.run.get("trials")
        if named is None:
            return self
        items = [item for _, item in self.rows]
        rows = [(system, of_trial(item, trial)) for (system, item), trial in zip(self.rows, named, strict=True)]
        refuse_repeats([(*row, None) for row in rows], {}, "name items and trials otherwise")
        run = {name: about for name, about in self.run.items() if name != "trials"}
        clusters = items if self.clusters is None else self.clusters
        anchors = None if self.anchors is None else self.anchors.per_trial()
        return replace(self, rows=rows, run={**run, "items": items}, clusters=clusters, anchors=anchors)

    def rows_of(self, system: str) -> NDArray[np.intp]:
        """Return the indexes of a system's rows, counted from 0."""
        return np.array([index for index, (name, _) in enumerate(self.rows) if name == system], np.intp)

    def places(self, level: str) -> Sequence[tuple[str, str | None]]:
        """Return (system, item) of each value of a column with this level. At the level 'system', the item is None."""
        return self.rows if level == "item" else [(system, None) for system in self.systems]

    def column(self, metric: object) -> Column:
        """Return a metric's column, by its spec or by a name that no other metric has. Raises SpecError otherwise."""
        return self.columns[self.find(metric)]

    def find(self, metric: object) -> str:
        """Return the spec that a metric has in this table.

        Args:
            metric: the spec, the spec as it was given to the run, or the name without parameters.

        Returns:
            The spec.

        Raises:
            SpecError: no metric of the table is meant, or several are.
        """
        asked: str = self.run.get("asked", {}).get(str(metric), str(metric))
        for exact in (str(metric), asked):
            if exact in self.columns:
                return exact
        wanted = asked.replace(" ", "").replace('"', "'")
        for spec in self.columns:
            if spec.replace(" ", "") == wanted:
                return spec
        named = [spec for spec in self.columns if spec.partition("(")[0] == wanted] or self._short(wanted)
        if len(named) == 1:
            return named[0]
        several = f"{asked} is not one metric but {len(named)}: " if named else f"no metric {asked} in the table: "
        raise SpecError(several + ", ".join(named or self.columns))

    def _short(self, wanted: str) -> list[str]:
        """Return the specs that a short spelling such as Consistency:D means, where the run had another spelling."""
        name, _, value = wanted.partition(":")
        of = [spec for spec in self.columns if spec.partition("(")[0] == name]
        return [spec for spec in of if value and repr(value) in spec]

    def named(self, name: object) -> tuple[str, tuple[str, ...]]:
        """Return the spec and the sub-scores that a name means.

        Args:
            name: a metric as `find` takes it, or a metric and a sub-score: "BERTScore recall".

        Returns:
            The spec, and the named sub-score or else all sub-scores that a table shows. The first is the deciding
            sub-score, which commands take where no sub-score is named.

        Raises:
            SpecError: there is nothing of this name.
        """
        try:
            spec = self.find(name)
        except SpecError:
            head, _, part = str(name).rpartition(" ")
            try:
                spec = self.find(head)
            except SpecError:
                pass
            else:
                return spec, (self._part(spec, part),)
            raise
        return spec, self.columns[spec].shown

    def _part(self, spec: str, part: str) -> str:
        if part not in (parts := self.columns[spec].parts):
            other = now_of(spec, part)
            moved = "" if other is None else f"; {other} has it now"
            raise SpecError(f"{spec} has no sub-score {part!r}; it has {', '.join(parts)}{moved}")
        return part

    def values(self, metric: object, part: str | None = None) -> NDArray[np.float64]:
        """Return one number per row, or one per system for a corpus-level metric.

        Args:
            metric: as `find` takes it.
            part: the sub-score; the metric's first one by default.

        Returns:
            [rows], in row order; or [systems], in the order of `systems`. NaN where there is none.

        Raises:
            SpecError: the table does not have the metric or the sub-score.
        """
        spec = self.find(metric)
        column = self.columns[spec]
        values: NDArray[np.float64] = column.values[:, column.parts.index(self._part(spec, part)) if part else 0]
        return values

    def __getitem__(self, name: object) -> NDArray[np.float64]:
        """Return the `values` of a metric, or of a metric and a sub-score: table["BLEU"], table["BERTScore recall"]."""
        spec, parts = self.named(name)
        return self.values(spec, parts[0] if len(parts) == 1 else None)

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield each row as a dict: "system", "item", and a number for each sub-score of each metric.

        A corpus-level metric has a number for each system, and every row of the system has that number.

        Returns:
            An iterator over the rows, with "trial" where rows name one; NaN where there is no number.
        """
        at = {system: number for number, system in enumerate(self.systems)}
        numbers = {
            column.label(spec, part): (column.level, column.values[:, number].tolist())
            for spec, column in self.columns.items()
            for number, part in enumerate(column.parts)
        }
        for row, (system, item) in enumerate(self.rows):
            numbers_of_row = {
                name: values[row if level == "item" else at[system]] for name, (level, values) in numbers.items()
            }
            yield {"system": system, "item": item, **self.named_trial(row), **numbers_of_row}

    def by_system(
        self, confidence: float = 0.95, replicates: int | None = None, seed: int | None = None
    ) -> SystemScores:
        """Return mean, interval and number of items for every system, metric and sub-score: a list of `SystemScore`.

        The intervals are those of `nlgauge.maths.inference`: Student's t of items or clusters, Wilson's of values that
        are all 0 or 1. No interval exceeds the metric's limits. Where a metric sums counts over rows, the mean is the
        value of all rows together (`whole`), its interval is the jackknife's, and `n` is the number of rows that have
        counts. A corpus-level metric has one value for each system and no interval: a bootstrap sample repeats some
        items, and a measure of nearest neighbours would count each repetition as one more output. Repeated rows count
        as their mean (`per_item`).

        Args:
            confidence: the confidence level of the intervals.
            replicates: without effect since version 0.2, and accepted for one version more.
            seed: as `replicates`.

        Returns:
            The records, in the order of the metrics, their sub-scores and the systems.
        """
        without_draws(replicates, seed)
        table = self.per_item()
        return by_system(table.rows, table.columns, confidence, table.clusters)

    def header(self) -> dict[str, object]:
        """Return the header that `save` writes before the records: version, signatures, facts of metrics and run."""
        return writing.header(self)

    def records(self) -> Iterator[dict[str, object]]:
        """Yield one record per value, as `save` writes them, but with all evidence instead of a metric's name."""
        return writing.records(self)

    def save(self, path: str | Path) -> None:
        """Write JSON Lines: a header, then one record per value. The file is written whole or not at all.

        Args:
            path: '-' is the standard output, and a pipe or a device is written to as it is. A name that ends in .gz
                makes a file of gzip. A name that ends in .otlp.jsonl makes OpenTelemetry's events
                gen_ai.evaluation.result of the values (OTLP logs), and one that ends in .autojudge.jsonl a leaderboard
                of TREC AutoJudge, neither of which `load` reads.

        Raises:
            InputError: the file cannot be written; or a leaderboard would lack a value.
            ValueError: JSON cannot hold the evidence.
        """
        writing.save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> ScoreTable:
        """Return the table of a file that `save` wrote, or of a run's folder. Raises InputError for others."""
        from nlgauge.data.table import folder, reading

        return folder.load(path) if folder.is_folder(path) else reading.read(path)

    @staticmethod
    def is_at(path: str | Path) -> bool:
        """Return False for a file whose first line is no header of scores, such as a file of outputs; else True."""
        try:
            with opened(file_at(path)) as file:
                first = json.loads(file.readline(_LONGEST_HEADER))
        except InputError:
            return True  # a folder, or a place that `load` has an error for
        except ValueError:
            return False
        return isinstance(first, dict) and "signatures" in first

    def to_pandas(self, wide: bool = False) -> pd.DataFrame:
        """Return a data frame with one line for every value: system, item, metric, part, value, reason.

        Args:
            wide: whether to give one line for every row, with a column for each sub-score of each metric, as iteration
                over the table does.

        Returns:
            The frame. A value of a whole system has no item; a missing value is NaN.

        Raises:
            MissingExtraError: pandas is not installed.
        """
        return wide_frame(self) if wide else long_frame(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreTable):
            return NotImplemented
        return (self.rows, self.trials, self.columns, self.signatures) == (
            other.rows,
            other.trials,
            other.columns,
            other.signatures,
        )

    def __repr__(self) -> str:
        from nlgauge.data.table.frame import summary

        return summary(self)

    def _repr_html_(self) -> str:
        from nlgauge.data.table.frame import notebook

        return notebook(self)
