"""One run: prepare (what the corpus as a whole says), score blocks of rows, finish (sets). The only loop over blocks.

A block is scored by a pure function of its rows and of what was prepared. Blocks depend on corpus and metrics alone and
are stored whole, so that a run that was killed goes on where it stopped and ends with the same numbers to the bit.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version

from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.signature import Signature
from nlgauge.engine.engine import Engine
from nlgauge.errors import InputError
from nlgauge.metrics.base import Metric, Prepared, RowMetric, Setup, model_of
from nlgauge.metrics.sets import SetMetric
from nlgauge.run.bound import Bindings, Block, Bound, Found
from nlgauge.run.distinct import Distinct
from nlgauge.run.keys import Keys, can_be_kept, made_by, metric_key, texts_of
from nlgauge.run.part import Part
from nlgauge.run.scored import Scored, packed, unpacked
from nlgauge.run.sets import Gathered, SetPoints
from nlgauge.run.store import Store


class Job:
    """Metrics that are scored in one pass over the rows: all that read one model, or string metrics.

    metrics: by spec. against: what metrics of sets compare with instead of references. Raises InputError where no row
    has what a metric needs, and for a text that window='error' refuses; SpecError for a model that does not fit.
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
        self._corpus, self._engine, self._store, self._evidence = corpus, engine, store, evidence
        setup = Setup(corpus, engine)
        self.bound: dict[str, Bound] = {}
        self.sets: dict[str, SetPoints] = {}
        for spec, metric in metrics.items():
            if isinstance(metric, RowMetric):
                _needed(corpus, metric, spec)
                prepared = metric.prepare(setup)
                self.bound[spec] = Bound(metric, prepared, self._facts(metric, prepared))
            elif isinstance(metric, SetMetric):
                if against is None:
                    _needed(corpus, metric, spec)
                points = metric.prepare(setup)
                facts = self._facts(metric, points, against=against.digest[:8] if against is not None else "references")
                key = metric_key(metric, facts, evidence) if can_be_kept(facts) else None
                self.sets[spec] = SetPoints(metric, points, facts, corpus, against, evidence, key)
        self._keys = {
            spec: Keys(bound.metric, bound.facts, corpus, evidence)
            for spec, bound in self.bound.items()
            if can_be_kept(bound.facts)
        }
        self._windows = {spec: _Windows() for spec in self.bound}

    def blocks(self, rows: Sequence[int] | None = None) -> Iterator[Block]:
        """Score rows (all of them by default), a block at a time; what the store has comes as one block first."""
        wanted = range(len(self._corpus)) if rows is None else rows
        self.check(wanted)
        found = self.found(wanted)
        yield self.seen(found.block)
        if any(found.missing.values()) or any(points.missing for points in self.sets.values()):
            for block in self._part(self._corpus, self.sets).computed(found):
                self.keep(block)
                yield self.seen(block)

    def check(self, rows: Sequence[int]) -> None:
        """Refuse a text that the window policy refuses. Raises InputError, with its row."""
        if self._engine is not None and self._engine.window == "error":
            part = self._part(self._corpus, self.sets)
            for number in rows:
                self._engine.check(part.requests([number]), number + 1)

    def found(self, rows: Sequence[int], known: Block | None = None) -> Found:
        """What the store, or a run before this one, has of some rows."""
        for points in self.sets.values():
            if self._store is not None:
                entries = self._store.get(list(points.keys.values()))
                points.recall(entries)
        kept, damaged = self._kept(rows)
        if known is not None:  # of all metrics of the run, of which some are another job's
            for spec, scored in kept.items():
                scored.update(known.scored[spec])
        missing = {spec: [n for n in rows if n not in kept[spec]] for spec in self.bound}
        return Found(Block(rows, kept), missing, frozenset(damaged))

    def keep(self, block: Block) -> None:
        """Put what was scored into the store."""
        if self._store is not None:
            for spec, keys in self._keys.items():
                scored = block.scored[spec].items()
                self._store.put({keys.of(n): packed(one) for n, one in scored if not one.value.temporary})
            self._store.commit()

    def set_scores(self, spec: str) -> dict[str, Scored]:
        """The score of each system by a metric of sets, whose blocks have all come."""
        points = self.sets[spec]
        if self._engine is not None:
            for requests in points.others():
                points.take(requests, self._engine.features(requests))
                if self._store is not None:
                    self._store.commit()
        new, scores = points.missing, points.scores()
        if self._store is not None:
            self._store.put({key: packed(scores[system]) for system, key in points.keys.items() if system in new})
            self._store.commit()
        return scores

    def signature(self, spec: str) -> Signature:
        """The signature of a metric whose blocks have come."""
        if spec in self.sets:
            return Signature(spec, self._with_window(self.sets[spec].facts, *self.sets[spec].read))
        read = self._windows[spec]
        return Signature(spec, self._with_window(self.bound[spec].facts, len(read.longer), len(read.texts)))

    @property
    def engine(self) -> Engine | None:
        """What computes the features; None for string metrics."""
        return self._engine

    @property
    def bindings(self) -> Bindings:
        """What another process needs to score rows of this corpus."""
        return Bindings(self.bound, {spec: points.apart() for spec, points in self.sets.items()}, self._evidence)

    def split(self, wanted: Sequence[int]) -> Iterator[list[int]]:
        """Some rows in blocks, those that share texts together."""
        return self._part(self._corpus, self.sets).split(wanted)

    def weight(self, numbers: Sequence[int]) -> int:
        """What some rows weigh in a block: bytes that are held, and work on the way to them."""
        return self._part(self._corpus, self.sets).weight(numbers)

    def seen(self, block: Block) -> Block:
        """Take note of which texts some rows' scores were made of, for the signature; the block comes back."""
        if self._engine is None:
            return block
        for spec, scored in block.scored.items():
            columns = self.bound[spec].metric.columns
            for number, one in scored.items():
                self._windows[spec].add(texts_of(self._corpus[number], columns), one.longer)
        return block

    def _part(self, rows: Sequence[Row], sets: Mapping[str, Gathered]) -> Part:
        return Part(rows, Bindings(self.bound, sets, self._evidence), self._engine)

    def _kept(self, wanted: Sequence[int]) -> tuple[dict[str, dict[int, Scored]], set[int]]:
        """What the store has of each metric, by row; and the rows of which it had something that was damaged."""
        kept: dict[str, dict[int, Scored]] = {spec: {} for spec in self.bound}
        damaged: set[int] = set()
        if self._store is None:
            return kept, damaged
        for spec, keys in self._keys.items():
            by_key: dict[str, list[int]] = {}
            for n in wanted:
                by_key.setdefault(keys.of(n), []).append(n)
            entries, metric = self._store.get(list(by_key)), self.bound[spec].metric
            wrong = self._store.damaged & by_key.keys()
            for name, content in entries.items():
                one = unpacked(content, len(metric.parts), metric.formula)
                if one is not None and one.can_be_of(texts_of(self._corpus[by_key[name][0]], metric.columns)):
                    kept[spec].update(dict.fromkeys(by_key[name], one))
                else:
                    wrong.add(name)
            damaged.update(n for name in wrong for n in by_key[name])
        return kept, damaged

    def _facts(self, metric: Metric, prepared: Prepared, **more: object) -> dict[str, object]:
        package, _, offered = metric.name.partition("/")
        others = (package,) if offered and package != "published" else ()
        libraries = {name: version(name) for name in (*metric.libraries, *others)}
        model: dict[str, object] = {}
        if self._engine is not None and model_of(metric) is not None:
            model = self._engine.facts_with(metric.other_models)
        own = {"unicode": unicodedata.unidata_version, "nlgauge": made_by(metric, self._engine)}
        return {**model, **prepared.facts, **libraries, **more, **own}

    @staticmethod
    def _with_window(facts: Mapping[str, object], longer: int, texts: int) -> dict[str, object]:
        if "window" not in facts:
            return dict(facts)
        return {**facts, "window": f"{facts['window']},longer {longer}/{texts}"}


class _Windows:
    """The distinct texts that a metric read, and those of them that are longer than the model's window."""

    def __init__(self) -> None:
        self.texts = Distinct()
        self.longer = Distinct()

    def add(self, texts: Sequence[str], longer: Sequence[int]) -> None:
        """Take the texts of one row, and which of them are longer."""
        self.texts.add(texts)
        self.longer.add(texts[n] for n in longer)


def _needed(corpus: Corpus, metric: Metric, spec: str) -> None:
    columns = [column for column in metric.columns if column != "candidate"]
    lacking = [column for column in columns if all(getattr(row, column) in (None, ()) for row in corpus)]
    if not lacking and columns and len(corpus):
        complete = (all(getattr(row, column) not in (None, ()) for column in columns) for row in corpus)
        lacking = [] if any(complete) else columns
    if lacking:
        raise InputError(
            f"no row has {' and '.join(lacking)}, which {spec} needs",
            remedy=f"give a column {lacking[0]}, or name it: --map {lacking[0]}=THEIRS; "
            f"beside text files, --{lacking[0]} FILE",
        )
