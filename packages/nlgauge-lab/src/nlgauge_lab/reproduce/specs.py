"""Metrics made from the specs of tables and suites, on the model that the user chose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

from nlgauge import registry
from nlgauge.contract.base import Metric
from nlgauge.errors import NlgaugeError
from nlgauge_lab.studies.ablation import ABLATIONS
from nlgauge_lab.studies.barycenters import BaryScoreVariants
from nlgauge_lab.studies.neighbours import Neighbours
from nlgauge_lab.studies.scorings import MaskEvalScorings

_STUDIED: tuple[type[Metric], ...] = (*ABLATIONS.values(), BaryScoreVariants, MaskEvalScorings, Neighbours)
_OF_STUDIES = {kind.__name__: kind for kind in _STUDIED}
"""Metrics whose parts are many settings of one metric, from one pass. Only tables and studies name them"""


def metric_of(spec: str, model: str | None, defaults: Mapping[str, object]) -> Metric:
    """Return the metric of a spec.

    Args:
        spec: the spec.
        model: the model of a metric whose spec names none.
        defaults: parameters for a metric that has them and whose spec leaves them at their default.

    Raises:
        SpecError: the metric cannot be made.
    """
    name, parameters = registry.parsed(spec)
    studied = _OF_STUDIES.get(name)
    metric = registry.metric(studied(**parameters) if studied else spec, model=model)
    known = {field.name: field.default for field in fields(metric)}
    changed = {
        name: value for name, value in defaults.items() if name in known and getattr(metric, name) == known[name]
    }
    return replace(metric, **changed) if changed else metric


def names_of(spec: str, metric: Metric) -> set[str]:
    """Return the names by which a user may mean a metric: class, registered name, spec as written, and full spec."""
    return {type(metric).__name__, metric.name, spec, str(metric)}


def refusal(error: NlgaugeError) -> str:
    """Return why a metric cannot be had, without the list of all available metrics."""
    return str(error).partition("; there are ")[0]
