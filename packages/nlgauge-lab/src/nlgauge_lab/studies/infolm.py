"""Studies of how InfoLM depends on its parameters: the temperature, and alpha and beta of its measure.

The masked model reads each text once for all temperatures. For alpha and beta, which only the measure depends on, each
text's distribution over the vocabulary is computed once too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from nlgauge import registry
from nlgauge.data.corpus import Corpus
from nlgauge.errors import SpecError
from nlgauge.metrics.infolm import InfoLM
from nlgauge_lab.studies.sweep import Setting, Sweep, sweep

TEMPERATURES = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 5.0, 10.0)
ALPHAS = (0.25, 0.5, 0.75, 1.0, 1.25, 2.0, 3.0)
BETAS = (0.25, 0.5, 0.75, 1.0, 1.25, 2.0, 3.0)
_VARIED = {"ab": ("alpha", "beta"), "alpha": ("alpha",), "renyi": ("alpha",), "gamma": ("beta",)}


def temperature(
    corpus: Corpus,
    metrics: Sequence[str | InfoLM] = ("InfoLM",),
    temperatures: Sequence[float] = TEMPERATURES,
    *,
    model: str | None = None,
    coefficients: Sequence[str] = ("pearson", "spearman", "kendall"),
    **how: Any,
) -> Sweep:
    """Return the agreement of InfoLM with people at many temperatures of its softmax (the paper's figures 4 and 5).

    Args:
        corpus: rated outputs.
        metrics: InfoLM with any other parameters. The paper takes Fisher-Rao at system level.
        temperatures: the temperatures.
        model: for metrics that name none.
        coefficients: as in `nlgauge.correlate`.
        how: what `nlgauge_lab.studies.sweep.sweep` takes.

    Raises:
        SpecError: another metric.
    """
    settings = [
        Setting(str(one), {"temperature": float(t)}, replace(one, temperature=float(t)))
        for one in _infolms(metrics, model)
        for t in temperatures
    ]
    return sweep(corpus, settings, ("temperature",), coefficients=coefficients, **how)


def parameters(
    corpus: Corpus,
    metric: str | InfoLM = "InfoLM(measure='ab', alpha=1, beta=1)",
    alphas: Sequence[float] = ALPHAS,
    betas: Sequence[float] = BETAS,
    *,
    model: str | None = None,
    coefficients: Sequence[str] = ("pearson", "spearman"),
    **how: Any,
) -> Sweep:
    """Return the agreement of InfoLM with people over alpha and beta of the measure 'ab' (the paper's figure 6).

    For the measures 'alpha' and 'renyi' only alpha varies, and for 'gamma' only beta. Settings outside the measure's
    domain are left out and named in the notes.

    Args:
        corpus: rated outputs.
        metric: InfoLM with one of these measures.
        alphas, betas: the values.
        model: for a metric that names none.
        coefficients: as in `nlgauge.correlate`.
        how: what `nlgauge_lab.studies.sweep.sweep` takes.

    Raises:
        SpecError: another metric, or a measure that has neither alpha nor beta.
    """
    (base,) = _infolms([metric], model)
    if base.measure not in _VARIED:
        raise SpecError(f"{base}: its measure has neither alpha nor beta; take measure='ab', for one")
    axes = _VARIED[base.measure]
    grids = {"alpha": [float(a) for a in alphas], "beta": [float(b) for b in betas]}
    settings, refused = [], []
    for point in product(*(grids[axis] for axis in axes)):
        values = dict(zip(axes, point, strict=True))
        try:
            settings.append(Setting(base.measure, values, replace(base, **values)))  # type: ignore[arg-type]
        except SpecError as error:
            refused.append(f"left out: {error}")
    if not settings:
        raise SpecError(f"{base}: no setting is inside the measure's domain")
    return sweep(corpus, settings, axes, coefficients=coefficients, notes=refused, **how)


def _infolms(metrics: Sequence[str | InfoLM], model: str | None) -> list[InfoLM]:
    infolms = []
    for one in metrics:
        made = registry.metric(one, model=model)
        if not isinstance(made, InfoLM):
            raise SpecError(f"{made} is not InfoLM")
        infolms.append(made)
    return infolms
