"""What the store knows scores by: all that determines them, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from hashlib import blake2b

from nlgauge._version import __version__
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.source_digest import readable, source_digest
from nlgauge.engine.engine import Engine
from nlgauge.metrics.base import QUESTION, Metric, model_of
from nlgauge.metrics.parameters import literal


def texts_of(row: Row, columns: Sequence[str]) -> list[str]:
    """The texts of some columns of a row, one after another."""
    texts: list[str] = []
    for column in columns:
        content: str | tuple[str, ...] | None = getattr(row, column)
        texts += content if isinstance(content, tuple) else [] if content is None else [content]
    return texts


class Keys:
    """Under which key the store has a metric's score of each row."""

    def __init__(self, metric: Metric, facts: Mapping[str, object], corpus: Corpus, evidence: bool) -> None:
        self._corpus, self._columns = corpus, (*metric.columns, *([QUESTION] if QUESTION in facts else []))
        self._metric = metric_key(metric, facts, evidence)

    def of(self, number: int) -> str:
        """The key of a row."""
        content = repr([getattr(self._corpus[number], column) for column in self._columns])
        return f"row|{self._metric}|{blake2b(content.encode('utf-8', 'surrogatepass'), digest_size=16).hexdigest()}"


def made_by(metric: Metric, engine: Engine | None) -> str:
    """The library's version, and after "+" the digest of the source code that makes a metric's numbers."""
    engines = [] if engine is None or model_of(metric) is None else [engine, *map(engine.other, metric.other_models)]
    kinds = [kind for one in engines for kind in one.scored_by]
    return f"{__version__}+{source_digest((*metric.scored_by, *kinds))}"


def can_be_kept(facts: Mapping[str, object]) -> bool:
    """Whether the facts of a metric name the code that made its numbers, so that these can be found again by them."""
    return readable(str(facts["nlgauge"]).partition("+")[2])


def metric_key(metric: Metric, facts: Mapping[str, object], evidence: bool) -> str:
    """What the store knows a metric by: all that determines its numbers beside the texts."""
    # The facts name the model's files, however these are called.
    parameters = [(one.name, literal(getattr(metric, one.name))) for one in fields(metric) if one.name != "model"]
    digests = {name: fact.get("digest") if isinstance(fact, dict) else fact for name, fact in facts.items()}
    content = repr([metric.name, parameters, sorted(digests.items()), evidence])
    return blake2b(content.encode(), digest_size=16).hexdigest()
