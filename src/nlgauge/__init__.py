"""nlgauge measures generated text: InfoLM and other metrics on one engine, offline, repeatable.

>>> import nlgauge
>>> table = nlgauge.evaluate(candidates=["A cat sat."], references=[["The cat sat."]], metrics=["InfoLM"])
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nlgauge._version import __version__
from nlgauge.errors import InputError, MetricError, MissingExtraError, NlgaugeError, SpecError

if TYPE_CHECKING:
    from nlgauge.data.corpus import Corpus, Row
    from nlgauge.data.table import ScoreTable
    from nlgauge.evaluation import evaluate
    from nlgauge.explanation import explain
    from nlgauge.meta.agreement import correlate
    from nlgauge.meta.certified import calibrate
    from nlgauge.meta.comparison import compare
    from nlgauge.meta.estimate import estimate
    from nlgauge.meta.gate import check
    from nlgauge.meta.sampling import sample
    from nlgauge.run.executors.ray import Cluster
    from nlgauge.show.page.report import report

_HOMES = {
    "Cluster": "run.executors.ray",
    "Corpus": "data.corpus",
    "Row": "data.corpus",
    "ScoreTable": "data.table",
    "calibrate": "meta.certified",
    "check": "meta.gate",
    "compare": "meta.comparison",
    "correlate": "meta.agreement",
    "estimate": "meta.estimate",
    "evaluate": "evaluation",
    "explain": "explanation",
    "report": "show.page.report",
    "sample": "meta.sampling",
}

__all__ = [
    "Cluster",
    "Corpus",
    "InputError",
    "MetricError",
    "MissingExtraError",
    "NlgaugeError",
    "Row",
    "ScoreTable",
    "SpecError",
    "__version__",
    "calibrate",
    "check",
    "compare",
    "correlate",
    "estimate",
    "evaluate",
    "explain",
    "report",
    "sample",
]


def __getattr__(name: str) -> Any:
    """Load on first use, so that `import nlgauge` costs nothing; metrics are found by the registry."""
    if name in _HOMES:
        return getattr(import_module(f"nlgauge.{_HOMES[name]}"), name)
    if name[:1].isupper():
        from nlgauge.catalogue.registry import built_in_metrics

        if name in built_in_metrics():
            return built_in_metrics()[name]
    raise AttributeError(f"module 'nlgauge' has no attribute {name!r}")


def __dir__() -> list[str]:
    from nlgauge.catalogue.registry import built_in_metrics

    return sorted([*__all__, *(name for name in built_in_metrics() if name.isidentifier())])
