"""Scores for tables and pages.

Cheap metrics and small corpora are scored first, and the failure of one metric stops no other.

Scores are stored in a folder by the cache of `nlgauge.evaluate`. So nothing is computed twice, and a run that was
stopped continues where it stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from nlgauge.contract.base import COSTS, Metric
from nlgauge.data.corpus import Corpus
from nlgauge.data.table import ScoreTable
from nlgauge.errors import NlgaugeError
from nlgauge.evaluation import evaluate
from nlgauge_lab.reproduce.cached import NOT_SCORED, cached
from nlgauge_lab.reproduce.columns import rows_of
from nlgauge_lab.reproduce.specs import refusal


class Job(NamedTuple):
    """A corpus, and the metrics to score it with."""

    corpus: Corpus
    label: str
    """Name of the corpus for a reader"""
    metrics: Sequence[Metric]


class Scores:
    """The scores of corpora by metrics.

    cache: the folder of the store, or False to store nothing. tell: is called with a line about each pass.
    """

    def __init__(self, cache: Path | bool, tell: Callable[[str], object] = lambda line: None) -> None:
        self._cache, self._tell = cache, tell
        self.computed = 0
        """How many values were computed, without those from the store"""
        self._tables: dict[tuple[str, str], ScoreTable] = {}
        self._refused: dict[tuple[str, str], str] = {}

    def fill(self, jobs: Iterable[Job], after: Callable[[], object] = lambda: None) -> None:
        """Score what is missing: the cheap metrics of all jobs first, and the smaller corpus first.

        Args:
            jobs: corpora and metrics.
            after: is called when everything is looked up, and after each pass.
        """

        def characters(job: Job) -> int:
            return sum(len(text) for row in job.corpus for text in (row.candidate, *row.references))

        smallest = sorted(jobs, key=characters)
        for job in smallest:
            self.look_up(job)
        after()
        for cost in COSTS:
            for job in smallest:
                missing = {str(metric): metric for metric in job.metrics if metric.cost == cost}
                missing = {spec: metric for spec, metric in missing.items() if self.lacks(job.corpus, spec)}
                if missing:
                    whole, names = len(job.corpus), dict.fromkeys(type(metric).__name__ for metric in missing.values())
                    rows = max(_missing(self._tables[job.corpus.digest, spec], spec) for spec in missing)
                    of = "" if rows == whole else f"{rows} of "
                    self._tell(f"{job.label}: {of}{whole} rows by {len(missing)} of {cost} ({', '.join(names)})")
                    of_words = {spec: one for spec, one in missing.items() if getattr(one, "unit", "") == "token"}
                    if of_words and self._cache is not False:
                        self._score_systems(job, of_words)
                    self._score(job.corpus, missing)
                    after()

    def look_up(self, job: Job) -> None:
        """Take the scores that the store has, and score nothing."""
        digest = job.corpus.digest
        wanted = {str(metric): metric for metric in job.metrics}
        new = {spec: metric for spec, metric in wanted.items() if (digest, spec) not in self._tables | self._refused}
        for spec, found in cached(job.corpus, new, self._cache):
            if isinstance(found, ScoreTable):
                self._tables[digest, spec] = found
            else:
                self._refused[digest, spec] = refusal(found)

    def table(self, corpus: Corpus, metric: Metric) -> ScoreTable | None:
        """Return a metric's scores of the rows that have been scored; None where no row has been."""
        table = self._tables.get((corpus.digest, str(metric)))
        if table is None:
            return None
        column = table.columns[str(metric)]
        missing = {number for number, reason in column.reasons.items() if reason == NOT_SCORED}
        if not missing:
            return table
        if column.level == "system" or len(missing) == len(table.rows):
            return None
        return rows_of(table, [number for number in range(len(table.rows)) if number not in missing])

    def why(self, corpus: Corpus, metric: Metric) -> str:
        """Return why there is no table of a metric."""
        return self._refused.get((corpus.digest, str(metric)), NOT_SCORED)

    def progress(self, corpus: Corpus, metric: Metric) -> str:
        """Return how many systems a corpus-level metric has scored, if it has scored some; else the result of `why`."""
        table = self._tables.get((corpus.digest, str(metric)))
        if table is not None and table.columns[str(metric)].level == "system":
            systems = len(table.systems)
            if done := systems - _missing(table, str(metric)):
                return f"{done} of {systems} systems are scored"
        return self.why(corpus, metric)

    def lacks(self, corpus: Corpus, spec: str) -> bool:
        """Return whether a metric that was looked up still lacks the scores of some rows."""
        table = self._tables.get((corpus.digest, spec))
        return table is not None and _missing(table, spec) > 0

    def _score_systems(self, job: Job, metrics: Mapping[str, Metric]) -> None:
        """Score the missing systems one after the other, because a metric may take hours for each.

        The store keeps every system that is done.

        Args:
            job: the corpus.
            metrics: the corpus-level metrics to score, by spec.
        """
        missing = dict.fromkeys(
            job.corpus.systems[at]
            for spec in metrics
            for at, reason in sorted(self._tables[job.corpus.digest, spec].columns[spec].reasons.items())
            if reason == NOT_SCORED
        )
        for number, system in enumerate(missing, 1):
            self._tell(f"{job.label}: {system}, {number} of {len(missing)} systems")
            rows = Corpus(tuple(row for row in job.corpus if row.system == system))
            scored(rows, list(metrics.values()), cache=self._cache)

    def _score(self, corpus: Corpus, metrics: Mapping[str, Metric]) -> None:
        for spec, found in scored(corpus, list(metrics.values()), cache=self._cache).items():
            before = self._tables.pop((corpus.digest, spec))
            if isinstance(found, ScoreTable):
                self.computed += _missing(before, spec) * len(found.columns[spec].parts)
                self._tables[corpus.digest, spec] = found
            else:
                self._refused[corpus.digest, spec] = refusal(found)


def scored(
    corpus: Corpus, metrics: Sequence[Metric], *, cache: Path | bool, evidence: bool = False
) -> dict[str, ScoreTable | NlgaugeError]:
    """Return the column of each metric as a table, or the error why there is none.

    Features that several metrics share are computed once.

    Args:
        corpus: the rows.
        metrics: the metrics.
        cache: the folder of the store, or False to store nothing.
        evidence: whether the tables have evidence.

    Returns:
        By spec of a metric, a table with its column, or the error.
    """
    try:
        table = evaluate(corpus, metrics=list(metrics), evidence=evidence, progress=True, cache=cache)
    except NlgaugeError as error:
        if len(metrics) == 1:
            return {str(metrics[0]): error}
        # One that fails spoils the pass of the others.
        apart = (scored(corpus, [metric], cache=cache, evidence=evidence) for metric in metrics)
        return {spec: found for one in apart for spec, found in one.items()}
    return {
        spec: ScoreTable(table.rows, {spec: column}, {spec: table.signatures[spec]}, version=table.version)
        for spec, column in table.columns.items()
    }


def read_model(table: ScoreTable) -> list[str]:
    """Return the models that a table's scores come from, each with the beginning of its digest."""
    models = [signature.facts.get("model") for signature in table.signatures.values()]
    return [f"{one['name']}@{one['digest'][:8]}" for one in models if isinstance(one, dict)]


def read_aligner(table: ScoreTable) -> str:
    """Return the beginning of the digest of the trained aligner that a table's scores come from; empty without one."""
    known = [signature.facts.get("aligner") for signature in table.signatures.values()]
    return next((one for one in known if isinstance(one, str)), "")


def _missing(table: ScoreTable, spec: str) -> int:
    return list(table.columns[spec].reasons.values()).count(NOT_SCORED)
