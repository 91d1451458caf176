"""The names for authors of metrics: base classes, parameters, and the features that a metric may ask of a model.

Each file of this package has one metric or family of metrics. `nlgauge.registry` finds them, and `nlgauge.metrics()`
lists their names.
"""

from __future__ import annotations

import sys
from types import ModuleType

from nlgauge.contract.base import Cost, Metric, Prepared, Reading, RowMetric, Scored, ScoredRows, Setup, Value
from nlgauge.contract.parameters import param
from nlgauge.data.corpus import Corpus, Row
from nlgauge.data.evidence import Evidence
from nlgauge.engine.features.request import ByModel, Features, PairRequest, Reader, Request, TextRequest
from nlgauge.metrics.references import ReferenceMetric, StringReferenceMetric
from nlgauge.metrics.sets import SetMetric, SetPrepared, SetText

__all__ = [
    "ByModel",
    "Corpus",
    "Cost",
    "Evidence",
    "Features",
    "Metric",
    "PairRequest",
    "Prepared",
    "Reader",
    "Reading",
    "ReferenceMetric",
    "Request",
    "Row",
    "RowMetric",
    "Scored",
    "ScoredRows",
    "SetMetric",
    "SetPrepared",
    "SetText",
    "Setup",
    "StringReferenceMetric",
    "TextRequest",
    "Value",
    "param",
]


class _Listing(ModuleType):
    """The class of this package as a module, which makes the module callable: `nlgauge.metrics()` lists all metrics."""

    def __call__(self) -> list[str]:
        """Return the names of nlgauge's metrics in alphabetical order, then the names that installed packages offer."""
        from nlgauge.registry import names

        return names()


sys.modules[__name__].__class__ = _Listing
