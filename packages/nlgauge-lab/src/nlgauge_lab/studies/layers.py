"""Which layer of a model agrees best with people: BERTScore, BaryScore and CTC's aligner E on each layer alone.

In the published code of BERTScore and CTC a layer was chosen in this way for each model. Nobody has chosen one for the
embedded model or for yours. All layers come from one pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

from nlgauge import registry
from nlgauge.contract.base import Metric
from nlgauge.data.corpus import Corpus
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import ENCODER
from nlgauge.errors import InputError, SpecError
from nlgauge_lab.studies.sweep import Setting, Sweep, sweep


def layers(
    corpus: Corpus,
    metrics: Sequence[str | Metric] | None = None,
    numbers: Sequence[int] | None = None,
    *,
    model: str | None = None,
    **how: Any,
) -> Sweep:
    """Return the agreement with people of metrics on each layer of their model. Layer 0 is the embeddings.

    Args:
        corpus: rated outputs.
        metrics: metrics with a parameter `layer`, or with `layers` that takes a tuple (each layer is then used alone).
            By default BERTScore and BaryScore if rows have references, and Consistency if they have sources.
        numbers: numbers of the layers, all by default.
        model: for metrics that name none.
        how: what `nlgauge_lab.studies.sweep.sweep` takes.

    Raises:
        SpecError: a metric has no layers, or its model lacks one of `numbers`.
        InputError: the rows have neither references nor sources.
    """
    chosen = [registry.metric(one, model=model) for one in metrics or _fitting(corpus)]
    settings: list[Setting] = []
    for one in chosen:
        most = layers_of(one)
        for number in range(most + 1) if numbers is None else numbers:
            if not 0 <= number <= most:
                raise SpecError(f"model {one.reads!r} has layers 0 to {most}; asked for {number}")
            settings.append(Setting(str(one), {"layer": number}, at(one, number)))
    return sweep(corpus, settings, ("layer",), **how)


def _fitting(corpus: Corpus) -> list[str]:
    specs = ["BERTScore", "BaryScore"] if any(row.references for row in corpus) else []
    specs += ["Consistency"] if any(row.source for row in corpus) else []
    if not specs:
        raise InputError("no row has references or a source", remedy="name a metric that needs neither")
    return specs


def layers_of(metric: Metric) -> int:
    """Return the number of layers of the metric's model, without the embeddings.

    Raises SpecError where it uses no model.
    """
    name = metric.reads
    if name is None:
        raise SpecError(f"{metric} uses no model")
    loaded = loading.load(name)
    return loaded[ENCODER].layers


def up_to(metric: Metric, number: int) -> Metric:
    """Return the metric on the layers that it would read if its model's card named a given layer.

    A metric that reads several layers (`layers` is a number) then reads this many, of which the given layer is the
    last. Another metric reads the given layer alone.

    Args:
        metric: the metric.
        number: the number of the given layer.

    Raises:
        SpecError: the metric has no layer to choose.
    """
    layers = getattr(metric, "layers", None)
    if not isinstance(layers, int):
        return at(metric, number)
    window = tuple(range(max(0, number + 1 - layers), number + 1))
    return replace(metric, layers=window)  # type: ignore[call-arg]


def at(metric: Metric, number: int) -> Metric:
    """Return the metric on one layer. Raises SpecError for a metric that has none to choose."""
    names = {field.name for field in fields(metric)}
    if "layer" in names:
        return replace(metric, layer=number)  # type: ignore[call-arg]
    if "layers" not in names:
        raise SpecError(f"{metric} has no layer to choose")
    try:
        return replace(metric, layers=(number,))  # type: ignore[call-arg]
    except (SpecError, TypeError):
        raise SpecError(f"{metric} takes the last layers together; no single one can be chosen") from None
