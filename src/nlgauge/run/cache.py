"""The cache of the scores of rows. A key contains all that determines a score, and nothing else."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import fields
from hashlib import blake2b
from typing import TYPE_CHECKING

from nlgauge._plugins import installed_version
from nlgauge._version import __version__
from nlgauge.contract.base import QUESTION, Metric, Prepared
from nlgauge.contract.parameters import literal
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.source_digest import readable, source_digest
from nlgauge.run.block import PreparedMetric
from nlgauge.run.results import RowResult, Scores, packed, texts_of, unpacker

if TYPE_CHECKING:
    from nlgauge.engine.engine import Engine
    from nlgauge.run.store import Store


class RowCache:
    """The cached scores that some metrics gave to the rows of a corpus."""

    def __init__(self, store: Store, metrics: Mapping[str, PreparedMetric], corpus: Corpus, evidence: bool) -> None:
        self._store, self._metrics, self._corpus = store, metrics, corpus
        self._keys = {
            spec: RowKeys(prepared.metric, prepared.facts, evidence)
            for spec, prepared in metrics.items()
            if prepared.metric.cached and can_be_cached(prepared.facts)
        }

    def look_up(self, rows: Sequence[int]) -> tuple[dict[str, dict[int, RowResult]], frozenset[int]]:
        """Return the cached scores of some rows, by spec and row number, and the numbers of rows with damaged ones."""
        cached: dict[str, dict[int, RowResult]] = {}
        damaged: set[int] = set()
        everywhere = self._corpus.rows
        for spec, keys in self._keys.items():
            by_key: dict[str, list[int]] = {}
            metric = self._metrics[spec].metric
            for n in rows:
                if not metric.is_cheap(row := everywhere[n]):
                    by_key.setdefault(keys.of(row), []).append(n)
            entries, read = self._store.get(list(by_key)), unpacker(len(metric.parts), metric.formula)
            wrong, cached[spec] = self._store.damaged & by_key.keys(), {}
            for name, content in entries.items():
                result = read(content)
                if result is not None and (
                    not result.longer or result.can_be_of(texts_of(everywhere[by_key[name][0]], metric.columns))
                ):
                    cached[spec].update(dict.fromkeys(by_key[name], result))
                else:
                    wrong.add(name)
            damaged.update(n for name in wrong for n in by_key[name])
        return cached, frozenset(damaged)

    def add(self, scored: Scores) -> None:
        """Write scores to the cache, except temporary ones and those that are computed faster than looked up."""
        for spec, keys in self._keys.items():
            metric = self._metrics[spec].metric
            lasting = {
                n: result
                for n, result in scored.get(spec, {}).items()
                if not (result.value.temporary or metric.is_cheap(self._corpus.rows[n]))
            }
            self._store.put({keys.of(self._corpus.rows[n]): packed(result) for n, result in lasting.items()})
        self._store.commit()


class RowKeys:
    """The cache keys of the scores that a metric gives to rows."""

    def __init__(self, metric: Metric, facts: Mapping[str, object], evidence: bool) -> None:
        self._columns = (*metric.columns, *([QUESTION] if QUESTION in facts else []))
        self._metric = metric_key(metric, facts, evidence)

    def of(self, row: Row) -> str:
        """Return the key of a row."""
        content = repr([getattr(row, column) for column in self._columns])
        return f"row|{self._metric}|{blake2b(content.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}"


def facts_of(metric: Metric, prepared: Prepared, engine: Engine | None, **more: object) -> dict[str, object]:
    """Return all that a metric's numbers depend on besides its spec and the texts, by name, for its signature."""
    package, _, offered = metric.name.partition("/")
    others = (package,) if offered and package != "published" else ()
    libraries = {name: installed_version(name) for name in (*metric.libraries, *others)}
    model = {} if engine is None else engine.facts_with(metric.other_models)
    versions = {"unicode": unicodedata.unidata_version, "nlgauge": made_by(metric, engine)}
    return {**model, **prepared.facts, **libraries, **more, **versions}


def made_by(metric: Metric, engine: Engine | None) -> str:
    """Return the library's version, and after "+" the digest of the source code that makes a metric's numbers."""
    engines = [] if engine is None else [engine, *map(engine.other, metric.other_models)]
    kinds = [kind for computed in engines for kind in computed.scored_by]
    return f"{__version__}+{source_digest((*metric.scored_by, *kinds))}"


def can_be_cached(facts: Mapping[str, object]) -> bool:
    """Return whether a metric's scores can be cached, because all that they depend on is named.

    Args:
        facts: the provenance of a metric.

    Returns:
        True where the facts name the code that made the numbers.
    """
    return readable(str(facts["nlgauge"]).partition("+")[2])


def metric_key(metric: Metric, facts: Mapping[str, object], evidence: bool) -> str:
    """Return the metric's part of cache keys: a digest of all that determines its numbers besides the texts."""
    # The facts name the model's files, however these are called.
    left_out = ("model", *metric.conduct)
    parameters = [
        (parameter.name, literal(getattr(metric, parameter.name)))
        for parameter in fields(metric)
        if parameter.name not in left_out
    ]
    digests = {name: fact.get("digest") if isinstance(fact, dict) else fact for name, fact in facts.items()}
    content = repr([metric.name, parameters, sorted(digests.items()), evidence])
    return blake2b(content.encode(), digest_size=16).hexdigest()
