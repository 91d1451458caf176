"""The plans of a run: metrics that read one model, with what they prepare on the whole corpus before rows are scored.

Only this file groups metrics by their models.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack
from types import MappingProxyType
from typing import TYPE_CHECKING

from nlgauge import registry
from nlgauge.contract.base import Metric, RowMetric, Setup
from nlgauge.data.corpus import Corpus
from nlgauge.data.corpus.records import column_for
from nlgauge.data.signature import Signature
from nlgauge.errors import InputError
from nlgauge.options import RunOptions
from nlgauge.run.block import BlockScorer, CacheLookup, PreparedMetric, ScoredBlock
from nlgauge.run.cache import RowCache, can_be_cached, facts_of, metric_key
from nlgauge.run.results import Distinct, RowResult, Scores, packed, texts_of

if TYPE_CHECKING:
    from nlgauge.engine.engine import Engine
    from nlgauge.run.sets import SetScorer
    from nlgauge.run.store import Store


def plans_of(
    corpus: Corpus,
    metrics: Mapping[str, Metric],
    options: RunOptions,
    store: Store | None = None,
    against: Corpus | None = None,
) -> Generator[list[Plan], None, None]:
    """Yield the plans of a run in groups that are scored together.

    A run in blocks (`options.in_blocks`) has one group of all plans; any other run has a group for each model. There is
    a plan for each model, which is loaded when its group comes. Each string metric has a plan of its own, or in blocks
    all of them have one plan. An engine is closed when the next group is requested, and when the generator is closed.

    Args:
        corpus: the rows.
        metrics: the metrics by spec.
        options: the options of the run.
        store: the cache; None for a run without a cache.
        against: the corpus that corpus-level metrics compare outputs with, instead of references.

    Returns:
        A generator of lists of plans.

    Raises:
        InputError: as `Plan`.
        SpecError: as `Plan`, or a model cannot be loaded.
    """
    by_model: dict[str | None, dict[str, Metric]] = {}
    for spec, metric in metrics.items():
        by_model.setdefault(metric.reads, {})[spec] = metric
    groups = sorted(by_model.items(), key=lambda group: group[0] is not None)  # string metrics, which read none, first
    for together in [groups] if options.in_blocks else [[group] for group in groups]:
        with ExitStack() as held:
            plans: list[Plan] = []
            for name, metrics_of in together:
                engine = None if name is None else options.engine(name, store)
                if engine is not None:
                    held.callback(engine.close)
                alone = engine is None and not options.in_blocks
                for part in [{spec: metric} for spec, metric in metrics_of.items()] if alone else [metrics_of]:
                    plans.append(Plan(corpus, part, engine, store=store, evidence=options.evidence, against=against))
            yield plans


class Plan:
    """Metrics that are scored in one pass over the rows: all that read one model, or string metrics.

    Args:
        corpus: the rows.
        metrics: the metrics by spec.
        engine: the engine of the model; None for string metrics.
        store: the cache; None for a run without a cache.
        evidence: whether evidence is wanted.
        against: the corpus that corpus-level metrics compare outputs with, instead of references.

    Raises:
        InputError: no row has the columns that a metric needs.
        SpecError: the model does not fit a metric.
    """

    def __init__(
        self,
        corpus: Corpus,
        metrics: Mapping[str, Metric],
        engine: Engine | None = None,
        *,
        store: Store | None = None,
        evidence: bool = False,
        against: Corpus | None = None,
    ) -> None:
        self.engine = engine
        """The engine that computes the features; None for string metrics"""
        self.corpus, self._store = corpus, store
        self.metrics: dict[str, PreparedMetric] = {}
        self.sets: dict[str, SetScorer] = {}
        setup = Setup(corpus, engine, metric_of=registry.metric, cache=store)
        for spec, metric in metrics.items():
            if isinstance(metric, RowMetric) or against is None:
                _refuse_without(corpus, metric, spec)
            if isinstance(metric, RowMetric):
                prepared = metric.prepare(setup)
                self.metrics[spec] = PreparedMetric(metric, prepared, facts_of(metric, prepared, engine))
            else:
                from nlgauge.metrics.sets import SetMetric  # a row of strings does without
                from nlgauge.run.sets import SetScorer

                assert isinstance(metric, SetMetric)
                layers = metric.prepare(setup)
                side = against.digest[:8] if against is not None else "references"
                facts = facts_of(metric, layers, engine, against=side)
                key = metric_key(metric, facts, evidence) if store is not None and can_be_cached(facts) else None
                self.sets[spec] = SetScorer(
                    metric=metric,
                    prepared=layers,
                    facts=facts,
                    rows=corpus,
                    against=against,
                    evidence=evidence,
                    key=key,
                )
        scored: list[Mapping[str, PreparedMetric | SetScorer]] = [self.metrics, self.sets]
        self.facts = {spec: prepared.facts for group in scored for spec, prepared in group.items()}
        """By spec: all that the metric's numbers depend on besides the spec, as far as it is known before rows are
        scored"""
        self.scorer = BlockScorer(self.metrics, self.sets, evidence, engine)
        """The scorer of the corpus's rows, in this process or in another one"""
        self._cache = None if store is None else RowCache(store, self.metrics, corpus, evidence)
        self._read = {} if engine is None else {spec: (Distinct(), Distinct()) for spec in self.metrics}
        """By spec: the distinct texts that a metric of rows has read, and those that are longer than the model's
        window"""

    def look_up(self, rows: Sequence[int], there: Scores = MappingProxyType({})) -> tuple[Scores, CacheLookup | None]:
        """Return the cached scores of rows, and which scores have still to be computed.

        Args:
            rows: the numbers of the rows.
            there: the scores of these rows that an earlier run wrote.

        Returns:
            The scores by spec and row number, and what has still to be computed. The latter is None where all rows and
            all systems have their scores.
        """
        cached: dict[str, dict[int, RowResult]] = {}
        damaged: frozenset[int] = frozenset()
        if self._store is not None and self._cache is not None:
            for points in self.sets.values():
                points.recall(self._store.get(list(points.keys.values())))
            cached, damaged = self._cache.look_up(rows)
        scores = {spec: {**cached.get(spec, {}), **there.get(spec, {})} for spec in self.metrics}
        if self._read:
            self._note(scores)
        missing = {spec: [n for n in rows if n not in scores[spec]] for spec in scores}
        asked = any(missing.values()) or any(points.missing for points in self.sets.values())
        return scores, CacheLookup(missing, damaged) if asked else None

    def take(self, block: ScoredBlock) -> None:
        """Cache the scores of a block, and add collected points to corpus-level metrics. Skip other plans' metrics."""
        if scored := {spec: results for spec, results in block.scored.items() if spec in self.metrics}:
            if self._cache is not None:
                self._cache.add(scored)
            if self._read:
                self._note(scored)
        for spec in self.sets.keys() & block.collected.keys():
            self.sets[spec].join(block.collected[spec])

    def set_scores(self, spec: str) -> dict[str, RowResult]:
        """Return the result of a corpus-level metric for each system, after all blocks have been taken."""
        points = self.sets[spec]
        if self.engine is not None:
            for requests in points.others():
                points.take(requests, self.engine.features(requests))
                if self._store is not None:
                    self._store.commit()
        new, scores = set(points.missing), {}
        for system, result in points.scores():
            scores[system] = result
            # A system may take hours: a run that is killed loses no other one.
            if self._store is not None and system in new and system in points.keys:
                self._store.put({points.keys[system]: packed(result)})
                self._store.commit()
        return scores

    def signature(self, spec: str) -> Signature:
        """Return the signature of a metric, after all blocks have been taken."""
        facts = dict(self.facts[spec])
        if "window" in facts:
            longer, texts = self.sets[spec].read if spec in self.sets else map(len, reversed(self._read[spec]))
            facts["window"] = f"{facts['window']},longer {longer}/{texts}"
        return Signature(spec, facts)

    def _note(self, scored: Scores) -> None:
        """Count the texts that some rows' scores depend on, and those longer than the window, for the signature."""
        for spec, results in scored.items():
            reads, (every, long) = self.metrics[spec].metric.columns, self._read[spec]
            for number, result in results.items():
                texts = texts_of(self.corpus.rows[number], reads)
                every.add(texts)
                long.add(texts[n] for n in result.longer)


def _refuse_without(corpus: Corpus, metric: Metric, spec: str) -> None:
    """Raise InputError if no row of a corpus has all columns that a metric needs."""
    columns = [column for column in metric.columns if column != "candidate"]
    rows = corpus.rows
    lacking = [column for column in columns if all(getattr(row, column) in (None, ()) for row in rows)]
    if not lacking and columns and len(rows):
        complete = (all(getattr(row, column) not in (None, ()) for column in columns) for row in rows)
        lacking = [] if any(complete) else columns
    if lacking:
        raise InputError(
            f"no row has {' and '.join(lacking)}, which {spec} needs",
            remedy=f"give a column {lacking[0]}, or name it: --map {lacking[0]}={column_for(lacking[0], corpus)}; "
            f"beside text files, --{lacking[0]} FILE",
        )
