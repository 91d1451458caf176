"""The checks of `nlgauge doctor`: versions, the embedded model, and whether batches change results on this machine."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from nlgauge._version import __version__
from nlgauge.engine.engine import Engine
from nlgauge.engine.features.masked import BagRequest
from nlgauge.engine.models import loading
from nlgauge.engine.models.capabilities import ALIGNER, ENCODER, Model
from nlgauge.engine.models.onnx import threads
from nlgauge.engine.models.packing import Packer, packer_of
from nlgauge.errors import SpecError, installing
from nlgauge.show.answer import Answer
from nlgauge.show.tables import Cell, Number

_TEXTS = (
    "Rain fell.",
    "The bridge over the river was closed for a week.",
    "Two trains were late, and one never came at all.",
)
_TOLERANCE = 1e-4


@dataclass(frozen=True)
class Finding:
    """The result of one check."""

    good: bool
    what: str
    detail: str


def examine() -> list[Finding]:
    """Return the results of all checks. A result that is not good says what to do."""
    number = threads()
    machine = f"{platform.machine()}, {number} thread{'s' * (number != 1)}"
    findings = [Finding(True, "nlgauge", f"{__version__}, Python {platform.python_version()}, {machine}")]
    for package in ("numpy", "onnxruntime", "tokenizers", "safetensors"):
        findings.append(Finding(True, package, version(package)))
    for package, extra in (("torch", "torch"), ("transformers", "torch"), ("pandas", "tables"), ("pyarrow", "tables")):
        try:
            findings.append(Finding(True, package, version(package)))
        except PackageNotFoundError:
            advice = f"not installed (where you need it: {installing('nlgauge', extra)})"
            findings.append(Finding(True, package, advice))
    return [*findings, *_model()]


def _model() -> list[Finding]:
    try:
        model = loading.load("pocket")
        layers = model[ENCODER].layers
        facts = f"{model.digest[:8]}, {layers} layers, window {model.window}, {model.backend}"
        alone = [_bags(model, [text])[0] for text in _TEXTS]
        together = _bags(model, [_TEXTS[1], _TEXTS[2], _TEXTS[0]])
    except Exception as error:  # whatever is broken here, the command's job is to report it
        return [Finding(False, "pocket", f"{type(error).__name__}: {error}; install nlgauge again")]
    pairs = zip(alone, [together[2], *together[:2]], strict=True)
    gap = max(float(np.abs(np.exp(bag) - np.exp(other)).max()) for bag, other in pairs)
    return [
        Finding(True, "pocket", facts),
        Finding(gap < _TOLERANCE, "one at a time = in a batch, in another order", f"largest difference {gap:.1e}"),
    ]


def recognised(name: str) -> list[Finding]:
    """Return findings on the kind and the abilities of a model. Raises SpecError if it cannot be loaded."""
    model = loading.load(name)
    abilities = ", ".join(ability.name for ability, part in model.abilities.items() if part is not None)
    findings = [
        Finding(True, name, f"{model.digest[:8]}, window {model.window}, {model.backend}"),
        Finding(True, "can do", abilities),
    ]
    if ALIGNER not in model:
        return [*findings, Finding(True, "aligner", model.lacks.get(ALIGNER, ALIGNER.lacks))]
    if (packer := packer_of(model)) is None:
        findings.append(Finding(True, "aligner", "one of nlgauge"))
    else:
        findings += [Finding(True, what, told) for what, told in told_of(model[ALIGNER], packer)]
    card = model.card
    origin = card.origins.get("grounded", "measured") if card.grounded else None
    limits = "none: name one (--at-least), or choose it by ratings (nlgauge calibrate)"
    if card.grounded is not None:
        limits = f"unsupported below {card.grounded[0]:g}, supported from {card.grounded[1]:g} on ({origin})"
    return [*findings, Finding(True, "thresholds of --grounded", limits)]


def timed(name: str, device: str | None) -> Answer:
    """Return how fast a model is by each backend and precision. `precision='auto'` uses these times later.

    Args:
        name: the name of the model.
        device: the device of models that torch runs.

    Returns:
        An answer with a table, the slowest way first, and with the reasons why other ways cannot be used.

    Raises:
        SpecError: the model cannot be loaded, or has nothing to be timed by.
    """
    from nlgauge.run.precision import speeds_of
    from nlgauge.run.store import opened

    with opened(True) as store:
        speeds = speeds_of(name, device, store, again=True)
    if speeds is None:
        raise SpecError(f"model {name!r} has no vectors, aligner or masked words to be timed by")
    timings = sorted(speeds.timings, key=lambda timing: timing.times_as_fast[1])
    head: list[Cell] = ["backend", "precision", "ms / 1,000 sub-words", "times as fast", "largest change", "opening, s"]
    cells: list[list[Cell]] = [head]
    for timing in timings:
        spread = "1" if timing is speeds.timings[0] else " - ".join(f"{ratio:.2f}" for ratio in timing.times_as_fast)
        cells.append(
            [
                timing.backend,
                timing.precision,
                Number(1000 * timing.seconds, digits=0),
                spread,
                f"{timing.change:.1g}" if timing.change else "0",
                Number(timing.opening, digits=1),
            ]
        )
    return Answer(
        command="doctor",
        record={"speed": msgspec.to_builtins(speeds)},
        tables=[cells],
        keys=2,
        legend=[
            f"{name} on this machine, {threads()} thread{'s' * (threads() != 1)}; times as fast as float32 by default, "
            "in turns with it: the least, the median and the largest of the rounds",
            f"largest change: of a {speeds.changed} of built-in texts",
            *(f"not timed: {way}: {why}" for way, why in speeds.missing.items()),
        ],
    )


def told_of(aligner: Any, packer: Packer) -> list[tuple[str, str]]:
    """Return a description of a published detector, in pairs of a title and a text.

    Args:
        aligner: the detector.
        packer: what packs texts into the rows that the detector reads.

    Returns:
        (title, text) pairs.
    """
    packing = packer.packing
    labels = getattr(getattr(aligner, "reading", None), "labels", ())
    judged = {"sentence": "each sentence", "text": "the whole text", "segment": "some sentences at a time"}[
        packing.unit
    ]
    words = "each word has a judgement of its own" if packing.words else "words have none of their own"
    source = f"in chunks of {packing.chunk} sub-words" if packing.chunk else "in parts as long as a row has room for"
    return [
        ("detector", f"{packing.name}: {packing.about}"),
        ("labels", ", ".join(labels)),
        ("judges", f"{judged}; {words}"),
        ("rows", f"at most {packer.longest} sub-words; reading='windows' reads a source {source}"),
    ]


def _bags(model: Model, texts: list[str]) -> list[NDArray[np.float32]]:
    """Return log-probabilities of the sub-words, [vocabulary], for each text of a batch."""
    requests = [BagRequest(text, 1.0) for text in texts]
    features = Engine(model).features(requests)
    return [bag.log_probabilities for request in requests if (bag := features[request]) is not None]
